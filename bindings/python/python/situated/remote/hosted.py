"""An environment that this client hosts."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

from .. import _native
from .errors import Refused
from .messages import EntityListed
from .session import Receiver, write


@dataclass(frozen=True)
class HostCall:
    """A request of the server. The answer has the same `id`."""

    id: int
    method: str
    params: dict[str, Any]


@dataclass(frozen=True)
class Resumed:
    """The connection was lost and restored. The last updates may not have arrived, and requests may be missing."""


ToHost: TypeAlias = "HostCall | Resumed | Refused"
"""A message to a host. `Refused` says that the server discarded an update."""


class Hosted:
    """An environment that this client hosts. `receive` the calls of the server, in order, and answer them.

    It survives a lost connection, as long as the server waits for it. Requests and answers on the way are then lost:
    the agents get a timeout, and the host receives `Resumed`. If the first episode has not begun, the server then calls
    `init` again.
    """

    def __init__(self, native: _native.Hosted) -> None:
        self._native = native
        self._inbox = Receiver(native.receive, "you have let this environment go")
        self.name = native.name()

    async def receive(self) -> ToHost:
        """Returns the next message of the server. Raises `Ended`."""
        received = await self._inbox.receive()
        if isinstance(received, tuple):
            id, method, params = received
            return HostCall(id, method, json.loads(params))
        return Resumed() if received is None else received

    async def answer(self, call: HostCall, answer: dict[str, Any]) -> None:
        """Answers a call, as the protocol writes answers of hosts. Raises `TooLong`, `Ended`, and `ValueError` for an
        invalid answer."""
        (await self._native.answer(call.id, write(answer)))()

    async def fail(self, call: HostCall, reason: str, tried: bool = True, update: dict[str, Any] | None = None) -> None:
        """Answers that a call has failed; if not `tried`, that this entity can never do so. `update` has the changes
        that it made before. Raises as `answer`."""
        (await self._native.fail(call.id, reason, tried, write(update or {})))()

    async def tell(self, update: dict[str, Any]) -> None:
        """Sends an update. Raises `Refused` if the server discards it, else as any call."""
        (await self._native.tell(write(update)))()

    async def standing(self) -> tuple[str, list[EntityListed]] | None:
        """Returns the state of the environment on the server and its entities, after all that was sent; None if it has
        ended.

        Discards refusals of earlier updates, since the caller can compare the states.
        """
        standing = (await self._native.standing())()
        return None if standing is None else (json.loads(standing[0]), json.loads(standing[1]))

    def let_go(self) -> None:
        """Ends the environment. A task that waits for a message gets `Ended`."""
        self._native.let_go()
        self._inbox.close()

    def __repr__(self) -> str:
        return f"<{self.name}, hosted by this client>"
