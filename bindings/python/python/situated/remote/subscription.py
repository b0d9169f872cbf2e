"""Subscriptions: notifications, as somebody takes them with `async for`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from .errors import Ended
from .line import Listener
from .link import Link

_News = TypeVar("_News")


class Subscription(Generic[_News]):
    """Notifications about something, in order, from when the first is waited for: `async for news in subscription`.

    It outlives the connection. When the connection was lost, what follows begins anew with how things stand, as it does
    for whoever has left more than 256 waiting. When nobody has it any more, or it is closed, nothing is told any more.
    """

    def __init__(
        self,
        link: Link,
        topic: dict[str, Any],
        read: Callable[[dict[str, Any]], _News],
        before: Callable[[], None] = lambda: None,
    ) -> None:
        """`read` reads each notification when it is taken; `before` is called before one is waited for."""
        self._link = link
        self._topic = topic
        self._read = read
        self._before = before
        self._listener: Listener | None = None
        self.closed = False

    async def receive(self) -> _News:
        """The next notification, as soon as there is one.

        Raises `Ended` when the session has ended, and `Refused` when what was subscribed to is no more.
        """
        self._before()
        while True:
            if self._listener is None:
                listener = Listener()
                await self._link.ask("subscribe", {"to": self._topic}, taker=self._link.ear.listen(listener))
                self._listener = listener
            notification = await self._listener.receive()
            if notification is not None:
                return self._read(notification)
            self._listener = None

    def close(self) -> None:
        """Nothing is told any more; the server hears of it when it tells something."""
        self._listener, self.closed = None, True

    def __aiter__(self) -> Subscription[_News]:
        return self

    async def __anext__(self) -> _News:
        """The next notification. There are no more when this side has closed the subscription, or the session."""
        try:
            if not self.closed:
                return await self.receive()
        except Ended:
            if not self._link.is_left:
                raise
        raise StopAsyncIteration
