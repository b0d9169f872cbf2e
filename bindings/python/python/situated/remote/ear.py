"""The ear: what the server says, and who takes it. No I/O is done here."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any
from weakref import WeakValueDictionary

from .calls import Calls
from .door import call_line, write
from .errors import Refused
from .line import Line, Listener

# TakenOver, SessionEnded and ShuttingDown: after these nobody comes back.
_FINAL = (-32007, -32005, -32006)


class Over(Exception):
    """All is over, for this reason."""

    def __init__(self, reason: str, refusal: Refused | None = None) -> None:
        self.end = (reason, refusal)


class Lost(Exception):
    """The connection is of no use any more, for this reason."""


class Ear:
    """Hands out what the server says: answers to those who have asked, notifications to listeners, calls to hosts."""

    def __init__(self, calls: Calls, send: Callable[[list[str]], None]) -> None:
        """`send` sends frames: what is to be said at once about what was heard."""
        self._calls = calls
        self._send = send
        self._listeners: WeakValueDictionary[int, Listener] = WeakValueDictionary()
        self._hosts: dict[str, Line] = {}

    def hear(self, frame: str) -> bool:
        """The server has said something; returns whether it was an answer. Raises `Over` and `Lost` where the
        connection ends with that."""
        try:
            messages = json.loads(frame)
        except (ValueError, RecursionError) as error:
            raise Lost(f"the server has sent what is not JSON: {error}") from error
        is_answer = False
        for message in messages if isinstance(messages, list) else [messages]:
            if not isinstance(message, dict):
                raise Lost("the server has sent what is no message")
            is_answer |= "method" not in message
            self._hear_message(message)
        return is_answer

    def listen(self, listener: Listener) -> Callable[[Any], None]:
        """Whoever takes the answer to `subscribe` for this listener."""

        def take(result: Any) -> None:
            if isinstance(result, dict) and isinstance(result.get("subscription"), int):
                self._listeners[result["subscription"]] = listener

        return take

    def host(self, line: Line) -> Callable[[Any], None]:
        """Whoever takes the answer to `host` for this line."""

        def take(result: Any) -> None:
            if isinstance(result, dict) and isinstance(result.get("environment"), str):
                self._hosts[result["environment"]] = line

        return take

    def let_go(self, environment: str) -> None:
        """Nobody hosts this environment here any more."""
        self._hosts.pop(environment, None)

    def resumed(self) -> None:
        """The connection was lost, and is there again."""
        for line in self._hosts.values():
            line.resumed()

    def end(self) -> None:
        """Nothing will be heard any more."""
        for listener in list(self._listeners.values()):
            listener.close()
        for line in self._hosts.values():
            line.close()

    def _hear_message(self, message: dict[str, Any]) -> None:
        number, method, params = message.get("id"), message.get("method"), message.get("params")
        if isinstance(method, str):
            params = params if isinstance(params, dict) else {}
            if number is None:
                self._hear_notification(method, params)
            else:
                self._hear_call(number, method, params)
        elif isinstance(number, int):
            if "error" in message:
                self._calls.fail(number, Refused.read(message["error"]))
            else:
                self._calls.answer(number, message.get("result"))
        elif number is None and "error" in message:
            self._hear_complaint(Refused.read(message["error"]))

    def _hear_complaint(self, refusal: Refused) -> None:
        """What was said is refused, and was no call. What hosts say of their worlds is answered so; anything else is no
        message, and the answer to it will never come."""
        if not self._hosts or refusal.code <= 0:
            raise Lost(refusal.message)
        for line in self._hosts.values():
            line.refused(refusal)

    def _hear_notification(self, method: str, params: dict[str, Any]) -> None:
        """Hands a notification to who listens. If nobody does, or somebody has no room for more, the subscription is
        taken back; whoever has no room subscribes again later on, and is then told how things stand."""
        if method == "closing":
            refusal = Refused.read(params.get("reason"))
            if refusal.code in _FINAL:
                raise Over(refusal.message, refusal)
            raise Lost(refusal.message)
        subscription = params.get("subscription")
        if not isinstance(subscription, int):
            return
        listener = self._listeners.get(subscription)
        if method == "ended":
            # Who listens subscribes again, and is told by the refusal why.
            self._forget(subscription)
        elif listener is None or not listener.take(params):
            self._forget(subscription)
            self._send([call_line(None, "unsubscribe", {"subscription": subscription})])

    def _forget(self, subscription: int) -> None:
        listener = self._listeners.pop(subscription, None)
        if listener is not None:
            listener.close()

    def _hear_call(self, number: object, method: str, params: dict[str, Any]) -> None:
        """The server calls a host for something."""
        line = self._hosts.get(str(params.get("environment")))
        if line is None:
            refusal = Refused(2001, f"this client does not host environment `{params.get('environment')}`")
        elif (full := line.call(number, method, params)) is not None:
            refusal = full
        else:
            return
        error = {"code": refusal.code, "message": refusal.message}
        self._send([write({"jsonrpc": "2.0", "id": number, "error": error})])
