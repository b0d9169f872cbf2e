"""Addresses of servers: `ws://`, `wss://`, `tcp://` and `tls://`."""

from __future__ import annotations

from dataclasses import dataclass

from .errors import AddressError

PORT = 7467
"""The port of a server if an address over TCP or TLS names none. Over WebSocket it is 80 or 443, as for all of HTTP."""

PATH = "/ws"
"""Where the WebSocket of a server is if an address names no path."""

_PORTS = {"ws": 80, "wss": 443, "tcp": PORT, "tls": PORT}


@dataclass(frozen=True)
class Address:
    """Where a server is, and how it is spoken to."""

    scheme: str
    host: str
    port: int
    path: str = ""

    @classmethod
    def read(cls, text: str) -> Address:
        """Reads an address. Raises `AddressError`, which says what could be meant."""
        scheme, separator, rest = text.partition("://")
        if not separator:
            raise AddressError(text, "it does not say how to speak to it", "ws")
        if scheme not in _PORTS:
            raise AddressError(text, "there are ws, wss, tcp and tls", "wss" if scheme == "https" else "ws")
        authority, slash, path = rest.partition("/")
        host, port = _host_and_port(authority) or (None, None)
        if host is None:
            raise AddressError(text, "that is no host and port", scheme)
        websocket = scheme in ("ws", "wss")
        if path and not websocket:
            raise AddressError(text, "only WebSockets have a path", scheme)
        return cls(scheme, host, port or _PORTS[scheme], (slash + path if path else PATH) if websocket else "")

    @property
    def websocket(self) -> bool:
        """Whether frames are messages of a WebSocket; otherwise they are lines."""
        return self.scheme in ("ws", "wss")

    @property
    def encrypted(self) -> bool:
        """Whether the connection is encrypted."""
        return self.scheme in ("wss", "tls")

    def __str__(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{self.scheme}://{host}:{self.port}{self.path}"


def _host_and_port(authority: str) -> tuple[str, int | None] | None:
    """The parts of `host`, `host:port`, `[::1]` and `[::1]:port`; none if it is something else."""
    if authority.startswith("["):
        host, bracket, port = authority[1:].partition("]")
        if not bracket:
            return None
    else:
        host, colon, port = authority.partition(":")
        port = colon + port
    if not host or "@" in host:
        return None
    if not port:
        return host, None
    digits = port[1:]
    if port[0] != ":" or not (digits.isascii() and digits.isdigit() and int(digits) < 1 << 16):
        return None
    return host, int(digits)
