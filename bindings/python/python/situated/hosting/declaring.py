"""What an environment of Gymnasium or PettingZoo declares about itself, from its spaces."""

from __future__ import annotations

import inspect
import re
from collections.abc import Mapping
from typing import Any, Literal

from .body import Body


def declare(env: Any, pace: Literal["reactive", "lockstep"], types: Mapping[str, Body]) -> dict[str, Any]:
    """The ontology of an environment with these types of bodies, as the protocol writes it."""
    # Each entity is one seat at the table: two agents could not both choose for it.
    relation = {"oneAgentPerEntity": True, "oneEntityPerAgent": False}
    return {
        "name": _name(env),
        "version": "1.0",
        "documentation": _documentation(env),
        "pace": pace,
        "relation": relation,
        "parameters": [],
        "entityTypes": [body.entity_type(name) for name, body in types.items()],
        "types": {},
    }


def types_of(bodies: Mapping[str, tuple[Any, Any]]) -> dict[str, str]:
    """The names of the types of entities with these spaces: `archer` for `archer_0` and `archer_1`, as long as their
    spaces are the same, else a type each."""
    families: dict[str, list[tuple[Any, Any]]] = {}
    for name, spaces in bodies.items():
        families.setdefault(_family(name), []).append(spaces)
    uniform = {family for family, members in families.items() if all(one == members[0] for one in members)}
    return {name: _family(name) if _family(name) in uniform else name for name in bodies}


def bodies_of(env: Any, large: bool) -> tuple[dict[str, str], dict[str, Body]]:
    """The types of the agents' entities, by agent, and what an entity of each type can do and perceive."""
    spaces = {agent: (env.action_space(agent), env.observation_space(agent)) for agent in env.possible_agents}
    types = types_of(spaces)
    return types, {types[agent]: Body(*both, large=large) for agent, both in spaces.items()}


def meanings_of(env: Any) -> list[str]:
    """The names of the discrete actions, where an environment gives them."""
    get_meanings = getattr(env.unwrapped, "get_action_meanings", None)
    return [str(meaning) for meaning in get_meanings()] if callable(get_meanings) else []


def _family(name: str) -> str:
    return re.sub(r"_\d+$", "", name)


def _name(env: Any) -> str:
    if getattr(env, "spec", None) is not None:
        return str(env.spec.id)
    metadata = getattr(env, "metadata", None) or {}
    return str(metadata.get("name") or type(env.unwrapped).__name__)


def _documentation(env: Any) -> str:
    """The first paragraph of what the environment says about itself."""
    documentation = inspect.cleandoc(type(env.unwrapped).__doc__ or "") or f"The environment {_name(env)}."
    return documentation.partition("\n\n")[0]
