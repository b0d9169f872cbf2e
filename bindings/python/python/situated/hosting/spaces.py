"""Spaces of Gymnasium in the interface intermediate language: their types, and their values as parameters and back.

Discrete spaces are bounded integers. MultiBinary, MultiDiscrete and Box are numbers, or lists nested like the shape. A
Text is an identifier. Tuple and Dict are functions with a parameter for each part.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gymnasium import spaces

from ..authoring import Failure
from ..iil import INTEGERS, Function, Parameter


def type_of(space: spaces.Space[Any]) -> Any:
    """Returns the type of a space's values in an ontology. Raises `TypeError` for a space that has none."""
    if isinstance(space, spaces.Discrete):
        return integer(int(space.start), int(space.start + space.n - 1))
    if isinstance(space, spaces.Text):
        return "identifier"
    if isinstance(space, spaces.MultiBinary):
        return _nested(integer(0, 1), len(space.shape))
    if isinstance(space, spaces.MultiDiscrete):
        return _nested(integer(int(space.start.min()), int((space.start + space.nvec).max()) - 1), len(space.shape))
    if isinstance(space, spaces.Box):
        return _nested(_number(space), len(space.shape))
    if isinstance(space, (spaces.Tuple, spaces.Dict)):
        name = type(space).__name__.lower()
        return {"function": {"name": name, "documentation": "The parts.", "parameters": fields_of(space)}}
    raise TypeError(f"{space} has no representation in the interface intermediate language")


def fields_of(space: spaces.Tuple[Any] | spaces.Dict) -> list[dict[str, Any]]:
    """Returns the parts of a space as parameters of a signature."""
    return [{"name": name, "documentation": str(part), "type": type_of(part)} for name, part in parts_of(space)]


def parts_of(space: spaces.Tuple[Any] | spaces.Dict) -> list[tuple[str, spaces.Space[Any]]]:
    """Returns the parts of a space with their names, in order."""
    if isinstance(space, spaces.Dict):
        return [(str(name), part) for name, part in space.spaces.items()]
    return [(f"part{index}", part) for index, part in enumerate(space.spaces)]


def to_parameter(space: spaces.Space[Any], value: Any) -> Parameter:
    """Returns a value of a space as a parameter."""
    if isinstance(space, spaces.Text):
        return str(value)
    if isinstance(space, spaces.Discrete):
        return int(value)
    if isinstance(space, spaces.Dict):
        return Function("dict", *(to_parameter(part, value[name]) for name, part in space.spaces.items()))
    if isinstance(space, spaces.Tuple):
        return Function("tuple", *map(to_parameter, space.spaces, value))
    return _tuples(np.asarray(value, dtype=space.dtype).tolist())


def from_parameter(space: spaces.Space[Any], parameter: Parameter) -> Any:
    """Returns a parameter as a value of a space. Raises `Failure` if it is not in the space."""
    try:
        value = _read(space, parameter)
    except (ValueError, TypeError, OverflowError) as error:
        raise Failure(f"{parameter!r:.160} is not of {space}: {error}") from error
    if not space.contains(value):
        raise Failure(f"{parameter!r:.160} is not of {space}")
    return value


def idle_value(space: spaces.Space[Any]) -> Any:
    """Returns the value of a space that is closest to doing nothing: 0, or the value closest to it."""
    if isinstance(space, spaces.Discrete):
        return min(max(0, int(space.start)), int(space.start + space.n - 1))
    if isinstance(space, spaces.MultiDiscrete):
        return space.start.astype(space.dtype)
    if isinstance(space, spaces.MultiBinary):
        return np.zeros(space.shape, space.dtype)
    if isinstance(space, spaces.Box):
        return np.clip(np.zeros(space.shape), space.low, space.high).astype(space.dtype)
    if isinstance(space, spaces.Tuple):
        return tuple(map(idle_value, space.spaces))
    if isinstance(space, spaces.Dict):
        return {name: idle_value(part) for name, part in space.spaces.items()}
    if isinstance(space, spaces.Text):
        return min(space.characters) * space.min_length
    raise TypeError(f"{space} has no representation in the interface intermediate language")


def _read(space: spaces.Space[Any], parameter: Parameter) -> Any:
    if isinstance(space, (spaces.Discrete, spaces.Text)):
        return parameter
    if isinstance(space, (spaces.Tuple, spaces.Dict)):
        if not isinstance(parameter, Function) or len(parameter.args) != len(space.spaces):
            raise ValueError(f"it has {len(space.spaces)} parts")
        if isinstance(space, spaces.Tuple):
            return tuple(map(_read, space.spaces, parameter.args))
        return {name: _read(part, arg) for (name, part), arg in zip(space.spaces.items(), parameter.args, strict=True)}
    value = np.array(parameter, dtype=space.dtype)
    if value.shape != space.shape:
        raise ValueError(f"its shape is {value.shape}, not {space.shape}")
    return value


def _number(space: spaces.Box) -> Any:
    if not np.issubdtype(space.dtype, np.integer):
        return "number"
    return integer(int(space.low.min(initial=0)), int(space.high.max(initial=0)))


def integer(minimum: int, maximum: int) -> dict[str, Any]:
    """Returns the type of integers within bounds, both included, as far as they fit in 64 bits."""
    return {"integer": {"minimum": max(minimum, INTEGERS[0]), "maximum": min(maximum, INTEGERS[1])}}


def _nested(element: Any, depth: int) -> Any:
    for _ in range(depth):
        element = {"list": element}
    return element


def _tuples(value: Any) -> Parameter:
    if isinstance(value, list):
        return tuple(map(_tuples, value))
    number: Parameter = value
    return number
