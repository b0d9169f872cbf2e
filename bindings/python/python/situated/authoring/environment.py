"""An environment written in Python: what its author writes, and what is there to write it with."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property
from random import Random
from typing import Any, ClassVar, Literal, NamedTuple

from situated._native import Scene
from situated.iil import Action, Parameter, Percept

from .declaration import EntityType, Pace, declare


class Failure(Exception):
    """An entity cannot do this now; the message says why, for whoever asked."""


class Measure(NamedTuple):
    """Something achieved: by an entity or a group of them, what, and how much."""

    of: str
    name: str
    value: Parameter


class PythonEnvironment:
    """An environment written in Python, by subclassing.

    The class declares the types of its entities as attributes; its documentation is what agents are told of the world.
    `situated.Environment(world)` runs it in this process, and `situated.host(world, url)` on a server. It is used by
    one thread at a time. What it does follows from its parameters, from `random` and from what it is asked for alone,
    so that an episode can be had again.
    """

    version: ClassVar[str] = "1.0"
    """The version of its rules."""
    pace: ClassVar[Pace] = "reactive"
    """Who moves its time."""
    one_agent_per_entity: ClassVar[bool] = False
    """Whether an entity has one agent at the most."""
    one_entity_per_agent: ClassVar[bool] = False
    """Whether an agent has one entity at the most."""

    seed: int
    """The seed of the episode: 64 bits."""
    random: Random
    """What is left to chance comes from here, and so follows from the seed."""

    _entities: dict[str, str]
    _events: list[tuple[str, Percept]]

    @cached_property
    def ontology(self) -> Mapping[str, Any]:
        """What it declares about itself, as the wire protocol writes it: made from the class."""
        return declare(type(self))

    # The rules: what an author writes.

    def begin(self) -> None:
        """Begins an episode. Arguments with types are parameters of the episode; those with a default may be left out.

        Raises `Failure` if they are of no use, before anything is changed.
        """
        raise NotImplementedError

    def act(self, entity: str, action: Any) -> Iterable[Percept] | None:
        """An entity does something, which is of one of the classes of its type; returns what it finds out, if anything.

        Raises `Failure` if that is not possible now, `NotImplementedError` if this entity never can; nothing is changed
        then.
        """
        raise NotImplementedError

    def step(self) -> None:
        """Time moves on by one step."""

    def percepts(self, entity: str) -> Iterable[Percept]:
        """What holds for an entity now."""
        return ()

    def default_action(self, entity: str) -> Action | None:
        """What an entity does in a step if nobody has chosen for it; none if nothing."""
        return None

    def request(self, entity_type: str, name: str | None) -> str:
        """Somebody asks for a body of this type, perhaps under a name; returns its name. Raises `Failure` if there is
        none to be had."""
        raise NotImplementedError("there are no other bodies than those that are there")

    def taken(self, entity: str) -> None:
        """Somebody has taken an entity that was free."""

    def freed(self, entity: str) -> None:
        """The last agent has let go of an entity."""

    def left(self, entity: str) -> None:
        """Who had asked for this entity has left for good, and nobody else has it."""

    def ending(self) -> Literal["terminated", "truncated"] | None:
        """Whether the episode is over: by the rules, or from outside them."""
        return None

    def results(self) -> Iterable[Measure]:
        """What has been achieved so far."""
        return ()

    def scene(self) -> Scene | None:
        """What the world looks like now."""
        return None

    # What there is to write them with.

    @property
    def entities(self) -> Mapping[str, str]:
        """The entities and the names of their types, in order of creation."""
        return self._entities

    def add(self, entity: str, entity_type: EntityType | str) -> None:
        """There is an entity of this name and type from now on."""
        if entity in self._entities:
            raise ValueError(f"there is an entity `{entity}` already")
        self._entities[entity] = entity_type if isinstance(entity_type, str) else entity_type.name

    def remove(self, entity: str) -> None:
        """There is no such entity any more."""
        del self._entities[entity]

    def tell(self, entity: str, event: Percept) -> None:
        """Tells an entity that something has happened, or that it sees something happen."""
        self._events.append((entity, event))

    # What runs it.

    def begin_episode(self, seed: int, parameters: Mapping[str, Any]) -> None:
        """Begins an episode with this seed."""
        self.seed, self.random = seed, Random(seed)
        self._entities, self._events = {}, []
        self.begin(**parameters)

    def take_events(self) -> list[tuple[str, Percept]]:
        """What has been told to which entity since this was last asked, in order."""
        events, self._events = self._events, []
        return events
