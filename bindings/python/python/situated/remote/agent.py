"""An agent on a server: it acts, perceives, and remembers what it believes."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any
from weakref import ReferenceType, ref

from ..iil import Action, Parameter, Percept
from ..perception import Form, Moment, Perception
from .door import call_line
from .errors import Busy, Misunderstood, NotDone, Refused
from .link import Link
from .memory import Memory
from .subscription import Subscription


@dataclass(frozen=True)
class Stepped:
    """What a step has come to: what an action has found out, if anything, and what the agent is told about its
    entities."""

    moment: Moment
    found: dict[str, list[Percept]]
    told: dict[str, Perception]


class RemoteAgent:
    """An agent on a server, until it is unregistered or the session ends.

    It remembers what it believes of each of its entities, and what it has heard. What it is told is acknowledged, so
    that nothing is lost with a connection, and nothing is told twice: of each entity the changes since it was last
    told, and each event once.
    """

    def __init__(self, link: Link, environment: str, name: str) -> None:
        self._link = link
        self._environment = environment
        self._number = 0
        self._memory = Memory()
        self._told_by: ReferenceType[Subscription[dict[str, Perception]]] | None = None
        self.name = name

    async def associate(self, entity: str) -> None:
        """Takes an entity, which it knows nothing of then."""
        await self._ask("associate", entity=entity)
        self._memory.forget(entity)

    async def request_entity(self, entity_type: str, name: str | None = None) -> str:
        """Asks the environment for a body of a type, perhaps under a name; returns the name that it has."""
        answer = await self._ask("requestEntity", entityType=entity_type, name=name)
        self._memory.forget(answer["entity"])
        return str(answer["entity"])

    async def free(self, entity: str | None = None) -> None:
        """Gives back an entity, or all that it has if none is named."""
        await self._ask("free", entity=entity)
        self._memory.forget(entity)

    async def act(
        self, action: Action | str, *args: Parameter, through: Iterable[str] = ()
    ) -> dict[str, list[Percept]]:
        """Acts through these of its entities, or through all that it has; returns what each has found out.

        The action is a term, or its name and arguments: `act("walk", 3)`. It returns when the action is done: at once,
        in its turn, or, where all act together (lockstep), when the step is over. It is done once, even if the
        connection is lost over it. Raises `NotDone` if it was not done for one of the entities.
        """
        answer = await self._ask("act", **self._numbered(_action(action, args), through))
        return _found(Moment.read(answer["moment"]), answer["results"], {})

    async def pass_(self) -> Moment:
        """Does nothing in this step, so that nobody waits for it (lockstep); returns when the step is over.

        It has no number: if the connection is lost over it, it raises `Uncertain`.
        """
        return Moment.read((await self._ask("pass"))["moment"])

    async def perceive(self, form: Form = "update", *, through: Iterable[str] = ()) -> dict[str, Perception]:
        """What has changed for these of its entities, or for all, since it was last told, and what has happened to
        them.

        The first time, and in the form `snapshot`, it is told all that holds.
        """
        self._check_free_to_ask()
        before = self.acknowledgements()
        params = self._named(entities=list(through), form=form, since="acknowledged")
        answer = await self._link.ask("perceive", params, before)
        return self._memory.take(answer["perceptions"], Moment.read(answer["moment"]), form)

    async def step(self, action: Action | str | None = None, *args: Parameter, through: Iterable[str] = ()) -> Stepped:
        """Acts as in `act`, and perceives through the same entities when that is done: one frame there and one back.

        Without an action it passes (lockstep), or only perceives; that has no number, as in `pass_`. Raises `NotDone`
        as `act`; what it has perceived stands there.
        """
        before = self.acknowledgements()
        turn = self.turn(None if action is None else _action(action, args), through)
        params = {"environment": self._environment, "agents": [turn], "form": "update", "since": "acknowledged"}
        answer = await self._link.ask("step", params, before)
        if not answer["agents"]:
            raise Misunderstood("step", "it does not say what has come of it")
        stepped = read_turn(self, answer["agents"][0], Moment.read(answer["moment"]), "update")
        if isinstance(stepped, Refused):
            raise stepped
        return stepped

    def percepts(self) -> Subscription[dict[str, Perception]]:
        """Tells what it perceives without being asked: `async for told in agent.percepts()`.

        Each entity is told about when what was told of it before was taken. Meanwhile the agent can act, but not
        perceive or step.
        """
        self._check_free_to_ask()
        topic = self._named(form="update", since="acknowledged")
        subscription = Subscription(self._link, {"percepts": topic}, self._hear, self._acknowledge)
        self._told_by = ref(subscription)
        return subscription

    def beliefs(self, entity: str) -> list[Percept]:
        """What it believes of an entity: what held for it when it was last told."""
        return self._memory.beliefs(entity)

    async def unregister(self) -> None:
        """Unregisters it; its entities are free then."""
        await self._ask("unregister")

    def turn(self, action: Action | None, entities: Iterable[str] = ()) -> dict[str, Any]:
        """What it does in a step, as the protocol writes it, with its next number."""
        self._check_free_to_ask()
        if action is None:
            return {"agent": self.name, "entities": list(entities)}
        return {"agent": self.name, **self._numbered(action, entities)}

    def take_turn(self, taken: dict[str, Any], moment: Moment, form: Form) -> dict[str, Perception]:
        """What it is told in a step, which it remembers."""
        return self._memory.take(taken.get("perceptions", []), moment, form)

    def acknowledgements(self) -> list[str]:
        """The frames that acknowledge what it was told: one for each entity, so that one which it no longer has is in
        nobody's way."""
        return [call_line(None, "acknowledge", self._named(versions=[one])) for one in self._memory.unacknowledged()]

    def _numbered(self, action: Action, entities: Iterable[str]) -> dict[str, Any]:
        self._number += 1
        return {"action": action.to_data(), "entities": list(entities), "number": self._number}

    def _hear(self, notification: dict[str, Any]) -> dict[str, Perception]:
        told = self._memory.take(notification["perceptions"], Moment.read(notification["moment"]), "update")
        try:
            self._acknowledge()
        except Busy:
            # It is said before the next one.
            pass
        return told

    def _acknowledge(self) -> None:
        for one in self._memory.unacknowledged():
            self._link.say("acknowledge", self._named(versions=[one]))

    def _check_free_to_ask(self) -> None:
        subscription = None if self._told_by is None else self._told_by()
        if subscription is not None and not subscription.closed:
            raise RuntimeError(
                f"agent `{self.name}` is told what it perceives; take it from there, or close that first"
            )

    def _named(self, **params: Any) -> dict[str, Any]:
        return {"environment": self._environment, "agent": self.name, **params}

    async def _ask(self, method: str, **params: Any) -> Any:
        return await self._link.ask(method, self._named(**params))


def read_turn(agent: RemoteAgent, taken: dict[str, Any], moment: Moment, form: Form) -> Stepped | Refused:
    """What a step has come to for an agent, which remembers what it is told."""
    if "error" in taken:
        return Refused.read(taken["error"])
    told = agent.take_turn(taken, moment, form)
    try:
        return Stepped(moment, _found(moment, taken.get("results", []), told), told)
    except NotDone as error:
        return error


def _action(action: Action | str, args: tuple[Parameter, ...]) -> Action:
    return action if isinstance(action, Action) else Action(action, *args)


def _found(moment: Moment, answered: Iterable[dict[str, Any]], told: dict[str, Perception]) -> dict[str, list[Percept]]:
    """What an action has found out through each entity. Raises `NotDone`."""
    results: dict[str, list[Percept] | Refused] = {}
    found = {}
    for one in answered:
        if "error" in one:
            results[one["entity"]] = Refused.read(one["error"])
        else:
            results[one["entity"]] = found[one["entity"]] = [
                Percept.from_data(data) for data in one.get("percepts", [])
            ]
    if len(found) < len(results):
        raise NotDone(moment, results, told)
    return found
