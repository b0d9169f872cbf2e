"""Additions to an ontology, which agents that are connected can follow."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from .file import Unusable

_FIXED = {
    "name": "the name",
    "version": "the version",
    "pace": "the pace",
    "relation": "the relation of agents to entities",
}


def added(before: Mapping[str, Any], after: Mapping[str, Any]) -> dict[str, Any]:
    """Returns what an ontology declares besides another one, as hosts announce it. Documentation does not count. Raises
    `Unusable` if a declaration was changed or removed, or a parameter of episodes was added."""
    for field, words in _FIXED.items():
        if before[field] != after[field]:
            raise _cannot(f"{words} is {after[field]!r} now, and was {before[field]!r}")
    if _bare(before["parameters"]) != _bare(after["parameters"]):
        raise _cannot("the parameters of `begin` are other ones")
    of_types = {of["name"]: of for of in before["entityTypes"]}
    _check("entity type", before["entityTypes"], after["entityTypes"])
    types = [_new_of(of_types.get(of["name"]), of) for of in after["entityTypes"]]
    _check_types(before["types"], after["types"])
    return {
        "entityTypes": [of for of in types if of is not None],
        "types": {name: of for name, of in after["types"].items() if name not in before["types"]},
    }


def _new_of(before: Mapping[str, Any] | None, after: Mapping[str, Any]) -> dict[str, Any] | None:
    """Returns an entity type with only its new actions and percepts; None if it has none."""
    if before is None:
        return dict(after)
    new: dict[str, Any] = {}
    for kind in ("actions", "percepts"):
        known = {_key(one): one for one in before[kind]}
        _check(f"{kind[:-1]} of `{before['name']}`", before[kind], after[kind])
        for one in after[kind]:
            if _key(one) in known and _bare(known[_key(one)]) != _bare(one):
                raise _cannot(f"the {kind[:-1]} `{one['name']}` of `{before['name']}` is declared differently")
        new[kind] = [one for one in after[kind] if _key(one) not in known]
    return {**after, **new} if new["actions"] or new["percepts"] else None


def _check(what: str, before: Sequence[Mapping[str, Any]], after: Sequence[Mapping[str, Any]]) -> None:
    """Raises `Unusable` if one of these declarations was removed."""
    there = {_key(one) for one in after}
    for one in before:
        if _key(one) not in there:
            raise _cannot(f"the {what} `{one['name']}` is no longer declared")


def _check_types(before: Mapping[str, Any], after: Mapping[str, Any]) -> None:
    for name, of in before.items():
        if name not in after or _bare(after[name]) != _bare(of):
            raise _cannot(f"the type `{name}` is declared differently")


def _key(declared: Mapping[str, Any]) -> tuple[str, int]:
    """Returns what identifies an entity type, or an action or percept: two may have the same name."""
    return declared["name"], len(declared.get("parameters", ()))


def _bare(declared: Any) -> Any:
    """Returns a declaration without documentation."""
    if isinstance(declared, Mapping):
        return {name: _bare(value) for name, value in declared.items() if name != "documentation"}
    if isinstance(declared, Sequence) and not isinstance(declared, str):
        return [_bare(one) for one in declared]
    return declared


def _cannot(why: str) -> Unusable:
    return Unusable(f"{why}, which agents that are connected cannot follow: end the command and start it again")
