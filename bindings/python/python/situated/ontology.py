"""What an environment declares about itself, with classes for its actions and percepts that can be built and
matched."""

from __future__ import annotations

import json
from collections.abc import Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Any

from situated.iil import Action, Percept, Term


class Ontology:
    """What an environment declares about itself.

    `actions` and `percepts` have a class for each name, with its parameters as fields: `ontology.percepts.At(3, 2).x`
    is 3, and `case ontology.percepts.At(x, y)` matches whatever was told under that name.
    """

    def __init__(self, declared: Mapping[str, Any]) -> None:
        self.declared: Mapping[str, Any] = MappingProxyType(dict(declared))
        types = declared["entityTypes"]
        self.action_classes = {one["name"]: _class(Action, one) for of in types for one in of["actions"]}
        self.percept_classes = {one["name"]: _class(Percept, one) for of in types for one in of["percepts"]}
        self.actions = _namespace(self.action_classes)
        self.percepts = _namespace(self.percept_classes)

    @classmethod
    def from_json(cls, text: str) -> Ontology:
        """Reads it as the wire protocol and `situated describe --format json` write it."""
        return cls(json.loads(text))

    @property
    def name(self) -> str:
        """The name of the environment."""
        return str(self.declared["name"])

    @property
    def documentation(self) -> str:
        """What agents are told of the world."""
        return str(self.declared["documentation"])

    @property
    def entity_types(self) -> tuple[str, ...]:
        """The names of the types that its entities can have."""
        return tuple(of["name"] for of in self.declared["entityTypes"])

    def __repr__(self) -> str:
        return f"<ontology of {self.name}>"


def _class(base: type[Term], declaration: Mapping[str, Any]) -> type[Term]:
    """A class of its own for a declared action or percept."""
    name = declaration["name"]
    # `name` and `args` are what every term has.
    fields = [
        f"{parameter['name']}_" if parameter["name"] in ("name", "args") else parameter["name"]
        for parameter in declaration["parameters"]
    ]

    def init(self: Term, *args: object) -> None:
        if len(args) != len(fields):
            raise TypeError(f"{name} has {len(fields)} parameters ({', '.join(fields)}), not {len(args)}")
        base.__init__(self, name, *args)

    def represent(self: Term) -> str:
        return f"{type(self).__name__}({', '.join(map(repr, self.args))})"

    def field(place: int, documentation: str) -> property:
        return property(lambda self: self.args[place], doc=documentation)

    body: dict[str, Any] = {
        "__slots__": (),
        "__doc__": declaration["documentation"],
        "__match_args__": tuple(fields),
        "__init__": init,
        "__repr__": represent,
        # The class is made anew wherever the ontology is read; what it says is not lost.
        "__reduce__": lambda self: (base, (self.name, *self.args)),
    }
    for place, parameter in enumerate(declaration["parameters"]):
        body[fields[place]] = field(place, parameter["documentation"])
    return type(_class_name(name), (base,), body)


def _class_name(name: str) -> str:
    return name[:1].upper() + name[1:]


def _namespace(classes: Mapping[str, type[Term]]) -> SimpleNamespace:
    return SimpleNamespace(**{_class_name(name): of for name, of in classes.items()})
