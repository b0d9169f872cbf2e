"""The tables of the independent learners: how good each behaviour is in each situation."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from behaviours import Behaviours, behaviours
from sight import Seen

SITUATIONS, COUNT = 4 * 5 * 2**6, len(Behaviours._fields)


def situations(seen: Seen, can: Behaviours) -> np.ndarray:
    """Returns the number of each robot's situation: what it holds, where it is, and what it knows."""
    rooms = seen.known.shape[-2]
    holding = np.select([~seen.holds, seen.held[..., 0], seen.held[..., 1]], [0, 1, 2], 3)
    in_drop_zone, in_room = seen.here[..., rooms], seen.here[..., :rooms].any(axis=-1)
    place = np.select([in_drop_zone, can.pick_up_now >= 0, can.pick_up_next >= 0, in_room], [1, 2, 3, 4], 0)
    number = holding * 5 + place
    blocked = seen.occupied[..., rooms] & ~in_drop_zone
    knows = (can.explore >= 0, can.fetch_now >= 0, can.fetch_next >= 0)
    # With the parity, robots can learn to take turns.
    for fact in (*knows, blocked, seen.collided, seen.delivered % 2):
        number = number * 2 + fact
    return number


class Decisions(NamedTuple):
    """Decisions of robots."""

    situations: np.ndarray
    behaviours: np.ndarray
    choices: np.ndarray
    best: np.ndarray
    """The values of the best behaviours."""


def decide(values: np.ndarray, seen: Seen, exploration: float, random: np.random.Generator) -> Decisions:
    """Decides for robots by the values of their own tables, `[robot, situation, behaviour]`; a part of the decisions,
    the exploration, is random."""
    can = behaviours(seen)
    choices, now = np.stack(can, axis=-1), situations(seen, can)
    rated = np.where(choices >= 0, values[seen.robot, now], -np.inf)
    guessed = np.where(choices >= 0, random.random(choices.shape), -1).argmax(axis=-1)
    chosen = np.where(random.random(now.shape) < exploration, guessed, rated.argmax(axis=-1))
    taken = np.take_along_axis(choices, chosen[..., None], axis=-1)[..., 0]
    return Decisions(now, chosen, taken, rated.max(axis=-1))
