"""Servers that the tests share. They use pytest-asyncio: the client lives on asyncio alone, so there is nothing to
vary."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from serving import Server, binary


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server with many mazes, each for one test."""
    if not binary().exists():
        pytest.skip(f"there is no {binary()}; build it with `cargo build -p situated-cli`")
    server = Server()
    yield server
    server.stop()
