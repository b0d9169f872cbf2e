"""What an agent is told about one of its entities, and when that was true."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from situated.iil import Percept

Form: TypeAlias = Literal["snapshot", "update", "telling"]
"""How percepts are told: all that holds, what has changed, or as Blocks World for Teams tells them."""


@dataclass(frozen=True)
class Moment:
    """When something was true: the number of the episode, of its steps so far, and milliseconds since 1970."""

    episode: int
    step: int
    time: int = 0

    @classmethod
    def read(cls, data: Mapping[str, int]) -> Moment:
        """Reads a moment as the protocol writes it."""
        return cls(data["episode"], data["step"], data["time"])

    def to_data(self) -> dict[str, int]:
        """As the protocol writes it."""
        return {"episode": self.episode, "step": self.step, "time": self.time}


@dataclass(frozen=True)
class Perception:
    """What an agent is told about one of its entities.

    `delete` and then `add` change what it believes, of which nothing is left if `resync`. `events` have happened, once
    each, in order; `lost` of them, before those, could not be kept.
    """

    add: list[Percept]
    delete: list[Percept]
    events: list[Percept]
    resync: bool
    lost: int
    moment: Moment

    def revise(self, beliefs: dict[Percept, None]) -> None:
        """Brings up to date what is believed, in order."""
        if self.resync:
            beliefs.clear()
        for percept in self.delete:
            beliefs.pop(percept, None)
        beliefs.update(dict.fromkeys(self.add))
