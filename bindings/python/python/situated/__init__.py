"""Any agent in any environment: multi-agent environments at native speed."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from situated._native import InterfaceError, Scene, Shape, __version__, encoded_environments
from situated.authoring import EntityType, Failure, Measure, PythonEnvironment
from situated.checking import check_environment
from situated.encoding import Encoding
from situated.environment import Agent, Environment
from situated.film import Film
from situated.iil import Action, Function, Percept
from situated.ontology import Ontology
from situated.perception import Moment, Perception
from situated.registration import register_at_import
from situated.registry import environments
from situated.toolset import Tools, tools

if TYPE_CHECKING:
    from situated.hosting import host
    from situated.pettingzoo import aec_env, parallel_env
    from situated.remote import connect
    from situated.vector import VectorEnv, make_vec

__all__ = [
    "Action",
    "Agent",
    "Encoding",
    "EntityType",
    "Environment",
    "Failure",
    "Film",
    "Function",
    "InterfaceError",
    "Measure",
    "Moment",
    "Ontology",
    "Percept",
    "Perception",
    "PythonEnvironment",
    "Scene",
    "Shape",
    "Tools",
    "VectorEnv",
    "__version__",
    "aec_env",
    "check_environment",
    "connect",
    "encoded_environments",
    "environments",
    "host",
    "make_vec",
    "parallel_env",
    "tools",
]

register_at_import()

# Modules that need other packages are imported at first use.
_LATER = {
    "VectorEnv": "situated.vector",
    "make_vec": "situated.vector",
    "aec_env": "situated.pettingzoo",
    "connect": "situated.remote",
    "host": "situated.hosting",
    "parallel_env": "situated.pettingzoo",
}


def __dir__() -> list[str]:
    return sorted(__all__)


def __getattr__(name: str) -> Any:
    if name not in _LATER:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_LATER[name]), name)
