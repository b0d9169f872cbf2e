"""The host of an environment written in Python. It performs tasks and reports changes, without any I/O."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeAlias, get_args, get_origin

from situated._native import Scene
from situated.iil import Action, Function, Parameter, Percept, Term, parameter_from_data, parameter_to_data

from .declaration import classes_of, hints
from .environment import Measure, PythonEnvironment

Told: TypeAlias = tuple[str, bool, list[Percept], list[Percept]]
"""The changes of an entity's percepts: its name, whether all earlier percepts are void, the deleted, the new ones."""

Outcome: TypeAlias = tuple[list[Measure], str | None]
"""The results of an episode, and how it has ended, if it has."""


class Changes(NamedTuple):
    """The changes in an environment since the last report."""

    deleted: list[str]
    new: list[tuple[str, str]]
    """The new entities with their types."""
    percepts: list[Told]
    events: list[tuple[str, Percept]]
    scene: Scene | None
    outcome: Outcome | None

    def to_data(self) -> dict[str, Any]:
        """Returns the changes as the protocol writes an update."""
        parts: dict[str, Any] = {
            "deleted": self.deleted,
            "new": [{"entity": name, "entityType": of} for name, of in self.new],
            "percepts": [*map(_told_to_data, self.percepts)],
            "events": [{"entity": entity, "percept": event.to_data()} for entity, event in self.events],
        }
        update = {key: reported for key, reported in parts.items() if reported}
        if self.scene is not None:
            update["scene"] = json.loads(self.scene.to_json())
        if self.outcome is not None:
            results, ending = self.outcome
            update["outcome"] = {
                "results": [{"of": of, "name": name, "value": parameter_to_data(value)} for of, name, value in results]
            }
            if ending is not None:
                update["outcome"]["ending"] = ending
        return update


def _told_to_data(told: Told) -> dict[str, Any]:
    entity, is_all, deleted, added = told
    add = [percept.to_data() for percept in added]
    if is_all:
        return {"entity": entity, "resync": True, "add": add}
    return {"entity": entity, "delete": [percept.to_data() for percept in deleted], "add": add}


class Provider:
    """Performs the tasks of the host of an environment. It reports the percepts of all entities at all times, so that
    the next agent of an entity has them immediately. It also reports scenes, unless `with_scenes` is false."""

    def __init__(self, environment: PythonEnvironment, with_scenes: bool = True) -> None:
        self.environment = environment
        self._with_scenes = with_scenes
        declared = [term for term in classes_of(type(environment)) if issubclass(term, Action)]
        # A name may occur several times, with different numbers of parameters.
        self._actions = {
            (action.stands_for, len(action.__match_args__)): _reader_of_term(action) for action in declared
        }
        self._parameters = {name: _reader(hint) for name, hint in hints(environment.begin).items()}
        self._begun = False
        self._resumes = False
        self._step = 0
        # The last report.
        self._entities: dict[str, str] = {}
        self._percepts: dict[str, dict[Percept, None]] = {}
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

    # The tasks by values of Python, which the interface in this process calls.

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

    def act(self, entity: str, name: str, args: tuple[Parameter, ...]) -> Iterable[Percept] | None:
        """Executes an action of an entity. Returns percepts for its agent, if any."""
        read = self._actions.get((name, len(args)))
        return self.environment.act(entity, Action(name, *args) if read is None else read(args))

    def act_by_default(self, entity: str) -> None:
        """Executes the default action of an entity, if it has one."""
        if (action := self.environment.default_action(entity)) is not None:
            self.environment.act(entity, action)

    def request(self, entity_type: str, name: str | None) -> str:
        """Returns the name of an entity for an agent that requests one."""
        return self.environment.request(entity_type, name)

    def perceive(self, entity: str) -> None:
        """Reports all percepts of an entity with the next changes."""
        self._percepts.pop(entity, None)

    def notify(self, change: str, entity: str) -> None:
        """Tells the environment that an entity was `taken` or `freed`, or that its agent has `left`."""
        if not self._resumes and entity in self.environment.entities:
            getattr(self.environment, change)(entity)

    def changes(self) -> Changes | None:
        """Returns the changes since the last report; None before the first episode."""
        if not self._begun:
            return None
        environment, known = self.environment, self._entities
        entities: Mapping[str, str] = environment.entities
        deleted, new = list[str](), list[tuple[str, str]]()
        if entities != known:
            self._entities = dict(entities)
            deleted = [name for name in known if name not in entities]
            new = [(name, of) for name, of in entities.items() if name not in known]
            self._percepts = {name: reported for name, reported in self._percepts.items() if name in entities}
        percepts = [reported for entity in entities if (reported := self._tell(entity)) is not None]
        events = environment.take_events()
        scene = environment.scene() if self._with_scenes else None
        if scene is not None and (drawn := scene.to_json()) != self._scene:
            self._scene = drawn
        else:
            scene = None
        outcome: Outcome | None = [*environment.results()], environment.ending()
        if outcome == self._outcome:
            outcome = None
        else:
            self._outcome = outcome
        return Changes(deleted, new, percepts, events, scene, outcome)

    # The same tasks in data of the protocol, which a host on a server answers.

    def answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Performs a task; returns the answer, as the protocol writes it.

        Raises `Failure` with the reason for the agent, and `NotImplementedError` for an action that an entity
        can never execute.
        """
        answer, update = dict[str, Any](), dict[str, Any]()
        if method in ("init", "reset"):
            parameters = {name: parameter_from_data(data) for name, data in params["parameters"].items()}
            update = {"step": self.init(int(params["seed"]), parameters)}
        elif method == "step":
            update = {"step": self.advance()}
        elif method == "act":
            action = Action.from_data(params["action"])
            if found := self.act(params["entity"], action.name, action.args):
                answer = {"percepts": [percept.to_data() for percept in found]}
        elif method == "actByDefault":
            self.act_by_default(params["entity"])
        elif method == "requestEntity":
            answer = {"entity": self.request(params["entityType"], params.get("name"))}
        elif method == "perceive":
            self.perceive(params["entity"])
        elif method in ("taken", "freed", "left"):
            self.notify(method, params["entity"])
        update |= self.take_update()
        return {**answer, "update": update} if update else answer

    def take_update(self) -> dict[str, Any]:
        """Returns the changes since the last report, as the protocol writes them."""
        changes = self.changes()
        return {} if changes is None else changes.to_data()

    def report_all(self, known: Iterable[str]) -> dict[str, Any]:
        """Returns the whole state, for a server that knows these entities and may have missed reports."""
        entities = self.environment.entities
        self._entities = {name: entities.get(name, "") for name in sorted(known)}
        self._percepts, self._outcome, self._scene = {}, None, None
        return {"step": self._step, **self.take_update()}

    def begin(self, seed: int, parameters: Mapping[str, Parameter]) -> None:
        """Begins an episode."""
        read = {name: self._parameters[name](value) for name, value in parameters.items()}
        self.environment.begin_episode(seed, read)
        self._forget(0)

    def typed(self, action: Action) -> Action:
        """Returns an action as one of its declared class."""
        read = self._actions.get((action.name, len(action.args)))
        return action if read is None else read(action.args)

    def _forget(self, step: int) -> None:
        """Forgets the last report; the episode is in this step."""
        self._begun, self._step = True, step
        self._entities, self._percepts, self._outcome, self._scene = {}, {}, None, None

    def _tell(self, entity: str) -> Told | None:
        reported, holding = self._percepts.get(entity), dict.fromkeys(self.environment.percepts(entity))
        self._percepts[entity] = holding
        if reported is None:
            return entity, True, [], list(holding)
        gone = [percept for percept in reported if percept not in holding]
        come = [percept for percept in holding if percept not in reported]
        return (entity, False, gone, come) if gone or come else None


_Reader: TypeAlias = Callable[[Any], Any]
"""Returns a value of the interface intermediate language as one of a declared type."""


def _reader(hint: Any) -> _Reader:
    """Returns the reader for a type. Types are resolved here, once, and not with every value."""
    of = get_args(hint)[0] if hasattr(hint, "__metadata__") else hint
    if hasattr(of, "stands_for"):
        read_term = _reader_of_term(of)
        return lambda value: read_term(value.args) if isinstance(value, Term) else value
    if get_origin(of) in (list, tuple):
        read_item = _reader(get_args(of)[0])
        return lambda value: tuple(map(read_item, value)) if isinstance(value, tuple) else value
    if of is float:
        # A whole number is accepted where a float is declared.
        return lambda value: value if isinstance(value, Function) else float(value)
    return lambda value: value


def _reader_of_term(of: type[Any]) -> Callable[[tuple[Parameter, ...]], Any]:
    """Returns the reader of the arguments of a term of this class."""
    parts = [_reader(part) for part in hints(of).values()]
    return lambda args: of(*[read(arg) for read, arg in zip(parts, args, strict=True)])
