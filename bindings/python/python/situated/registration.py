"""The ids of all environments with an encoding in the registries of Gymnasium and PettingZoo: `situated/FindGoals-v0`.

`import situated` does not import these libraries, since that takes longer than all else. The ids are registered as soon
as somebody has imported the module of a registry.
"""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from importlib.abc import MetaPathFinder
from importlib.machinery import ModuleSpec, PathFinder
from types import ModuleType
from typing import Any

from situated._native import encoded_environments


def _in_gymnasium(registry: Any, id: str, name: str) -> None:
    if id not in registry.registry:
        make, make_vec = "situated.gymnasium:SingleEnvironment", "situated.gymnasium:GymnasiumVector"
        registry.register(id, make, vector_entry_point=make_vec, kwargs={"name": name}, order_enforce=False)


def _in_pettingzoo(registry: Any, id: str, name: str) -> None:
    if id not in registry.parallel_registry:
        registry.register("parallel", id, "situated.pettingzoo:parallel_env", kwargs={"name": name})
    if id not in registry.aec_registry:
        registry.register("aec", id, "situated.pettingzoo:aec_env", kwargs={"name": name})


_REGISTRIES: dict[str, Callable[[Any, str, str], None]] = {
    "gymnasium.envs.registration": _in_gymnasium,
    # PettingZoo 1.27 and later have a registry.
    "pettingzoo.env_registry.registration": _in_pettingzoo,
}


def register() -> None:
    """Registers the environments in all registries that are imported, where they are not registered yet."""
    for module in _REGISTRIES:
        if (registry := sys.modules.get(module)) is not None:
            _register_in(registry)


def register_at_import() -> None:
    """Registers the environments now, and in the other registries when they are imported."""
    register()
    sys.meta_path.insert(0, _Finder())


def _register_in(registry: ModuleType) -> None:
    for name in encoded_environments():
        camel = "".join(part.capitalize() for part in name.split("-"))
        _REGISTRIES[registry.__name__](registry, f"situated/{camel}-v0", name)


class _Finder(MetaPathFinder):
    """Finds the modules of registries as usual, and registers the environments when one is loaded."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        if fullname not in _REGISTRIES:
            return None
        spec = PathFinder.find_spec(fullname, path, target)
        if spec is None or spec.loader is None:
            return None
        execute = spec.loader.exec_module

        def execute_and_register(module: ModuleType) -> None:
            execute(module)
            _register_in(module)

        spec.loader.exec_module = execute_and_register  # type: ignore[method-assign]
        return spec
