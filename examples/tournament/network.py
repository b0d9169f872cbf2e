"""The network of the tournament: how much a robot prefers each of its choices, and how good its situation is.

It looks at all rooms with the same weights, so that what it finds out about one holds for all. The functions work on
arrays of NumPy, with which a trained network plays, and of JAX, which trains it.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from sight import Seen

ROOM_UNITS, UNITS = 32, 96
"""The units for each room, and for the whole."""

Weights = dict[str, Any]


def initial(itself: int, room: int, others: int, random: np.random.Generator) -> Weights:
    """Returns random weights, given the numbers of inputs about the robot and about a room, and of other outputs."""
    layers = {
        "room": (itself + room, ROOM_UNITS, 1.0),
        "whole": (itself + 2 * ROOM_UNITS, UNITS, 1.0),
        "context": (UNITS, ROOM_UNITS, 1.0),
        "go": (ROOM_UNITS, 1, 0.01),
        "other": (UNITS, others, 0.01),
    }
    weights: Weights = {}
    for name, (inputs, outputs, scale) in layers.items():
        weights[f"{name}.weight"] = random.normal(0, scale * np.sqrt(2 / inputs), (inputs, outputs)).astype(np.float32)
        weights[f"{name}.bias"] = np.zeros(outputs, np.float32)
    return weights


def outputs(weights: Weights, itself: Any, rooms: Any, array: Any = np) -> tuple[Any, Any]:
    """Returns an output for each room, and the other outputs. `array` is the module of the arrays."""

    def layer(name: str, inputs: Any) -> Any:
        return inputs @ weights[f"{name}.weight"] + weights[f"{name}.bias"]

    every = array.broadcast_to(itself[..., None, :], (*rooms.shape[:-1], itself.shape[-1]))
    each = array.maximum(layer("room", array.concatenate((every, rooms), axis=-1)), 0)
    whole = array.concatenate((itself, each.max(axis=-2), each.mean(axis=-2)), axis=-1)
    whole = array.maximum(layer("whole", whole), 0)
    go = layer("go", array.maximum(each + layer("context", whole)[..., None, :], 0))[..., 0]
    return go, layer("other", whole)


def preferences(weights: Weights, itself: Any, rooms: Any, open: Any, array: Any = np) -> Any:
    """Returns a logit for each choice, in the order of `Seen`; those of choices that are not open are very small."""
    logits = array.concatenate(outputs(weights, itself, rooms, array), axis=-1)
    return array.where(open, logits, -1e9)


def inputs(seen: Seen) -> tuple[np.ndarray, np.ndarray]:
    """Returns what the network gets: the numbers about each robot, and those about each of its rooms."""
    rooms = seen.known.shape[-2]
    # With the parity, robots can learn to take turns.
    parity = (seen.delivered + seen.robot) % 2
    single = (seen.robot, parity, seen.collided, seen.delivered / 6, seen.holds)
    drop_zone = seen.here[..., rooms:], seen.occupied[..., rooms:], seen.distances[..., rooms, :]
    itself = np.concatenate((np.stack(single, axis=-1), seen.held, seen.needed, seen.position, *drop_zone), axis=-1)
    flags = seen.here[..., :rooms], seen.occupied[..., :rooms], seen.visited, seen.blocks / 5
    distances = seen.distances[..., :rooms, :]
    each = np.concatenate((np.stack(flags, axis=-1), np.minimum(seen.known, 2), distances), axis=-1)
    return itself.astype(np.float32), each.astype(np.float32)
