"""Checks of what the methods of an environment return. The errors name the method and the class."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, Literal, cast

from situated.iil import Percept, as_parameter

from .declaration import classes_held, only_events
from .environment import Measure, PythonEnvironment


def percepts(environment: PythonEnvironment, entity: str) -> list[Percept]:
    """Returns the percepts that hold for an entity."""
    returned = environment.percepts(entity)
    # Nearly all return a list of percepts whose classes may hold; this is found out faster than the rest.
    if type(returned) is list:
        holding = returned
    elif isinstance(returned, Iterable):
        holding = [*returned]
    else:
        raise _unexpected(environment, "percepts", returned, "a list of percepts")
    of = cast(Any, type(environment))
    if (events := only_events(of)) and not classes_held(of).issuperset(map(type, holding)):
        for percept in holding:
            if isinstance(percept, Percept) and (percept.name, len(percept.args)) in events:
                raise ValueError(f"`{percept.name}` is an event; send it with `tell`, not from `percepts`")
    return holding


def results(environment: PythonEnvironment) -> list[Measure]:
    """Returns the results so far."""
    returned = environment.results()
    if type(returned) is not list and (not isinstance(returned, Iterable) or isinstance(returned, Mapping)):
        raise _unexpected(environment, "results", returned, "a list of situated.Measure")
    measures = []
    for one in returned:
        if type(one) is Measure:
            of, name, value = one
            # Most results need no other look.
            if type(of) is type(name) is str and (type(value) in _EXACT or as_parameter(value) is value):
                measures.append(one)
                continue
        measures.append(_read(environment, one))
    return measures


_EXACT = frozenset((bool, float, str))
"""Types of values that are parameters, whatever their value."""


def _read(environment: PythonEnvironment, one: Any) -> Measure:
    """Returns a result with a value of Python."""
    if not (isinstance(one, tuple) and len(one) == 3 and isinstance(one[0], str) and isinstance(one[1], str)):
        raise _unexpected(environment, "results", one, "situated.Measure(of, name, value) in it")
    return Measure(one[0], one[1], as_parameter(one[2]))


def ending(environment: PythonEnvironment) -> Literal["terminated", "truncated"] | None:
    """Returns how the episode has ended; None if it continues."""
    returned = environment.ending()
    if returned is None or isinstance(returned, str) and returned in ("terminated", "truncated"):
        return returned
    raise _unexpected(environment, "ending", returned, '"terminated", "truncated" or None')


def _unexpected(environment: PythonEnvironment, method: str, returned: object, expected: str) -> TypeError:
    return TypeError(f"`{type(environment).__name__}.{method}` returned {returned!r:.80}; expected {expected}")
