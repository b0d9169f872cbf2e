"""Two independent learners find out how to get past each other in Find the Goals: `python q_learning.py [SEED]`

Each has a table of its own for its own five actions, and neither knows what the other one does; both see where the
agents are, and both get the joint reward. Since the environment is deterministic, they learn as Lauer and
Riedmiller proposed (2000): a value only ever grows, and a choice is kept until a better one is found, so that both
settle on the same plan.
"""

import argparse

import numpy as np
import situated

ENVS, STEPS, DISCOUNT = 2048, 600, 0.97
CELLS, OWN = 40, 4
"""Cells of the maze, and the code of an agent's own cell."""
BEST = 20_868
"""Maximum reward in 1,000 steps, as `situated run find-goals --speed max --quiet` says."""


def places(observations):
    """Returns the positions of both agents, as one number for each env."""
    cells = observations.reshape(*observations.shape[:2], CELLS)
    first, second = (cells == OWN).argmax(axis=2).T
    return first * CELLS + second


class Learner:
    """One of the two learners: the values of its actions and its choice, by the positions of both agents."""

    def __init__(self, actions, random):
        self.values = np.zeros((CELLS * CELLS, actions))
        self.choices = random.integers(0, actions, CELLS * CELLS)

    def learn(self, before, actions, rewards, after):
        """Learns from one action in each env."""
        targets = rewards + DISCOUNT * self.values[after].max(axis=1)
        # Of several that happened in the same place, the best counts; both learners see the same one.
        best = np.lexsort((-targets, before))
        _, first = np.unique(before[best], return_index=True)
        best = best[first]
        better = best[targets[best] > self.values[before[best]].max(axis=1) + 1e-9]
        self.choices[before[better]] = actions[better]
        np.maximum.at(self.values, (before, actions), targets)


def train(seed=0, report=lambda step, learners: None):
    """Returns two learners after a number of random steps in many copies of the environment."""
    random = np.random.default_rng(seed)
    environment = situated.make_vec("find-goals", ENVS, view="global", seed=seed)
    learners = [Learner(len(environment.actions), random) for _ in environment.possible_agents]
    now = places(environment.reset(seed=seed)[0])
    for step in range(STEPS):
        actions = random.integers(0, len(environment.actions), (ENVS, 2))
        observations, rewards, *_ = environment.step(actions)
        before, now = now, places(observations)
        for agent, learner in enumerate(learners):
            learner.learn(before, actions[:, agent], rewards[:, agent], now)
        report(step + 1, learners)
    return learners


def play(learners):
    """Returns their joint reward in 1,000 steps, in percent of the maximum."""
    environment = situated.make_vec("find-goals", 1, view="global")
    now = places(environment.reset(seed=1)[0])
    total = 0.0
    for _ in range(1000):
        actions = np.array([[learner.choices[now[0]] for learner in learners]])
        observations, rewards, *_ = environment.step(actions)
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
