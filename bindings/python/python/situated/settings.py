"""Checks of what users give to the faces for learners, with errors that use the names of the arguments."""

from __future__ import annotations

import operator
import secrets
from collections.abc import Callable, Mapping
from functools import wraps
from inspect import signature
from typing import Any, ParamSpec, TypeVar

from situated._native import did_you_mean

_Arguments = ParamSpec("_Arguments")
_Value = TypeVar("_Value")

_SEEDS = 1 << 64

_LONGEST = 16_384
"""Maximum height and width of a picture, in pixels."""


def read_seed(seed: int | None) -> int | None:
    """Returns a seed as an `int`. Raises `ValueError` for one that is out of range, `TypeError` for another type."""
    if seed is None:
        return None
    number = read_number("seed", seed)
    if not 0 <= number < _SEEDS:
        raise ValueError(f"seed must be 0 to {_SEEDS - 1}, not {number}")
    return number


def first_seed(seed: int | None) -> int:
    """Returns a seed as an `int`; without one, a fresh one from the system."""
    given = read_seed(seed)
    # As many bits as the seeds of later episodes have, so that JSON can hold them.
    return secrets.randbits(53) if given is None else given


def read_count(name: str, count: int) -> int:
    """Returns the number that an argument of this name has. Raises `ValueError` if it is less than 1."""
    number = read_number(name, count)
    if number < 1:
        raise ValueError(f"{name} must be at least 1, not {number}")
    return number


def read_size(name: str, size: tuple[int, int] | None) -> tuple[int, int] | None:
    """Returns the height and width of a picture. Raises `ValueError` if one of them is not 1 to 16,384."""
    if size is None:
        return None
    try:
        height, width = size
    except (TypeError, ValueError):
        raise TypeError(f"{name} must be a height and a width, not {size!r:.80}") from None
    for length in (height, width):
        if read_count(name, length) > _LONGEST:
            raise ValueError(f"{name} must have at most {_LONGEST} pixels in each direction, not {length}")
    return height, width


def read_parameters(parameters: Mapping[str, Any] | None, named: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the parameters of an environment, which are given in a dictionary, as keywords, or some in each way.

    Raises `TypeError` for another type than a dictionary, and `ValueError` for a parameter that is given twice.
    """
    if not isinstance(parameters, (Mapping, type(None))):
        raise TypeError(f"parameters must be a dictionary of parameters by name, not {parameters!r:.80}")
    given = parameters or {}
    if twice := sorted(given.keys() & named.keys()):
        raise ValueError(f"parameter `{twice[0]}` is given in `parameters` and as a keyword; give it in one of them")
    return {**given, **named}


def with_suggestions(call: Callable[_Arguments, _Value]) -> Callable[_Arguments, _Value]:
    """Lets the error for a keyword that is no parameter of the environment name the argument of this function that it
    may mean. A suggestion of the environment comes first."""

    @wraps(call)
    def suggest(*args: _Arguments.args, **named: _Arguments.kwargs) -> _Value:
        try:
            return call(*args, **named)
        except Exception as error:
            for name in named:
                if str(error) == f"there is no parameter `{name}`":
                    error.args = (f"{error}{did_you_mean(name, list(signature(call).parameters))}", *error.args[1:])
            raise

    return suggest


def no_agent(name: str, known: list[str]) -> str:
    """Returns the message about an agent that does not exist."""
    return f"there is no agent {name!r}; there are {', '.join(known)}{did_you_mean(name, known)}"


def read_number(name: str, value: object) -> int:
    """Returns a value as an `int`. Raises `TypeError` with the name for another type."""
    try:
        return operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        raise TypeError(f"{name} must be a whole number, not {value!r:.80}") from None
