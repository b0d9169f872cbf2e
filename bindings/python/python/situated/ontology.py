"""The ontology of an environment, with classes of its actions and percepts to build and match."""

from __future__ import annotations

import json
import types
from collections.abc import Iterable, Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Annotated, Any
from weakref import WeakValueDictionary

from situated.iil import Action, Parameter, Percept, Term


class Ontology:
    """The ontology of an environment.

    `actions` and `percepts` have a class for each name, with its parameters as fields: `ontology.percepts.At(3, 2).x`
    is 3, and `case ontology.percepts.At(x, y)` matches percepts of this name. `classes` are those that an environment
    written in Python has declared itself.
    """

    def __init__(self, declared: Mapping[str, Any], classes: Iterable[type[Term]] = ()) -> None:
        self.declared: Mapping[str, Any] = MappingProxyType(dict(declared))
        known = {(issubclass(one, Action), one.stands_for): one for one in classes}

        def find(base: type[Term], kind: str) -> dict[str, type[Term]]:
            declarations = (one for of in declared["entityTypes"] for one in of[kind])
            named = ((known.get((base is Action, one["name"])), one) for one in declarations)
            return {one["name"]: of or _class(base, one) for of, one in named}

        self.action_classes = find(Action, "actions")
        self.percept_classes = find(Percept, "percepts")
        self.actions = _namespace(self.action_classes)
        self.percepts = _namespace(self.percept_classes)

    @classmethod
    def from_json(cls, text: str) -> Ontology:
        """Reads an ontology as the wire protocol and `situated describe --format json` write it."""
        return cls(json.loads(text))

    @property
    def name(self) -> str:
        """The name of the environment."""
        return str(self.declared["name"])

    @property
    def documentation(self) -> str:
        """The documentation of the environment."""
        return str(self.declared["documentation"])

    @property
    def entity_types(self) -> tuple[str, ...]:
        """The names of the entity types."""
        return tuple(of["name"] for of in self.declared["entityTypes"])

    def __repr__(self) -> str:
        return f"<ontology of {self.name}>"


_CLASSES: WeakValueDictionary[tuple[type[Term], str], type[Term]] = WeakValueDictionary()
"""The classes that are in use, so that a term that is unpickled has the class of the other terms."""


def _class(base: type[Term], declaration: Mapping[str, Any]) -> type[Term]:
    """Returns the class of a declared action or percept. Equal declarations have one class."""
    return _class_of(base, json.dumps(declaration))


def _class_of(base: type[Term], text: str) -> type[Term]:
    """Returns the class of an action or percept that is declared as JSON."""
    if (known := _CLASSES.get((base, text))) is not None:
        return known
    declaration = json.loads(text)
    name = declaration["name"]
    annotations = {
        # Every term has `name` and `args`.
        f"{field['name']}_" if field["name"] in ("name", "args") else field["name"]: Annotated[
            Any, field["documentation"]
        ]
        for field in declaration["parameters"]
    }
    body = {
        "__slots__": (),
        "__doc__": declaration["documentation"],
        "__annotations__": annotations,
        "__module__": __name__,
        # The class has no name in a module, so a pickled term has its declaration.
        "__reduce__": lambda self: (_restore, (base, text, self.args)),
    }
    attributes = {"delivery": declaration["delivery"]} if base is Percept else {}
    made = types.new_class(_class_name(name), (base,), {"name": name, **attributes}, lambda space: space.update(body))
    return _CLASSES.setdefault((base, text), made)


def _restore(base: type[Term], text: str, args: tuple[Parameter, ...]) -> Term:
    """Restores a pickled term."""
    of: type[Any] = _class_of(base, text)
    term: Term = of(*args)
    return term


def _class_name(name: str) -> str:
    return name[:1].upper() + name[1:]


def _namespace(classes: Mapping[str, type[Term]]) -> SimpleNamespace:
    return SimpleNamespace(**{_class_name(name): of for name, of in classes.items()})
