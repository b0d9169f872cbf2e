"""Environments written in Python: subclasses of `PythonEnvironment`."""

from .declaration import EntityType, Pace
from .environment import Failure, Measure, PythonEnvironment, as_environment

__all__ = ["EntityType", "Failure", "Measure", "Pace", "PythonEnvironment", "as_environment"]
