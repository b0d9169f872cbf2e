"""Where what the server says by itself waits to be taken: notifications for a listener, calls for a host."""

from __future__ import annotations

import asyncio
from collections import deque
from dataclasses import dataclass
from typing import Any, TypeAlias

from .errors import Refused

NOTIFICATIONS_WAITING = 256
"""How many notifications of a subscription can wait to be taken. Whoever is further behind gets these, and then is told
anew how things stand."""

CALLS_OF_HOST = 8192
"""How many calls can wait for a host. One more is refused."""


class Listener:
    """Where the notifications of a subscription wait."""

    def __init__(self) -> None:
        self._notifications: deque[dict[str, Any]] = deque()
        self._closed = False
        self._more = asyncio.Event()

    def take(self, notification: dict[str, Any]) -> bool:
        """Takes a notification, if there is room for it."""
        if len(self._notifications) >= NOTIFICATIONS_WAITING:
            return False
        self._notifications.append(notification)
        self._more.set()
        return True

    def close(self) -> None:
        """No more will come."""
        self._closed = True
        self._more.set()

    async def receive(self) -> dict[str, Any] | None:
        """The next notification; none if no more will come."""
        while not self._notifications and not self._closed:
            self._more.clear()
            await self._more.wait()
        return self._notifications.popleft() if self._notifications else None


@dataclass(frozen=True)
class HostCall:
    """The server calls the host for something. `id` is that of the answer."""

    id: object
    method: str
    params: dict[str, Any]


@dataclass(frozen=True)
class Resumed:
    """The connection was lost, and is there again. What was last said has perhaps not been heard, and calls may be
    missing."""


ToHost: TypeAlias = "HostCall | Resumed | Refused"
"""What a host hears. A refusal says that something which it has said cannot be, and was not taken over."""


class Line:
    """Where what a host hears waits: calls in order, and news before them."""

    def __init__(self) -> None:
        self._calls: deque[HostCall] = deque()
        self._news: deque[Resumed | Refused] = deque(maxlen=16)
        self._closed = False
        self._more = asyncio.Event()

    def call(self, id: object, method: str, params: dict[str, Any]) -> Refused | None:
        """Calls the host; returns why not, if there is no room."""
        if len(self._calls) >= CALLS_OF_HOST:
            return Refused(1104, f"{CALLS_OF_HOST} calls wait for the host already")
        self._calls.append(HostCall(id, method, params))
        self._more.set()
        return None

    def resumed(self) -> None:
        """The connection is there again."""
        self._news.append(Resumed())
        self._more.set()

    def refused(self, refusal: Refused) -> None:
        """Something that was said cannot be."""
        self._news.append(refusal)
        self._more.set()

    def forget_news(self) -> None:
        """Whoever tells all anew needs no news."""
        self._news.clear()

    def close(self) -> None:
        """No more will come."""
        self._closed = True
        self._more.set()

    async def receive(self) -> ToHost | None:
        """What comes next; none if no more will come."""
        while not (self._news or self._calls or self._closed):
            self._more.clear()
            await self._more.wait()
        if self._news:
            return self._news.popleft()
        return self._calls.popleft() if self._calls else None
