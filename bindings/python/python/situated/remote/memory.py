"""What an agent remembers of its entities: what it believes, and what it has heard."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any, TypeAlias

from ..iil import Percept
from ..perception import Form, Moment, Perception

Version: TypeAlias = tuple[int, int]
"""A state of what an entity perceives: how many changes there have been, and how many events."""


@dataclass
class _Known:
    """What an agent knows of one entity: what it believes, in order; what it was told last; what the server knew it to
    know."""

    beliefs: dict[Percept, None] = field(default_factory=dict)
    version: Version = (0, 0)
    since: Version = (-1, -1)


class Memory:
    """What an agent remembers, by entity."""

    def __init__(self) -> None:
        self._entities: dict[str, _Known] = {}

    def beliefs(self, entity: str) -> list[Percept]:
        """What held for an entity when the agent was last told."""
        return list(self._entities.get(entity, _Known()).beliefs)

    def take(self, told: Iterable[dict[str, Any]], moment: Moment, form: Form) -> dict[str, Perception]:
        """Takes what is told of entities; returns what of it is new. In the form `telling` beliefs are the caller's
        own."""
        return {one["entity"]: self._take(one, moment, form) for one in told}

    def unacknowledged(self) -> Iterator[dict[str, Any]]:
        """What is known and the server perhaps does not know to be, as it is acknowledged."""
        for entity, known in self._entities.items():
            if known.version != known.since:
                yield {"entity": entity, "version": list(known.version)}

    def forget(self, entity: str | None) -> None:
        """Forgets what is known of an entity, with which it begins anew, or of all."""
        if entity is None:
            self._entities.clear()
        else:
            self._entities.pop(entity, None)

    def _take(self, told: dict[str, Any], moment: Moment, form: Form) -> Perception:
        known = self._entities.setdefault(told["entity"], _Known())
        since, version = _version(told["since"]), _version(told["version"])
        events, lost = _percepts(told, "events"), int(told.get("lost", 0))
        if known.since == since:
            # An acknowledgement was lost, and all since the one before is told again.
            heard = known.version[1] - known.since[1]
            events, lost = events[max(0, heard - lost) :], max(0, lost - heard)
        perception = Perception(
            _percepts(told, "add"), _percepts(told, "delete"), events, bool(told.get("resync", False)), lost, moment
        )
        if form == "telling":
            known.beliefs.clear()
        else:
            perception.revise(known.beliefs)
        known.since, known.version = since, version
        return perception


def _version(data: list[int]) -> Version:
    return data[0], data[1]


def _percepts(told: dict[str, Any], key: str) -> list[Percept]:
    return [Percept.from_data(data) for data in told.get(key, [])]
