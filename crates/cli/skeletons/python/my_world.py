"""The environment my-world: a robot takes the parcels in a corridor. Replace this world by yours."""

from __future__ import annotations

from typing import Annotated, Literal

from situated import (
    Action,
    EntityType,
    Failure,
    Measure,
    Percept,
    PythonEnvironment,
    Scene,
    Shape,
)


class Walk(Action):
    """Goes to the next cell."""

    direction: Annotated[Literal["left", "right"], "Where to."]


class Take(Action):
    """Takes the parcel in this cell."""


class At(Percept, delivery="onChangeWithNegation"):
    """The robot is in this cell."""

    cell: Annotated[int, "Counted from 0 on the left."]


class Parcel(Percept, delivery="onChangeWithNegation"):
    """There is a parcel in this cell."""

    cell: Annotated[int, "Counted from 0 on the left."]


class MyWorld(PythonEnvironment):
    """A robot takes the parcels in a corridor."""

    name = "my-world"
    pace = "lockstep"
    robot = EntityType(
        "Walks, and takes parcels.", actions=[Walk, Take], percepts=[At, Parcel]
    )

    def begin(
        self, length: Annotated[int, range(2, 41), "The number of cells."] = 8
    ) -> None:
        self.length = length
        self.cell = 0
        self.parcels = {
            cell for cell in range(1, length) if self.random.random() < 0.3
        } | {length - 1}
        self.carried = 0
        self.add("robot", self.robot)

    def act(self, entity: str, action: Walk | Take) -> None:
        match action:
            case Walk(direction):
                cell = self.cell + (1 if direction == "right" else -1)
                if not 0 <= cell < self.length:
                    raise Failure("there is a wall")
                self.cell = cell
            case Take() if self.cell in self.parcels:
                self.parcels.remove(self.cell)
                self.carried += 1
            case Take():
                raise Failure("there is no parcel here")

    def percepts(self, entity: str) -> list[Percept]:
        return [At(self.cell), *(Parcel(cell) for cell in sorted(self.parcels))]

    def ending(self) -> Literal["terminated"] | None:
        return None if self.parcels else "terminated"

    def results(self) -> list[Measure]:
        return [Measure("robot", "parcels", self.carried)]

    def scene(self) -> Scene:
        """The picture, in units of a cell."""
        cells = [
            Shape.rectangle(cell, 0, 0.95, 1, "grey") for cell in range(self.length)
        ]
        parcels = [
            Shape.circle(cell + 0.5, 0.25, 0.2, "yellow")
            for cell in sorted(self.parcels)
        ]
        robot = Shape.circle(
            self.cell + 0.5, 0.65, 0.3, "blue", label="robot", stands_for="robot"
        )
        return Scene(self.length, 1, [*cells, *parcels, robot])
