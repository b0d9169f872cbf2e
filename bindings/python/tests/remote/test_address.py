"""What is no address of a server is refused, with what could be meant."""

from __future__ import annotations

import pytest
from situated.remote import AddressError, connect


@pytest.mark.parametrize(
    ("text", "scheme"),
    [
        ("127.0.0.1:7467", "ws"),
        ("http://localhost:7467", "ws"),
        ("https://localhost", "wss"),
        ("tcp://localhost:7467/ws", "tcp"),
        ("tcp://localhost:port", "tcp"),
        ("tcp://", "tcp"),
        ("ws://[::1", "ws"),
        ("ws://me@localhost", "ws"),
    ],
)
def test_what_is_no_address_is_refused_with_what_could_be_meant(text: str, scheme: str) -> None:
    with pytest.raises(AddressError, match=f"write it as {scheme}://HOST:PORT$"):
        connect(text)
