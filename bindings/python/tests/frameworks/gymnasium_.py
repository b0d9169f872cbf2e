"""An environment and a vector of Gymnasium, with its wrappers."""

import gymnasium
import numpy as np
from gymnasium.wrappers import RecordEpisodeStatistics, TimeLimit

environment = RecordEpisodeStatistics(
    TimeLimit(gymnasium.make("situated.gymnasium:situated/Wumpus-v0", size=5), max_episode_steps=50)
)
for seed in range(5):
    environment.reset(seed=seed)
    over = False
    while not over:
        *_, terminated, truncated, info = environment.step(environment.action_space.sample())
        over = terminated or truncated
    assert info["episode"]["l"] <= 50
vector = gymnasium.wrappers.vector.RecordEpisodeStatistics(
    gymnasium.make_vec("situated/FindGoals-v0", num_envs=64, max_cycles=20)
)
vector.reset(seed=1)
for _ in range(100):
    *_, truncated, _ = vector.step(vector.action_space.sample())
assert vector.episode_count >= 64 * 4 and np.isfinite(vector.return_queue).all()
