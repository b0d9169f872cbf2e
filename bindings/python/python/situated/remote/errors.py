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

    def __init__(self, address: str, why: str, scheme: str) -> None:
        super().__init__(f"`{address}` is no address of a server: {why}; write it as {scheme}://HOST:PORT")


class ConnectError(RemoteError, ConnectionError):
    """There is no connection."""

    def __init__(self, address: object, reason: object) -> None:
        where = "is this where `situated serve` says that agents connect?"
        super().__init__(f"cannot connect to {address}: {reason}; {where}")


class Uncertain(RemoteError):
    """Nobody knows whether it was done: the connection was lost before the answer came."""

    def __init__(self, method: str, reason: str) -> None:
        super().__init__(
            f"the connection was lost before `{method}` was answered ({reason}): it may have been done or not; "
            "the session goes on, so look how things stand before you ask again"
        )
        self.method = method


class Busy(RemoteError):
    """It was not asked: too much waits already."""

    def __init__(self, method: str, limit: int) -> None:
        super().__init__(f"`{method}` was not asked: {limit} calls wait already; await some answers first")
        self.method = method


class TooLong(RemoteError):
    """It was not asked: the server takes no frame of this length."""

    def __init__(self, method: str, length: int, limit: int) -> None:
        takes = f"this server takes {limit} at the most"
        super().__init__(f"`{method}` was not asked: it has {length} bytes, and {takes}; ask for less")
        self.method = method


class Ended(RemoteError):
    """There is no session any more. If the server has said why, `code` and `kind` are there."""

    def __init__(self, reason: str, refusal: Refused | None = None) -> None:
        super().__init__(
            f"the session has ended: {reason}; its agents are registered no more, connect anew and register them again"
        )
        if refusal is not None:
            self.code, self.kind = refusal.code, refusal.kind


class Misunderstood(RemoteError):
    """The server says something else than this version of the protocol allows."""

    def __init__(self, about: str, reason: object) -> None:
        of_one = "are client and server of one version?"
        super().__init__(f"what the server says about `{about}` cannot be understood: {reason}; {of_one}")
