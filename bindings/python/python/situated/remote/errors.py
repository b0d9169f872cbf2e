"""What can go wrong, why, and what to do about it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from .._native import InterfaceError

if TYPE_CHECKING:
    from ..iil import Percept
    from ..perception import Moment, Perception


class RemoteError(Exception):
    """Something was not done, or nobody knows whether it was. `code` and `kind` are those of the server, if it says
    why."""

    code: int | None = None
    kind: str | None = None


class Refused(RemoteError, InterfaceError):
    """The server refuses it, and everything is as it was.

    `code` and `kind` stay from version to version (`1003`, `noEntities`); `message` is for people; `details` has who
    and what as data, if there is something to say.
    """

    code: int

    def __init__(self, code: int, message: str, kind: str | None = None, details: Any = None) -> None:
        super().__init__(message)
        self.code, self.message, self.kind, self.details = code, message, kind, details

    @classmethod
    def read(cls, error: Any) -> Refused:
        """Reads an error as the protocol writes it."""
        if not isinstance(error, dict) or not isinstance(error.get("code"), int):
            return cls(-32603, f"the server refuses it, and does not say why: {error!r:.160}")
        data = error.get("data")
        data = data if isinstance(data, dict) else {}
        return cls(error["code"], str(error.get("message", "")), data.get("kind"), data.get("details"))


class NotDone(Refused):
    """An action was not done for one of the entities through which it was asked for; the error is that of the first.

    `results` has for each entity of which there is something to say what was found out, or why it was not done. In a
    step the agent has perceived all the same: `told`.
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


class AddressError(RemoteError, ValueError):
    """This is no address of a server."""


class ConnectError(RemoteError, ConnectionError):
    """There is no connection."""


class Uncertain(RemoteError):
    """Nobody knows whether it was done: the connection was lost before the answer to `method` came."""

    method: str


class Busy(RemoteError):
    """`method` was not asked: too much waits already."""

    method: str


class TooLong(RemoteError):
    """`method` was not asked: the server takes no frame of this length."""

    method: str


class Ended(RemoteError):
    """There is no session any more. If the server has said why, `code` and `kind` are there."""

    is_closed_here = False
    """Whether this side has closed it."""


class Misunderstood(RemoteError):
    """The server says something else than this version of the protocol allows."""
