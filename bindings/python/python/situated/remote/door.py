"""How a session is entered: a connection is made, and hello is said on it, at first and whenever it goes on."""

from __future__ import annotations

import asyncio
import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast

from .address import Address
from .errors import ConnectError, Misunderstood, Refused
from .messages import Greeting
from .transport import Transport, open_transport

PROTOCOL = 2
"""The version of the protocol that is spoken here."""

Role: TypeAlias = Literal["agent", "platform", "observer", "host"]

# How many seconds it may take until a connection is made and the server has greeted.
_GREETING = 10.0


@dataclass(frozen=True)
class Door:
    """Where a server is, and what is said to enter."""

    address: Address
    role: Role
    token: str | None
    trust: Path | None

    async def enter(self, resume: str | None = None) -> tuple[Transport, Greeting]:
        """Begins a session, or goes on with that of a resume token.

        Raises `Refused` if the server lets nobody in who says this, and `ConnectError` if it cannot be reached now.
        """
        try:
            return await asyncio.wait_for(self._connect_and_greet(resume), _GREETING)
        except (asyncio.TimeoutError, TimeoutError) as error:
            raise ConnectError(self.address, f"no greeting within {_GREETING:g} s") from error
        except OSError as error:
            raise error if isinstance(error, ConnectError) else ConnectError(self.address, error) from error

    async def _connect_and_greet(self, resume: str | None) -> tuple[Transport, Greeting]:
        transport = await open_transport(self.address, self.trust)
        try:
            hello = {"protocol": PROTOCOL, "role": self.role, "client": "situated for Python"}
            hello |= {} if self.token is None else {"token": self.token}
            hello |= {} if resume is None else {"resume": resume}
            await transport.send([call_line(0, "hello", hello)])
            frame = await transport.receive()
            if frame is None:
                raise ConnectError(self.address, "the server has closed the connection")
            return transport, _read_greeting(frame)
        except BaseException:
            await transport.close()
            raise


def call_line(number: int | None, method: str, params: dict[str, Any]) -> str:
    """A call as a frame; without a number, one to which no answer is wanted. Raises `ValueError` for what JSON cannot
    hold."""
    message: dict[str, Any] = {"jsonrpc": "2.0"}
    if number is not None:
        message["id"] = number
    return write(message | {"method": method, "params": params})


def write(message: dict[str, Any]) -> str:
    """A message as a frame. Raises `ValueError` for what JSON cannot hold."""
    return json.dumps(message, ensure_ascii=False, allow_nan=False, separators=(",", ":"))


def _read_greeting(frame: str) -> Greeting:
    try:
        message = json.loads(frame)
    except (ValueError, RecursionError) as error:
        raise Misunderstood("hello", error) from error
    if isinstance(message, dict) and "error" in message:
        raise Refused.read(message["error"])
    if isinstance(message, dict) and message.get("method") == "closing":
        raise Refused.read((message.get("params") or {}).get("reason"))
    greeting = message.get("result") if isinstance(message, dict) else None
    if not isinstance(greeting, dict) or not isinstance(greeting.get("resume"), str):
        raise Misunderstood("hello", f"it says {frame:.160}")
    return cast(Greeting, greeting)
