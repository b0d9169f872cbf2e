"""Packages that only some parts of this package need."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def extra(name: str) -> Iterator[None]:
    """Imports that need an extra of this package. If one of them fails, the error says how to install the extra."""
    try:
        yield
    except ModuleNotFoundError as error:
        if (error.name or "").partition(".")[0] == "situated":
            raise
        hint = f"{error.name} is not installed; run: pip install 'situated[{name}]'"
        raise ModuleNotFoundError(hint, name=error.name) from error
