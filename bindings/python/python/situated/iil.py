"""The interface intermediate language: actions, percepts and functions, which are a name with arguments.

An argument is an `int` or a `float` (which stay apart: `2` is not `2.0`), a `str` for an identifier, a `bool`, a tuple
for a list, or a `Function`. Values are immutable and hashable, and can be matched: `case Percept("at", (x, y))`. A
subclass is the class of one name, and its annotations are the parameters: `class At(Percept, delivery="onChange")`.
"""

from __future__ import annotations

import inspect
import json
import struct
from collections.abc import Hashable, Mapping
from numbers import Integral, Real
from typing import TYPE_CHECKING, Any, ClassVar, Literal, TypeAlias, TypeVar, Union, get_args

from situated import _native

if TYPE_CHECKING:
    from typing_extensions import dataclass_transform
else:

    def dataclass_transform(**_: object):
        return lambda of: of


Delivery: TypeAlias = Literal["once", "onChange", "onChangeWithNegation", "always", "event"]
"""How often a percept is sent: `"event"` is for events, and the others are for percepts that hold."""

Parameter: TypeAlias = Union[int, float, str, bool, tuple["Parameter", ...], "Function"]

INTEGERS = (-(1 << 63), (1 << 63) - 1)
"""The minimum and the maximum integer."""

_Term = TypeVar("_Term", bound="Term")


class Term:
    """A name with arguments. Lists among the arguments become tuples.

    Raises `TypeError` for an argument that is not a parameter, `ValueError` for an integer beyond 64 bits.
    """

    __slots__ = ("_key", "args", "name")
    __match_args__: ClassVar[tuple[str, ...]] = ("name", "args")
    # Subclasses of one name have the same kind as their base class.
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
            parameters = tuple([as_parameter(arg) for arg in args])
            _set_name(self, name)
            _set_args(self, parameters)
            _set_key(self, (self._kind, name, *[_key(parameter) for parameter in parameters]))

    @classmethod
    def from_json(cls: type[_Term], text: str) -> _Term:
        """Reads the text of `to_json`, in any layout. Raises `ValueError` for other text."""
        return cls.from_data(json.loads(text, parse_int=_integer))

    @classmethod
    def from_data(cls: type[_Term], data: object) -> _Term:
        """Reads the JSON notation as `json.loads` returns it: `{"name": "at", "args": [3, 2]}`."""
        if not isinstance(data, dict) or not data.keys() <= {"name", "args"} or not isinstance(data.get("name"), str):
            raise ValueError(f"{data!r:.160} is not a valid {cls._kind}; expected an object with `name` and `args`")
        args = data.get("args", [])
        if not isinstance(args, list):
            raise ValueError(f"{args!r:.160} are not arguments; expected a list")
        return cls(data["name"], *map(parameter_from_data, args))

    def to_json(self) -> str:
        """Returns the term as JSON on one line."""
        return json.dumps(self.to_data(), ensure_ascii=False)

    def to_data(self) -> dict[str, Any]:
        """Returns the term as `json.dumps` takes it."""
        return {"name": self.name, "args": [parameter_to_data(arg) for arg in self.args]}

    def __str__(self) -> str:
        return _native.term_to_text(self.name, self.args)

    def __repr__(self) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, (self.name, *self.args)))})"

    def __eq__(self, other: object) -> bool:
        return self._key == other._key if isinstance(other, Term) else NotImplemented

    def __lt__(self, other: object) -> bool:
        """Compares texts, so that sets can be sorted."""
        return str(self) < str(other) if isinstance(other, Term) else NotImplemented

    def __hash__(self) -> int:
        return hash(self._key)

    def __setattr__(self, attribute: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __delattr__(self, attribute: str) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __reduce__(self) -> tuple[Any, ...]:
        return type(self), (self.name, *self.args)


# The attributes of an immutable term. A lookup for each term would take a third of the time to make it.
_set_name, _set_args, _set_key = (getattr(Term, slot).__set__ for slot in ("name", "args", "_key"))


@dataclass_transform(frozen_default=True)
class Percept(Term):
    """A percept: `Percept("at", 3, 2)`, printed `at(3,2)`."""

    __slots__ = ()
    _kind = "percept"
    delivery: ClassVar[Delivery]

    def __init_subclass__(cls, *, name: str | None = None, delivery: Delivery) -> None:
        if delivery not in (known := get_args(Delivery)):
            raise TypeError(f"the delivery of {cls.__name__} is {delivery!r:.80}; use one of {', '.join(known)}")
        cls.delivery = delivery
        _declare(cls, name)


@dataclass_transform(frozen_default=True)
class Action(Term):
    """An action: `Action("moveTo", 2, 3)`, printed `moveTo(2,3)`."""

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
        return super().__str__() + ("" if self.args else "()")


def _declare(cls: type[Term], name: str | None) -> None:
    """Makes a class the class of one name, with its annotations as fields. By default, the name is that of the class
    with a lower-case first letter."""
    annotations = inspect.get_annotations(cls)
    for field in annotations:
        if field in ("name", "args"):
            raise TypeError(f"every term has `{field}`; call the field of {cls.__name__} `{field}_`")
        if field in cls.__dict__:
            raise TypeError(f"the field `{field}` of {cls.__name__} has a value; fields have none")
    for attribute, value in vars(cls).items():
        # Methods, properties, classes and names with an underscore are no fields.
        is_field = not callable(value) and not hasattr(value, "__get__")
        if is_field and not attribute.startswith("_") and attribute != "delivery":
            example = f"{attribute}: {type(value).__name__ if _is_parameter(value) else 'int'}"
            raise TypeError(f"`{attribute}` of {cls.__name__} has no type; declare the field as `{example}`")
    # The fields of a class come after those that it inherits.
    inherited = cls.__match_args__ if hasattr(cls, "stands_for") else ()
    fields = tuple(dict.fromkeys((*inherited, *annotations)))
    declared: dict[str, Any] = {
        "stands_for": name or cls.__name__[:1].lower() + cls.__name__[1:],
        "__match_args__": fields,
        "__init__": _init_declared,
        "__repr__": _represent_declared,
        "__reduce__": _reduce_declared,
    }
    declared |= {field: _field(fields.index(field), hint) for field, hint in annotations.items()}
    for attribute in declared.keys() - cls.__dict__.keys():
        setattr(cls, attribute, declared[attribute])


def _is_parameter(value: object) -> bool:
    return isinstance(value, (bool, int, float, str, tuple, list, Function))


def _field(place: int, annotation: object) -> property:
    documentation = next((one for one in get_args(annotation)[1:] if isinstance(one, str)), None)
    return property(lambda self: self.args[place], doc=documentation)


def _init_declared(self: Term, *args: object, **named: object) -> None:
    name, fields = self.stands_for, self.__match_args__
    if not named and len(args) == len(fields):
        Term.__init__(self, name, *args)
        return
    given = [*args, *(named.pop(field) for field in fields[len(args) :] if field in named)]
    if named or len(given) != len(fields):
        raise TypeError(f"{name} has {len(fields)} parameters ({', '.join(fields)}), not {len(given) + len(named)}")
    Term.__init__(self, name, *given)


def _represent_declared(self: Term) -> str:
    return f"{type(self).__name__}({', '.join(map(repr, self.args))})"


def _reduce_declared(self: Term) -> tuple[Any, ...]:
    return type(self), self.args


def as_action(action: Action | str, args: tuple[Parameter, ...]) -> Action:
    """Returns an action that is given as a term, or by its name and arguments."""
    if isinstance(action, type):
        raise TypeError(f"{action.__name__} is a class; pass an action: {action.__name__}(...)")
    return action if isinstance(action, Action) else Action(action, *args)


def parameter_to_data(value: Parameter) -> Any:
    """Returns a parameter as `json.dumps` takes it."""
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf"))):
        return {"numeral": _native.term_to_text("numeral", (value,))[len("numeral(") : -1]}
    if isinstance(value, tuple):
        return [parameter_to_data(item) for item in value]
    return value.to_data() if isinstance(value, Function) else value


def parameters_to_data(parameters: Mapping[str, Parameter | None]) -> dict[str, Any]:
    """Returns parameters of an episode as `json.dumps` takes them, without those that are None: they are not given."""
    return {name: parameter_to_data(value) for name, value in parameters.items() if value is not None}


def parameter_from_data(data: object) -> Parameter:
    """Reads a parameter as `json.loads` returns it. Raises `ValueError` for other data."""
    if isinstance(data, (bool, int, float, str)):
        return as_parameter(data)
    if isinstance(data, list):
        return tuple(map(parameter_from_data, data))
    if isinstance(data, dict) and data.keys() == {"numeral"} and isinstance(data["numeral"], str):
        return _native.read_numeral(data["numeral"])
    if isinstance(data, dict):
        return Function.from_data(data)
    raise ValueError(f"{data!r:.160} is not a parameter")


def as_parameter(value: object) -> Parameter:
    """Returns a value as a parameter. Numbers of other libraries become those of Python."""
    of = type(value)
    if of is str or of is float or of is bool:
        return value  # type: ignore[return-value]
    if of is int and INTEGERS[0] <= value <= INTEGERS[1]:  # type: ignore[operator]
        return value  # type: ignore[return-value]
    if isinstance(value, Function):
        return value
    if isinstance(value, str):
        return str.__str__(value)
    if isinstance(value, Integral):
        number = int(value)
        if not INTEGERS[0] <= number <= INTEGERS[1]:
            raise ValueError(f"{number} has more than 64 bits")
        return number
    if isinstance(value, Real):
        return float(value)
    if isinstance(value, (tuple, list)):
        return tuple(map(as_parameter, value))
    if getattr(value, "shape", None) == () and hasattr(value, "item"):
        # A truth value of NumPy, or an array of one number.
        return as_parameter(value.item())
    expected = "an int, float, str, bool, tuple, list or Function"
    raise TypeError(f"{value!r:.160} is not a parameter; use {expected}")


def _key(value: Parameter) -> Hashable:
    """Returns a key that is equal only for equal parameters: `1 == 1.0 == True` in Python, and NaN is never equal."""
    of = type(value)
    if of is int or of is str:
        return value
    if isinstance(value, bool):
        return ("true" if value else "false",)
    if isinstance(value, float):
        return ("float", struct.pack(">d", value))
    if isinstance(value, tuple):
        return ("list", *map(_key, value))
    return value._key if isinstance(value, Function) else value


def _integer(digits: str) -> int | float:
    return -0.0 if digits == "-0" else int(digits)
