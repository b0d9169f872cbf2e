"""The host's side of a world: it does what the server calls for, and says what has changed by it. No I/O is
done here."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from ..iil import Action, Percept
from .world import World


class Provider:
    """Provides a world. All that holds is told of all entities at all times, so that whoever takes one knows it at
    once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._begun = False
        self._step = 0
        # What was last told.
        self._entities: dict[str, str] = {}
        self._percepts: dict[str, dict[Percept, None]] = {}
        self._outcome: dict[str, Any] | None = None

    def answer(self, method: str, params: dict[str, Any]) -> dict[str, Any]:
        """Does what the server calls for; returns the answer of a host, as the protocol writes it.

        Raises `Failure` with the reason for whoever asked, and `NotImplementedError` for what no entity can do.
        """
        if method in ("init", "reset"):
            self._world.begin(int(params["seed"]))
            self._begun, self._step = True, 0
            self._entities, self._percepts, self._outcome = {}, {}, None
            return {"update": {"step": 0, **self.take_update()}}
        if method == "act":
            self._world.act(params["entity"], Action.from_data(params["action"]))
        elif method == "step":
            self._world.step()
            self._step += 1
            return {"update": {"step": self._step, **self.take_update()}}
        elif method == "perceive":
            self._percepts.pop(params["entity"], None)
        elif method == "requestEntity":
            raise NotImplementedError("there are no other bodies than those that are there")
        update = self.take_update() if self._begun else {}
        return {"update": update} if update else {}

    def take_update(self) -> dict[str, Any]:
        """What has changed since something was last told."""
        update: dict[str, Any] = {}
        entities = dict(self._world.entities())
        new = [{"entity": name, "entityType": of} for name, of in entities.items() if name not in self._entities]
        percepts = [told for entity in entities if (told := self._tell(entity)) is not None]
        events = [{"entity": entity, "percept": percept.to_data()} for entity, percept in self._world.take_events()]
        outcome = self._world.outcome()
        if outcome != self._outcome:
            update["outcome"] = outcome
        update |= {key: told for key, told in (("new", new), ("percepts", percepts), ("events", events)) if told}
        self._entities, self._outcome = entities, outcome
        return update

    def tell_anew(self, known: Iterable[str]) -> dict[str, Any]:
        """All that holds, for a server that knows these entities: what was last said was perhaps not heard."""
        entities, known = self._world.entities(), set(known)
        self._entities = {name: of for name, of in entities.items() if name in known}
        self._percepts, self._outcome = {}, None
        deleted = sorted(known - entities.keys())
        return {"step": self._step, **({"deleted": deleted} if deleted else {}), **self.take_update()}

    def _tell(self, entity: str) -> dict[str, Any] | None:
        told, holding = self._percepts.get(entity), dict.fromkeys(self._world.percepts(entity))
        self._percepts[entity] = holding
        if told is None:
            return {"entity": entity, "resync": True, "add": [percept.to_data() for percept in holding]}
        gone = [percept.to_data() for percept in told if percept not in holding]
        come = [percept.to_data() for percept in holding if percept not in told]
        return {"entity": entity, "delete": gone, "add": come} if gone or come else None
