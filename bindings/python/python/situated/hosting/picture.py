"""Frames that libraries render, as scenes: pictures of coloured rectangles."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from .._native import Scene, Shape

CELLS = 64
"""Maximum number of cells of a picture in each direction. A scene is sent with each step, so it must be small."""

_LEVELS = 8
"""Number of levels of red, green and blue, so that cells of similar colours become one rectangle."""


def picture_of(frame: npt.NDArray[np.uint8]) -> Scene:
    """Returns a frame of the shape [height, width, 3] as a scene, in which each unit is a cell of pixels."""
    size = -(-max(frame.shape[:2]) // CELLS)
    rows, columns = (max(1, length // size) for length in frame.shape[:2])
    height, width = min(size, frame.shape[0]), min(size, frame.shape[1])
    cells = frame[: rows * height, : columns * width, :3].reshape(rows, height, columns, width, 3).mean(axis=(1, 3))
    step = 255 / (_LEVELS - 1)
    colors = np.rint(np.rint(cells / step) * step).astype(int)
    return Scene(columns, rows, list(_rectangles(colors)))


def _rectangles(colors: npt.NDArray[np.int_]) -> list[Shape]:
    """Returns rectangles that cover the cells: the most frequent color as the ground, and on it the runs of each row,
    extended over the rows below that have the same runs."""
    rows, columns, _ = colors.shape
    cells = [[(int(red), int(green), int(blue)) for red, green, blue in row] for row in colors]
    counts: dict[tuple[int, int, int], int] = {}
    for row in cells:
        for color in row:
            counts[color] = counts.get(color, 0) + 1
    ground = max(counts, key=lambda color: counts[color])
    shapes = [Shape.rectangle(0, 0, columns, rows, ground)]
    # The runs that may go on below, with the row in which they began.
    going: dict[tuple[int, int, tuple[int, int, int]], int] = {}
    for place in range(rows + 1):
        runs = _runs(cells[place], ground) if place < rows else []
        for (first, end, color), begun in going.items():
            if (first, end, color) not in runs:
                shapes.append(Shape.rectangle(first, rows - place, end - first, place - begun, color))
        going = {run: going.get(run, place) for run in runs}
    return shapes


def _runs(row: list[tuple[int, int, int]], ground: tuple[int, int, int]) -> list[tuple[int, int, tuple[int, int, int]]]:
    """Returns the first cell, the end and the color of each run of equal cells that are not of the ground's color."""
    runs, first = [], 0
    for place in range(1, len(row) + 1):
        if place == len(row) or row[place] != row[first]:
            if row[first] != ground:
                runs.append((first, place, row[first]))
            first = place
    return runs
