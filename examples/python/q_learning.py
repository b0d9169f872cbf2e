"""Two independent learners find out how to get past each other in Find the Goals: `python q_learning.py [SEED]`

Each has a table of its own for its own five actions, and neither knows what the other one does; both see where the
bodies are, and both get the joint reward. Since nothing in this world is left to chance, they learn as Lauer and
Riedmiller proposed (2000): a value only ever grows, and a choice is kept until a better one is found, so that both
settle on the same plan.
"""

import argparse

import numpy as np
import situated

ENVS, STEPS, DISCOUNT = 2048, 600, 0.97
CELLS, OWN = 40, 4
"""Cells of the maze, and how the cell of the body itself is encoded."""
BEST = 20_868
"""What can be won in 1,000 steps at the most, as `situated run find-goals --speed max --quiet` says."""


def places(observations):
    """Where both bodies are, as one number for each env."""
    cells = observations.reshape(*observations.shape[:2], CELLS)
    first, second = (cells == OWN).argmax(axis=2).T
    return first * CELLS + second


class Learner:
    """One of the two: what its actions are worth, and which one it would choose, wherever the bodies are."""

    def __init__(self, actions, random):
        self.values = np.zeros((CELLS * CELLS, actions))
        self.choices = random.integers(0, actions, CELLS * CELLS)

    def learn(self, before, actions, rewards, after):
        """Takes in what one action in each env has come to."""
        targets = rewards + DISCOUNT * self.values[after].max(axis=1)
        # Of several that happened in the same place, the best counts; both learners see the same one.
        best = np.lexsort((-targets, before))
        _, first = np.unique(before[best], return_index=True)
        best = best[first]
        better = best[targets[best] > self.values[before[best]].max(axis=1) + 1e-9]
        self.choices[before[better]] = actions[better]
        np.maximum.at(self.values, (before, actions), targets)


def train(seed=0, report=lambda step, learners: None):
    """Two learners, after so many steps in many copies of the world in which they try things out at random."""
    random = np.random.default_rng(seed)
    world = situated.make_vec("find-goals", ENVS, view="global", seed=seed)
    learners = [Learner(len(world.actions), random) for _ in world.possible_agents]
    now = places(world.reset(seed=seed)[0])
    for step in range(STEPS):
        actions = random.integers(0, len(world.actions), (ENVS, 2))
        observations, rewards, *_ = world.step(actions)
        before, now = now, places(observations)
        for agent, learner in enumerate(learners):
            learner.learn(before, actions[:, agent], rewards[:, agent], now)
        report(step + 1, learners)
    return learners


def play(learners):
    """What they win together in 1,000 steps, in percent of the best possible."""
    world = situated.make_vec("find-goals", 1, view="global")
    now = places(world.reset(seed=1)[0])
    total = 0.0
    for _ in range(1000):
        actions = np.array([[learner.choices[now[0]] for learner in learners]])
        observations, rewards, *_ = world.step(actions)
        now, total = places(observations), total + rewards[0, 0]
    return 100 * total / BEST


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("seed", type=int, nargs="?", default=0)
    parser.add_argument("--curve", help="a CSV file for the learning curve")
    options = parser.parse_args()
    curve = []

    def report(step, learners):
        if step % 5 == 0:
            curve.append((step * ENVS, play(learners)))
        if step % 50 == 0:
            print(f"after {step:4} steps: {curve[-1][1]:6.1f} % of the best possible reward")

    train(options.seed, report)
    if options.curve:
        np.savetxt(options.curve, curve, ["%d", "%.1f"], ",", header="steps,percent", comments="")


if __name__ == "__main__":
    main()
