"""An agent on a server, which acts, perceives and has beliefs about its entities."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import ReferenceType, ref

from .. import _native
from ..iil import Action, Parameter, Percept, as_action
from ..perception import Form, Moment, Perception
from .directory import Directory
from .errors import Busy, NotDone, Refused
from .mail import Mail, Message, send
from .session import Session, Subscription


@dataclass(frozen=True)
class Stepped:
    """The result of a step: the percepts that the action returned, and those of the agent's entities, by entity."""

    moment: Moment
    found: dict[str, list[Percept]]
    told: dict[str, Perception]


class RemoteAgent:
    """An agent on a server, until it is unregistered or the session ends.

    It keeps its beliefs about each of its entities. It acknowledges the percepts that it has received, so that a lost
    connection loses and repeats nothing: each perception has the changes since the previous one, and each event once.

    `address` is the name by which all agents of the server reach it: its own, or with that of its environment, such as
    `bob~game-2`, if an agent elsewhere has it.
    """

    def __init__(self, session: Session, environment: str, name: str, address: str) -> None:
        self._session = session
        self._environment = environment
        self._native = session.native.agent(environment, name)
        self._beliefs: dict[str, dict[Percept, None]] = {}
        self._subscription: ReferenceType[Subscription[dict[str, Perception]]] | None = None
        self.name = name
        self.address = address

    async def associate(self, entity: str) -> None:
        """Takes an entity. The agent has no beliefs about it yet."""
        await self._call("associate", entity=entity)
        self._forget(entity)

    async def request_entity(self, entity_type: str, name: str | None = None) -> str:
        """Requests an entity of a type from the environment, optionally with a name; returns its name."""
        answer = await self._call("requestEntity", entityType=entity_type, name=name)
        self._forget(answer["entity"])
        return str(answer["entity"])

    async def free(self, entity: str | None = None) -> None:
        """Frees an entity, or all of the agent."""
        await self._call("free", entity=entity)
        self._forget(entity)

    async def act(
        self, action: Action | str, *args: Parameter, through: Iterable[str] = ()
    ) -> dict[str, list[Percept]]:
        """Acts through these of its entities, or all; returns the percepts that the action returned, by entity.

        The action is a term, or its name and arguments: `act("walk", 3)`. The call returns when the action is done: at
        once, in its turn, or at the end of the step in lockstep. The action runs once, even if the connection is lost.
        Raises `NotDone` if it failed for one of the entities.
        """
        term = as_action(action, args)
        moment, results = (await self._native.act(term.name, term.args, list(through)))()
        return _found(moment, results, {})

    async def pass_(self) -> Moment:
        """Passes in this step (lockstep), so that no other agent waits; returns when the step is over.

        Raises `Uncertain` if the connection is lost before the answer.
        """
        return Moment.read((await self._call("pass"))["moment"])

    async def perceive(self, form: Form = "update", *, through: Iterable[str] = ()) -> dict[str, Perception]:
        """Returns the changes and events of these of its entities, or all, since they were last perceived.

        The first time, and in the form `snapshot`, it returns all percepts that hold.
        """
        self._check_no_subscription()
        return self._believe((await self._native.perceive(form, list(through)))(), form)

    async def step(self, action: Action | str | None = None, *args: Parameter, through: Iterable[str] = ()) -> Stepped:
        """Acts as in `act`, and then perceives through the same entities, in one message in each direction.

        Without an action, it passes (lockstep), or only perceives; like `pass_`, this is not repeated after a lost
        connection. Raises `NotDone` as `act`, with the percepts of the step.
        """
        chosen = None if action is None else as_action(action, args)
        (stepped,) = await step({self: chosen}, "update", list(through))
        if isinstance(stepped, Refused):
            raise stepped
        return stepped

    def percepts(self, changes_of: Iterable[str] = (), *, interval: float = 0.0) -> Subscription[dict[str, Perception]]:
        """Subscribes to the agent's percepts: `async for perceptions in agent.percepts()`.

        With `changes_of=["in", "message"]`, there are new perceptions only after a change of one of these percepts, or
        one of these events; they then have all changes since the last ones. There are at least `interval` seconds
        between two.

        Each entity is listed again when it has changed and its previous perception was taken. Meanwhile, the agent can
        act, but not perceive or step.
        """
        self._check_no_subscription()
        filters = {"changesOf": list(changes_of), "intervalMs": round(interval * 1000)}
        topic = self._named(form="update", since="acknowledged", **filters)
        subscription: Subscription[dict[str, Perception]] = Subscription(
            self._session, {"percepts": topic}, self._receive, self._native.acknowledge
        )
        self._subscription = ref(subscription)
        return subscription

    async def send(self, message: Message) -> None:
        """Sends a message to other agents on the server, in any environment or none; returns when it is in the
        mailboxes of all its receivers. The server sets the sender.

        For each receiver that does not exist, the agent gets a `failure` from the agent `ams`. The message is sent
        once, even if the connection is lost. Raises `Refused` if it is invalid, or a mailbox is full.
        """
        await send(self._session, self.name, message)

    def mail(self) -> Mail:
        """Subscribes to the messages for the agent: `async for message in agent.mail()`. Messages that came before are
        waiting."""
        return Mail(self._session, self.name)

    @property
    def directory(self) -> Directory:
        """The directory of the server, asked by the agent."""
        return Directory(self._session, self.name)

    def beliefs(self, entity: str) -> list[Percept]:
        """Returns the percepts of an entity that held when it was last perceived."""
        return list(self._beliefs.get(entity, ()))

    async def unregister(self) -> None:
        """Unregisters the agent and frees its entities, even if the connection is lost."""
        try:
            await self._call("unregister")
        except Refused as refused:
            # After a lost connection, the call is repeated although it may have been done.
            if refused.kind != "notRegistered":
                raise

    async def _receive(self, notification: str) -> dict[str, Perception]:
        fitting, unfit = self._native.read(notification)
        perceptions = self._believe(fitting, "update")
        try:
            if unfit:
                perceptions |= self._believe((await self._native.perceive("update", unfit))(), "update")
            self._native.acknowledge()
        except (Busy, Refused):
            # The next notification is preceded by an acknowledgement, and a later answer has what is missing.
            pass
        return perceptions

    def _believe(self, perceptions: dict[str, Perception], form: Form) -> dict[str, Perception]:
        """Revises the beliefs. In the form `telling`, the caller has its own."""
        for entity, perception in perceptions.items():
            beliefs = self._beliefs.setdefault(entity, {})
            if form == "telling":
                beliefs.clear()
            else:
                perception.revise(beliefs)
        return perceptions

    def _forget(self, entity: str | None) -> None:
        """Forgets an entity, or all of them."""
        self._native.forget(entity)
        if entity is None:
            self._beliefs.clear()
        else:
            self._beliefs.pop(entity, None)

    def _check_no_subscription(self) -> None:
        subscription = None if self._subscription is None else self._subscription()
        if subscription is not None and not subscription.closed:
            raise RuntimeError(
                f"agent `{self.name}` has subscribed to its percepts; receive them there, or close the subscription"
            )

    def _named(self, **params: Any) -> dict[str, Any]:
        return {"environment": self._environment, "agent": self.name, **params}

    async def _call(self, method: str, **params: Any) -> Any:
        return await self._session.call(method, self._named(**params))

    def __repr__(self) -> str:
        return f"<agent {self.name} in {self._environment}, on a server>"


async def step(turns: Mapping[RemoteAgent, Action | None], form: Form, entities: list[str]) -> list[Stepped | Refused]:
    """Lets agents of one environment act at once through these of their entities, or all, and perceive."""
    chosen: list[tuple[_native.RemoteAgent, tuple[str, tuple[Any, ...]] | None]] = []
    for agent, action in turns.items():
        agent._check_no_subscription()
        chosen.append((agent._native, None if action is None else (action.name, action.args)))
    taken = (await _native.RemoteAgent.step(chosen, form, entities))()
    return [_stepped(agent, turn, form) for agent, turn in zip(turns, taken, strict=True)]


def _stepped(agent: RemoteAgent, taken: _native.TurnTaken | Refused, form: Form) -> Stepped | Refused:
    """Returns the result of a step for an agent, and revises its beliefs."""
    if isinstance(taken, Refused):
        return taken
    moment, results, perceptions = taken
    agent._believe(perceptions, form)
    try:
        return Stepped(moment, _found(moment, results, perceptions), perceptions)
    except NotDone as error:
        return error


def _found(
    moment: Moment, results: dict[str, list[Percept] | Refused], perceptions: dict[str, Perception]
) -> dict[str, list[Percept]]:
    """Returns the percepts that an action returned for each entity. Raises `NotDone`."""
    found = {entity: result for entity, result in results.items() if not isinstance(result, Refused)}
    if len(found) < len(results):
        raise NotDone(moment, results, perceptions)
    return found
