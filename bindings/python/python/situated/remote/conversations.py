"""Messages between agents, as an observer sees them."""

from __future__ import annotations

import json
from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from .mail import Message
from .session import Session, Stream, Subscription


@dataclass(frozen=True)
class SeenMessage:
    """A message that an observer sees.

    `number` is higher for later messages. `violations` are the rules of its interaction protocol that the message
    breaks, in words. `time` is that at which the server accepted it, in seconds since the beginning of 1970.
    """

    number: int
    message: Message
    violations: Sequence[str]
    time: float


class Conversations(Stream[SeenMessage]):
    """The messages between agents, in order, each once: `async for seen in conversations`."""

    def __init__(self, session: Session, **filters: Any) -> None:
        chosen = {name: value for name, value in filters.items() if value is not None}
        self._notifications = Subscription(session, {"conversations": chosen}, json.loads)
        self._waiting: deque[SeenMessage] = deque()
        self._last = 0
        self.lost = 0
        """Number of messages that this client has missed, since it was too slow."""

    async def receive(self) -> SeenMessage:
        """Returns the next message.

        Raises `Ended` if the session has ended or the conversations were closed, and `Refused` if the client may not
        observe.
        """
        while not self._waiting:
            told = await self._notifications.receive()
            self.lost += told["lost"]
            # After a lost connection, the server sends the last messages again.
            self._waiting.extend(_read(one) for one in told["messages"] if one["number"] > self._last)
            if self._waiting:
                self._last = self._waiting[-1].number
        return self._waiting.popleft()

    def close(self) -> None:
        """Ends the subscription."""
        self._notifications.close()

    @property
    def _goes_on(self) -> bool:
        return bool(self._waiting) or not self._notifications.closed


def _read(data: dict[str, Any]) -> SeenMessage:
    violations = tuple(data.get("violations", ()))
    return SeenMessage(data["number"], Message.read(data["message"]), violations, data["time"] / 1000)
