"""A client: a session with a server."""

from __future__ import annotations

import json
from collections.abc import Generator
from pathlib import Path
from typing import Any, Literal, TypeAlias

from .. import _native
from .conversations import Conversations
from .environment import RemoteEnvironment
from .hosted import Hosted
from .mail import Mailbox
from .messages import EnvironmentStatus, Greeting
from .session import Session, Subscription, write

Role: TypeAlias = Literal["agent", "platform", "observer", "host"]

PATIENCE = 60.0
"""Default time in seconds during which the client tries to reconnect."""


class Client:
    """A session with a server, for one agent or many.

    The client reconnects when the connection is lost, at once and then with pauses of 50 ms to 3 s. The session
    continues with its agents and subscriptions, and calls wait. Calls without an answer are repeated where this is
    safe: calls that only read, those that unregister an agent, and the actions of agents, each of which has a number
    and runs once. Other calls raise `Uncertain`, since they may have been done. If the server is silent, the client
    sends a ping, and reconnects if it is not answered within 4 s.

    When the session has ended meanwhile, or the client could not reconnect in time, all current and later calls raise
    `Ended`. The client never opens a new session by itself.
    """

    def __init__(self, session: Session) -> None:
        self._session = session

    @property
    def greeting(self) -> Greeting:
        """The greeting of the server: the rights of this client, and the limits of the server."""
        return self._session.greeting

    async def call(self, method: str, **params: Any) -> Any:
        """Calls any method of the protocol; returns its answer as the protocol writes it."""
        return await self._session.call(method, params)

    async def environments(self) -> list[EnvironmentStatus]:
        """Returns the status of each environment."""
        environments: list[EnvironmentStatus] = (await self._session.call("listEnvironments", {}))["environments"]
        return environments

    def watch_environments(self) -> Subscription[list[EnvironmentStatus]]:
        """Subscribes to the list of environments and their states."""
        return Subscription(self._session, {"environments": {}}, lambda text: list(json.loads(text)["environments"]))

    def environment(self, name: str) -> RemoteEnvironment:
        """Returns a handle for the environment with this name, without a call."""
        return RemoteEnvironment(self._session, name)

    async def open_mailbox(self, agent: str) -> Mailbox:
        """Opens a mailbox: registers an agent with the server, in no environment. Its name is unique on the server."""
        opened = await self._session.call("openMailbox", {"agent": agent})
        return Mailbox(self._session, agent, opened.get("address", agent))

    def conversations(
        self, *, agent: str | None = None, protocol: str | None = None, conversation: str | None = None
    ) -> Conversations:
        """Subscribes to the messages between agents, each with the rules of its interaction protocol that it breaks.

        Begins with the last messages, up to 1,024. `agent` is the sender or a receiver, `protocol` that which messages
        name, `conversation` their conversation id; all that are given must match. Needs the right to observe.
        """
        return Conversations(self._session, agent=agent, protocol=protocol, conversation=conversation)

    async def create(self, kind: str, **options: Any) -> RemoteEnvironment:
        """Creates an environment of a kind, with the options of `createEnvironment`. Needs the right to manage."""
        created = await self._session.call("createEnvironment", {"kind": kind, **options})
        return RemoteEnvironment(self._session, created["status"]["environment"])

    async def host(self, **announced: Any) -> Hosted:
        """Announces an environment that this client hosts, with the parameters of `host`. Needs the role `host`."""
        return Hosted((await self._session.native.host(write(announced)))())

    async def close(self) -> None:
        """Ends the session and unregisters its agents."""
        await self._session.close()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<client with the rights {', '.join(self.greeting['rights'])}>"


class Connecting:
    """A client that connects when it is awaited: `client = await connect(url)`, or `async with connect(url) as
    client`."""

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

    async def __aexit__(self, *_: object) -> None:
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

    `role` is `agent` (one agent), `platform` (many), `observer` or `host`. `token` is one of the server's tokens.
    `trust` is a file with certificates (PEM) that are trusted besides those of the system. `patience` is the time in
    seconds during which the client tries to reconnect. The client and all that it returns belong to the event loop that
    is running. Raises `AddressError`; awaited, `ConnectError`, or `Refused` if the server rejects this role and token.
    """
    return Connecting(_native.Connecting(url, role, token, trust, patience))
