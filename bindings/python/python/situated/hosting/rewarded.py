"""What environments of all libraries have in common: an episode in which entities are rewarded until it is over for
them, by the rules or from outside them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal

from ..authoring import EntityType, Failure, Measure, PythonEnvironment
from ..iil import Percept

SEED_BITS = 31
"""How many bits of a seed reach an environment: as many as all of the libraries below take."""


class RewardedEnvironment(PythonEnvironment):
    """An environment whose entities are rewarded."""

    def __init__(self, ontology: Mapping[str, Any]) -> None:
        self.ontology = ontology
        self._returns: dict[str, float] = {}
        self._ended: dict[str, str] = {}

    def begin(self) -> None:
        self._returns, self._ended = {}, {}

    def add(self, entity: str, entity_type: EntityType | str) -> None:
        super().add(entity, entity_type)
        self._returns[entity] = 0.0

    def ending(self) -> Literal["terminated", "truncated"] | None:
        if not self.is_over:
            return None
        return "terminated" if "terminated" in self._ended.values() else "truncated"

    def results(self) -> Iterable[Measure]:
        return [Measure(entity, "return", value) for entity, value in self._returns.items()]

    @property
    def library_seed(self) -> int:
        """The part of the seed that reaches the environment of the library."""
        return self.seed & ((1 << SEED_BITS) - 1)

    @property
    def is_over(self) -> bool:
        """Whether it is over for all."""
        return len(self._ended) == len(self._returns)

    def reward(self, entity: str, reward: float) -> None:
        """An entity is rewarded."""
        self._returns[entity] += reward
        self.tell(entity, Percept("reward", reward))

    def end(self, entity: str, terminated: bool, truncated: bool) -> None:
        """It is over for an entity, if one of these is so."""
        how = "terminated" if terminated else "truncated"
        if (terminated or truncated) and entity not in self._ended:
            self._ended[entity] = how
            self.tell(entity, Percept(how))

    def check(self, entity: str) -> None:
        """Raises `Failure` if it is over for an entity."""
        if entity in self._ended:
            whole = "the episode is over" if self.is_over else f"the episode is over for `{entity}`"
            raise Failure(f"{whole} ({self._ended[entity]}); reset the environment to begin another")
