"""Environments written in Python: subclasses of `PythonEnvironment`, which run wherever any environment does."""

from .declaration import EntityType, Pace
from .environment import Failure, Measure, PythonEnvironment

__all__ = ["EntityType", "Failure", "Measure", "Pace", "PythonEnvironment"]
