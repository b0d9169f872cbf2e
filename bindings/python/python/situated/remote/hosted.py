"""A world that is run on this side, in which others live through the server."""

from __future__ import annotations

from typing import Any

from .door import call_line, write
from .errors import Refused, RemoteError, TooLong
from .line import HostCall, Line, ToHost
from .link import Link
from .messages import EntityListed

# There is no such method, and no such environment.
_NO_SUCH_METHOD, _FAILURE, _NO_SUCH_ENVIRONMENT = -32601, 1008, 2001


class Hosted:
    """An environment that is run on this side. `receive` what the server calls for, in order, do it, and say what has
    come of it.

    It outlives the connection, as long as the server waits for it. Calls and answers that were on their way are lost
    then: whoever has asked for something is told so in time, and `Resumed` says that it may have been.
    """

    def __init__(self, link: Link, line: Line, name: str) -> None:
        self._link = link
        self._line = line
        self.name = name

    async def receive(self) -> ToHost:
        """What the server says next. Raises `Ended`."""
        heard = await self._line.receive()
        if heard is None:
            raise self._link.ended()
        return heard

    async def answer(self, call: HostCall, answer: dict[str, Any]) -> None:
        """Answers a call with an answer of a host, as the protocol writes it. Raises `TooLong`, `Ended`."""
        await self._deliver([write({"jsonrpc": "2.0", "id": call.id, "result": answer})])

    async def fail(self, call: HostCall, reason: str, tried: bool = True, update: dict[str, Any] | None = None) -> None:
        """Answers that a call was not done; if not `tried`, that this entity cannot do so at all. What has changed all
        the same is told before. Raises `TooLong`, `Ended`."""
        error = {"code": _FAILURE if tried else _NO_SUCH_METHOD, "message": reason}
        told = [call_line(None, "update", {"environment": self.name, "update": update})] if update else []
        await self._deliver([*told, write({"jsonrpc": "2.0", "id": call.id, "error": error})])

    async def tell(self, update: dict[str, Any]) -> None:
        """Tells what has changed by itself. Raises `Refused` when that cannot be, else as any call."""
        await self._link.ask("update", {"environment": self.name, "update": update})

    async def standing(self) -> tuple[str, list[EntityListed]] | None:
        """The state of its world on the server, and its entities, now that all is heard that was said; none if it is
        over.

        What was refused until then is not received any more, since whoever asks this can tell what is missing.
        """
        status = self._link.ask("status", {"environment": self.name})
        entities = self._link.ask("listEntities", {"environment": self.name})
        try:
            state, listed = (await status)["status"]["state"], (await entities)["entities"]
        except Refused as refusal:
            if refusal.code == _NO_SUCH_ENVIRONMENT:
                return None
            raise
        self._line.forget_news()
        return None if state == "killed" else (state, listed)

    def let_go(self) -> None:
        """The world is over."""
        self._link.ear.let_go(self.name)
        try:
            self._link.say("update", {"environment": self.name, "update": {"state": "killed"}})
        except RemoteError:
            # If there is no room to say so, it is over when the session ends.
            pass

    async def _deliver(self, frames: list[str]) -> None:
        length, limit = max(len(frame.encode()) for frame in frames), self._link.greeting["limits"]["frameBytes"]
        if length > limit:
            raise TooLong("answer", length, limit)
        await self._link.deliver(frames)
