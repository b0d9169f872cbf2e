"""Connecting: addresses, tokens, encryption, and errors."""

from __future__ import annotations

import shutil
import subprocess
from pathlib import Path

import pytest
from serving import Server
from situated.remote import AddressError, ConnectError, Refused, connect

pytestmark = pytest.mark.asyncio


async def test_reports_a_missing_server() -> None:
    with pytest.raises(ConnectError, match=r"cannot connect to tcp://127\.0\.0\.1:1: "):
        await connect("tcp://127.0.0.1:1")
    with pytest.raises(ConnectError, match=r"cannot connect to ws://127\.0\.0\.1:1/ws: "):
        await connect("ws://127.0.0.1:1")


async def test_a_token_gives_rights() -> None:
    with Server("--token", "act=the token of an agent") as server:
        with pytest.raises(Refused) as refused:
            await connect(server.url(), token="wrong")
        assert refused.value.kind == "unauthorized"
        async with connect(server.url(), token="the token of an agent") as client:
            assert client.greeting["rights"] == ["act"]
            with pytest.raises(Refused) as refused:
                await client.create("find-goals")
            assert refused.value.kind == "forbidden"


@pytest.mark.skipif(shutil.which("openssl") is None, reason="a certificate is made with openssl")
@pytest.mark.parametrize("scheme", ["tls", "wss"])
async def test_a_connection_is_encrypted(scheme: str, tmp_path: Path) -> None:
    key, certificate = str(tmp_path / "key.pem"), str(tmp_path / "certificate.pem")
    made = f"openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj /CN=localhost -keyout {key} -out {certificate}"
    made += " -addext subjectAltName=IP:127.0.0.1 -addext basicConstraints=critical,CA:FALSE"
    subprocess.run(made.split(), check=True, capture_output=True)
    with Server("--tls-cert", certificate, "--tls-key", key) as server:
        async with connect(server.url(scheme), trust=certificate) as client:
            assert await client.environments() == []
        with pytest.raises(ConnectError, match="certificate"):
            await connect(server.url(scheme))


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
async def test_rejects_other_texts_and_suggests_a_scheme(text: str, scheme: str) -> None:
    with pytest.raises(AddressError, match=f"write it as {scheme}://HOST:PORT$"):
        connect(text)
