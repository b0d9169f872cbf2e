"""The ontology of an environment written in Python. It follows from its class, the classes of its actions and percepts,
and the types of their fields."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable, Iterator, Sequence
from types import UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from situated.iil import INTEGERS, Action, Function, Percept, Term, parameter_to_data

Pace: TypeAlias = Literal["reactive", "lockstep"] | float
"""The pace: time advances with each action, when all agents have acted, or a number of steps per second."""


class EntityType:
    """An entity type with its documentation, actions and percepts. Its name is that of the attribute of the
    environment's class."""

    def __init__(
        self, documentation: str, *, actions: Sequence[type[Action]] = (), percepts: Sequence[type[Percept]] = ()
    ) -> None:
        self.documentation = documentation
        self.actions = tuple(actions)
        self.percepts = tuple(percepts)
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name


def declare(of: type[Any]) -> dict[str, Any]:
    """Returns the ontology of a `PythonEnvironment`, as the wire protocol writes it. Raises `TypeError` for a type that
    a parameter cannot have."""
    return {
        "name": re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", of.__name__).lower(),
        "version": of.version,
        "documentation": inspect.cleandoc(of.__doc__ or ""),
        "pace": {"realTime": {"stepsPerSecond": of.pace}} if isinstance(of.pace, (int, float)) else of.pace,
        "relation": {"oneAgentPerEntity": of.one_agent_per_entity, "oneEntityPerAgent": of.one_entity_per_agent},
        "parameters": list(_parameters(of.begin)),
        "entityTypes": [_entity_type(one) for one in entity_types(of)],
        "types": {},
    }


def entity_types(of: type) -> Iterator[EntityType]:
    """Returns the entity types that a class declares, in order."""
    attributes = {name: value for base in reversed(of.__mro__) for name, value in vars(base).items()}
    return (value for value in attributes.values() if isinstance(value, EntityType))


def classes_of(of: type) -> Iterator[type[Term]]:
    """Returns the classes of the actions and percepts that a class declares."""
    return (term for one in entity_types(of) for term in (*one.actions, *one.percepts))


def hints(of: type[Term] | Callable[..., Any]) -> dict[str, Any]:
    """Returns the types of the fields of a term, or of the arguments of a function, by their names in the ontology."""
    known = get_type_hints(of, include_extras=True)
    if isinstance(of, type) and issubclass(of, Term):
        return {field.rstrip("_"): known[field] for field in of.__match_args__}
    return {name: known.get(name, Any) for name in inspect.signature(of).parameters if name != "self"}


def _entity_type(of: EntityType) -> dict[str, Any]:
    return {
        "name": of.name,
        "documentation": of.documentation,
        "actions": [_signature(action) for action in of.actions],
        "percepts": [{**_signature(percept), "delivery": percept.delivery} for percept in of.percepts],
    }


def _signature(of: type[Term]) -> dict[str, Any]:
    fields = [_field(name, hint) for name, hint in hints(of).items()]
    return {"name": of.stands_for, "documentation": inspect.cleandoc(of.__doc__ or ""), "parameters": fields}


def _parameters(begin: Callable[..., Any]) -> Iterator[dict[str, Any]]:
    signature = inspect.signature(begin)
    for name, hint in hints(begin).items():
        field, default = _field(name, hint), signature.parameters[name].default
        yield field if default is inspect.Parameter.empty else {**field, "default": parameter_to_data(default)}


def _field(name: str, hint: Any) -> dict[str, Any]:
    said = get_args(hint)[1:] if get_origin(hint) is Annotated else ()
    documentation = next((one for one in said if isinstance(one, str)), "")
    return {"name": name, "documentation": documentation, "type": _type(hint)}


def _type(hint: Any) -> Any:
    origin, args = get_origin(hint), get_args(hint)
    if origin is Annotated:
        bounds = next((one for one in args[1:] if isinstance(one, range)), None)
        return _type(args[0]) if bounds is None else _integer(bounds.start, bounds.stop - 1)
    if hint is int:
        return _integer(*INTEGERS)
    if hint in _PLAIN:
        return _PLAIN[hint]
    if origin is Literal:
        return {"choice": [{"name": word, "documentation": ""} for word in args]}
    if origin in (list, tuple) and args[1:] in ((), (...,)):
        return {"list": _type(args[0])}
    if isinstance(hint, type) and issubclass(hint, Function) and hint is not Function:
        return {"function": _signature(hint)}
    if origin in (Union, UnionType) or hint is Function:
        return "any"
    expected = "int, float, str, bool, Literal, list[...], tuple[..., ...] or a class of functions"
    raise TypeError(f"{hint!r} is not a type of parameters; use {expected}")


_PLAIN = {float: "number", str: "identifier", bool: "truthValue", Any: "any"}


def _integer(minimum: int, maximum: int) -> dict[str, Any]:
    return {"integer": {"minimum": minimum, "maximum": maximum}}
