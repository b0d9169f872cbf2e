"""The encoding of an entity type that follows from the types of its actions and percepts.

An action with few arguments to choose from has a number for each choice: `walk(left)`, `walk(right)`, `dig`. A percept
has a place for each choice of its words and truth values, which is 1 while it holds: `see(up,wall)`. The numbers among
its parameters come after that place: `at` and `at: cell`. Texts and lists are left out.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product
from math import prod
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from situated.encoding import Encoding
from situated.iil import INTEGERS, Action, Function, Parameter, Percept

MOST_CHOICES = 1024
"""Maximum number of choices of one action, or of one percept."""

Path: TypeAlias = tuple[int, ...]
"""The places of a value in the arguments of a term, and in those of the functions around it."""

_Row: TypeAlias = npt.NDArray[Any]


def entity_types(ontology: Mapping[str, Any]) -> dict[str, dict[str, Any]]:
    """Returns the entity types of an ontology by name, with the definitions of named types in place of their names."""

    def defined(of: Any, within: tuple[str, ...] = ()) -> Any:
        if isinstance(of, list):
            return [defined(one, within) for one in of]
        if not isinstance(of, dict):
            return of
        if of.keys() == {"named"}:
            name = of["named"]
            # A type within itself has no end, and so no numbers.
            return "any" if name in within else defined(ontology["types"][name]["type"], (*within, name))
        return {key: defined(value, within) for key, value in of.items()}

    return {of["name"]: defined(of) for of in ontology["entityTypes"]}


def choices(entity_type: Mapping[str, Any]) -> list[Action]:
    """Returns the actions of a declared entity type, without those that have too many choices."""
    found: list[Action] = []
    for declared in entity_type["actions"]:
        args = _combined([_values(field["type"], with_numbers=True) for field in declared["parameters"]])
        found += [Action(declared["name"], *chosen) for chosen in args or ()]
    return found


def without_numbers(entity_type: Mapping[str, Any]) -> Iterator[str]:
    """Yields the reason for each action of a declared entity type that learners cannot choose by its number."""
    for declared in entity_type["actions"]:
        values = [(field, _values(field["type"], with_numbers=True)) for field in declared["parameters"]]
        unbounded = [f"`{field['name']}` ({_kind(field['type'])})" for field, of in values if of is None]
        if unbounded:
            yield f"`{declared['name']}` takes {' and '.join(unbounded)}"
        elif _combined([of for _, of in values]) is None:
            yield f"`{declared['name']}` has more than {MOST_CHOICES} choices"


def tells_rewards(entity_type: Mapping[str, Any]) -> bool:
    """Whether entities of this type receive their rewards, as events `reward` with one number."""
    rewards = (of for of in entity_type["percepts"] if of["name"] == "reward" and of["delivery"] == "event")
    return any([_bounds(field["type"]) is not None for field in of["parameters"]] == [True] for of in rewards)


class Percepts:
    """The places of the percepts of an entity type in an observation."""

    def __init__(self, entity_type: Mapping[str, Any]) -> None:
        self._places: dict[tuple[str, int], _Place] = {}
        self._size = 0
        for declared in entity_type["percepts"]:
            place = _Place(declared, self._size)
            self._places[declared["name"], len(declared["parameters"])] = place
            self._size += len(place.meanings)

    def encoding(self, actions: Iterable[Action]) -> Encoding:
        """Returns the encoding of observations, together with these actions."""
        places = self._places.values()
        lows, highs = [place.low for place in places], [place.high for place in places]
        meanings = tuple(meaning for place in places for meaning in place.meanings)
        words = tuple(map(str, actions))
        return Encoding((self._size,), "float32", min(lows, default=0.0), max(highs, default=1.0), words, meanings)

    def observe(self, holding: Iterable[Percept]) -> _Row:
        """Returns the observation of an entity with these percepts. Raises `ValueError` for one that is not
        declared, or has a number out of its range."""
        row = np.zeros(self._size, np.float32)
        for percept in holding:
            try:
                self._places[percept.name, len(percept.args)].write(percept.args, row)
            except (KeyError, TypeError, AttributeError, IndexError):
                raise ValueError(f"percept {percept} does not match a declared percept of the entity type") from None
        return row


class _Place:
    """The places of the percepts of one name in an observation."""

    def __init__(self, declared: Mapping[str, Any], begin: int) -> None:
        self._name = declared["name"]
        leaves = [
            (path, name, of)
            for place, field in enumerate(declared["parameters"])
            for path, name, of in _leaves(field["type"], field["name"], (place,))
        ]
        keys = [(path, values) for path, _, of in leaves if (values := _values(of)) is not None]
        keyed = _combined([values for _, values in keys])
        # With too many choices, words are left out.
        self._keys = [path for path, _ in keys] if keyed is not None else []
        numbers = [(path, name, bounds) for path, name, of in leaves if (bounds := _bounds(of)) is not None]
        self._numbers = [(path, name, low, high) for path, name, (low, high) in numbers]
        self._begins: dict[tuple[Any, ...], int] = {}
        self.meanings: list[str] = []
        for key in keyed if keyed is not None else [()]:
            self._begins[key] = begin + len(self.meanings)
            shown = str(Percept(declared["name"], *key)) if keyed is not None else declared["name"]
            self.meanings += [shown, *(f"{shown}: {name}" for _, name, _ in numbers)]
        self.low = min(0.0, *(low for _, _, (low, _) in numbers)) if numbers else 0.0
        self.high = max(1.0, *(high for _, _, (_, high) in numbers)) if numbers else 1.0

    def write(self, args: Sequence[Any], row: _Row) -> None:
        at = self._begins[tuple([_value(args, path) for path in self._keys])]
        row[at] = 1.0
        for place, (path, name, low, high) in enumerate(self._numbers, at + 1):
            number = _value(args, path)
            if not low <= number <= high:
                raise ValueError(f"`{name}` of percept `{self._name}` is {number}, which is not {low:g} to {high:g}")
            row[place] = number


def _value(args: Any, path: Path) -> Any:
    value = args[path[0]]
    for place in path[1:]:
        value = value.args[place]
    return value


def _leaves(of: Any, name: str, path: Path) -> Iterator[tuple[Path, str, Any]]:
    """Yields the parameters of a type that are no functions, with their paths and names."""
    if not isinstance(of, dict) or "function" not in of:
        yield path, name, of
        return
    for place, field in enumerate(of["function"]["parameters"]):
        yield from _leaves(field["type"], f"{name}.{field['name']}", (*path, place))


def _values(of: Any, with_numbers: bool = False) -> list[Parameter] | None:
    """Returns all values of a type; None for one of numbers or functions, or if there are too many."""
    if of == "truthValue":
        return [False, True]
    if not isinstance(of, dict):
        return None
    if "choice" in of:
        return [word["name"] for word in of["choice"]]
    if "integer" in of and with_numbers:
        low, high = of["integer"]["minimum"], of["integer"]["maximum"]
        return list(range(low, high + 1)) if high - low < MOST_CHOICES else None
    if "function" in of and with_numbers:
        args = _combined([_values(field["type"], with_numbers) for field in of["function"]["parameters"]])
        return None if args is None else [Function(of["function"]["name"], *chosen) for chosen in args]
    return None


def _combined(values: Sequence[list[Parameter] | None]) -> list[tuple[Parameter, ...]] | None:
    """Returns all combinations of these values; None if there are too many."""
    known = [of for of in values if of is not None]
    return list(product(*known)) if len(known) == len(values) and prod(map(len, known)) <= MOST_CHOICES else None


def _kind(of: Any) -> str:
    """Returns the kind of a type of which too many values exist, for people."""
    if isinstance(of, dict):
        return f"list of {_kind(of['list'])}" if "list" in of else next(iter(of))
    return "float" if of == "number" else str(of)


def _bounds(of: Any) -> tuple[float, float] | None:
    """Returns the smallest and the largest number of a type; None for a type that is not one of numbers."""
    if of == "number":
        return -np.inf, np.inf
    if isinstance(of, dict) and "integer" in of:
        low, high = of["integer"]["minimum"], of["integer"]["maximum"]
        return (-np.inf if low == INTEGERS[0] else float(low)), (np.inf if high == INTEGERS[1] else float(high))
    return None
