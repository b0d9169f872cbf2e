"""The ontology of an environment written in Python. It follows from its class, the classes of its actions and percepts,
and the types of their fields."""

from __future__ import annotations

import inspect
import math
import re
from collections.abc import Callable, Iterator, Sequence
from functools import cache
from numbers import Real
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, TypeAlias, Union, get_args, get_origin, get_type_hints

from situated.iil import INTEGERS, Action, Function, Parameter, Percept, Term, as_parameter, parameter_to_data

Pace: TypeAlias = Literal["reactive", "lockstep"] | float
"""The pace: time advances with each action, when all agents have acted, or a number of steps per second."""


class EntityType:
    """An entity type with its documentation, actions and percepts. Its name is that of the attribute of the
    environment's class."""

    def __init__(
        self, documentation: str, *, actions: Sequence[type[Action]] = (), percepts: Sequence[type[Percept]] = ()
    ) -> None:
        self.documentation = documentation
        self.actions = _classes("actions", actions, Action)
        self.percepts = _classes("percepts", percepts, Percept)
        self.name = ""

    def __set_name__(self, owner: type, name: str) -> None:
        self.name = name

    def __repr__(self) -> str:
        return f"<entity type {self.name}>"


def declare(of: type[Any]) -> dict[str, Any]:
    """Returns the ontology of a `PythonEnvironment`, as the wire protocol writes it. Raises `TypeError` for a type that
    a parameter cannot have, and for a wrong version or pace."""
    if not isinstance(of.version, str):
        raise TypeError(f'`{of.__name__}.version` is {of.version!r:.80}; write it as text: "{of.version}"')
    return {
        "name": re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "-", of.__name__).lower(),
        "version": of.version,
        "documentation": inspect.cleandoc(of.__doc__ or ""),
        "pace": _pace(of),
        "relation": {"oneAgentPerEntity": of.one_agent_per_entity, "oneEntityPerAgent": of.one_entity_per_agent},
        "parameters": list(_parameters(of)),
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


@cache
def only_events(of: type[Any]) -> frozenset[tuple[str, int]]:
    """Returns the names and numbers of parameters of the percepts that are events of each type that declares them."""
    return _delivered(of, True) - _delivered(of, False)


@cache
def only_held(of: type[Any]) -> frozenset[tuple[str, int]]:
    """Returns the names and numbers of parameters of the percepts that are events of no type."""
    return _delivered(of, False) - _delivered(of, True)


@cache
def classes_held(of: type[Any]) -> frozenset[type[Percept]]:
    """Returns the classes of percepts that hold for a type. To look up a class is faster than a name."""
    return _classes_without(of, _delivered(of, True) - _delivered(of, False))


@cache
def classes_of_events(of: type[Any]) -> frozenset[type[Percept]]:
    """Returns the classes of percepts that are events of a type."""
    return _classes_without(of, _delivered(of, False) - _delivered(of, True))


def _classes_without(of: type, others: frozenset[tuple[str, int]]) -> frozenset[type[Percept]]:
    percepts = (percept for one in entity_types(of) for percept in one.percepts)
    return frozenset(one for one in percepts if (one.stands_for, len(one.__match_args__)) not in others)


def _delivered(of: type, as_events: bool) -> frozenset[tuple[str, int]]:
    percepts = (percept for one in entity_types(of) for percept in one.percepts)
    chosen = (percept for percept in percepts if (percept.delivery == "event") == as_events)
    return frozenset((percept.stands_for, len(percept.__match_args__)) for percept in chosen)


def parameters_of(begin: Callable[..., Any]) -> dict[str, tuple[Any, bool]]:
    """Returns the types of the parameters of an episode, and whether they may be missing: `Optional[T]` is T then."""
    defaults = {name: one.default for name, one in inspect.signature(begin).parameters.items()}
    found = {}
    for name, hint in hints(begin).items():
        said = hint.__metadata__ if get_origin(hint) is Annotated else ()
        plain = hint.__origin__ if said else hint
        others = tuple(one for one in get_args(plain) if one is not NoneType)
        is_optional = get_origin(plain) in (Union, UnionType) and len(others) < len(get_args(plain))
        if is_optional:
            plain = Union[others]  # noqa: UP007
            hint = Annotated[(plain, *said)] if said else plain
        found[name] = hint, is_optional or defaults[name] is None
    return found


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


def _classes(kind: str, given: Any, base: type[Any]) -> tuple[type[Any], ...]:
    """Returns the classes that an entity type declares. Raises `TypeError` for anything else."""
    classes = tuple(given) if isinstance(given, (list, tuple)) else (given,)
    for one in classes:
        if isinstance(one, base):
            raise TypeError(f"`{kind}` has {one!r:.80}; list its class: {type(one).__name__}")
        if not (isinstance(one, type) and issubclass(one, base)):
            raise TypeError(f"`{kind}` has {one!r:.80}; expected classes of situated.{base.__name__}")
    return classes


def _pace(of: type[Any]) -> Any:
    pace = of.pace
    if isinstance(pace, str) and pace in ("reactive", "lockstep"):
        return pace
    if isinstance(pace, Real) and not isinstance(pace, bool) and 0 < (speed := float(pace)) < math.inf:
        return {"realTime": {"stepsPerSecond": speed}}
    expected = '"reactive", "lockstep" or a number of steps per second'
    raise TypeError(f"`{of.__name__}.pace` is {pace!r:.80}; expected {expected}")


def _parameters(of: type[Any]) -> Iterator[dict[str, Any]]:
    signature = inspect.signature(of.begin).parameters
    for name, (hint, is_optional) in parameters_of(of.begin).items():
        default = signature[name].default
        if signature[name].kind in (inspect.Parameter.VAR_POSITIONAL, inspect.Parameter.VAR_KEYWORD):
            raise TypeError(f"`{of.__name__}.begin` takes {signature[name]}; give each parameter a name")
        if name == "seed":
            raise TypeError(f"`{of.__name__}.begin` has a parameter `seed`; call it otherwise, or use `self.seed`")
        field = _field(name, hint)
        if default is not inspect.Parameter.empty and default is not None:
            yield {**field, "default": parameter_to_data(as_parameter(default))}
        else:
            yield {**field, "optional": True} if is_optional else field


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
    if origin is Literal and all(isinstance(word, str) for word in args):
        return {"choice": [{"name": word, "documentation": ""} for word in args]}
    if origin in (list, tuple) and args[1:] in ((), (...,)):
        return {"list": _type(args[0])}
    if isinstance(hint, type) and issubclass(hint, Function) and hint is not Function:
        return {"function": _signature(hint)}
    if hint is Function or hint == Parameter:
        return "any"
    expected = "int, float, str, bool, Literal of words, list[...], tuple[..., ...] or a class of functions"
    raise TypeError(f"{hint!r} is not a type of parameters; use {expected}")


_PLAIN = {float: "number", str: "identifier", bool: "truthValue", Any: "any"}


def _integer(minimum: int, maximum: int) -> dict[str, Any]:
    return {"integer": {"minimum": minimum, "maximum": maximum}}
