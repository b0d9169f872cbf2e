"""An environment on a server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..iil import Action, Parameter, parameter_from_data, parameters_to_data
from ..perception import Form, Moment
from .agent import RemoteAgent, Stepped, step
from .errors import Refused
from .messages import EntityListed, EnvironmentStatus, Happenings, Scene
from .session import Session, Subscription


class RemoteEnvironment:
    """An environment on a server. All methods raise `Refused` if the server refuses them."""

    def __init__(self, session: Session, name: str) -> None:
        self._session = session
        self.name = name

    async def register(self, agent: str) -> RemoteAgent:
        """Registers an agent. Its name is unique in the environment. A client with the role `agent` has one agent."""
        registered = await self._call("register", agent=agent)
        return RemoteAgent(self._session, self.name, agent, registered.get("address", agent))

    async def describe(self) -> dict[str, Any]:
        """Returns the `ontology`, the `status`, and the `parameters` of the episode."""
        description: dict[str, Any] = await self._call("describe")
        return description

    async def status(self) -> EnvironmentStatus:
        """Returns the status of the environment."""
        status: EnvironmentStatus = (await self._call("status"))["status"]
        return status

    async def outcome(self) -> dict[str, Any] | None:
        """Returns the `results` of the episode, and its `ending` if it is over; None if there is no episode."""
        outcome: dict[str, Any] | None = (await self._call("outcome")).get("outcome")
        return outcome

    async def entities(self) -> list[EntityListed]:
        """Returns the entities in order of creation, each with its agents."""
        entities: list[EntityListed] = (await self._call("listEntities"))["entities"]
        return entities

    async def free(self, entity: str) -> None:
        """Frees an entity from all its agents. Needs the right to manage."""
        await self._call("free", entity=entity)

    async def manage(
        self, command: str, *, seed: int | None = None, parameters: Mapping[str, Parameter | None] | None = None
    ) -> Moment:
        """Executes one of `init`, `start`, `pause`, `reset`, `kill`. Needs the right to manage.

        `init` and `reset` take a seed and parameters of the episode; one that is None gets its default. A reset keeps
        the parameters that are not given, and by default, its seed follows from the last.
        """
        given: dict[str, Any] = {} if seed is None else {"seed": seed}
        if parameters is not None:
            given["parameters"] = parameters_to_data(parameters)
            if command == "reset":
                given["parameters"] |= {name: None for name, value in parameters.items() if value is None}
        return await self._moment("manage", command={command: given} if command in ("init", "reset") else command)

    async def advance(self, steps: int, *, at_once: bool = False) -> Moment:
        """Runs a paused environment for a number of steps; returns when it is paused again. Needs the right to
        manage.

        The steps are made at the speed of the environment, or as fast as possible if `at_once` is true.
        """
        return await self._moment("advance", steps=steps, atOnce=at_once)

    async def set_speed(self, speed: float | None) -> None:
        """Sets the maximum number of steps per second; None means no limit. Needs the right to manage."""
        await self._call("setSpeed", speed=speed)

    async def remove(self) -> None:
        """Ends the environment and removes it. Needs the right to manage."""
        await self._call("removeEnvironment")

    async def wait(self, after: Moment) -> Moment:
        """Waits until the moment of the environment is later than this one."""
        return await self._moment("wait", after=after.to_data())

    async def query(self, property: str, entity: str | None = None) -> Parameter | None:
        """Returns the value of a property of an entity, or of the environment; None if it has none at this time."""
        value = (await self._call("query", property=property, entity=entity)).get("value")
        return None if value is None else parameter_from_data(value)

    async def scene(self, viewer: str | None = None) -> Scene:
        """Returns the scene as this entity may see it, or as a whole."""
        scene: Scene = (await self._call("scene", viewer=viewer))["scene"]
        return scene

    def happenings(self) -> Subscription[Happenings]:
        """Subscribes to changes of the state, the entities, the agents and the relation, and the ends of episodes."""
        return Subscription(self._session, {"happenings": {"environment": self.name}}, json.loads)

    def scenes(self, viewer: str | None = None) -> Subscription[Scene]:
        """Subscribes to the scene, as in `scene`."""
        topic = {"environment": self.name, "viewer": viewer}
        return Subscription(self._session, {"scene": topic}, _Picture().change)

    def activity(self, entity: str | None = None) -> Subscription[dict[str, Any]]:
        """Subscribes to the percepts and actions of an entity, or the actions of all, as the protocol writes them.
        Needs the right to observe."""
        topic = {"environment": self.name, "entity": entity}
        return Subscription(self._session, {"activity": topic}, json.loads)

    async def step(
        self, turns: Mapping[RemoteAgent, Action | None], form: Form = "update"
    ) -> dict[RemoteAgent, Stepped | Refused]:
        """Lets up to 1024 agents of this environment act at once, through all their entities, and then perceive, in
        one message in each direction.

        An agent without an action passes (lockstep), or only perceives. The result of an agent is an error if its
        action failed; the other agents are not affected.
        """
        return dict(zip(turns, await step(turns, form, [])))

    async def _moment(self, method: str, **params: Any) -> Moment:
        return Moment.read((await self._call(method, **params))["moment"])

    async def _call(self, method: str, **params: Any) -> Any:
        return await self._session.call(method, {"environment": self.name, **params})

    def __repr__(self) -> str:
        return f"<{self.name}, on a server>"


class _Picture:
    """A scene that follows the changes of its shapes."""

    def __init__(self) -> None:
        self._shapes: list[dict[str, Any]] = []

    def change(self, notification: str) -> Scene:
        """Returns the scene after these changes: replaces shapes by index, and removes those from `count` on."""
        update = json.loads(notification)
        for place, shape in update["shapes"]:
            self._shapes[place : place + 1] = [shape]
        del self._shapes[update["count"] :]
        return Scene(width=update["width"], height=update["height"], shapes=list(self._shapes))
