"""Two agents learn Find the Goals by PPO with one shared network: `python ppo.py --iterations 1`

The library is Stable-Baselines3: it is well kept, needs little besides PyTorch, and only requires a `VecEnv`, which a
vector of this package nearly is. Each agent counts as an env of its own there, so that all share one
policy. It observes both positions and which agent it is, and gets the joint reward.
"""

import argparse

import numpy as np
import situated
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv

ENVS, STEPS, MAX_CYCLES, SCALE = 256, 32, 200, 0.05
"""Number of envs, steps of each in an iteration, steps in an episode, and the scale of rewards for the network."""
CELLS, OWN = 40, 4
"""Cells of the maze, and the code of an agent's own cell."""
BEST = 20_868
"""Maximum reward in 1,000 steps, as `situated run find-goals --speed max --quiet` says."""


class Agents(VecEnv):
    """All agents of many envs, one after another, as Stable-Baselines3 expects them."""

    def __init__(self, envs, max_cycles=None):
        self.vector = situated.make_vec(
            "find-goals", envs, view="global", max_cycles=max_cycles, autoreset="same_step", threads=2
        )
        agents = self.vector.num_agents
        self.who = np.tile(np.eye(agents, dtype=np.float32), (envs, 1))
        observed = spaces.Box(0, 1, (agents * CELLS + agents,), np.float32)
        super().__init__(envs * agents, observed, spaces.Discrete(len(self.vector.actions)))

    def observe(self, observations):
        """Returns the observation of each agent: both positions, and which agent it is."""
        cells = (observations == OWN).reshape(self.vector.num_envs, -1).repeat(self.vector.num_agents, axis=0)
        return np.hstack((cells, self.who), dtype=np.float32)

    def reset(self):
        return self.observe(self.vector.reset(seed=self._seeds[0])[0])

    def step_async(self, actions):
        self.actions = actions.reshape(self.vector.num_envs, -1)

    def step_wait(self):
        observations, rewards, terminated, truncated, infos = self.vector.step(self.actions)
        terminated, truncated = terminated.ravel(), truncated.ravel()
        ended = terminated | truncated
        others = [{} for _ in ended]
        if ended.any():
            last = self.observe(infos["final_obs"])
            for agent in ended.nonzero()[0]:
                # After a time limit, the last observation still has a value.
                only_cut = truncated[agent] and not terminated[agent]
                others[agent] = {"terminal_observation": last[agent], "TimeLimit.truncated": only_cut}
        return self.observe(observations), SCALE * rewards.ravel(), ended, others

    def close(self):
        pass

    def get_attr(self, attr_name, indices=None):
        return [getattr(self.vector, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name, value, indices=None):
        raise NotImplementedError("the agents have no attributes to set")

    def env_method(self, method_name, *arguments, indices=None, **named):
        raise NotImplementedError("the agents have no methods")

    def env_is_wrapped(self, wrapper_class, indices=None):
        return [False] * self.num_envs


def train(iterations, seed=0, report=lambda steps, model: None):
    """Returns one policy for both agents after a number of iterations."""
    agents = Agents(ENVS, MAX_CYCLES)
    model = PPO(
        "MlpPolicy",
        agents,
        n_steps=STEPS,
        batch_size=2048,
        n_epochs=5,
        learning_rate=1e-3,
        gamma=0.97,
        ent_coef=0.02,
        seed=seed,
        device="cpu",
    )
    for iteration in range(iterations):
        model.learn(STEPS * agents.num_envs, reset_num_timesteps=False)
        report((iteration + 1) * STEPS * ENVS, model)
    return model


def play(model):
    """Returns the joint reward in 1,000 steps with the most likely actions, in percent of the maximum."""
    agents = Agents(1)
    now, total = agents.reset(), 0.0
    for _ in range(1000):
        now, rewards, *_ = agents.step(model.predict(now, deterministic=True)[0])
        total += rewards[0] / SCALE
    return 100 * total / BEST


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--iterations", type=int, default=40)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--curve", help="a CSV file for the learning curve")
    options = parser.parse_args()
    curve = []

    def report(steps, model):
        percent = play(model)
        curve.append((steps, percent))
        print(f"after {steps:9,} steps: {percent:6.1f} % of the best possible reward", flush=True)
        if options.curve:
            np.savetxt(options.curve, curve, ["%d", "%.1f"], ",", header="steps,percent", comments="")

    train(options.iterations, options.seed, report)


if __name__ == "__main__":
    main()
