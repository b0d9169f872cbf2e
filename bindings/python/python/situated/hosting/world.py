"""What a world is to its host: something that begins, is acted in, makes steps, and says how it stands. No I/O is done
here."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Protocol

from ..iil import Action, Percept


class Failure(Exception):
    """An entity cannot do this now; the message says why, for whoever asked."""


class World(Protocol):
    """A world that is hosted. It is used by one thread at a time."""

    ontology: dict[str, Any]
    """What it declares about itself, as the protocol writes it, with the pace at which it wants to be run."""

    def begin(self, seed: int) -> None:
        """Begins an episode with a seed of 64 bits."""

    def act(self, entity: str, action: Action) -> None:
        """An entity does something that fits the ontology. Raises `Failure`."""

    def step(self) -> None:
        """Time moves on by one step."""

    def entities(self) -> Mapping[str, str]:
        """The entities of the episode, and their types."""

    def percepts(self, entity: str) -> list[Percept]:
        """What holds for an entity now."""

    def take_events(self) -> list[tuple[str, Percept]]:
        """What has happened to which entity since this was last asked, in order."""

    def outcome(self) -> dict[str, Any]:
        """How the episode stands, as the protocol writes it."""


SEED_BITS = 31
"""How many bits of a seed reach an environment: as many as all of the libraries below take."""


def seed_of(seed: int) -> int:
    """The part of a seed that reaches an environment."""
    return seed & ((1 << SEED_BITS) - 1)
