"""The folder that `situated new --python` writes."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path


def run(folder: Path, *command: str) -> str:
    """Runs a Python program of the user in a folder. Returns its output."""
    done = subprocess.run([sys.executable, *command], cwd=folder, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, f"{command}: {done.stdout}{done.stderr}"
    return done.stdout


def test_everything_in_the_folder_works(tmp_path: Path) -> None:
    run(tmp_path, "-m", "situated", "new", "shop-floor", "--python")
    folder = tmp_path / "shop-floor"
    assert "3 passed" in run(folder, "-m", "pytest", "-q", "-p", "no:cacheprovider")
    run(folder, "-m", "mypy", "--strict", "--config-file=", ".")
    assert ", 0 failed" in run(folder, "-m", "situated", "check-environment", "shop_floor.py")
    # Nobody's settings make another style of the files.
    run(folder, "-m", "ruff", "format", "--isolated", "--check", ".")
    serving = [sys.executable, "-m", "situated", "serve", "shop_floor.py", "--port", "0"]
    with subprocess.Popen(serving, cwd=folder, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        lines = iter(server.stdout.readline, "")
        address = next(found[1] for line in lines if (found := re.search(r"Agents: (ws://\S+)/ws", line)))
        assert run(folder, "agent.py", address).splitlines()[-1] == "take"
        server.terminate()
