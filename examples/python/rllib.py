"""Two policies learn Find the Goals by PPO on one machine or on many: `python rllib.py --iterations 1`

RLlib runs the environments in processes of their own, its env runners, wherever Ray has processors. Each agent has its
own policy, and both observe both positions. Ray starts here by itself; with a cluster at `RAY_ADDRESS`, or one
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
"""Number of envs in each env runner, steps in an iteration, steps in an episode, and the scale of rewards."""
CELLS, OWN = 40, 4
"""Cells of the maze, and the code of an agent's own cell."""
BEST = 20_868
"""Maximum reward in 1,000 steps, as `situated run find-goals --speed max --quiet` says."""


class Scaled(BaseParallelWrapper):
    """Find the Goals with both positions as observation, and rewards of a size that suits a network."""

    def observation_space(self, agent):
        return spaces.Box(0, 1, (len(self.possible_agents) * CELLS,), np.float32)

    def reset(self, seed=None, options=None):
        observations, infos = super().reset(seed, options)
        return places(observations), infos

    def step(self, actions):
        observations, rewards, *others = super().step(actions)
        return places(observations), {agent: SCALE * reward for agent, reward in rewards.items()}, *others


def places(observations):
    """Returns the positions of both agents, the same for each."""
    cells = np.stack(list(observations.values())) == OWN
    return dict.fromkeys(observations, cells.ravel().astype(np.float32))


def create(settings):
    """Creates an environment for RLlib."""
    return ParallelPettingZooEnv(Scaled(situated.parallel_env("find-goals", view="global", **settings)))


def algorithm(env_runners, seed):
    """Trains both agents with PPO, and measures the joint reward of 1,000 deterministic steps after each iteration."""
    register_env("find-goals", create)
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
        # Both agents get the joint reward, and RLlib adds up their rewards.
        won = results["evaluation"]["env_runners"]["episode_return_mean"] / 2 / SCALE
        curve.append((steps, 100 * won / BEST))
        print(f"after {steps:9,.0f} steps: {100 * won / BEST:6.1f} % of the best possible reward", flush=True)
        if options.curve:
            np.savetxt(options.curve, curve, ["%d", "%.1f"], ",", header="steps,percent", comments="")
    learner.stop()


if __name__ == "__main__":
    main()
