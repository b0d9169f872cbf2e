"""The command `situated`, as `python -m situated` and as a script that the package installs."""

from __future__ import annotations

import os
import signal
import sys
from pathlib import Path

from situated import _native


def main() -> int:
    """Run the command with the arguments of this process, and return its exit code."""
    # Python would only note the signal, and handle it after the command.
    signal.signal(signal.SIGINT, signal.SIG_DFL)
    # The wheel contains the host of EIS environments, if it was built.
    host = Path(__file__).parent / "situated-eis-host.jar"
    if host.is_file():
        os.environ.setdefault("SITUATED_EIS_HOST", str(host))
    # Environments in Python files run in this Python.
    os.environ.setdefault("SITUATED_PYTHON", sys.executable)
    return _native.command(["situated", *sys.argv[1:]])


if __name__ == "__main__":
    sys.exit(main())
