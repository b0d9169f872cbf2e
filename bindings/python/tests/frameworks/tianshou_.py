"""Tianshou takes the environment in turns, with masks beside the observations."""

import situated
from tianshou.env import DummyVectorEnv
from tianshou.env.pettingzoo_env import PettingZooEnv


def make() -> PettingZooEnv:
    return PettingZooEnv(situated.aec_env("bw4t", robots=2, max_cycles=30, masks="observation"))


vector = DummyVectorEnv([make for _ in range(3)])
observations, infos = vector.reset(seed=1)
for _ in range(100):
    actions = [observation["mask"].index(True) for observation in observations]
    observations, rewards, terminated, truncated, infos = vector.step(actions)
    over = [env for env in range(3) if terminated[env] or truncated[env]]
    if over:
        observations[over], _ = vector.reset(over)
    assert all(len(observation["mask"]) == 19 and any(observation["mask"]) for observation in observations)
