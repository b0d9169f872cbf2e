"""An environment in this process, with agents that act and perceive by names and terms."""

from __future__ import annotations

import json
import pickle
from collections.abc import Mapping
from html import escape
from typing import Any, Literal, NamedTuple

from situated._native import Interface, Scene
from situated.authoring import PythonEnvironment, as_environment
from situated.authoring.declaration import classes_of
from situated.authoring.provider import Provider
from situated.iil import Action, Parameter, Percept, as_action, parameter_from_data
from situated.ontology import Ontology
from situated.perception import Form, Moment, Perception
from situated.registry import find
from situated.settings import read_parameters, read_seed, with_suggestions


class Environment:
    """An environment in this process, whose first episode has begun.

    It ships with this package or another package registers it, by its name (`situated.environments()` lists them), or
    it is written in Python. Each call of `step` advances time. `seed` and the parameters are those of the first
    episode; a parameter that is None is not given. Those whose names are arguments here, such as `seed`, are given in
    the dictionary `parameters`.
    """

    @with_suggestions
    def __init__(
        self,
        environment: str | PythonEnvironment,
        *,
        seed: int | None = None,
        parameters: Mapping[str, Parameter | None] | None = None,
        **named: Parameter | None,
    ) -> None:
        given: Mapping[str, Any] = read_parameters(parameters, named)
        if isinstance(environment, str) and (registered := find(environment)) is not None:
            environment, given = registered.make_environment(given)
        self._open(environment if isinstance(environment, str) else _provider(as_environment(environment)))
        self._interface.init(dict(given), read_seed(seed))
        self._interface.start()
        self._keep()

    def _keep(self) -> None:
        """Keeps an environment written in Python to itself, now that its episode has begun."""
        if self._provider is not None:
            self._provider.keep()

    def _open(self, environment: str | Provider) -> None:
        """Makes the interface of an environment that ships with this package, or that a provider performs."""
        self._provider = None if isinstance(environment, str) else environment
        if isinstance(environment, str):
            self._interface = Interface(environment)
            self.ontology = Ontology.from_json(self._interface.ontology())
        else:
            declared = environment.environment.ontology
            self._interface = Interface.written(json.dumps(declared), environment)
            self.ontology = Ontology(declared, classes_of(type(environment.environment)))
        self._interface.tell_as(self.ontology.percept_classes)

    @property
    def name(self) -> str:
        """The name in its ontology."""
        return self.ontology.name

    @property
    def actions(self) -> Any:
        """The classes of its actions, by their names: `environment.actions.Up()`."""
        return self.ontology.actions

    @property
    def percepts(self) -> Any:
        """The classes of its percepts, by their names: `case environment.percepts.At(x, y)`."""
        return self.ontology.percepts

    @property
    def state(self) -> Literal["paused", "running", "killed"]:
        """`"paused"`, `"running"` or `"killed"`."""
        return self._interface.state()

    @property
    def moment(self) -> Moment:
        """Episode (from 1) and step (from 0)."""
        return Moment(*self._interface.moment())

    @property
    def parameters(self) -> dict[str, Parameter]:
        """The parameters of the episode with their values."""
        return self._interface.parameters() or {}

    @property
    def entities(self) -> dict[str, str]:
        """The entities with their types, in order of creation."""
        return dict(self._interface.entities())

    @property
    def free_entities(self) -> list[str]:
        """The entities that have no agent, in order of creation."""
        return self._interface.free_entities()

    @property
    def agents(self) -> list[str]:
        """The registered agents, in order of registration."""
        return self._interface.agents()

    def register(self, agent: str) -> Agent:
        """Registers an agent. Raises `InterfaceError` if the name is taken."""
        self._interface.register(agent)
        return Agent(self, agent)

    def step(self) -> None:
        """Advances time by one step."""
        self._interface.step()

    def start(self) -> None:
        """Resumes time after a pause."""
        self._interface.start()

    def pause(self) -> None:
        """Stops time: agents can perceive, but not act."""
        self._interface.pause()

    @with_suggestions
    def reset(
        self,
        *,
        seed: int | None = None,
        parameters: Mapping[str, Parameter | None] | None = None,
        **named: Parameter | None,
    ) -> None:
        """Begins a new episode, and lets it run.

        Parameters that are not given keep their values; None gives one back its default. By default, the seed follows
        from the last.
        """
        given = read_parameters(parameters, named)
        self._interface.reset(given or None, read_seed(seed))
        self._interface.start()

    def seed_of(self) -> int | None:
        """Returns the seed of the present episode; `reset` begins the same episode with it."""
        return self._interface.seed()

    def get_state(self) -> bytes:
        """Returns the whole state, with the agents and their entities, but without what they have perceived.

        The state of an environment written in Python is pickled.
        """
        if self._provider is None:
            return self._interface.save()
        episode, step = self._interface.moment()
        relation = [(agent, entity) for agent in self.agents for entity in self._interface.entities_of(agent)]
        saved = _Saved(
            self._provider.environment,
            self.seed_of(),
            self.parameters,
            self.state,
            episode,
            step,
            self.agents,
            relation,
        )
        return pickle.dumps(saved)

    def set_state(self, state: bytes) -> None:
        """Restores a state. The agents are those of the state; they perceive everything again.

        Raises an error for a state of another environment. The state of an environment written in Python is unpickled,
        which runs code, so it must come from a source that you trust.
        """
        if self._provider is None:
            self._interface.load(state)
            return
        saved = pickle.loads(state)
        if not isinstance(saved, _Saved) or type(saved.environment) is not type(self._provider.environment):
            raise ValueError(f"this is not a saved state of `{self.name}`")
        provider = _provider(saved.environment)
        self._open(provider)
        with provider.resuming(saved.step):
            self._interface.init(saved.parameters, saved.seed)
            for _ in range(1, saved.episode):
                self._interface.reset(None, saved.seed)
            self._interface.start()
            for agent in saved.agents:
                self._interface.register(agent)
            for agent, entity in saved.relation:
                self._interface.associate(agent, entity)
            if saved.state == "paused":
                self._interface.pause()
            elif saved.state == "killed":
                self._interface.kill()
        self._keep()

    def __reduce__(self) -> tuple[Any, ...]:
        if self._provider is None:
            return _restore, (self.name, self.get_state())
        return _restore, (self._provider.environment, self.get_state())

    def kill(self) -> None:
        """Ends the environment. It cannot be restarted."""
        self._interface.kill()

    def query(self, property: str, entity: str | None = None) -> Parameter | None:
        """Returns the value of a property of the environment, or of an entity; None if it has none at this time.

        Raises `InterfaceError` for a property that the ontology does not declare.
        """
        value: Parameter | None = self._interface.query(property, entity)
        return value

    def happenings(self) -> list[Any]:
        """Returns the changes since the last call, in order: of states, episodes, entities and agents."""
        happenings: list[Any] = json.loads(self._interface.happenings())
        return happenings

    def outcome(self) -> dict[str, Any]:
        """Returns the `results` of the episode, and its `ending` if it is over."""
        outcome: dict[str, Any] = json.loads(self._interface.outcome())
        for result in outcome["results"]:
            result["value"] = parameter_from_data(result["value"])
        return outcome

    def scene(self, viewer: str | None = None) -> Scene:
        """Returns the scene, as a whole or as an entity may see it."""
        scene = self._interface.scene(viewer)
        if self._provider is None or viewer is not None:
            return scene
        # An environment in this process draws only when somebody looks.
        return self._provider.environment.scene() or scene

    def _repr_html_(self) -> str:
        rows = "".join(
            f"<tr><td>{escape(of)}</td><td>{escape(name)}</td><td>{escape(str(value))}</td></tr>"
            for of, name, value in ((one["of"], one["name"], one["value"]) for one in self.outcome()["results"])
        )
        return f"<p>{escape(repr(self))}</p>{self.scene().svg()}<table>{rows}</table>"

    def __repr__(self) -> str:
        return f"<{self.name}: {self.state}, episode {self.moment.episode}, step {self.moment.step}>"


class Agent:
    """An agent that is registered with an environment in this process."""

    def __init__(self, environment: Environment, name: str) -> None:
        self.environment = environment
        self.name = name
        self._beliefs: dict[str, dict[Percept, None]] = {}

    @property
    def entities(self) -> list[str]:
        """The entities that it controls, in order of creation."""
        return self._interface.entities_of(self.name)

    @property
    def _interface(self) -> Interface:
        return self.environment._interface

    def associate(self, entity: str) -> None:
        """Takes control of an entity. Raises `InterfaceError` if this is not possible."""
        self._interface.associate(self.name, entity)

    def free(self, entity: str | None = None) -> None:
        """Frees an entity, or all of the agent."""
        self._interface.free(self.name, entity)

    def request_entity(self, entity_type: str, name: str | None = None) -> str:
        """Requests an entity of this type, optionally with a name; returns its name."""
        return self._interface.request_entity(self.name, entity_type, name)

    def act(self, action: Action | str, *args: Parameter, through: list[str] | None = None) -> dict[str, list[Percept]]:
        """Acts through these entities, or all of the agent; returns the percepts that the action returned, by entity.

        The action is a term, or its name and arguments: `act("goTo", 2, 3)`. Raises `InterfaceError` if it failed for
        any of the entities.
        """
        return self._interface.act(self.name, as_action(action, args), through or [])

    def perceive(self, form: Form = "update", *, through: list[str] | None = None) -> dict[str, Perception]:
        """Returns the percepts of these entities, or of all of the agent.

        `form` is `"update"` (the changes since the last call), `"snapshot"` (all that hold) or `"telling"`.
        """
        perceptions = self._interface.perceive(self.name, through or [], form)
        if form != "telling":
            for entity, perception in perceptions.items():
                perception.revise(self._beliefs.setdefault(entity, {}))
        return perceptions

    def beliefs(self, entity: str) -> list[Percept]:
        """Returns the percepts of an entity that held when it was last perceived."""
        return list(self._beliefs.get(entity, ()))

    def __reduce__(self) -> tuple[Any, ...]:
        return Agent, (self.environment, self.name), {"_beliefs": self._beliefs}

    def unregister(self) -> None:
        """Unregisters the agent and frees its entities."""
        self._interface.unregister(self.name)

    def __repr__(self) -> str:
        return f"<agent {self.name} in {self.environment.name}>"


class _Saved(NamedTuple):
    """The state of an environment written in Python, of its agents, and of time."""

    environment: PythonEnvironment
    seed: int | None
    parameters: dict[str, Parameter]
    state: str
    episode: int
    step: int
    agents: list[str]
    relation: list[tuple[str, str]]


def _provider(environment: PythonEnvironment) -> Provider:
    return Provider(environment, with_scenes=False)


def _restore(environment: str | PythonEnvironment, state: bytes) -> Environment:
    """Restores a pickled environment."""
    restored = Environment.__new__(Environment)
    restored._open(environment if isinstance(environment, str) else _provider(environment))
    restored.set_state(state)
    return restored
