"""An environment on a server."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from ..iil import Action, Parameter, parameter_from_data, parameter_to_data
from ..perception import Form, Moment
from .agent import RemoteAgent, Stepped, step
from .errors import Refused
from .messages import EntityListed, EnvironmentStatus, Happenings, Scene
from .session import Session
from .subscription import Subscription


class RemoteEnvironment:
    """A way to an environment on a server. Whatever is asked raises `Refused` if the server refuses it."""

    def __init__(self, session: Session, name: str) -> None:
        self._session = session
        self.name = name

    async def register(self, agent: str) -> RemoteAgent:
        """Registers an agent, whose name nobody else on the server has. In the role of an agent, a client has one."""
        await self._ask("register", agent=agent)
        return RemoteAgent(self._session, self.name, agent)

    async def describe(self) -> dict[str, Any]:
        """What it declares about itself, and how it stands: `ontology`, `status`, and the `parameters` of its
        episode."""
        description: dict[str, Any] = await self._ask("describe")
        return description

    async def status(self) -> EnvironmentStatus:
        """How it stands."""
        status: EnvironmentStatus = (await self._ask("status"))["status"]
        return status

    async def outcome(self) -> dict[str, Any] | None:
        """How the episode stands: `results`, and its `ending` if it is over. None if there is no episode."""
        outcome: dict[str, Any] | None = (await self._ask("outcome")).get("outcome")
        return outcome

    async def entities(self) -> list[EntityListed]:
        """Its entities in order of creation, each with the agents that it has."""
        entities: list[EntityListed] = (await self._ask("listEntities"))["entities"]
        return entities

    async def free(self, entity: str) -> None:
        """Frees an entity from all its agents. Needs the right to manage."""
        await self._ask("free", entity=entity)

    async def manage(
        self, command: str, *, seed: int | None = None, parameters: Mapping[str, Parameter] | None = None
    ) -> Moment:
        """Does one of `init`, `start`, `pause`, `reset`, `kill`. Needs the right to manage.

        `init` and `reset` take a seed and the parameters of the episode; by default, a reset has those of the last
        episode, and a seed that follows from the last.
        """
        given: dict[str, Any] = {} if seed is None else {"seed": seed}
        if parameters is not None:
            given["parameters"] = {name: parameter_to_data(value) for name, value in parameters.items()}
        asked = {command: given} if command in ("init", "reset") else command
        return Moment.read((await self._ask("manage", command=asked))["moment"])

    async def advance(self, steps: int) -> Moment:
        """From pause, lets time run for so many steps; returns when it is paused then. Needs the right to manage."""
        return Moment.read((await self._ask("advance", steps=steps))["moment"])

    async def set_speed(self, speed: float | None) -> None:
        """From now on, so many steps are made a second at the most; none means as many as possible. Needs the right to
        manage."""
        await self._ask("setSpeed", speed=speed)

    async def remove(self) -> None:
        """Ends it for good and removes it. Needs the right to manage."""
        await self._ask("removeEnvironment")

    async def wait(self, after: Moment) -> Moment:
        """Returns when the world is further than this."""
        return Moment.read((await self._ask("wait", after=after.to_data()))["moment"])

    async def query(self, property: str, entity: str | None = None) -> Parameter | None:
        """The value of a property of an entity, or of its own if none is named; none if there is no such property."""
        value = (await self._ask("query", property=property, entity=entity)).get("value")
        return None if value is None else parameter_from_data(value)

    async def scene(self, viewer: str | None = None) -> Scene:
        """What it looks like: as this entity may see it, or as a whole if none is named."""
        scene: Scene = (await self._ask("scene", viewer=viewer))["scene"]
        return scene

    def happenings(self) -> Subscription[Happenings]:
        """Tells what happens to it: its state, entities and agents that come and go, who has which, the end of an
        episode."""
        return Subscription(self._session, {"happenings": {"environment": self.name}}, json.loads)

    def scenes(self, viewer: str | None = None) -> Subscription[Scene]:
        """Tells what it looks like, as in `scene`, whenever that changes."""
        topic = {"environment": self.name, "viewer": viewer}
        return Subscription(self._session, {"scene": topic}, _Picture().change)

    def activity(self, entity: str | None = None) -> Subscription[dict[str, Any]]:
        """Tells what an entity perceives and does, as the protocol writes it, or what all do if none is named. Needs
        the right to observe."""
        topic = {"environment": self.name, "entity": entity}
        return Subscription(self._session, {"activity": topic}, json.loads)

    async def step(
        self, turns: Mapping[RemoteAgent, Action | None], form: Form = "update"
    ) -> dict[RemoteAgent, Stepped | Refused]:
        """All these agents act at once, through all that they have, and perceive when that is done: one frame there and
        one back.

        1024 agents at the most, all of this environment. Who has no action passes (lockstep), or only perceives. What
        could not be done for an agent stands in its place; the others have acted all the same.
        """
        return dict(zip(turns, await step(turns, form, [])))

    async def _ask(self, method: str, **params: Any) -> Any:
        return await self._session.ask(method, {"environment": self.name, **params})


class _Picture:
    """A scene, as the shapes that have changed make it."""

    def __init__(self) -> None:
        self._shapes: list[dict[str, Any]] = []

    def change(self, notification: str) -> Scene:
        """The scene after these changes: each shape takes its place, and those at `count` and beyond are gone."""
        told = json.loads(notification)
        for place, shape in told["shapes"]:
            self._shapes[place : place + 1] = [shape]
        del self._shapes[told["count"] :]
        return Scene(width=told["width"], height=told["height"], shapes=list(self._shapes))
