"""The actions and percepts of an entity with spaces of Gymnasium."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import numpy as np
from gymnasium import spaces

from ..authoring import Failure
from ..iil import INTEGERS, Action, Function, Parameter, Percept
from .spaces import fields_of, from_parameter, idle_value, integer, parts_of, to_parameter, type_of

LARGE = 256
"""Maximum number of numbers in a Box. Of a larger Box, only the shape is sent by default."""


class EntitySpaces:
    """The spaces of an entity, as actions and percepts.

    The action `act` has one parameter, or one for each part of a Tuple or Dict. Discrete actions are identifiers if
    each has its own name in `meanings`. The percept `observation` has the observation, or one of its leaves with its
    key. The percept `legal` has a legal discrete action, where the observation or its info has an `action_mask`.
    `large` also sends the numbers of large Boxes.
    """

    def __init__(
        self,
        action_space: spaces.Space[Any],
        observation_space: spaces.Space[Any],
        meanings: Sequence[str] = (),
        large: bool = False,
    ) -> None:
        self._action_space = action_space
        self._masked = isinstance(observation_space, spaces.Dict) and "action_mask" in observation_space.spaces
        leaves = list(_leaves(_without_mask(observation_space)))
        # A single leaf needs no key.
        self._leaves = leaves if len(leaves) != 1 else [((), *leaves[0][1:])]
        self._words = _words(action_space, meanings)
        self._large = large

    def entity_type(self, name: str, more: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Returns the entity type in an ontology, with `more` percepts."""
        return {
            "name": name,
            "documentation": "An entity with spaces of actions and observations.",
            "actions": [_signature("act", "Executes an action of the environment.", self._action_fields())],
            "percepts": [*self._percept_signatures(), *more],
        }

    def read(self, action: Action, mask: Any) -> Any:
        """Returns the action as a value of its space. Raises `Failure` if it is not in the space, or not legal."""
        space = self._action_space
        if isinstance(space, spaces.Discrete):
            value = self._place(action.args[0]) + int(space.start)
            legal = self._legal(mask)
            if legal is not None and value - int(space.start) not in legal:
                words = ", ".join(str(self._word(place)) for place in legal)
                raise Failure(f"{action} is not legal now; legal are {words or 'no actions'}")
        elif isinstance(space, (spaces.Tuple, spaces.Dict)):
            value = from_parameter(space, Function("all", *action.args))
        else:
            value = from_parameter(space, action.args[0])
        return value

    def idle(self, mask: Any) -> Any:
        """Returns the legal action that is closest to doing nothing."""
        value, legal = idle_value(self._action_space), self._legal(mask)
        if isinstance(self._action_space, spaces.Discrete) and legal and value - self._action_space.start not in legal:
            return int(self._action_space.start) + legal[0]
        return value

    def mask(self, observation: Any, info: Mapping[str, Any]) -> Any:
        """Returns the mask of legal actions, if there is one."""
        return observation["action_mask"] if self._masked else info.get("action_mask")

    def percepts(self, observation: Any, mask: Any) -> list[Percept]:
        """Returns the percepts of an entity that makes this observation."""
        found = []
        for keys, path, space in self._leaves:
            value = observation
            for key in path:
                value = value[key]
            found.append(Percept("observation", *keys, self._tell(space, value)))
        return found + [Percept("legal", self._word(place)) for place in self._legal(mask) or ()]

    def _action_fields(self) -> list[dict[str, Any]]:
        space = self._action_space
        if isinstance(space, (spaces.Tuple, spaces.Dict)):
            return fields_of(space)
        return [field("action", str(space), self._word_type())]

    def _word_type(self) -> Any:
        if not self._words:
            return type_of(self._action_space)
        return {"choice": [{"name": word, "documentation": ""} for word in self._words]}

    def _percept_signatures(self) -> Iterator[dict[str, Any]]:
        yield from self._observation_signatures()
        if isinstance(self._action_space, spaces.Discrete):
            action = field("action", "The action.", self._word_type())
            documentation = "A legal action, if the environment has a mask of them."
            yield percept("legal", documentation, "onChangeWithNegation", action)
        yield percept("reward", "A reward.", "event", field("reward", "The reward.", "number"))
        yield percept("terminated", "The episode is over for this entity, by the rules.", "event")
        yield percept("truncated", "The episode is over for this entity, for another reason.", "event")

    def _observation_signatures(self) -> Iterator[dict[str, Any]]:
        """Yields one signature for all leaves, if there are any. If their types differ, its value can be anything."""
        if not self._leaves:
            return
        types = [self._leaf_type(space) for _, _, space in self._leaves]
        documentation = str(self._leaves[0][2]) if len(types) == 1 else "The value."
        value = field("value", documentation, types[0] if all(one == types[0] for one in types) else "any")
        words = [{"name": key, "documentation": str(space)} for keys, _, space in self._leaves for key in keys]
        key = [field("key", "The part of the observation.", {"choice": words})] if words else []
        yield percept("observation", "An observation.", "onChange", *key, value)

    def _leaf_type(self, space: spaces.Space[Any]) -> Any:
        if not _is_large(space):
            return type_of(space)
        shape = field("shape", "The length of each dimension.", {"list": integer(0, INTEGERS[1])})
        values = field("values", "The numbers, row by row.", {"list": "number"})
        return {"function": _signature("array", str(space), [shape, values] if self._large else [shape])}

    def _tell(self, space: spaces.Space[Any], value: Any) -> Parameter:
        if not _is_large(space):
            return to_parameter(space, value)
        array = np.asarray(value)
        return Function("array", array.shape, *([array.ravel().tolist()] if self._large else []))

    def _legal(self, mask: Any) -> list[int] | None:
        """Returns the places of the legal actions, or None without a mask."""
        if mask is None or not isinstance(self._action_space, spaces.Discrete):
            return None
        return [int(place) for place in np.flatnonzero(np.asarray(mask))]

    def _word(self, place: int) -> Parameter:
        assert isinstance(self._action_space, spaces.Discrete)
        return self._words[place] if self._words else place + int(self._action_space.start)

    def _place(self, parameter: Parameter) -> int:
        assert isinstance(self._action_space, spaces.Discrete)
        if self._words:
            return self._words.index(str(parameter))
        return int(from_parameter(self._action_space, parameter)) - int(self._action_space.start)


def _leaves(
    space: spaces.Space[Any], path: tuple[Any, ...] = (), key: str = ""
) -> Iterator[tuple[tuple[str, ...], tuple[Any, ...], spaces.Space[Any]]]:
    """Yields for each leaf of a space its key, if it has one, its path in an observation, and its space."""
    if isinstance(space, (spaces.Tuple, spaces.Dict)):
        places: list[Any] = list(space.spaces) if isinstance(space, spaces.Dict) else list(range(len(space.spaces)))
        for place, (name, part) in zip(places, parts_of(space), strict=True):
            yield from _leaves(part, (*path, place), f"{key}.{name}" if key else name)
    else:
        yield (key,) if key else (), path, space


def _without_mask(space: spaces.Space[Any]) -> spaces.Space[Any]:
    if not isinstance(space, spaces.Dict) or "action_mask" not in space.spaces:
        return space
    return spaces.Dict({name: part for name, part in space.spaces.items() if name != "action_mask"})


def _words(space: spaces.Space[Any], meanings: Sequence[str]) -> list[str]:
    """Returns the names of discrete actions, if each has its own."""
    distinct = isinstance(space, spaces.Discrete) and len(set(meanings)) == len(meanings) == space.n
    return [str(meaning) for meaning in meanings] if distinct else []


def _is_large(space: spaces.Space[Any]) -> bool:
    return isinstance(space, spaces.Box) and int(np.prod(space.shape)) > LARGE


def field(name: str, documentation: str, of: Any) -> dict[str, Any]:
    """Returns a parameter of a signature."""
    return {"name": name, "documentation": documentation, "type": of}


def _signature(name: str, documentation: str, parameters: list[dict[str, Any]]) -> dict[str, Any]:
    return {"name": name, "documentation": documentation, "parameters": parameters}


def percept(name: str, documentation: str, delivery: str, *parameters: dict[str, Any]) -> dict[str, Any]:
    """Returns the signature of a percept."""
    return {**_signature(name, documentation, list(parameters)), "delivery": delivery}
