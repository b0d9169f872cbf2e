"""A session with parameters and answers as the protocol writes them, and its subscriptions. The Rust client has the
connection, and keeps the session when the connection is lost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from .. import _native
from .errors import Ended
from .messages import Greeting

_Value = TypeVar("_Value")


class Session:
    """A session with a server."""

    def __init__(self, native: _native.Session) -> None:
        self._native = native
        self.greeting: Greeting = json.loads(native.greeting())
        self.sent = 0
        """The number of the last message to other agents."""
        self.received: dict[str, int] = {}
        """The number of the last message that each agent has received."""

    async def call(self, method: str, params: dict[str, Any]) -> Any:
        """Calls a method; returns its answer.

        Raises `Refused`, `Uncertain`, `Busy`, `TooLong`, `Ended`, and `ValueError` for parameters that JSON cannot
        represent.
        """
        return json.loads((await self._native.call(method, write(params)))())

    def start(self, method: str, params: dict[str, Any]) -> None:
        """Calls a method without waiting for the answer.

        Raises `Busy` and `Ended`.
        """
        self._native.call(method, write(params))

    def directory(self, agent: str) -> _native.Directory:
        """Returns the directory of the server, asked by an agent."""
        return self._native.directory(agent)

    def agent(self, environment: str, name: str) -> _native.RemoteAgent:
        """Returns an agent that is registered with an environment."""
        return self._native.agent(environment, name)

    def subscription(self, topic: dict[str, Any]) -> Receiver[str]:
        """Returns the notifications about a topic, from when the first is awaited."""
        return Receiver(self._native.subscription(write(topic)).receive)

    async def host(self, announced: dict[str, Any]) -> _native.Hosted:
        """Announces an environment that this client hosts."""
        return (await self._native.host(write(announced)))()

    async def close(self) -> None:
        """Ends the session."""
        (await self._native.close())()


class Receiver(Generic[_Value]):
    """Receives one value after another. A task that is cancelled while it waits leaves its value to the next one."""

    def __init__(self, receive: Callable[[], asyncio.Future[_native.Answer[_Value]]]) -> None:
        self._receive = receive
        self._next: asyncio.Future[_native.Answer[_Value]] | None = None
        self._turn = asyncio.Lock()

    async def receive(self) -> _Value:
        """Returns the next value."""
        async with self._turn:
            if self._next is None:
                self._next = self._receive()
            # Waiting does not cancel the future with the task.
            await asyncio.wait([self._next])
            received, self._next = self._next, None
            return received.result()()


class Subscription(Generic[_Value]):
    """Notifications about a topic, in order, from when the first is awaited: `async for one in subscription`.

    A subscription survives a lost connection. The next notification then describes the present state, as it does after
    more than 256 notifications have waited. A subscription ends when it is closed or deleted.
    """

    def __init__(
        self,
        session: Session,
        topic: dict[str, Any],
        read: Callable[[str], _Value],
        before: Callable[[], None] = lambda: None,
    ) -> None:
        """`read` reads each notification when it is taken; `before` is called before each wait."""
        self._notifications: Receiver[str] | None = session.subscription(topic)
        self._read = read
        self._before = before

    async def receive(self) -> _Value:
        """Returns the next notification.

        Raises `Ended` if the session has ended or the subscription was closed, and `Refused` if its topic no longer
        exists.
        """
        if self._notifications is None:
            raise Ended("you have closed this subscription")
        self._before()
        return self._read(await self._notifications.receive())

    @property
    def closed(self) -> bool:
        """Whether this client has closed the subscription."""
        return self._notifications is None

    def close(self) -> None:
        """Ends the subscription."""
        self._notifications = None

    def __aiter__(self) -> Subscription[_Value]:
        return self

    async def __anext__(self) -> _Value:
        """Returns the next notification, until this client closes the subscription or the session."""
        try:
            if not self.closed:
                return await self.receive()
        except Ended as ended:
            if not ended.is_closed_here:
                raise
        raise StopAsyncIteration


def write(value: Any) -> str:
    """Returns a value as JSON. Raises `ValueError` if JSON cannot represent it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
