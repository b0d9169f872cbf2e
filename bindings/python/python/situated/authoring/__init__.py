"""Environments written in Python: subclasses of `PythonEnvironment`, which run wherever any environment does."""

from .environment import EntityType, Failure, Measure, Pace, PythonEnvironment

__all__ = ["EntityType", "Failure", "Measure", "Pace", "PythonEnvironment"]
