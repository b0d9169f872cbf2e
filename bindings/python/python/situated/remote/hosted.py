"""A world that is run on this side, in which others live through the server."""

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
    """The server calls the host for something. `id` is that of the answer."""

    id: int
    method: str
    params: dict[str, Any]


@dataclass(frozen=True)
class Resumed:
    """The connection was lost, and is there again. What was last said has perhaps not been heard, and calls may be
    missing."""


ToHost: TypeAlias = "HostCall | Resumed | Refused"
"""What a host hears. A refusal says that something which it has said cannot be, and was not taken over."""


class Hosted:
    """An environment that is run on this side. `receive` what the server calls for, in order, do it, and say what has
    come of it.

    It outlives the connection, as long as the server waits for it. Calls and answers that were on their way are lost
    then: whoever has asked for something is told so in time, and `Resumed` says that it may have been.
    """

    def __init__(self, native: _native.Hosted) -> None:
        self._native = native
        self._inbox = Receiver(native.receive)
        self.name = native.name()

    async def receive(self) -> ToHost:
        """What the server says next. Raises `Ended`."""
        heard = await self._inbox.receive()
        if isinstance(heard, tuple):
            id, method, params = heard
            return HostCall(id, method, json.loads(params))
        return Resumed() if heard is None else heard

    async def answer(self, call: HostCall, answer: dict[str, Any]) -> None:
        """Answers a call with an answer of a host, as the protocol writes it. Raises `TooLong`, `Ended`, and
        `ValueError` for what is no such answer."""
        (await self._native.answer(call.id, write(answer)))()

    async def fail(self, call: HostCall, reason: str, tried: bool = True, update: dict[str, Any] | None = None) -> None:
        """Answers that a call was not done; if not `tried`, that this entity cannot do so at all. What has changed all
        the same is told before. Raises as `answer`."""
        (await self._native.fail(call.id, reason, tried, write(update or {})))()

    async def tell(self, update: dict[str, Any]) -> None:
        """Tells what has changed by itself. Raises `Refused` when that cannot be, else as any call."""
        (await self._native.tell(write(update)))()

    async def standing(self) -> tuple[str, list[EntityListed]] | None:
        """The state of its world on the server, and its entities, now that all is heard that was said; none if it is
        over.

        What was refused until then is not received any more, since whoever asks this can tell what is missing.
        """
        standing = (await self._native.standing())()
        return None if standing is None else (json.loads(standing[0]), json.loads(standing[1]))

    def let_go(self) -> None:
        """The world is over."""
        self._native.let_go()
