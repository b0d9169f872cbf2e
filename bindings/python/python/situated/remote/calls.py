"""The calls that wait for their answers, and what becomes of them when the connection is lost."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from .errors import Ended, RemoteError, Uncertain

CALLS_WAITING = 1024
"""How many calls can wait for their answers, and how much can wait to be sent. One more fails at once (`Busy`)."""

ASKED_AT_MOST = 10
"""How often something is asked if the connection is lost over it again and again."""

# What changes nothing, however often it is asked. A subscription that is made twice is taken back when it first tells
# something that nobody listens to.
_HARMLESS = {
    "acknowledge",
    "describe",
    "describeKind",
    "listEntities",
    "listEnvironments",
    "outcome",
    "ping",
    "query",
    "scene",
    "status",
    "subscribe",
    "wait",
}


@dataclass
class Call:
    """Somebody waits for an answer. `frames` are what is sent, the call itself and what must come before it."""

    method: str
    repeatable: bool
    frames: list[str]
    taker: Callable[[Any], None] | None
    answer: asyncio.Future[Any]
    asked: int = 0


@dataclass
class Calls:
    """The calls that wait, in the order in which they were asked."""

    waiting: dict[int, Call] = field(default_factory=dict)

    def answer(self, number: int, result: Any) -> None:
        """A call is answered. Whoever takes what the server says later on because of it is told first."""
        call = self.waiting.pop(number, None)
        if call is None:
            return
        if call.taker is not None:
            call.taker(result)
        if not call.answer.done():
            call.answer.set_result(result)

    def fail(self, number: int, error: RemoteError) -> None:
        """A call is refused."""
        _fail(self.waiting.pop(number, None), error)

    def interrupt(self, reason: str) -> None:
        """The connection is lost: what was asked and cannot be asked again fails, and what nobody waits for is
        forgotten."""
        for number, call in list(self.waiting.items()):
            is_lost = call.asked > 0 and (not call.repeatable or call.asked >= ASKED_AT_MOST)
            if is_lost or call.answer.done():
                _fail(self.waiting.pop(number), Uncertain(call.method, reason))

    def ask_again(self) -> list[str]:
        """The frames of all that was asked before. What was not is among those that wait to be sent, and counts as
        asked."""
        frames = []
        for call in self.waiting.values():
            frames += call.frames if call.asked else []
            call.asked += 1
        return frames

    def end(self, end: Callable[[], Ended]) -> None:
        """Nothing will be answered any more."""
        for number in list(self.waiting):
            self.fail(number, end())


def is_repeatable(method: str, params: dict[str, Any]) -> bool:
    """Whether a call can be asked again so that it makes no difference whether it was done the first time."""
    if method == "act":
        return params.get("number") is not None
    if method == "perceive":
        return params.get("since") == "acknowledged"
    if method == "step":
        # Who passes, passes in the next step if asked again.
        once = all(turn.get("action") is not None and turn.get("number") is not None for turn in params["agents"])
        return once and (not params.get("perceive", True) or params.get("since") == "acknowledged")
    return method in _HARMLESS


def _fail(call: Call | None, error: RemoteError) -> None:
    if call is not None and not call.answer.done():
        call.answer.set_exception(error)
        # Who no longer waits has no use for it.
        call.answer.exception()
