"""These tests need Gymnasium and PettingZoo."""

from __future__ import annotations

collect_ignore_glob: list[str] = []
try:
    import gymnasium  # noqa: F401
    import pettingzoo  # noqa: F401
except ImportError:
    collect_ignore_glob.append("test_*.py")
