"""An agent on a server: it acts, perceives, and remembers what it believes."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any
from weakref import ReferenceType, ref

from .. import _native
from ..iil import Action, Parameter, Percept
from ..perception import Form, Moment, Perception
from .errors import Busy, NotDone, Refused
from .session import Session
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

    def __init__(self, session: Session, environment: str, name: str) -> None:
        self._session = session
        self._environment = environment
        self._native = session.agent(environment, name)
        self._beliefs: dict[str, dict[Percept, None]] = {}
        self._told_by: ReferenceType[Subscription[dict[str, Perception]]] | None = None
        self.name = name

    async def associate(self, entity: str) -> None:
        """Takes an entity, which it knows nothing of then."""
        await self._ask("associate", entity=entity)
        self._forget(entity)

    async def request_entity(self, entity_type: str, name: str | None = None) -> str:
        """Asks the environment for a body of a type, perhaps under a name; returns the name that it has."""
        answer = await self._ask("requestEntity", entityType=entity_type, name=name)
        self._forget(answer["entity"])
        return str(answer["entity"])

    async def free(self, entity: str | None = None) -> None:
        """Gives back an entity, or all that it has if none is named."""
        await self._ask("free", entity=entity)
        self._forget(entity)

    async def act(
        self, action: Action | str, *args: Parameter, through: Iterable[str] = ()
    ) -> dict[str, list[Percept]]:
        """Acts through these of its entities, or through all that it has; returns what each has found out.

        The action is a term, or its name and arguments: `act("walk", 3)`. It returns when the action is done: at once,
        in its turn, or, where all act together (lockstep), when the step is over. It is done once, even if the
        connection is lost over it. Raises `NotDone` if it was not done for one of the entities.
        """
        term = _action(action, args)
        moment, results = (await self._native.act(term.name, term.args, list(through)))()
        return _found(moment, results, {})

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
        return self._believe((await self._native.perceive(form, list(through)))(), form)

    async def step(self, action: Action | str | None = None, *args: Parameter, through: Iterable[str] = ()) -> Stepped:
        """Acts as in `act`, and perceives through the same entities when that is done: one frame there and one back.

        Without an action it passes (lockstep), or only perceives; that has no number, as in `pass_`. Raises `NotDone`
        as `act`; what it has perceived stands there.
        """
        chosen = None if action is None else _action(action, args)
        (stepped,) = await step({self: chosen}, "update", list(through))
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
        subscription = Subscription(self._session, {"percepts": topic}, self._hear, self._native.acknowledge)
        self._told_by = ref(subscription)
        return subscription

    def beliefs(self, entity: str) -> list[Percept]:
        """What it believes of an entity: what held for it when it was last told."""
        return list(self._beliefs.get(entity, ()))

    async def unregister(self) -> None:
        """Unregisters it; its entities are free then."""
        await self._ask("unregister")

    def _hear(self, notification: str) -> dict[str, Perception]:
        perceptions = self._believe(self._native.read(notification), "update")
        try:
            self._native.acknowledge()
        except Busy:
            # It is said before the next one.
            pass
        return perceptions

    def _believe(self, perceptions: dict[str, Perception], form: Form) -> dict[str, Perception]:
        """What it perceives, which it believes from now on. In the form `telling` beliefs are the caller's own."""
        for entity, perception in perceptions.items():
            beliefs = self._beliefs.setdefault(entity, {})
            if form == "telling":
                beliefs.clear()
            else:
                perception.revise(beliefs)
        return perceptions

    def _forget(self, entity: str | None) -> None:
        """Forgets what it knows of an entity, with which it begins anew, or of all."""
        self._native.forget(entity)
        if entity is None:
            self._beliefs.clear()
        else:
            self._beliefs.pop(entity, None)

    def _check_free_to_ask(self) -> None:
        subscription = None if self._told_by is None else self._told_by()
        if subscription is not None and not subscription.closed:
            raise RuntimeError(
                f"agent `{self.name}` is told what it perceives; take it from there, or close that first"
            )

    def _named(self, **params: Any) -> dict[str, Any]:
        return {"environment": self._environment, "agent": self.name, **params}

    async def _ask(self, method: str, **params: Any) -> Any:
        return await self._session.ask(method, self._named(**params))


async def step(turns: Mapping[RemoteAgent, Action | None], form: Form, entities: list[str]) -> list[Stepped | Refused]:
    """These agents of one environment act at once, through these of their entities or all, and perceive."""
    chosen: list[tuple[_native.RemoteAgent, tuple[str, tuple[Any, ...]] | None]] = []
    for agent, action in turns.items():
        agent._check_free_to_ask()
        chosen.append((agent._native, None if action is None else (action.name, action.args)))
    taken = (await _native.RemoteAgent.step(chosen, form, entities))()
    return [_stepped(agent, turn, form) for agent, turn in zip(turns, taken, strict=True)]


def _stepped(agent: RemoteAgent, taken: _native.TurnTaken | Refused, form: Form) -> Stepped | Refused:
    """What a step has come to for an agent, which believes what it perceives."""
    if isinstance(taken, Refused):
        return taken
    moment, results, perceptions = taken
    agent._believe(perceptions, form)
    try:
        return Stepped(moment, _found(moment, results, perceptions), perceptions)
    except NotDone as error:
        return error


def _action(action: Action | str, args: tuple[Parameter, ...]) -> Action:
    return action if isinstance(action, Action) else Action(action, *args)


def _found(
    moment: Moment, results: dict[str, list[Percept] | Refused], perceptions: dict[str, Perception]
) -> dict[str, list[Percept]]:
    """What an action has found out through each entity. Raises `NotDone`."""
    found = {entity: result for entity, result in results.items() if not isinstance(result, Refused)}
    if len(found) < len(results):
        raise NotDone(moment, results, perceptions)
    return found
