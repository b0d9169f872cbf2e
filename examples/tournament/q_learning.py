"""Two independent learners of Blocks World for Teams: each robot has a table of its own.

Q-learning (Watkins 1989). Both learn from the rewards of the team, and to each of them the other one is a part of the
environment. What happens until a robot on its way stands again belongs to its last decision.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from sight import Plan, hurry, make_vector, see
from tables import COUNT, SITUATIONS, Decisions, decide

ENVS, STEPS = 256, 64
"""Number of envs, and steps of each in a round."""
DISCOUNT, HURRY = 0.99, 5.0
"""The discount of a decision, and the factor for the cost of time."""
EXPLORATION, RATE = (0.5, 0.02), (0.1, 0.02)
"""The part of the behaviours that is random, and how much a table follows a reward: at the beginning and at the end."""


class Learners:
    """The tables of the robots, and the last decision of each robot in each env."""

    def __init__(self, robots: int) -> None:
        self.values = np.zeros((robots, SITUATIONS, COUNT))
        self._decided = np.full((ENVS, robots, 2), -1)
        self._rewards = np.zeros((ENVS, robots))

    def decide(self, which: np.ndarray, decisions: Decisions) -> None:
        """Notes the decisions of some robots, whose rewards come from now on."""
        self._decided[which] = np.stack((decisions.situations, decisions.behaviours), axis=-1)[which]
        self._rewards[which] = 0

    def reward(self, rewards: np.ndarray) -> None:
        """Adds the rewards of a step."""
        self._rewards += rewards

    def learn(self, which: np.ndarray, ahead: np.ndarray, rate: float) -> None:
        """Learns from the last decisions of some robots, given the value of what they led to."""
        which = which & (self._decided[..., 0] >= 0)
        for robot, table in enumerate(self.values):
            rows = which[:, robot]
            decisions = tuple(self._decided[rows, robot].T)
            sums, counts = np.zeros_like(table), np.zeros_like(table)
            np.add.at(sums, decisions, (self._rewards + DISCOUNT * ahead)[rows, robot])
            np.add.at(counts, decisions, 1)
            met = counts > 0
            # As if the table had learned from these decisions one after another.
            shares = 1 - (1 - rate) ** counts[met]
            table[met] += shares * (sums[met] / counts[met] - table[met])

    def end(self, which: np.ndarray, rate: float) -> None:
        """Learns from the last decisions of the episodes that have ended, and forgets them."""
        self.learn(which, np.zeros(which.shape), rate)
        self._decided[which] = -1


def train(seed: int, rounds: int) -> Iterator[np.ndarray]:
    """Yields the values of both tables after each round."""
    plan, vector, random = Plan(), make_vector(ENVS, seed), np.random.default_rng(seed)
    learners = Learners(vector.num_agents)
    observations, infos = vector.reset()
    for progress in np.linspace(0, 1, rounds):
        exploration, rate = (first + progress * (last - first) for first, last in (EXPLORATION, RATE))
        for _ in range(STEPS):
            seen = see(plan, observations, infos["action_mask"])
            decisions = decide(learners.values, seen, exploration, random)
            learners.learn(seen.decides, decisions.best, rate)
            learners.decide(seen.decides, decisions)
            observations, rewards, terminated, truncated, infos = vector.step(seen.choose(decisions.choices))
            learners.reward(hurry(rewards, HURRY))
            learners.end(terminated | truncated, rate)
        yield learners.values
