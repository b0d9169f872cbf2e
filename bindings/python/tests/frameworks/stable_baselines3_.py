"""PPO of Stable-Baselines3 learns to leave the cave of a small Wumpus World with little loss."""

import gymnasium
from stable_baselines3 import PPO
from stable_baselines3.common.env_checker import check_env
from stable_baselines3.common.env_util import make_vec_env
from stable_baselines3.common.evaluation import evaluate_policy

environment = gymnasium.make("situated.gymnasium:situated/Wumpus-v0", size=4, max_cycles=60)
check_env(environment, skip_render_check=True)
vector = make_vec_env("situated/Wumpus-v0", 8, env_kwargs={"size": 4, "max_cycles": 60})
# Environments without a seed, and those of a vector, play different episodes.
vector.reset()
assert len({info["seed"] for info in vector.reset_infos}) == 8
model = PPO("MlpPolicy", vector, n_steps=128, seed=1, device="cpu")
before, _ = evaluate_policy(model, vector, 50)
model.learn(12_000)
after, _ = evaluate_policy(model, vector, 50)
print(f"mean return {before:.3f} before, {after:.3f} after")
assert after > before
