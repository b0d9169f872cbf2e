"""Errors of clients."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._native import InterfaceError

if TYPE_CHECKING:
    from ..iil import Percept
    from ..perception import Moment, Perception


class RemoteError(Exception):
    """A call failed, or its result is unknown. `code` and `kind` are those of the server's error, if there is one."""

    code: int | None = None
    kind: str | None = None


class Refused(RemoteError, InterfaceError):
    """The server has refused a call, which changed nothing.

    `code` and `kind` are the same in all versions (`1003`, `noEntities`). `message` is for people. `details` has the
    names and values in the message as data, if there are any.
    """

    code: int

    def __init__(self, code: int, message: str, kind: str | None = None, details: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.kind, self.details = code, message, kind, details

    def __reduce__(self) -> tuple[Any, ...]:
        return Refused, (self.code, self.message, self.kind, self.details)

    @classmethod
    def read(cls, error: Any) -> Refused:
        """Reads an error as the protocol writes it."""
        if not isinstance(error, dict) or not isinstance(error.get("code"), int):
            return cls(-32603, f"the server refused the call without a valid error: {error!r:.160}")
        data = error.get("data")
        data = data if isinstance(data, dict) else {}
        return cls(error["code"], str(error.get("message", "")), data.get("kind"), data.get("details"))


class NotDone(Refused):
    """An action failed for at least one entity; this is the error of the first.

    `results` has the percepts that the action returned, or its error, by entity. `told` has the percepts of a step.
    """

    def __init__(
        self,
        moment: Moment,
        results: Mapping[str, list[Percept] | Refused],
        told: Mapping[str, Perception],
    ) -> None:
        error = next(result for result in results.values() if isinstance(result, Refused))
        super().__init__(error.code, error.message, error.kind, error.details)
        self.moment, self.results, self.told = moment, results, told

    def __reduce__(self) -> tuple[Any, ...]:
        return NotDone, (self.moment, self.results, self.told)


class AddressError(RemoteError, ValueError):
    """Not an address of a server."""


class ConnectError(RemoteError, ConnectionError):
    """The client cannot connect."""


class Declined(RemoteError):
    """The directory has not done what it was asked for.

    `act` is the act of its answer, such as `failure`, and `reason` is in the words of FIPA agent management.
    """

    act: str
    reason: str


class Uncertain(RemoteError):
    """The connection was lost before `method` was answered, so the server may have executed it or not."""

    method: str


class Busy(RemoteError):
    """`method` was not called: too many calls are waiting."""

    method: str


class TooLong(RemoteError):
    """`method` was not called: its message is longer than the server accepts."""

    method: str


class Ended(RemoteError):
    """The session has ended. The message contains the reason and advice.

    `code` and `kind` are the reason of the server, if it ended the session.
    """

    is_closed_here = False
    """Whether this client has closed it."""


class Misunderstood(RemoteError):
    """The server has sent a message that this version of the protocol does not allow."""
