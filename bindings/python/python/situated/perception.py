"""The percepts of an entity that an agent receives, and when they were true."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal, NamedTuple, TypeAlias

from situated.iil import Percept

Form: TypeAlias = Literal["snapshot", "update", "telling"]
"""The form of perceiving: all percepts that hold, the changes, or as in Blocks World for Teams."""


class Moment(NamedTuple):
    """A moment: the number of the episode, the number of its steps so far, and milliseconds since 1970."""

    episode: int
    step: int
    time: int = 0

    @classmethod
    def read(cls, data: Mapping[str, int]) -> Moment:
        """Reads a moment as the protocol writes it."""
        return cls(data["episode"], data["step"], data["time"])

    def to_data(self) -> dict[str, int]:
        """Returns the moment as the protocol writes it."""
        return {"episode": self.episode, "step": self.step, "time": self.time}


class Perception(NamedTuple):
    """The percepts of one of an agent's entities.

    They revise beliefs: all are cleared if `resync`, then `delete` and then `add` apply. `events` come once each, in
    order; `lost` is the number of earlier events that exceeded the limit.
    """

    add: list[Percept]
    delete: list[Percept]
    events: list[Percept]
    resync: bool
    lost: int
    moment: Moment

    def revise(self, beliefs: dict[Percept, None]) -> None:
        """Revises beliefs, which are in order."""
        if self.resync:
            beliefs.clear()
        for percept in self.delete:
            beliefs.pop(percept, None)
        for percept in self.add:
            beliefs[percept] = None
