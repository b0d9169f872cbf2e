"""How an episode stands: what each entity was rewarded with, for whom it is over, and what has happened since it was
told."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..iil import Percept
from .world import Failure


class Standing:
    """How an episode with these entities stands."""

    def __init__(self, entities: Iterable[str] = ()) -> None:
        self._returns = dict.fromkeys(entities, 0.0)
        self._ended: dict[str, str] = {}
        self._events: list[tuple[str, Percept]] = []

    @property
    def entities(self) -> list[str]:
        """The entities, in order of appearance."""
        return list(self._returns)

    @property
    def is_over(self) -> bool:
        """Whether it is over for all."""
        return len(self._ended) == len(self._returns)

    def add(self, entity: str) -> None:
        """An entity takes part from now on."""
        self._returns.setdefault(entity, 0.0)

    def reward(self, entity: str, reward: float) -> None:
        """An entity is rewarded."""
        self._returns[entity] += reward
        self._events.append((entity, Percept("reward", reward)))

    def end(self, entity: str, terminated: bool, truncated: bool) -> None:
        """It is over for an entity, if one of these is so: by the rules, or from outside them."""
        how = "terminated" if terminated else "truncated"
        if (terminated or truncated) and entity not in self._ended:
            self._ended[entity] = how
            self._events.append((entity, Percept(how)))

    def check(self, entity: str) -> None:
        """Raises `Failure` if it is over for an entity."""
        if entity not in self._returns:
            raise Failure(f"there is no entity `{entity}`")
        if entity in self._ended:
            whole = "the episode is over" if self.is_over else f"the episode is over for `{entity}`"
            raise Failure(f"{whole} ({self._ended[entity]}); reset the environment to begin another")

    def take_events(self) -> list[tuple[str, Percept]]:
        """What has happened to whom since this was last asked."""
        events, self._events = self._events, []
        return events

    def outcome(self) -> dict[str, Any]:
        """What each entity has been rewarded with in all, and how it is over, if it is for all."""
        results = [{"of": entity, "name": "return", "value": value} for entity, value in self._returns.items()]
        if not self.is_over:
            return {"results": results}
        return {"results": results, "ending": "terminated" if "terminated" in self._ended.values() else "truncated"}
