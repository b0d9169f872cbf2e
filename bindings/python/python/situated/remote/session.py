"""A session with parameters and answers as the protocol writes them, and its subscriptions. The Rust client has the
connection, and keeps the session when the connection is lost."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from typing import Any, Generic, TypeVar

from .. import _native
from .errors import Ended
from .messages import Greeting

_Value = TypeVar("_Value")
_Stream = TypeVar("_Stream", bound="Stream[Any]")


class Session:
    """A session with a server."""

    def __init__(self, native: _native.Session) -> None:
        self.native = native
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
        return json.loads((await self.native.call(method, write(params)))())

    def start(self, method: str, params: dict[str, Any]) -> None:
        """Calls a method, and does not learn whether the call succeeds."""
        self.native.call(method, write(params))

    async def close(self) -> None:
        """Ends the session."""
        (await self.native.close())()


class Receiver(Generic[_Value]):
    """Receives one value after another. A task that is cancelled while it waits leaves its value to the next one."""

    def __init__(self, receive: Callable[[], asyncio.Future[_native.Answer[_Value]]], farewell: str) -> None:
        """`farewell` says why there are no values after `close`."""
        self._receive: Callable[[], asyncio.Future[_native.Answer[_Value]]] | None = receive
        self._farewell = farewell
        self._next: asyncio.Future[_native.Answer[_Value]] | None = None
        self._turn = asyncio.Lock()

    async def receive(self) -> _Value:
        """Returns the next value. Raises `Ended` once this is closed."""
        async with self._turn:
            if self._receive is None:
                raise Ended(self._farewell)
            if self._next is None:
                self._next = self._receive()
            # Waiting does not cancel the future with the task.
            await asyncio.wait([self._next])
            received, self._next = self._next, None
            if received.cancelled():
                raise Ended(self._farewell)
            return received.result()()

    @property
    def closed(self) -> bool:
        """Whether this is closed."""
        return self._receive is None

    def close(self) -> None:
        """Takes no more values. Tasks that wait for one get `Ended`."""
        self._receive = None
        if self._next is not None:
            self._next.cancel()


class Stream(Generic[_Value]):
    """Values that come one after another: `async for one in stream`."""

    async def receive(self) -> _Value:
        """Returns the next value."""
        raise NotImplementedError

    @property
    def _goes_on(self) -> bool:
        """Whether this client still takes values."""
        raise NotImplementedError

    def __aiter__(self: _Stream) -> _Stream:
        return self

    async def __anext__(self) -> _Value:
        """Returns the next value, until this client closes the stream or the session."""
        try:
            if self._goes_on:
                return await self.receive()
        except Ended as ended:
            if self._goes_on and not ended.is_closed_here:
                raise
        raise StopAsyncIteration


class Subscription(Stream[_Value]):
    """Notifications about a topic, in order, from when the first is awaited: `async for one in subscription`.

    A subscription survives a lost connection. The next notification then describes the present state, as it does after
    more than 256 notifications have waited. A subscription ends when it is closed or deleted.
    """

    def __init__(
        self,
        session: Session,
        topic: dict[str, Any],
        read: Callable[[str], _Value | Awaitable[_Value]],
        before: Callable[[], None] = lambda: None,
    ) -> None:
        """`read` reads each notification when it is taken; `before` is called before each wait."""
        self._topic = next(iter(topic))
        self._notifications: Receiver[str] = Receiver(
            session.native.subscription(write(topic)).receive, "you have closed this subscription"
        )
        self._read = read
        self._before = before

    async def receive(self) -> _Value:
        """Returns the next notification.

        Raises `Ended` if the session has ended or the subscription was closed, and `Refused` if its topic no longer
        exists.
        """
        self._before()
        value = self._read(await self._notifications.receive())
        return await value if isawaitable(value) else value

    @property
    def closed(self) -> bool:
        """Whether this client has closed the subscription."""
        return self._notifications.closed

    def close(self) -> None:
        """Ends the subscription. Tasks that wait for a notification get `Ended`, and `async for` ends."""
        self._notifications.close()

    @property
    def _goes_on(self) -> bool:
        return not self.closed

    def __repr__(self) -> str:
        return f"<subscription to {self._topic}>"


def write(value: Any) -> str:
    """Returns a value as JSON. Raises `ValueError` if JSON cannot represent it."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
