"""Two environments that are found by name, since the package registers them in its `pyproject.toml`.

pip install ./examples/python/racing
python -c 'import situated; print(situated.Environment("race", length=5))'
"""

from __future__ import annotations

from typing import Annotated, Any, Literal

from gymnasium.spaces import Discrete
from pettingzoo import ParallelEnv
from situated import Action, EntityType, Failure, Percept, PythonEnvironment


class Run(Action):
    """Runs forward."""

    cells: Annotated[int, range(1, 3), "Number of cells. Two end in a fall half of the time."]


class At(Percept, delivery="onChange"):
    """The cell of the runner."""

    cell: Annotated[int, "Counted from the start, from 0."]


class Race(PythonEnvironment):
    """A race of two runners. A runner who is too fast may fall."""

    runner = EntityType("A runner.", actions=[Run], percepts=[At])
    pace = "lockstep"

    def begin(self, length: Annotated[int, range(2, 100), "Number of cells to the finish."] = 10) -> None:
        self.length = length
        self.cells = {"red": 0, "blue": 0}
        for name in self.cells:
            self.add(name, self.runner)

    def act(self, entity: str, action: Run) -> None:
        if action.cells == 2 and self.random.random() < 0.5:
            raise Failure("you have fallen")
        self.cells[entity] = min(self.cells[entity] + action.cells, self.length)

    def percepts(self, entity: str) -> list[Percept]:
        return [At(self.cells[entity])]

    def ending(self) -> Literal["terminated"] | None:
        return "terminated" if self.length in self.cells.values() else None

    def reward(self, entity: str) -> float:
        return float(self.cells[entity] == self.length)


class RaceForLearners(ParallelEnv[str, int, int]):
    """A race of two learners, who stand or run. The first at the finish gets a reward of 1."""

    metadata = {"name": "race_for_learners_v0", "render_modes": [], "is_parallelizable": True}

    def __init__(self, length: int = 10, render_mode: str | None = None) -> None:
        self.length = length
        self.render_mode = render_mode
        self.possible_agents = ["red", "blue"]
        self.observation_spaces = {agent: Discrete(length + 1) for agent in self.possible_agents}
        self.action_spaces = {agent: Discrete(2) for agent in self.possible_agents}

    def observation_space(self, agent: str) -> Discrete:
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> Discrete:
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> Any:
        self.agents = list(self.possible_agents)
        self.cells = dict.fromkeys(self.agents, 0)
        return dict(self.cells), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> Any:
        for agent, action in actions.items():
            self.cells[agent] += int(action)
        there = {agent: self.cells[agent] == self.length for agent in self.agents}
        over = dict.fromkeys(self.agents, any(there.values()))
        rewards = {agent: float(there[agent]) for agent in self.agents}
        infos: dict[str, dict[str, Any]] = {agent: {} for agent in self.agents}
        told = dict(self.cells), rewards, over, dict.fromkeys(self.agents, False), infos
        self.agents = [agent for agent in self.agents if not over[agent]]
        return told
