"""An environment on a server, for learners: an agent for each entity, and one request for a step of all of them."""

from __future__ import annotations

import asyncio
import atexit
import json
import secrets
import weakref
from collections.abc import Coroutine, Iterable, Mapping
from concurrent.futures import CancelledError, Future
from contextlib import suppress
from functools import partial
from pathlib import Path
from threading import Thread, current_thread
from typing import Any, Literal, TypeGuard, TypeVar
from urllib.parse import unquote

from situated._native import Scene, did_you_mean
from situated.authoring import Measure, PythonEnvironment
from situated.iil import Action, Parameter, Percept, parameter_from_data
from situated.perception import Perception
from situated.remote import AddressError, Client, NotDone, Refused, RemoteAgent, RemoteEnvironment, RemoteError, connect

from .encoding import choices, entity_types

_PACES = ("lockstep", "reactive")

_FAREWELL = 5.0
"""Seconds for the server to end the session."""

_LAST_ANSWERS = 1.0
"""Seconds after that for the answers to calls of other threads."""

_Value = TypeVar("_Value")


def is_address(name: object) -> TypeGuard[str]:
    """Whether this is the address of an environment on a server, and not the name of one here."""
    return isinstance(name, str) and "://" in name


def on_server(address: str, named: dict[str, Any]) -> partial[OnServer]:
    """Returns what creates the environment from its parameters; takes the arguments for the connection from `named`."""
    return partial(OnServer, address, token=named.pop("token", None), trust=named.pop("trust", None))


class OnServer(PythonEnvironment):
    """An environment on a server, with the methods of one that is written in Python.

    Its address is that of the server, as in `situated.remote.connect`, and after a slash the name of an environment
    there, which each episode resets, or of a kind, of which the server then makes an environment until `close`. `token`
    and `trust` are those of `connect`, and `parameters` those of the episodes. An agent takes each entity that has
    actions with numbers. All actions of a step travel in one request.

    Raises the errors of `connect`, `PermissionError` without the right to manage, and `ValueError` if learners cannot
    use the environment.
    """

    failures: dict[str, str]
    """The reasons for which actions of the last step have failed, by entity."""

    def __init__(
        self, address: str, parameters: Mapping[str, Parameter | None], *, token: str | None, trust: str | Path | None
    ) -> None:
        scheme, _, rest = address.partition("://")
        host, _, name = rest.rpartition("/")
        if not host or not name:
            raise AddressError(f"{address!r} names no environment; write it as {scheme}://HOST:PORT/ENVIRONMENT")
        self._server = f"{scheme}://{host}"
        self._parameters = {name: value for name, value in parameters.items() if value is not None}
        self._agents: dict[str, RemoteAgent] = {}
        self._label = f"learner-{secrets.token_hex(4)}"
        self._session = _Session()
        self.close = weakref.finalize(self, self._session.end)
        self.close.atexit = False
        try:
            self._wait(self._enter(unquote(name), token, trust))
        except BaseException:
            self.close()
            raise
        # The thread of the clients has registered itself before this, so it still runs when the sessions end.
        atexit.unregister(_end_sessions)
        atexit.register(_end_sessions)

    def begin(self) -> None:
        self._chosen: dict[str, Action] = {}
        self._holding: dict[str, list[Percept]] = {}
        self.failures = {}
        self._wait(self._reset())

    def act(self, entity: str, action: Action) -> None:
        """Chooses the action of an entity in the coming step."""
        self._chosen[entity] = action

    def step(self) -> None:
        self._wait(self._step())

    def percepts(self, entity: str) -> list[Percept]:
        return self._holding[entity]

    def results(self) -> Iterable[Measure]:
        return self._results

    def ending(self) -> Literal["terminated", "truncated"] | None:
        return self._ending

    def scene(self) -> Scene:
        return Scene.from_json(json.dumps(self._wait(self._environment.scene())))

    def leave(self) -> None:
        """Begins to close."""
        self._session.leave()

    def __reduce__(self) -> tuple[Any, ...]:
        raise TypeError(f"the state of {self._named} is on its server, and cannot be saved or copied from here")

    async def _enter(self, name: str, token: str | None, trust: str | Path | None) -> None:
        """Connects, and finds or creates the environment, without changing one that exists."""
        client = self._session.client = await connect(self._server, role="platform", token=token, trust=trust)
        if "manage" not in client.greeting["rights"]:
            raise PermissionError(
                f"this token has no right to manage environments on {self._server}, so learners cannot begin episodes; "
                "pass another `token`"
            )
        listed = await client.call("listEnvironments")
        there = {status["environment"]: status for status in listed["environments"]}
        kinds = [kind["kind"] for kind in listed["kinds"]]
        self._named = f"environment `{name}` on {self._server}"
        if name in there:
            self._environment = client.environment(name)
            pace = there[name]["pace"]
            if pace not in _PACES:
                how = "has a clock of its own" if pace == "own" else "runs in real time"
                raise ValueError(
                    f"{self._named} {how}, and learners need a pace of {' or '.join(_PACES)}; start it with another "
                    "pace"
                )
        elif name in kinds:
            options = {"environment": f"{name}-{self._label}", "pace": "lockstep"}
            self._environment = self._session.made = await client.create(name, **options)
        else:
            raise ValueError(
                f"there is no {self._named}; it has the environments {', '.join(there) or '(none)'}, and can create "
                f"{', '.join(kinds) or 'none'}{did_you_mean(name, [*there, *kinds])}"
            )
        self.ontology = (await self._environment.describe())["ontology"]
        self._acting = {of for of, declared in entity_types(self.ontology).items() if choices(declared)}
        await self._list_entities()

    async def _reset(self) -> None:
        environment = self._environment
        await environment.manage("reset", seed=self.seed, parameters=self._parameters or None)
        held = await self._list_entities()
        for entity, of in self.entities.items():
            if of in self._acting and not held[entity]:
                if entity not in self._agents:
                    self._agents[entity] = await environment.register(f"{self._label}-{len(self._agents)}")
                await self._agents[entity].associate(entity)
        await environment.manage("start")
        for entity, agent in self._agents.items():
            if entity in self.entities:
                self._perceive(entity, await agent.perceive("snapshot"))
        await self._look()

    async def _step(self) -> None:
        chosen, self._chosen, self.failures = self._chosen, {}, {}
        entities = {agent: entity for entity, agent in self._agents.items() if entity in self.entities}
        turns = {agent: chosen.get(entity) for agent, entity in entities.items()}
        for agent, taken in (await self._environment.step(turns, "snapshot")).items():
            entity = entities[agent]
            if isinstance(taken, NotDone):
                self.failures[entity] = _reason(taken)
            elif isinstance(taken, Refused):
                if taken.kind != "noEntities":
                    raise taken
                self.remove(entity)
                continue
            self._perceive(entity, taken.told)
        await self._look()

    async def _list_entities(self) -> dict[str, list[str]]:
        """Lists the entities; returns the agents of each. Raises `ValueError` if one that learners need has another
        agent."""
        listed = await self._environment.entities()
        self._entities = {one["entity"]: one["entityType"] for one in listed}
        ours = {agent.name for agent in self._agents.values()}
        for one in listed:
            if one["entityType"] in self._acting and (others := set(one["agents"]) - ours):
                raise ValueError(
                    f"entity `{one['entity']}` of {self._named} belongs to the agent `{min(others)}`; free it, or use "
                    "another environment: each learner, and each env of a vector, needs one of its own"
                )
        return {one["entity"]: one["agents"] for one in listed}

    def _perceive(self, entity: str, told: Mapping[str, Perception]) -> None:
        if (perception := told.get(entity)) is None:
            self.remove(entity)
            return
        self._holding[entity] = perception.add
        self._events += [(entity, event) for event in perception.events]

    async def _look(self) -> None:
        """Asks for the results, and how the episode has ended."""
        outcome = await self._environment.outcome() or {"results": []}
        self._results = [Measure(of["of"], of["name"], parameter_from_data(of["value"])) for of in outcome["results"]]
        self._ending = outcome.get("ending")

    def _wait(self, call: Coroutine[Any, Any, _Value]) -> _Value:
        return self._session.wait(call)


def _reason(error: NotDone) -> str:
    """Returns the reason that the rules have given for a failure, without what the learner knows."""
    details = error.details if isinstance(error.details, dict) else {}
    return str(details.get("failure", {}).get("reason", error.message))


class _Session:
    """A session with a server, and a thread for its calls: a caller may have an event loop that runs already."""

    def __init__(self) -> None:
        self.client: Client | None = None
        self.made: RemoteEnvironment | None = None
        """The environment that the server has created for this session."""
        self._loop = asyncio.new_event_loop()
        self._thread = Thread(target=self._run, name="situated learner", daemon=True)
        self._leaves = False
        self._ended = False
        self._answers: set[Future[Any]] = set()
        """The answers for which other threads wait."""
        _sessions.add(self)
        self._thread.start()

    def wait(self, call: Coroutine[Any, Any, _Value]) -> _Value:
        """Returns the result of a call. Raises `ValueError` after the end."""
        try:
            answer = asyncio.run_coroutine_threadsafe(call, self._loop)
            self._answers.add(answer)
            answer.add_done_callback(self._answers.discard)
            if self._ended:
                answer.cancel()
            return answer.result()
        except (RuntimeError, CancelledError):
            call.close()
            if self._leaves:
                raise ValueError("this environment was closed; create another one") from None
            raise

    def leave(self) -> None:
        """Begins to end."""
        # A forked process does not have the thread.
        if self._thread.is_alive() and not self._leaves:
            self._leaves = True
            asyncio.run_coroutine_threadsafe(self._leave(), self._loop)

    def end(self) -> None:
        """Ends the session, whose agents then free their entities, and removes the environment that was created."""
        self.leave()
        if current_thread() is not self._thread:
            self._thread.join()

    def _run(self) -> None:
        self._loop.run_forever()
        self._ended = True
        # The loop has stopped before it came to these.
        for answer in tuple(self._answers):
            answer.cancel()
        self._loop.close()
        _sessions.discard(self)

    async def _leave(self) -> None:
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._give_back(), _FAREWELL)
        # Calls of other threads get `Ended`, unless the server does not answer.
        with suppress(asyncio.TimeoutError):
            await asyncio.wait_for(self._answer_all(), _LAST_ANSWERS)
        if calls := asyncio.all_tasks() - {asyncio.current_task()}:
            for call in calls:
                call.cancel()
            await asyncio.wait(calls)
        self._loop.stop()

    async def _answer_all(self) -> None:
        """Waits until the other threads have their answers, which come after the ends of their calls."""
        while self._answers:
            await asyncio.sleep(0.01)

    async def _give_back(self) -> None:
        if self.client is not None:
            if self.made is not None:
                with suppress(RemoteError):
                    await self.made.remove()
            await self.client.close()


_sessions: set[_Session] = set()
"""The sessions that have not ended."""


def _end_sessions() -> None:
    """Ends all sessions at the same time: the interpreter is about to end."""
    sessions = list(_sessions)
    for session in sessions:
        session.leave()
    for session in sessions:
        session.end()
