"""Addresses: what is left out, and what is refused."""

from __future__ import annotations

import pytest
from situated.remote import AddressError
from situated.remote.address import Address


@pytest.mark.parametrize(
    ("text", "whole"),
    [
        ("ws://127.0.0.1:7467", "ws://127.0.0.1:7467/ws"),
        ("ws://example.org", "ws://example.org:80/ws"),
        ("wss://example.org/", "wss://example.org:443/ws"),
        ("wss://example.org/lab/ws", "wss://example.org:443/lab/ws"),
        ("tcp://localhost", "tcp://localhost:7467"),
        ("tls://[::1]:99", "tls://[::1]:99"),
        ("tcp://[::1]", "tcp://[::1]:7467"),
    ],
)
def test_what_is_left_out_is_as_usual(text: str, whole: str) -> None:
    assert str(Address.read(text)) == whole


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
        Address.read(text)
