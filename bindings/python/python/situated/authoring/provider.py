"""The host of an environment written in Python. It performs tasks and reports changes, without any I/O."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from functools import cached_property
from typing import Any, TypeAlias, get_args, get_origin
from weakref import WeakValueDictionary

from situated._native import Interface, Scene
from situated.iil import Action, Function, Parameter, Percept, Term

from . import reports
from .declaration import classes_of, hints, parameters_of
from .environment import Failure, Measure, PythonEnvironment

Outcome: TypeAlias = tuple[list[Measure], str | None]
"""The results of an episode, and how it has ended, if it has."""

News: TypeAlias = tuple[list[str], list[tuple[str, str]], list[tuple[str, Percept]]]
"""The deleted entities, the new ones with their types, and the events with their entities."""


class Provider:
    """Performs the tasks of the host of an environment, which the native part of the package gives it, and tells what
    has changed. It also tells scenes, unless `with_scenes` is false."""

    def __init__(self, environment: PythonEnvironment, with_scenes: bool = True) -> None:
        if id(environment) in _in_use:
            raise ValueError(f"this {type(environment).__name__} is already in use; create another instance")
        self.environment = environment
        self._with_scenes = with_scenes
        declared = [term for term in classes_of(type(environment)) if issubclass(term, Action)]
        # A name may occur several times, with different numbers of parameters.
        self._actions = {
            (action.stands_for, len(action.__match_args__)): _reader_of_term(action) for action in declared
        }
        self._plain = {action for action in declared if all(read is _same for read in _readers(action))}
        parameters, begin = parameters_of(environment.begin), f"{type(environment).__name__}.begin"
        self._parameters = {name: _reader(hint, f"`{name}` of `{begin}`") for name, (hint, _) in parameters.items()}
        self._optional = dict.fromkeys(name for name, (_, is_optional) in parameters.items() if is_optional)
        # The actions that methods of the environment have returned, as those of their declared classes.
        self._returned: dict[Action, Action] = {}
        self._resumes = False
        self._step = 0
        # The last report.
        self._entities: dict[str, str] = {}
        self._outcome: Outcome | None = None
        self._scene: str | None = None

    @contextmanager
    def resuming(self, step: int) -> Iterator[None]:
        """Meanwhile, an episode that begins is the present one of the environment, which is in this step, and the
        environment is not told about the agents of its entities."""
        self._resumes, self._resumed = True, step
        try:
            yield
        finally:
            self._resumes = False

    def keep(self) -> None:
        """Keeps the environment from other providers, until this one is released or gone."""
        _in_use[id(self.environment)] = self

    def release(self) -> None:
        """Leaves the environment to other providers."""
        _in_use.pop(id(self.environment), None)

    # The tasks.

    def init(self, seed: int, parameters: Mapping[str, Parameter]) -> int:
        """Begins an episode, or continues with the one that is resumed. Returns its step."""
        if self._resumes:
            self._forget(self._resumed)
        else:
            self.begin(seed, parameters)
        return self._step

    def advance(self) -> int:
        """Advances time by one step. Returns the number of steps of the episode."""
        self.environment.step()
        self._step += 1
        return self._step

    def act(self, entity: str, action: Action) -> Iterable[Percept] | None:
        """Executes an action of an entity. Returns percepts for its agent, if any."""
        return self.environment.act(entity, action if type(action) in self._plain else self.typed(action))

    def act_by_default(self, entity: str) -> None:
        """Executes the default action of an entity, if it has one."""
        if (action := self.environment.default_action(entity)) is not None:
            self.environment.act(entity, self.declared(action, "default_action"))

    def request(self, entity_type: str, name: str | None) -> str:
        """Returns the name of an entity for an agent that requests one."""
        return self.environment.request(entity_type, name)

    def notify(self, change: str, entity: str) -> None:
        """Tells the environment that an entity was `taken` or `freed`, or that its agent has `left`."""
        if not self._resumes and entity in self.environment.entities:
            getattr(self.environment, change)(entity)

    # The changes since the last report.

    def news(self) -> News | None:
        """Returns the changes of entities, and the events."""
        events, entities, known = self.environment.take_events(), self.environment.entities, self._entities
        if entities == known:
            return ([], [], events) if events else None
        self._entities = dict(entities)
        deleted = [name for name in known if name not in entities]
        # A report has no events for entities that it deletes.
        events = [(entity, event) for entity, event in events if entity not in deleted]
        return deleted, [(name, of) for name, of in entities.items() if name not in known], events

    def percepts(self) -> list[tuple[str, Iterable[Percept]]]:
        """Returns all percepts of all entities, so that the next agent of an entity has them immediately."""
        environment = self.environment
        return [(entity, reports.percepts(environment, entity)) for entity in environment.entities]

    def outcome(self) -> Outcome | None:
        """Returns the outcome if it has changed."""
        outcome: Outcome = reports.results(self.environment), reports.ending(self.environment)
        if outcome == self._outcome:
            return None
        self._outcome = outcome
        return outcome

    def scene(self) -> Scene | None:
        """Returns the scene if it has changed."""
        scene = self.environment.scene() if self._with_scenes else None
        if scene is None or (drawn := scene.to_json()) == self._scene:
            return None
        self._scene = drawn
        return scene

    def begin_report(self, known: Iterable[str]) -> int:
        """Forgets the last report, for a server that knows these entities and may have missed it. Returns the step."""
        entities = self.environment.entities
        self._entities = {name: entities.get(name, "") for name in sorted(known)}
        self._outcome, self._scene = None, None
        return self._step

    def begin(self, seed: int, parameters: Mapping[str, Parameter]) -> None:
        """Begins an episode."""
        read = {name: self._parameters[name](value) for name, value in parameters.items()}
        # An optional parameter that is missing is None.
        self.environment.begin_episode(seed, self._optional | read)
        self._forget(0)

    def typed(self, action: Action) -> Action:
        """Returns an action as one of its declared class."""
        read = self._actions.get((action.name, len(action.args)))
        return action if read is None else read(action.args)

    def declared(self, action: object, method: str) -> Action:
        """Returns an action that a method of the environment has returned as one of its declared class. Raises
        `TypeError` for anything else, `ValueError` for an argument that is not in the range of its field."""
        if isinstance(action, Action) and (known := self._returned.get(action)) is not None:
            return known
        returned = f"`{type(self.environment).__name__}.{method}` returned {action!r:.80}"
        if not isinstance(action, Action) or (action.name, len(action.args)) not in self._actions:
            raise TypeError(f"{returned}, which is not an action that the environment declares")
        try:
            self._ontology.check_action(action)
            typed = self.typed(action)
        except (ValueError, Failure) as error:
            raise ValueError(f"{returned}: {error}") from None
        if len(self._returned) >= _MOST_RETURNED:
            self._returned.clear()
        self._returned[action] = typed
        return typed

    @cached_property
    def _ontology(self) -> Interface:
        # It only checks actions, so it needs nobody who performs them.
        return Interface.written(json.dumps(self.environment.ontology), None)

    def _forget(self, step: int) -> None:
        """Forgets the last report; the episode is in this step."""
        self._step = step
        self._entities, self._outcome, self._scene = {}, None, None


_in_use: WeakValueDictionary[int, Provider] = WeakValueDictionary()
"""The providers that keep their environments, by the identity of these."""

_MOST_RETURNED = 1024
"""Number of returned actions that are remembered, above which all are forgotten."""

_Reader: TypeAlias = Callable[[Any], Any]
"""Returns a value of the interface intermediate language as one of a declared type."""


def _reader(hint: Any, of_what: str) -> _Reader:
    """Returns the reader for a type, with words for what has it. Types are resolved here, once, and not with every
    value."""
    of = get_args(hint)[0] if hasattr(hint, "__metadata__") else hint
    if hasattr(of, "stands_for"):
        read_term = _reader_of_term(of)
        return lambda value: read_term(value.args) if isinstance(value, Term) else value
    if get_origin(of) in (list, tuple):
        read_item = _reader(get_args(of)[0], of_what)
        return lambda value: tuple(map(read_item, value)) if isinstance(value, tuple) else value
    if of is float:
        return lambda value: _read_number(value, of_what)
    return _same


def _read_number(value: Any, of_what: str) -> Any:
    """Returns a number as a float: a whole number is accepted where a float is declared. Raises `Failure` for NaN."""
    if isinstance(value, Function):
        return value
    number = float(value)
    if number != number:
        raise Failure(f"{of_what} is NaN; give a number")
    return number


def _same(value: Any) -> Any:
    return value


def _readers(of: type[Any]) -> list[_Reader]:
    """Returns the readers of the fields of a term."""
    return [_reader(hint, f"`{field}` of `{of.__name__}`") for field, hint in hints(of).items()]


def _reader_of_term(of: type[Any]) -> Callable[[tuple[Parameter, ...]], Any]:
    """Returns the reader of the arguments of a term of this class."""
    parts = _readers(of)
    return lambda args: of(*[read(arg) for read, arg in zip(parts, args, strict=True)])
