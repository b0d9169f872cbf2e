"""Environments by name: those that ship with this package, and those that other packages register.

A package registers its environments as entry points of the group `situated.environments`:

[project.entry-points."situated.environments"]
race = "racing:Race"

An entry point is a subclass of `PythonEnvironment`, whose parameters are those of an episode; or a function that takes
the parameters and returns an environment: a `PythonEnvironment`, or one of Gymnasium or PettingZoo.
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from situated import _native
from situated.authoring import PythonEnvironment

GROUP = "situated.environments"
"""The group of entry points in which packages register their environments."""


@dataclass(frozen=True)
class Registered:
    """An environment that another package registers."""

    entry: EntryPoint

    def __str__(self) -> str:
        return f"environment `{self.entry.name}` of the package `{self.package}` ({self.entry.value})"

    @property
    def package(self) -> str:
        """The name of the package."""
        return self.entry.dist.name if self.entry.dist else "unknown"

    @property
    def summary(self) -> str:
        """The summary of the package, read without loading it."""
        said = self.entry.dist.metadata["Summary"] if self.entry.dist else None
        return str(said or f"from the package {self.package}")

    def make(self, parameters: Mapping[str, Any], **options: Any) -> Any:
        """Returns the class of the environment, whose parameters are those of its episodes; or the environment that a
        function returns for the options and parameters."""
        try:
            make = self.entry.load()
        except Exception as error:
            raise RuntimeError(
                f"{self} cannot be loaded: {type(error).__name__}: {error}; repair or uninstall the package"
            ) from error
        if isinstance(make, type) and issubclass(make, PythonEnvironment):
            return make
        if not callable(make):
            raise TypeError(f"{self} is {make!r:.80}; register a subclass of PythonEnvironment, or a function")
        return make(**options, **parameters)

    def make_written(self, parameters: Mapping[str, Any]) -> tuple[PythonEnvironment, Mapping[str, Any]]:
        """Returns an environment written in Python, and the parameters that are left for its episodes."""
        made = self.make(parameters)
        if isinstance(made, type):
            return made(), parameters
        if not isinstance(made, PythonEnvironment):
            raise TypeError(
                f"{self} is not a PythonEnvironment, which vectors need; use the vectors of Gymnasium or SuperSuit"
            )
        return made, {}

    def make_environment(self, parameters: Mapping[str, Any]) -> tuple[PythonEnvironment, Mapping[str, Any]]:
        """Version of `make_written` that adapts environments of Gymnasium and PettingZoo."""
        made = self.make(parameters)
        if isinstance(made, type):
            return made(), parameters
        if isinstance(made, PythonEnvironment):
            return made, {}
        # It needs Gymnasium, which an environment written in Python does not.
        from situated.hosting.adapted import adapt

        try:
            return adapt(made), {}
        except TypeError as error:
            raise TypeError(f"{self} cannot be run: {error}") from error


def find(name: str) -> Registered | None:
    """Returns the environment that another package registers under a name; None for one that ships with this package.

    Raises `ValueError` for a name that is unknown, or registered by several packages.
    """
    registered = _registered().get(name)
    if name in _shipped():
        return None
    if registered is None:
        raise ValueError(_native.no_such_environment(name, list(_registered())))
    if len(registered) > 1:
        packages = " and ".join(f"`{one.package}`" for one in registered)
        raise ValueError(f"environment `{name}` is registered by the packages {packages}; uninstall all but one")
    return registered[0]


def environments() -> list[tuple[str, str]]:
    """Returns the names of all environments, each with a summary."""
    others = ((name, of[0].summary) for name, of in sorted(_registered().items()) if name not in _shipped())
    return [*_shipped().items(), *others]


@cache
def _shipped() -> dict[str, str]:
    return dict(_native.environments())


@cache
def _registered() -> dict[str, list[Registered]]:
    """Returns the environments of other packages by name."""
    registered: dict[str, list[Registered]] = {}
    for entry in entry_points(group=GROUP):
        registered.setdefault(entry.name, []).append(Registered(entry))
    for name in registered.keys() & _shipped().keys():
        for one in registered[name]:
            warnings.warn(
                f"{one} has the name of an environment that ships with situated, and cannot be found under it; "
                "its package should register it under another name",
                stacklevel=2,
            )
    return registered
