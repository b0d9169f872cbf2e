"""A client: a session with a server."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from types import TracebackType
from typing import Any, Literal, TypeAlias

from .. import _native
from .environment import RemoteEnvironment
from .hosted import Hosted
from .messages import EnvironmentStatus, Greeting
from .session import Session
from .subscription import Subscription

Role: TypeAlias = Literal["agent", "platform", "observer", "host"]

PATIENCE = 60.0
"""For how many seconds it is tried to make a lost connection again if nothing else is said."""


class Client:
    """A session with a server, for one agent or for many.

    When the connection is lost, it is made again, at once and then with pauses of 50 ms to 3 s, and the session goes on
    with its agents and subscriptions. Meanwhile, what is asked waits. What was asked and not answered is asked again
    where that makes no difference: everything that only looks, and the actions of an agent, each of which has a number
    and is done once. All else fails with `Uncertain`, since it may have been done. A server that is silent is asked
    whether it is there, and counts as lost if that is not answered within 4 s.

    When the session has ended meanwhile, or the connection could not be made again in time, all that is asked, and has
    been, fails with `Ended`. Nothing is begun anew behind anybody's back.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def greeting(self) -> Greeting:
        """What the server has said at first: what this client may do, and what the server bears."""
        return self._session.greeting

    async def call(self, method: str, **params: Any) -> Any:
        """Calls any method of the protocol; returns its answer as the protocol writes it."""
        return await self._session.ask(method, params)

    async def environments(self) -> list[EnvironmentStatus]:
        """The environments that there are, and how they stand."""
        environments: list[EnvironmentStatus] = (await self._session.ask("listEnvironments", {}))["environments"]
        return environments

    def watch_environments(self) -> Subscription[list[EnvironmentStatus]]:
        """Tells all environments whenever one comes, goes, or changes its state."""
        return Subscription(self._session, {"environments": {}}, lambda told: list(json.loads(told)["environments"]))

    def environment(self, name: str) -> RemoteEnvironment:
        """The environment of this name, of which nothing is asked yet."""
        return RemoteEnvironment(self._session, name)

    async def create(self, kind: str, **options: Any) -> RemoteEnvironment:
        """Makes an environment of a kind; the options are those of `createEnvironment`. Needs the right to manage."""
        made = await self._session.ask("createEnvironment", {"kind": kind, **options})
        return RemoteEnvironment(self._session, made["status"]["environment"])

    async def host(self, **announced: Any) -> Hosted:
        """Announces an environment whose calls this side answers, with the parameters of `host`. Needs the role of a
        host."""
        return Hosted(await self._session.host(announced))

    async def close(self) -> None:
        """Ends the session: its agents are unregistered. Returns when that is done."""
        await self._session.close()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()


class Connecting:
    """A client that is about to connect: `client = await connect(url)`, or `async with connect(url) as client`."""

    def __init__(self, native: _native.Connecting) -> None:
        self._native = native
        self._client: Client | None = None

    async def _connect(self) -> Client:
        return Client(Session((await self._native.open())()))

    def __await__(self) -> Generator[Any, None, Client]:
        return self._connect().__await__()

    async def __aenter__(self) -> Client:
        self._client = await self._connect()
        return self._client

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._client is not None:
            await self._client.close()


def connect(
    url: str,
    *,
    role: Role = "agent",
    token: str | None = None,
    trust: str | Path | None = None,
    patience: float = PATIENCE,
) -> Connecting:
    """Connects to a server at `ws://HOST:PORT`, `wss://`, `tcp://` or `tls://`, within 10 seconds.

    `role` is `agent` (one agent), `platform` (many), `observer` or `host`; `token` what the server wants; `trust` a
    file with certificates (PEM) that are trusted beside those of the system; `patience` for how many seconds it is
    tried to make a lost connection again. Raises `AddressError`; awaited, `ConnectError`, or `Refused` if nobody is let
    in with this role and token.
    """
    return Connecting(_native.Connecting(url, role, token, trust, patience))
