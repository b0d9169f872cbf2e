"""A learner that makes steps through the client of OpenEnv: openenv_learner.py URL"""

import random
import sys

from openenv import GenericEnvClient


def play(environment, seed):
    chance = random.Random(seed)
    result = environment.reset(seed=seed, max_steps=100, percepts="none")
    total = 0.0
    while not result.done:
        possible = [number for number, can in enumerate(result.observation["mask"]) if can]
        result = environment.step({"action": chance.choice(possible)})
        total += result.reward
    return total


with GenericEnvClient(base_url=sys.argv[1]).sync() as environment:
    for seed in range(1, 4):
        print(f"Seed {seed}: total reward {play(environment, seed):g}")
