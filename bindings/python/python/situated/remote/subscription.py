"""Subscriptions: notifications, as somebody takes them with `async for`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Generic, TypeVar

from .errors import Ended
from .session import Receiver, Session

_News = TypeVar("_News")


class Subscription(Generic[_News]):
    """Notifications about something, in order, from when the first is waited for: `async for news in subscription`.

    It outlives the connection. When the connection was lost, what follows begins anew with how things stand, as it does
    for whoever has left more than 256 waiting. When nobody has it any more, or it is closed, nothing is told any more.
    """

    def __init__(
        self,
        session: Session,
        topic: dict[str, Any],
        read: Callable[[str], _News],
        before: Callable[[], None] = lambda: None,
    ) -> None:
        """`read` reads each notification when it is taken; `before` is called before one is waited for."""
        self._notifications: Receiver[str] | None = session.subscription(topic)
        self._read = read
        self._before = before

    async def receive(self) -> _News:
        """The next notification, as soon as there is one.

        Raises `Ended` when the session has ended, or the subscription was closed, and `Refused` when what was
        subscribed to is no more.
        """
        if self._notifications is None:
            raise Ended("you have closed this subscription")
        self._before()
        return self._read(await self._notifications.receive())

    @property
    def closed(self) -> bool:
        """Whether this side has closed it."""
        return self._notifications is None

    def close(self) -> None:
        """Nothing is told any more."""
        self._notifications = None

    def __aiter__(self) -> Subscription[_News]:
        return self

    async def __anext__(self) -> _News:
        """The next notification. There are no more when this side has closed the subscription, or the session."""
        try:
            if not self.closed:
                return await self.receive()
        except Ended as ended:
            if not ended.is_closed_here:
                raise
        raise StopAsyncIteration
