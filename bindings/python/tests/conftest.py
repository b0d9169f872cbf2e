"""A server that the tests share."""

from __future__ import annotations

from collections.abc import Iterator

import pytest
from serving import Server, binary


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server without environments; tests create their own."""
    if not binary().exists():
        pytest.skip(f"there is no {binary()}; build it with `cargo build -p situated-cli`")
    server = Server()
    yield server
    server.stop()
