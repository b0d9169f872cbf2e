"""The servers of the tests."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from serving import Server


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server without environments, which tests share; they create their own."""
    with Server() as server:
        yield server


@pytest.fixture
def serve() -> Iterator[Callable[..., Server]]:
    """Starts servers with arguments, which stop after the test."""
    with ExitStack() as servers:
        yield lambda *arguments: servers.enter_context(Server(*arguments))
