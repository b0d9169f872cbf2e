"""A server for worlds that are hosted from Python; everything is skipped where Gymnasium and PettingZoo are missing."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

# The server and the proxy are those of the tests of agents.
sys.path.append(str(Path(__file__).resolve().parent.parent / "remote"))

from serving import Server, binary

collect_ignore_glob: list[str] = []
try:
    import gymnasium  # noqa: F401
    import pettingzoo  # noqa: F401
except ImportError:
    collect_ignore_glob.append("test_*.py")


@pytest.fixture(scope="session")
def server() -> Iterator[Server]:
    """A server without worlds."""
    if not binary().exists():
        pytest.skip(f"there is no {binary()}; build it with `cargo build -p situated-cli`")
    server = Server()
    yield server
    server.stop()
