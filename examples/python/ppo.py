"""Two bodies learn Find the Goals by PPO with one network between them: `python ppo.py --iterations 1`

The library is Stable-Baselines3: it is well kept, needs little beside PyTorch, and asks of a world no more than a
`VecEnv`, which a vector of this package nearly is. Each body counts as an env of its own there, so that all share one
policy. It is told where both bodies are and which of them it is, and gets the joint reward.
"""

import argparse

import numpy as np
import situated
from gymnasium import spaces
from stable_baselines3 import PPO
from stable_baselines3.common.vec_env import VecEnv

ENVS, STEPS, MAX_CYCLES, SCALE = 256, 32, 200, 0.05
"""Worlds, steps of each in an iteration, steps in an episode, and what rewards are multiplied by for the network."""
CELLS, OWN = 40, 4
"""Cells of the maze, and how the cell of the body itself is encoded."""
BEST = 20_868
"""What can be won in 1,000 steps at the most, as `situated run find-goals --speed max --quiet` says."""


class Bodies(VecEnv):
    """All bodies of many worlds, one after another, as Stable-Baselines3 wants them."""

    def __init__(self, envs, max_cycles=None):
        self.world = situated.make_vec(
            "find-goals", envs, view="global", max_cycles=max_cycles, autoreset="same_step", threads=2
        )
        agents = self.world.num_agents
        self.who = np.tile(np.eye(agents, dtype=np.float32), (envs, 1))
        told = spaces.Box(0, 1, (agents * CELLS + agents,), np.float32)
        super().__init__(envs * agents, told, spaces.Discrete(len(self.world.actions)))

    def told(self, observations):
        """What each body is told: where the first one is, where the next one is, and which of them it is itself."""
        cells = (observations == OWN).reshape(self.world.num_envs, -1).repeat(self.world.num_agents, axis=0)
        return np.hstack((cells, self.who), dtype=np.float32)

    def reset(self):
        return self.told(self.world.reset(seed=self._seeds[0])[0])

    def step_async(self, actions):
        self.actions = actions.reshape(self.world.num_envs, -1)

    def step_wait(self):
        observations, rewards, terminated, truncated, infos = self.world.step(self.actions)
        terminated, truncated = terminated.ravel(), truncated.ravel()
        ended = terminated | truncated
        others = [{} for _ in ended]
        if ended.any():
            last = self.told(infos["final_obs"])
            for body in ended.nonzero()[0]:
                # What comes after a time limit is still worth something: the last observation says what.
                only_cut = truncated[body] and not terminated[body]
                others[body] = {"terminal_observation": last[body], "TimeLimit.truncated": only_cut}
        return self.told(observations), SCALE * rewards.ravel(), ended, others

    def close(self):
        pass

    def get_attr(self, attr_name, indices=None):
        return [getattr(self.world, attr_name, None)] * self.num_envs

    def set_attr(self, attr_name, value, indices=None):
        raise NotImplementedError("the bodies have nothing of their own to set")

    def env_method(self, method_name, *arguments, indices=None, **named):
        raise NotImplementedError("the bodies have no methods of their own")

    def env_is_wrapped(self, wrapper_class, indices=None):
        return [False] * self.num_envs


def train(iterations, seed=0, report=lambda steps, model: None):
    """One policy for both bodies, after so many iterations."""
    bodies = Bodies(ENVS, MAX_CYCLES)
    model = PPO(
        "MlpPolicy",
        bodies,
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
        model.learn(STEPS * bodies.num_envs, reset_num_timesteps=False)
        report((iteration + 1) * STEPS * ENVS, model)
    return model


def play(model):
    """What the bodies win together in 1,000 steps, each with the action that it holds best, in percent of the best."""
    bodies = Bodies(1)
    now, total = bodies.reset(), 0.0
    for _ in range(1000):
        now, rewards, *_ = bodies.step(model.predict(now, deterministic=True)[0])
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
