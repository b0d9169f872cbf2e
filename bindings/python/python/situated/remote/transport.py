"""How frames travel: as lines over TCP, or as messages of a WebSocket, encrypted or not. Others know only frames."""

from __future__ import annotations

import asyncio
import ssl
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Protocol

from .address import Address

if TYPE_CHECKING:
    from websockets.asyncio.client import ClientConnection

LONGEST = 64 << 20
"""How many bytes a frame of the server may have. It is more than a server keeps for anybody."""

# How long it may take to part from a WebSocket.
_PARTING = 1.0


class Transport(Protocol):
    """Both directions of a connection. What goes wrong with it is an `OSError`."""

    async def receive(self) -> str | None:
        """The next frame; none at the end."""

    async def send(self, frames: Sequence[str]) -> None:
        """Sends frames, and waits until there is room for more."""

    async def close(self) -> None:
        """Ends the connection."""


async def open_transport(address: Address, trust: Path | None) -> Transport:
    """Connects, and trusts the certificates in this file (PEM) as well as those that the system trusts.

    Raises `OSError`, and `ImportError` if the package for WebSockets is missing.
    """
    context = _encryption(trust) if address.encrypted else None
    return await (_Messages.open(address, context) if address.websocket else _Lines.open(address, context))


class _Lines:
    """Frames are lines."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer

    @classmethod
    async def open(cls, address: Address, context: ssl.SSLContext | None) -> Transport:
        return cls(*await asyncio.open_connection(address.host, address.port, limit=LONGEST, ssl=context))

    async def receive(self) -> str | None:
        try:
            line = await self._reader.readline()
        except ValueError as error:
            raise OSError(f"the server has sent a frame of more than {LONGEST} bytes") from error
        # A line that breaks off says nothing.
        return _text(line) if line.endswith(b"\n") else None

    async def send(self, frames: Sequence[str]) -> None:
        self._writer.write("".join(frame + "\n" for frame in frames).encode())
        await self._writer.drain()

    async def close(self) -> None:
        # What is still to be sent is sent if the other side takes it; nobody waits for that.
        self._writer.close()


class _Messages:
    """Frames are messages of a WebSocket."""

    def __init__(self, connection: ClientConnection) -> None:
        self._connection = connection

    @classmethod
    async def open(cls, address: Address, context: ssl.SSLContext | None) -> Transport:
        try:
            from websockets.asyncio.client import connect
            from websockets.exceptions import WebSocketException
        except ImportError as error:
            raise ImportError(
                f"{address} is a WebSocket, which needs the package `websockets`: pip install situated[remote]"
            ) from error
        try:
            # The client asks by itself whether the server is there.
            connection = await connect(
                str(address),
                ssl=context,
                compression=None,
                open_timeout=None,
                ping_interval=None,
                close_timeout=_PARTING,
                max_size=LONGEST,
            )
        except WebSocketException as error:
            raise OSError(str(error)) from error
        return cls(connection)

    async def receive(self) -> str | None:
        from websockets.exceptions import ConnectionClosed, ConnectionClosedOK

        try:
            message = await self._connection.recv()
        except ConnectionClosedOK:
            return None
        except ConnectionClosed as error:
            raise OSError(str(error)) from error
        return message if isinstance(message, str) else _text(message)

    async def send(self, frames: Sequence[str]) -> None:
        from websockets.exceptions import ConnectionClosed

        try:
            for frame in frames:
                await self._connection.send(frame)
        except ConnectionClosed as error:
            raise OSError(str(error)) from error

    async def close(self) -> None:
        await self._connection.close()


def _encryption(trust: Path | None) -> ssl.SSLContext:
    context = ssl.create_default_context()
    if trust is not None:
        try:
            context.load_verify_locations(trust)
        except OSError as error:
            raise OSError(f"the certificates in {trust} cannot be used: {error}") from error
    return context


def _text(line: bytes) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError as error:
        raise OSError(f"the server has sent a frame that is not UTF-8: {error}") from error
