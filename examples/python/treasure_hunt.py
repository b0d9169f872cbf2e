"""An environment written in Python: two entities in a corridor dig for a treasure.

python treasure_hunt.py          runs it with one agent in this process
python treasure_hunt.py URL      hosts it on a server, for any agent
"""

from __future__ import annotations

import asyncio
import sys
from typing import Annotated, Literal

import situated
from situated import Action, EntityType, Environment, Failure, Measure, Percept, PythonEnvironment, Scene, Shape


class Walk(Action):
    """Walks to the next cell."""

    direction: Annotated[Literal["left", "right"], "The direction."]


class Dig(Action):
    """Digs where it stands."""


class At(Percept, delivery="onChange"):
    """The present cell."""

    cell: Annotated[int, "Counted from the left, from 0."]


class Warm(Percept, delivery="onChangeWithNegation"):
    """The treasure is in this cell or the next."""


class Found(Percept, delivery="event"):
    """An entity has found the treasure."""

    finder: Annotated[str, "The name of the entity."]


class TreasureHunt(PythonEnvironment):
    """A corridor with a buried treasure. Digging in the right cell ends the hunt for all."""

    digger = EntityType("Walks and digs.", actions=[Walk, Dig], percepts=[At, Warm, Found])

    def begin(self, length: Annotated[int, range(2, 100), "The number of cells."] = 10) -> None:
        self.length = length
        self.treasure = self.random.randrange(length)
        self.finder: str | None = None
        self.cells: dict[str, int] = {}
        for name, cell in (("ada", 0), ("bob", length - 1)):
            self.add(name, self.digger)
            self.cells[name] = cell

    def act(self, entity: str, action: Walk | Dig) -> None:
        match action:
            case Walk(direction):
                cell = self.cells[entity] + (1 if direction == "right" else -1)
                if not 0 <= cell < self.length:
                    raise Failure("the corridor ends here")
                self.cells[entity] = cell
            case Dig() if self.cells[entity] == self.treasure and self.finder is None:
                self.finder = entity
                for name in self.entities:
                    self.tell(name, Found(entity))

    def percepts(self, entity: str) -> list[Percept]:
        cell = self.cells[entity]
        return [At(cell), *([Warm()] if abs(cell - self.treasure) <= 1 else [])]

    def ending(self) -> Literal["terminated"] | None:
        return "terminated" if self.finder else None

    def results(self) -> list[Measure]:
        return [Measure(name, "treasures", int(self.finder == name)) for name in self.entities]

    def scene(self) -> Scene:
        cells = [Shape.rectangle(cell, 0, 0.96, 1, "white", stands_for=cell) for cell in range(self.length)]
        diggers = [
            Shape.circle(cell + 0.5, 0.5, 0.3, "red" if name == "ada" else "blue", label=name, stands_for=name)
            for name, cell in self.cells.items()
        ]
        return Scene(self.length, 1, cells + diggers)


def live(seed: int = 1) -> Environment:
    """Lets an agent walk through the corridor, and dig where it is warm."""
    environment = Environment(TreasureHunt(), seed=seed)
    agent = environment.register("walker")
    agent.associate("ada")
    print(environment.scene().text(columns=60))
    while environment.outcome()["ending"] is None:
        told = agent.perceive()["ada"]
        print(*told.add, *(f"not {percept}" for percept in told.delete))
        if Warm() in agent.beliefs("ada"):
            agent.act(Dig())
        if not agent.perceive()["ada"].events:
            agent.act(Walk("right"))
        environment.step()
    print("found:", environment.outcome()["results"])
    return environment


if __name__ == "__main__":
    if len(sys.argv) == 1:
        live()
    else:
        print(f"The corridor is on {sys.argv[1]}, until it is killed there.")
        try:
            asyncio.run(situated.host(TreasureHunt(), sys.argv[1]))
        except KeyboardInterrupt:
            pass
