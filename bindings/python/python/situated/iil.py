"""The interface intermediate language: actions, percepts and functions, which are a name with arguments.

An argument is an `int` or a `float` (which stay apart: `2` is not `2.0`), a `str` for an identifier, a `bool`, a tuple
for a list, or a `Function`. Values are immutable, can be kept in sets, and can be matched: `case Percept("at", (x,
y))`. A subclass stands for one name, and its annotations are the parameters: `class At(Percept, delivery="onChange")`.
"""

from __future__ import annotations

import inspect
import json
import re
import struct
from collections.abc import Hashable, Iterable
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar, Union, get_args

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object):
        return lambda of: of


Delivery: TypeAlias = Literal["once", "onChange", "onChangeWithNegation", "always", "event"]
"""How a percept is told: `"event"` is for what happens, and the others are for what holds."""

Parameter: TypeAlias = Union[int, float, str, bool, tuple["Parameter", ...], "Function"]

INTEGERS = (-(1 << 63), (1 << 63) - 1)
"""The least and the greatest whole number."""

# The bit in which the exponent of NaN and the infinities differs from that of the numbers in [1,2).
_SPECIAL = 1 << 62
_PLAIN = re.compile(r"[a-z][A-Za-z0-9_]*")
_Term = TypeVar("_Term", bound="Term")


class Term:
    """A name with arguments. Lists among the arguments become tuples.

    Raises `TypeError` for an argument that is no parameter, `ValueError` for a whole number beyond 64 bits.
    """

    __slots__ = ("_key", "args", "name")
    __match_args__: ClassVar[tuple[str, ...]] = ("name", "args")
    # What it is, also where a class of its own stands for one name, and for which.
    _kind: ClassVar[str] = "term"
    stands_for: ClassVar[str]
    name: str
    args: tuple[Parameter, ...]
    _key: tuple[Hashable, ...]

    if TYPE_CHECKING:
        # mypy takes it for the constructor of subclasses without fields, too.
        def __init__(self, name: str = ..., *args: object) -> None: ...

    else:

        def __init__(self, name, *args):
            parameters = tuple(_parameter(arg) for arg in args)
            object.__setattr__(self, "name", name)
            object.__setattr__(self, "args", parameters)
            object.__setattr__(self, "_key", (self._kind, name, *map(_key, parameters)))

    @classmethod
    def from_json(cls: type[_Term], text: str) -> _Term:
        """Reads what `to_json` prints, in any layout. Raises `ValueError` where it is something else."""
        return cls.from_data(json.loads(text, parse_int=_integer))

    @classmethod
    def from_data(cls: type[_Term], data: object) -> _Term:
        """Reads the JSON notation as `json.loads` returns it: `{"name": "at", "args": [3, 2]}`."""
        if not isinstance(data, dict) or not data.keys() <= {"name", "args"} or not isinstance(data.get("name"), str):
            raise ValueError(f"{data!r:.160} is no {cls._kind}: an object with `name` and `args`")
        args = data.get("args", [])
        if not isinstance(args, list):
            raise ValueError(f"{args!r:.160} are no arguments: a list")
        return cls(data["name"], *map(parameter_from_data, args))

    def to_json(self) -> str:
        """As JSON on one line."""
        return json.dumps(self.to_data(), ensure_ascii=False)

    def to_data(self) -> dict[str, Any]:
        """The JSON notation as `json.dumps` takes it."""
        return {"name": self.name, "args": [parameter_to_data(arg) for arg in self.args]}

    def __str__(self) -> str:
        return _name(self.name) + (_items("(", self.args, ")") if self.args else "")

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, (self.name, *self.args)))})"

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Term) else NotImplemented

    def __lt__(self, other: object) -> bool:
        """By their texts, so that sets of them can be listed in an order."""
        return str(self) < str(other) if isinstance(other, Term) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __setattr__(self, attribute: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __delattr__(self, attribute: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, *self.args)


@dataclass_transform(frozen_default=True)
class Percept(Term):
    """What an entity perceives: `Percept("at", 3, 2)`, printed `at(3,2)`."""

    __slots__ = ()
    _kind = "percept"
    delivery: ClassVar[Delivery]

    def __init_subclass__(cls, *, name: str | None = None, delivery: Delivery) -> None:
        cls.delivery = delivery
        _declare(cls, name)


@dataclass_transform(frozen_default=True)
class Action(Term):
    """What an entity does: `Action("moveTo", 2, 3)`, printed `moveTo(2,3)`."""

    __slots__ = ()
    _kind = "action"

    def __init_subclass__(cls, *, name: str | None = None) -> None:
        _declare(cls, name)


@dataclass_transform(frozen_default=True)
class Function(Term):
    """A compound argument: `Function("pos", 1, 1)`, printed `pos(1,1)`, and without arguments `f()`."""

    __slots__ = ()
    _kind = "function"

    def __init_subclass__(cls, *, name: str | None = None) -> None:
        _declare(cls, name)

    def __str__(self) -> str:
        return _name(self.name) + _items("(", self.args, ")")


def _declare(cls: type[Term], name: str | None) -> None:
    """Makes a class that of the terms of one name, with its annotations as fields. By default the name is that of the
    class with a small first letter."""
    annotations = inspect.get_annotations(cls)
    for field in annotations:
        if field in ("name", "args"):
            raise TypeError(f"every term has `{field}`; call the field of {cls.__name__} `{field}_`")
        if field in cls.__dict__:
            raise TypeError(f"the field `{field}` of {cls.__name__} has a value; fields have none")
    declared: dict[str, Any] = {
        "stands_for": name or cls.__name__[:1].lower() + cls.__name__[1:],
        "__match_args__": tuple(annotations),
        "__init__": _init_declared,
        "__repr__": _represent_declared,
        "__reduce__": _reduce_declared,
    }
    declared |= {field: _field(place, annotations[field]) for place, field in enumerate(annotations)}
    for attribute in declared.keys() - cls.__dict__.keys():
        setattr(cls, attribute, declared[attribute])


def _field(place: int, annotation: object) -> property:
    documentation = next((one for one in get_args(annotation)[1:] if isinstance(one, str)), None)
    return property(lambda self: self.args[place], doc=documentation)


def _init_declared(self: Term, *args: object, **named: object) -> None:
    name, fields = self.stands_for, self.__match_args__
    given = [*args, *(named.pop(field) for field in fields[len(args) :] if field in named)]
    if named or len(given) != len(fields):
        raise TypeError(f"{name} has {len(fields)} parameters ({', '.join(fields)}), not {len(given) + len(named)}")
    Term.__init__(self, name, *given)


def _represent_declared(self: Term) -> str:
    return f"{type(self).__name__}({', '.join(map(repr, self.args))})"


def _reduce_declared(self: Term) -> tuple[Any, ...]:
    return type(self), self.args


def parameter_to_data(value: Parameter) -> Any:
    """The JSON notation of a parameter as `json.dumps` takes it."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"numeral": _float(value)}
    if isinstance(value, tuple):
        return [parameter_to_data(item) for item in value]
    return value.to_data() if isinstance(value, Function) else value


def parameter_from_data(data: object) -> Parameter:
    """Reads the JSON notation of a parameter as `json.loads` returns it. Raises `ValueError` where it is something
    else."""
    if isinstance(data, (bool, int, float, str)):
        return _parameter(data)
    if isinstance(data, list):
        return tuple(map(parameter_from_data, data))
    if isinstance(data, dict) and data.keys() == {"numeral"} and isinstance(data["numeral"], str):
        return _read_numeral(data["numeral"])
    if isinstance(data, dict):
        return Function.from_data(data)
    raise ValueError(f"{data!r:.160} is no parameter")


def parameter_to_text(value: Parameter) -> str:
    """A parameter as it is printed: `[pos(1,1),speed(10.0),roomC1,true]`."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, float):
        return _float(value)
    if isinstance(value, str):
        return _quoted(value) if value in ("true", "false") else _name(value)
    return _items("[", value, "]") if isinstance(value, tuple) else str(value)


def _parameter(value: object) -> Parameter:
    """Any value as a parameter. Numbers of other libraries become those of Python."""
    if isinstance(value, (bool, float, str, Function)):
        return value
    if isinstance(value, Integral):
        number = int(value)
        if not INTEGERS[0] <= number <= INTEGERS[1]:
            raise ValueError(f"{number} has more than 64 bits")
        return number
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, (tuple, list)):
        return tuple(map(_parameter, value))
    expected = "an int, float, str, bool, tuple, list or Function"
    raise TypeError(f"{value!r:.160} is no parameter, which is {expected}")


def _key(value: Parameter) -> Hashable:
    """Equal for equal parameters only: Python takes `1`, `1.0` and `True` for one, and NaN for none."""
    if isinstance(value, bool):
        return ("true" if value else "false",)
    if isinstance(value, float):
        return ("float", struct.pack(">d", value))
    if isinstance(value, tuple):
        return ("list", *map(_key, value))
    return value._key if isinstance(value, Function) else value


def _items(opening: str, items: Iterable[Parameter], closing: str) -> str:
    return opening + ",".join(map(parameter_to_text, items)) + closing


def _name(name: str) -> str:
    return name if _PLAIN.fullmatch(name) else _quoted(name)


def _quoted(name: str) -> str:
    return "'" + "".join("\\" + c if c in "'\\" else _visible(c) for c in name) + "'"


def _visible(c: str) -> str:
    """A character so that it can be seen and reorders nothing around it."""
    if c in "\n\t\r":
        return {"\n": "\\n", "\t": "\\t", "\r": "\\r"}[c]
    invisible = (
        c < " "
        or "\x7f" <= c <= "\x9f"
        or c in "\u061c\u200e\u200f\ufeff\ufffe\uffff"
        or "\u2028" <= c <= "\u202e"
        or "\u2066" <= c <= "\u2069"
    )
    return f"\\x{ord(c):02X}\\" if invisible else c


def _float(value: float) -> str:
    """Always with a point, so that it stays a float and Prolog accepts it; NaN and infinities as SWI-Prolog writes
    them."""
    bits: int = struct.unpack(">Q", struct.pack(">d", value))[0]
    if value != value or value in (float("inf"), float("-inf")):
        mantissa: float = struct.unpack(">d", struct.pack(">Q", bits & ~_SPECIAL))[0]
        return f"{mantissa!r}{'NaN' if value != value else 'Inf'}"
    mantissa_text, _, exponent = repr(value).partition("e")
    if not exponent:
        return mantissa_text
    return f"{mantissa_text}{'' if '.' in mantissa_text else '.0'}e{int(exponent)}"


def _read_numeral(text: str) -> int | float:
    if text.endswith(("Inf", "NaN")):
        bits: int = struct.unpack(">Q", struct.pack(">d", float(text[:-3])))[0]
        value: float = struct.unpack(">d", struct.pack(">Q", bits | _SPECIAL))[0]
        return value
    return float(text) if re.search("[.eE]", text) else int(text)


def _integer(digits: str) -> int | float:
    return -0.0 if digits == "-0" else int(digits)
