"""The host of an environment written in Python. It performs tasks and reports changes, without any I/O."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, TypeAlias, get_args, get_origin

from situated.iil import Action, Function, Parameter, Percept, Term, parameter_from_data, parameter_to_data

from .declaration import classes_of, hints
from .environment import PythonEnvironment


class Provider:
    """Performs the tasks of the host of an environment. It reports the percepts of all entities at all times, so that
    the next agent of an entity has them immediately. It also reports scenes, unless `with_scenes` is false."""

    def __init__(self, environment: PythonEnvironment, with_scenes: bool = True) -> None:
        self.environment = environment
        self._with_scenes = with_scenes
        declared = [term for term in classes_of(type(environment)) if issubclass(term, Action)]
        # A name may occur several times, with different numbers of parameters.
        self._actions = {(action.stands_for, len(action.__match_args__)): _reader(action) for action in declared}
        self._parameters = {name: _reader(hint) for name, hint in hints(environment.begin).items()}
        self._begun = False
        self._resumes = False
        self._step = 0
        # The last report.
        self._entities: dict[str, str] = {}
        self._percepts: dict[str, dict[Percept, None]] = {}
        self._outcome: dict[str, Any] | None = None
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

    def answer(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        """Performs a task; returns the answer, as the protocol writes it.

        Raises `Failure` with the reason for the agent, and `NotImplementedError` for an action that an entity
        can never execute.
        """
        answer = self._do(method, params)
        update = {**answer.pop("update", {}), **(self.take_update() if self._begun else {})}
        return {**answer, "update": update} if update else answer

    def answer_json(self, method: str, params: str) -> str:
        """Version of `answer` with parameters and answer as JSON."""
        return json.dumps(self.answer(method, json.loads(params)))

    def update_json(self) -> str:
        """Returns the changes since the last report, as an answer in JSON."""
        return json.dumps({"update": self.take_update()})

    def take_update(self) -> dict[str, Any]:
        """Returns the changes since the last report."""
        environment, update = self.environment, dict[str, Any]()
        entities = dict(environment.entities)
        deleted = [name for name in self._entities if name not in entities]
        new = [{"entity": name, "entityType": of} for name, of in entities.items() if name not in self._entities]
        self._percepts = {name: reported for name, reported in self._percepts.items() if name in entities}
        percepts = [reported for entity in entities if (reported := self._tell(entity)) is not None]
        events = [{"entity": entity, "percept": event.to_data()} for entity, event in environment.take_events()]
        parts = (("deleted", deleted), ("new", new), ("percepts", percepts), ("events", events))
        update |= {key: reported for key, reported in parts if reported}
        scene, outcome = environment.scene() if self._with_scenes else None, self._read_outcome()
        if scene is not None and (drawn := scene.to_json()) != self._scene:
            self._scene, update["scene"] = drawn, json.loads(drawn)
        if outcome != self._outcome:
            update["outcome"] = outcome
        self._entities, self._outcome = entities, outcome
        return update

    def report_all(self, known: Iterable[str]) -> dict[str, Any]:
        """Returns the whole state, for a server that knows these entities and may have missed reports."""
        entities = self.environment.entities
        self._entities = {name: entities.get(name, "") for name in sorted(known)}
        self._percepts, self._outcome, self._scene = {}, None, None
        return {"step": self._step, **self.take_update()}

    def _do(self, method: str, params: Mapping[str, Any]) -> dict[str, Any]:
        environment = self.environment
        if method in ("init", "reset"):
            if self._resumes:
                self._forget(self._resumed)
            else:
                parameters = {name: parameter_from_data(data) for name, data in params["parameters"].items()}
                self.begin(int(params["seed"]), parameters)
            return {"update": {"step": self._step}}
        if method == "step":
            environment.step()
            self._step += 1
            return {"update": {"step": self._step}}
        if method == "act":
            found = environment.act(params["entity"], self.typed(Action.from_data(params["action"])))
            return {"percepts": [percept.to_data() for percept in found]} if found else {}
        if method == "actByDefault":
            if (action := environment.default_action(params["entity"])) is not None:
                environment.act(params["entity"], action)
        elif method == "requestEntity":
            return {"entity": environment.request(params["entityType"], params.get("name"))}
        elif method == "perceive":
            self._percepts.pop(params["entity"], None)
        elif self._resumes:
            pass
        elif method in ("taken", "freed", "left") and params["entity"] in environment.entities:
            getattr(environment, method)(params["entity"])
        return {}

    def begin(self, seed: int, parameters: Mapping[str, Parameter]) -> None:
        """Begins an episode."""
        read = {name: self._parameters[name](value) for name, value in parameters.items()}
        self.environment.begin_episode(seed, read)
        self._forget(0)

    def typed(self, action: Action) -> Action:
        """Returns an action as one of its declared class."""
        read = self._actions.get((action.name, len(action.args)))
        return action if read is None else read(action)

    def _forget(self, step: int) -> None:
        """Forgets the last report; the episode is in this step."""
        self._begun, self._step = True, step
        self._entities, self._percepts, self._outcome, self._scene = {}, {}, None, None

    def _read_outcome(self) -> dict[str, Any]:
        results = [
            {"of": of, "name": name, "value": parameter_to_data(value)}
            for of, name, value in self.environment.results()
        ]
        ending = self.environment.ending()
        return {"results": results} if ending is None else {"results": results, "ending": ending}

    def _tell(self, entity: str) -> dict[str, Any] | None:
        reported, holding = self._percepts.get(entity), dict.fromkeys(self.environment.percepts(entity))
        self._percepts[entity] = holding
        if reported is None:
            return {"entity": entity, "resync": True, "add": [percept.to_data() for percept in holding]}
        gone = [percept.to_data() for percept in reported if percept not in holding]
        come = [percept.to_data() for percept in holding if percept not in reported]
        return {"entity": entity, "delete": gone, "add": come} if gone or come else None


_Reader: TypeAlias = Callable[[Any], Any]
"""Returns a value of the interface intermediate language as one of a declared type."""


def _reader(hint: Any) -> _Reader:
    """Returns the reader for a type. Types are resolved here, once, and not with every value."""
    of = get_args(hint)[0] if hasattr(hint, "__metadata__") else hint
    if hasattr(of, "stands_for"):
        parts = [_reader(part) for part in hints(of).values()]

        def read_term(value: Any) -> Any:
            if not isinstance(value, Term):
                return value
            return of(*(read(arg) for read, arg in zip(parts, value.args, strict=True)))

        return read_term
    if get_origin(of) in (list, tuple):
        read_item = _reader(get_args(of)[0])
        return lambda value: tuple(map(read_item, value)) if isinstance(value, tuple) else value
    if of is float:
        # A whole number is accepted where a float is declared.
        return lambda value: value if isinstance(value, Function) else float(value)
    return lambda value: value
