"""The checker accepts sound environments, and finds the faults of others."""

import itertools
from typing import Annotated, Literal

import pytest
import situated
from situated import Action, EntityType, Failure, Percept, PythonEnvironment
from situated.authoring import Measure


class Walk(Action):
    """Walks to the next cell."""

    direction: Literal["left", "right"]


class At(Percept, delivery="onChange"):
    """Where it is."""

    cell: Annotated[int, range(10)]


class Corridor(PythonEnvironment):
    """A corridor in which two walkers walk."""

    pace = "lockstep"
    walker = EntityType("Walks.", actions=[Walk], percepts=[At])

    def begin(self, length: Annotated[int, range(2, 11)] = 10) -> None:
        self.length = length
        self.cells = {name: self.random.randrange(length) for name in ("ann", "ben")}
        for name in self.cells:
            self.add(name, self.walker)

    def act(self, entity, action):
        cell = self.cells[entity] + (1 if action.direction == "right" else -1)
        if not 0 <= cell < self.length:
            self.refuse(entity)
        self.cells[entity] = cell

    def refuse(self, entity):
        raise Failure("the corridor ends here")

    def percepts(self, entity):
        return [At(self.cells[entity])]


class Unseeded(Corridor):
    """It does not use its own generator, but numbers of which two that follow are never the same."""

    numbers = itertools.cycle(range(10))

    def begin(self):
        super().begin()
        self.cells["ann"] = next(self.numbers)


class Leftover(Corridor):
    """It keeps state from one episode to the next."""

    count = 0

    def begin(self):
        super().begin()
        self.count += 1

    def results(self):
        return [Measure("all", "episodes", self.count)]


class Hasty(Corridor):
    """It moves before it fails."""

    def refuse(self, entity):
        self.cells[entity] = 5
        super().refuse(entity)


class Undeclared(Corridor):
    """It lists an undeclared percept."""

    def percepts(self, entity):
        return [At(10 + self.cells[entity])]


class Broken(Corridor):
    """It raises an exception that is not a `Failure`."""

    def refuse(self, entity):
        raise ZeroDivisionError("nobody expected that")


def test_passes_an_environment_of_the_package():
    report = situated.check_environment("find-goals", seeds=1, steps=10, view="global")
    assert "passed  determinism" in report and "passed  masks" in report


@pytest.mark.parametrize("environment", [Corridor, Corridor()], ids=["class", "object"])
def test_passes_a_sound_environment(environment):
    report = situated.check_environment(environment, seeds=2, steps=30, length=4)
    assert "passed  determinism" in report and "passed  refusals" in report and "n/a     saving" in report


@pytest.mark.parametrize(
    ("environment", "rule", "what"),
    [
        (Unseeded, "determinism", "the percepts of `ann`"),
        (Leftover, "determinism", "the results"),
        (Hasty, "refusals", "was rejected, but changed the percepts of"),
        (Undeclared, "runs", "at(1"),
        (Broken, "runs", "nobody expected that"),
    ],
)
def test_finds_the_fault(environment, rule, what):
    with pytest.raises(AssertionError) as found:
        situated.check_environment(environment, seeds=2, steps=30)
    report = str(found.value)
    failed = [line.split()[1] for line in report.splitlines() if line.startswith("FAILED")]
    assert failed == [rule] and what in report and "what to do: " in report


def test_gives_the_same_report_each_time():
    reports = [str(pytest.raises(AssertionError, situated.check_environment, Hasty, seeds=1).value) for _ in range(2)]
    assert all(one == other for one, other in itertools.pairwise(reports))


def test_rejects_invalid_arguments():
    with pytest.raises(ValueError, match="did you mean `length`"):
        situated.check_environment(Corridor, lenght=3)
    with pytest.raises(ValueError, match="nowhere"):
        situated.check_environment("nowhere")
    with pytest.raises(ValueError, match="seeds must be at least 1, not 0"):
        situated.check_environment(Corridor, seeds=0)
    with pytest.raises(TypeError, match="steps must be a whole number, not None"):
        situated.check_environment(Corridor, steps=None)
