"""An agent's way from percepts to the numbers of the environment's encoding, and from choices to actions.

Learners get these numbers from the encoding of the environment in their process. An agent perceives terms, on a server
as in the process. With this, what was learned from numbers plays wherever agents do.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable

import numpy as np
from situated.iil import Action, Percept

from sight import COLLIDED, CONTENTS, DELIVERED, HERE, OCCUPIED, START, STARTS, TRAVELS, VISITED, Plan, Rows, X, Y


class Observer:
    """The percepts of a robot, and its memory of rooms and blocks."""

    def __init__(self, plan: Plan, entity: str) -> None:
        self._plan = plan
        self._start = int(entity.rpartition("_")[2]) / STARTS
        self._colors: dict[int, str] = {}
        self._visits: dict[str, Counter[str]] = {}

    def observe(self, percepts: Iterable[Percept]) -> tuple[np.ndarray, np.ndarray]:
        """Returns the observation and the action mask, given all percepts that hold.

        They have the numbers that `see` reads, and 0 elsewhere.
        """
        self._look(percepts)
        plan = self._plan
        observation = np.zeros(plan.numbers, np.float32)
        rows = Rows(plan, observation)
        rows.itself[[X, Y]] = self._location / plan.size
        rows.itself[TRAVELS], rows.itself[COLLIDED] = self._state == "traveling", self._state == "collided"
        rows.itself[START], rows.itself[DELIVERED] = self._start, self._delivered / len(self._sequence)
        for block in self._holding:
            rows.held[plan.colors.index(self._colors[block])] = 1
        for flags, color in zip(rows.needed, self._sequence[self._delivered :]):
            flags[plan.colors.index(color)] = 1
        for place, row in zip(plan.places, (*rows.rooms, rows.drop_zone)):
            row[HERE], row[OCCUPIED] = place in self._in, place in self._occupied
        for room, row in zip(plan.places, rows.rooms):
            if (seen := self._visits.get(room)) is not None:
                row[VISITED], row[CONTENTS:] = 1, [seen[color] / 10 for color in plan.colors]
        return observation, self._mask()

    def act(self, number: int) -> Action | None:
        """Returns the action for a choice; None if the robot waits."""
        match self._plan.actions[number].split():
            case ["goTo", place]:
                return Action("goTo", place)
            case ["pickUp", color]:
                block = min((block for block, seen in self._visible.items() if seen == color), key=self._distance)
                return Action("pickUp" if block in self._within_reach else "goToBlock", block)
            case ["putDown"]:
                return Action("putDown")
        return None

    def _look(self, percepts: Iterable[Percept]) -> None:
        self._in, self._occupied = set[str](), set[str]()
        self._holding, self._within_reach = list[int](), set[int]()
        self._visible, self._positions = dict[int, str](), dict[int, np.ndarray]()
        for percept in percepts:
            match percept.name, percept.args:
                case "location", (x, y):
                    self._location = np.array([x, y])
                case "state", (state,):
                    self._state = state
                case "in", (place,):
                    self._in.add(place)
                case "occupied", (place,):
                    self._occupied.add(place)
                case "color", (block, color):
                    self._visible[block] = color
                case "position", (thing, x, y):
                    self._positions[thing] = np.array([x, y])
                case "atBlock", (block,):
                    self._within_reach.add(block)
                case "holding", (block,):
                    self._holding.append(block)
                case "sequence", (colors,):
                    self._sequence = colors
                case "sequenceIndex", (index,):
                    self._delivered = index
        self._colors |= self._visible
        for room in self._in:
            self._visits[room] = Counter(self._visible.values())

    def _mask(self) -> np.ndarray:
        mask = np.zeros(len(self._plan.actions), np.bool_)
        for number, action in enumerate(self._plan.actions):
            match action.split():
                case ["pickUp", color]:
                    mask[number] = not self._holding and color in self._visible.values()
                case ["putDown"]:
                    mask[number] = bool(self._holding)
                case _:
                    mask[number] = True
        return mask

    def _distance(self, block: int) -> float:
        return float(np.linalg.norm(self._positions[block] - self._location))
