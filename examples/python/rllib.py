"""Two policies learn Find the Goals by PPO on one machine or on many: `python rllib.py --iterations 1`

RLlib plays the worlds in processes of their own, its env runners, wherever Ray has processors; each body has a policy
of its own, and both are told where the bodies are. Ray starts here by itself; with a cluster at `RAY_ADDRESS`, or one
that runs on this machine, it is taken instead.
"""

import argparse

import numpy as np
import situated
from gymnasium import spaces
from pettingzoo.utils import BaseParallelWrapper
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.rl_module.default_model_config import DefaultModelConfig
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.tune.registry import register_env

ENVS, BATCH, MAX_CYCLES, SCALE = 16, 8192, 200, 0.05
"""Worlds in each env runner, steps in an iteration, steps in an episode, and what rewards are multiplied by."""
CELLS, OWN = 40, 4
"""Cells of the maze, and how the cell of the body itself is encoded."""
BEST = 20_868
"""What can be won in 1,000 steps at the most, as `situated run find-goals --speed max --quiet` says."""


class Told(BaseParallelWrapper):
    """The world, in which each body is told where both are, and rewards have a size that suits a network."""

    def observation_space(self, agent):
        return spaces.Box(0, 1, (len(self.possible_agents) * CELLS,), np.float32)

    def reset(self, seed=None, options=None):
        observations, infos = super().reset(seed, options)
        return places(observations), infos

    def step(self, actions):
        observations, rewards, *others = super().step(actions)
        return places(observations), {agent: SCALE * reward for agent, reward in rewards.items()}, *others


def places(observations):
    """Where the bodies are, the same for each of them."""
    cells = np.stack(list(observations.values())) == OWN
    return dict.fromkeys(observations, cells.ravel().astype(np.float32))


def world(settings):
    """An episode as RLlib plays it."""
    return ParallelPettingZooEnv(Told(situated.parallel_env("find-goals", view="global", **settings)))


def algorithm(env_runners, seed):
    """PPO for both bodies; what they win together is measured after each iteration, in 1,000 steps without chance."""
    register_env("find-goals", world)
    agents = situated.parallel_env("find-goals").possible_agents
    return (
        PPOConfig()
        .environment("find-goals", env_config={"max_cycles": MAX_CYCLES})
        .multi_agent(policies=set(agents), policy_mapping_fn=lambda agent, episode, **_: agent)
        .rl_module(model_config=DefaultModelConfig(fcnet_hiddens=[64, 64], vf_share_layers=False))
        .env_runners(num_env_runners=env_runners, num_envs_per_env_runner=ENVS)
        .training(
            train_batch_size_per_learner=BATCH,
            minibatch_size=1024,
            num_epochs=5,
            lr=1e-3,
            gamma=0.97,
            lambda_=0.95,
            entropy_coeff=0.02,
            clip_param=0.2,
        )
        .evaluation(
            evaluation_interval=1,
            evaluation_duration=1,
            evaluation_config={"env_config": {"max_cycles": 1000}, "num_envs_per_env_runner": 1, "explore": False},
        )
        .debugging(seed=seed, log_level="ERROR")
        .build_algo()
    )


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--env-runners", type=int, default=2, help="processes that play")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--curve", help="a CSV file for the learning curve")
    options = parser.parse_args()
    curve, learner = [], algorithm(options.env_runners, options.seed)
    for _ in range(options.iterations):
        results = learner.train()
        steps = results["env_runners"]["num_env_steps_sampled_lifetime"]
        # Both bodies are told the joint reward, and RLlib adds up what each is told.
        won = results["evaluation"]["env_runners"]["episode_return_mean"] / 2 / SCALE
        curve.append((steps, 100 * won / BEST))
        print(f"after {steps:9,.0f} steps: {100 * won / BEST:6.1f} % of the best possible reward", flush=True)
        if options.curve:
            np.savetxt(options.curve, curve, ["%d", "%.1f"], ",", header="steps,percent", comments="")
    learner.stop()


if __name__ == "__main__":
    main()
