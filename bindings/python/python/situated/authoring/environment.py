"""The base class of environments written in Python."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from random import Random
from typing import Any, ClassVar, Literal, NamedTuple

from situated._native import Scene
from situated.iil import Action, Parameter, Percept

from .declaration import EntityType, Pace, classes_of_events, declare, only_held


class Failure(Exception):
    """An entity cannot do this now. The message gives its agent the reason."""


class Measure(NamedTuple):
    """A result: the entity or group that achieved it, its name, and its value."""

    of: str
    name: str
    value: Parameter


def as_environment(given: Any) -> PythonEnvironment:
    """Returns the argument if it is an environment that can begin episodes; otherwise raises `TypeError`."""
    if isinstance(given, type) and issubclass(given, PythonEnvironment):
        raise TypeError(f"{given.__name__} is a class; pass an instance: {given.__name__}()")
    if not isinstance(given, PythonEnvironment):
        raise TypeError(f"{given!r:.80} is not an environment; pass its name or an instance of PythonEnvironment")
    if type(given).begin is PythonEnvironment.begin:
        name = type(given).__name__
        raise TypeError(f"{name} has no method `begin`; define `def begin(self) -> None`, which adds the entities")
    return given


class PythonEnvironment:
    """An environment written in Python, by subclassing.

    The class declares its entity types as attributes; its docstring is the documentation for agents.
    `situated.Environment(environment)` runs it in this process, and `situated.host(environment, url)` on a server. One
    thread at a time uses it. Its behaviour depends only on its parameters, on `random` and on the calls of its methods,
    so that an episode can be repeated.
    """

    version: ClassVar[str] = "1.0"
    """The version of its rules."""
    pace: ClassVar[Pace] = "reactive"
    """The way in which time advances."""
    one_agent_per_entity: ClassVar[bool] = False
    """Whether an entity has at most one agent."""
    one_entity_per_agent: ClassVar[bool] = False
    """Whether an agent has at most one entity."""

    seed: int
    """The seed of the episode: 64 bits."""
    random: Random
    """The random numbers of the episode, which follow from the seed."""

    _entities: dict[str, str]
    _events: list[tuple[str, Percept]]

    @cached_property
    def ontology(self) -> Mapping[str, Any]:
        """The ontology, as the wire protocol writes it. It follows from the class."""
        return declare(type(self))

    # The rules, which an author writes.

    def begin(self) -> None:
        """Begins an episode. Its arguments are the parameters of the episode; those with a default are optional.

        Raises `Failure` for unusable parameters, before it changes anything.
        """
        raise NotImplementedError

    def act(self, entity: str, action: Any) -> Iterable[Percept] | None:
        """Executes an action of an entity, which has one of the classes of its type. Returns percepts for its agent, if
        any.

        Raises `Failure` if this is impossible now, `NotImplementedError` if this entity can never do so. In both cases
        it changes nothing.
        """
        raise NotImplementedError

    def step(self) -> None:
        """Advances time by one step."""

    def percepts(self, entity: str) -> Iterable[Percept]:
        """Returns the percepts that hold for an entity now."""
        return ()

    def default_action(self, entity: str) -> Action | None:
        """Returns the action of an entity in a step for which no agent has chosen one, if any."""
        return None

    def request(self, entity_type: str, name: str | None) -> str:
        """Returns the name of an entity of this type for an agent that requests one, optionally with a name. Raises
        `Failure` if there is none."""
        raise NotImplementedError("this environment does not create entities for agents")

    def taken(self, entity: str) -> None:
        """An agent has taken an entity that was free."""

    def freed(self, entity: str) -> None:
        """The last agent has freed an entity."""

    def left(self, entity: str) -> None:
        """The agent that had requested this entity has unregistered, and no other agent has it."""

    def ending(self) -> Literal["terminated", "truncated"] | None:
        """Returns how the episode has ended, by the rules or for another reason; None if it continues."""
        return None

    def results(self) -> Iterable[Measure]:
        """Returns the results so far."""
        return ()

    def scene(self) -> Scene | None:
        """Returns the current scene."""
        return None

    # What learners exchange with it, which an author may write. By default, it follows from the types of the actions
    # and percepts, and from the results.

    bounds: ClassVar[tuple[float, float]] = (-math.inf, math.inf)
    """The smallest and the largest number that `observe` returns, never NaN; those of `uint8` are 0 and 255."""

    def choices(self, entity_type: str) -> Sequence[Action] | None:
        """Returns the actions of entities of this type in the order of their numbers; None for all that have few
        arguments to choose from."""
        return None

    def observe(self, entity: str) -> Any:
        """Returns what an entity observes as an array, of the same shape and type always: `uint8`, or numbers that
        become `float32`. By default, the array has places for the declared percepts and events."""
        raise NotImplementedError("the observation follows from the percepts")

    def possible(self, entity: str, action: Action) -> bool:
        """Returns whether an action of an entity is possible now, for masks."""
        return True

    def reward(self, entity: str) -> float:
        """Returns the reward of an entity for the last step, also if the step has removed it. By default, it is the sum
        of the entity's events `reward` with a number, if its type declares them, and otherwise the change of the first
        result of the entity, or of the first group if the entity has none."""
        raise NotImplementedError("the reward follows from the results")

    # The methods that the rules call.

    @property
    def entities(self) -> Mapping[str, str]:
        """The entities and the names of their types, in order of creation."""
        return self._entities

    def add(self, entity: str, entity_type: EntityType | str) -> None:
        """Adds an entity with this name and type."""
        if entity in self._entities:
            raise ValueError(f"an entity `{entity}` already exists")
        self._entities[entity] = entity_type if isinstance(entity_type, str) else entity_type.name

    def remove(self, entity: str) -> None:
        """Removes an entity."""
        del self._entities[entity]

    def tell(self, entity: str, event: Percept) -> None:
        """Sends an event to an entity."""
        of: Any = type(self)
        if type(event) not in classes_of_events(of) and isinstance(event, Percept):
            if (event.name, len(event.args)) in only_held(of):
                raise ValueError(f"`{event.name}` holds and is no event; list it in `percepts`")
        self._events.append((entity, event))

    # The methods for the provider.

    def begin_episode(self, seed: int, parameters: Mapping[str, Any]) -> None:
        """Begins an episode with this seed. If `begin` raises, the last episode continues."""
        known = vars(self)
        last: dict[str, Any] = {
            name: known[name] for name in ("seed", "random", "_entities", "_events") if name in known
        }
        self.seed, self.random = seed, Random(seed)
        self._entities, self._events = {}, []
        try:
            self.begin(**parameters)
            for name in _METHODS.intersection(known):
                begin = f"{type(self).__name__}.begin"
                raise TypeError(
                    f"`{name}` is a method of every environment, so {begin} cannot set self.{name}; choose another name"
                )
        except BaseException:
            known.update(last)
            raise

    def take_events(self) -> list[tuple[str, Percept]]:
        """Returns the entities and events since the last call, in order."""
        events, self._events = self._events, []
        return events

    def __repr__(self) -> str:
        return f"<{type(self).__name__} with {len(getattr(self, '_entities', ()))} entities>"


_METHODS = {name for name, of in vars(PythonEnvironment).items() if callable(of) and not name.startswith("_")}
"""The methods that an attribute of the same name would hide."""
