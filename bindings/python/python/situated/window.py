"""A window that shows an environment, on systems with a display. It needs matplotlib."""

from __future__ import annotations

from typing import Any

from situated._native import Scene


class Window:
    """A window that opens with the first scene. It shows nothing without a display."""

    def __init__(self) -> None:
        self._image: Any = None

    def show(self, scene: Scene) -> None:
        """Shows a scene in place of the last one."""
        from matplotlib import pyplot

        pixels = scene.pixels()
        if self._image is None:
            figure, axes = pyplot.subplots(num="situated", frameon=False)
            axes.set_axis_off()
            self._image = axes.imshow(pixels)
        else:
            self._image.set_data(pixels)
        figure = self._image.figure
        figure.canvas.draw_idle()
        figure.canvas.flush_events()

    def close(self) -> None:
        """Closes the window."""
        if self._image is not None:
            from matplotlib import pyplot

            pyplot.close(self._image.figure)
            self._image = None
