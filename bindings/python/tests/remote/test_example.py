"""The example of an agent runs as it stands."""

from __future__ import annotations

import re
import subprocess
import sys

from serving import REPOSITORY, Server


def test_a_remote_agent_plays() -> None:
    server = Server("find-goals")
    example = REPOSITORY / "examples/python/remote_agent.py"
    try:
        command = [sys.executable, str(example), server.url("ws"), "blue", "50"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
        assert re.fullmatch(r"blue has seen both win -?\d+ points in 50 steps\.\n", done.stdout), done
    finally:
        server.stop()
