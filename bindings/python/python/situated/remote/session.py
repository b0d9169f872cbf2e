"""A session as everything here uses it: parameters and answers are as the protocol writes them. The connection, and all
that keeps the session alive when it is lost, is that of the Rust client."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Callable
from typing import Any, Generic, TypeVar

from .. import _native
from .messages import Greeting

_Value = TypeVar("_Value")


class Session:
    """A session with a server."""

    def __init__(self, native: _native.Session) -> None:
        self._native = native
        self.greeting: Greeting = json.loads(native.greeting())

    async def ask(self, method: str, params: dict[str, Any]) -> Any:
        """Calls a method; returns its answer.

        Raises `Refused`, `Uncertain`, `Busy`, `TooLong`, `Ended`, and `ValueError` for what JSON cannot hold.
        """
        return json.loads((await self._native.call(method, write(params)))())

    def agent(self, environment: str, name: str) -> _native.RemoteAgent:
        """An agent that is registered with an environment."""
        return self._native.agent(environment, name)

    def subscription(self, topic: dict[str, Any]) -> Receiver[str]:
        """The notifications about a topic, from when the first is waited for."""
        return Receiver(self._native.subscription(write(topic)).receive)

    async def host(self, announced: dict[str, Any]) -> _native.Hosted:
        """Announces an environment that is run on this side."""
        return (await self._native.host(write(announced)))()

    async def close(self) -> None:
        """Ends the session."""
        (await self._native.close())()


class Receiver(Generic[_Value]):
    """Receives one value after another. A task that is cancelled while it waits for one leaves it to the next."""

    def __init__(self, receive: Callable[[], asyncio.Future[_native.Answer[_Value]]]) -> None:
        self._receive = receive
        self._next: asyncio.Future[_native.Answer[_Value]] | None = None
        self._turn = asyncio.Lock()

    async def receive(self) -> _Value:
        """The next value."""
        async with self._turn:
            if self._next is None:
                self._next = self._receive()
            # It is not cancelled with the task.
            await asyncio.wait([self._next])
            received, self._next = self._next, None
            return received.result()()


def write(value: Any) -> str:
    """A value as JSON. Raises `ValueError` for what it cannot hold."""
    return json.dumps(value, ensure_ascii=False, allow_nan=False, separators=(",", ":"))
