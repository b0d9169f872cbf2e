"""An environment in this process, with agents that act and perceive by names and terms."""

from __future__ import annotations

import json
from collections.abc import Mapping
from html import escape
from typing import Any

from situated._native import Interface, Scene
from situated.authoring import PythonEnvironment, as_environment
from situated.authoring.declaration import classes_of
from situated.authoring.provider import Provider
from situated.iil import Action, Parameter, Percept
from situated.ontology import Ontology
from situated.perception import Form, Moment, Perception
from situated.registry import find


class Environment:
    """An environment in this process, whose first episode has begun.

    It ships with this package or another package registers it, by its name (`situated.environments()` lists them), or
    it is written in Python. Each call of `step` advances time. `seed` and `parameters` are those of the first episode.
    """

    def __init__(
        self, environment: str | PythonEnvironment, *, seed: int | None = None, **parameters: Parameter
    ) -> None:
        given: Mapping[str, Any] = parameters
        if isinstance(environment, str) and (registered := find(environment)) is not None:
            environment, given = registered.make_environment(parameters)
        if isinstance(environment, str):
            self._interface = Interface(environment)
            self.ontology = Ontology.from_json(self._interface.ontology())
        else:
            environment = as_environment(environment)
            declared = environment.ontology
            self._interface = Interface.written(json.dumps(declared), Provider(environment))
            self.ontology = Ontology(declared, classes_of(type(environment)))
        self._interface.tell_as(self.ontology.percept_classes)
        self._interface.init(dict(given), seed)
        self._interface.start()

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
    def state(self) -> str:
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

    def reset(self, *, seed: int | None = None, **parameters: Parameter) -> None:
        """Begins a new episode, and lets it run.

        Parameters that are not given keep their values. By default, the seed follows from the last.
        """
        self._interface.reset({**self.parameters, **parameters} if parameters else None, seed)
        self._interface.start()

    def kill(self) -> None:
        """Ends the environment. It cannot be restarted."""
        self._interface.kill()

    def query(self, property: str, entity: str | None = None) -> Parameter | None:
        """Returns the value of a property of the environment, or of an entity; None for an unknown property."""
        value: Parameter | None = self._interface.query(property, entity)
        return value

    def happenings(self) -> list[Any]:
        """Returns the changes since the last call, in order: of states, episodes, entities and agents."""
        happenings: list[Any] = json.loads(self._interface.happenings())
        return happenings

    def outcome(self) -> dict[str, Any]:
        """Returns the `results` of the episode, and its `ending` if it is over."""
        outcome: dict[str, Any] = json.loads(self._interface.outcome())
        return outcome

    def scene(self, viewer: str | None = None) -> Scene:
        """Returns the scene, as a whole or as an entity may see it."""
        return self._interface.scene(viewer)

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
        self._interface = environment._interface
        self._beliefs: dict[str, dict[Percept, None]] = {}

    @property
    def entities(self) -> list[str]:
        """The entities that it controls, in order of creation."""
        return self._interface.entities_of(self.name)

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
        term = action if isinstance(action, Action) else Action(action, *args)
        results = self._interface.act(self.name, term.name, term.args, through or [])
        for _, _, refusal in results:
            if refusal is not None:
                raise refusal
        return {entity: found for entity, found, _ in results}

    def perceive(self, form: Form = "update", *, through: list[str] | None = None) -> dict[str, Perception]:
        """Returns the percepts of these entities, or of all of the agent.

        `form` is `"update"` (the changes since the last call), `"snapshot"` (all that hold) or `"telling"`.
        """
        received = self._interface.perceive(self.name, through or [], form)
        moment = self.environment.moment
        perceptions = {
            entity: Perception(add, delete, events, resync, lost, moment)
            for entity, resync, add, delete, events, lost in received
        }
        if form != "telling":
            for entity, perception in perceptions.items():
                perception.revise(self._beliefs.setdefault(entity, {}))
        return perceptions

    def beliefs(self, entity: str) -> list[Percept]:
        """Returns the percepts of an entity that held when it was last perceived."""
        return list(self._beliefs.get(entity, ()))

    def unregister(self) -> None:
        """Unregisters the agent and frees its entities."""
        self._interface.unregister(self.name)

    def __repr__(self) -> str:
        return f"<agent {self.name} in {self.environment.name}>"
