"""PPO of RLlib trains a policy for each agent, for two iterations."""

import ray
import situated
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.env.wrappers.pettingzoo_env import ParallelPettingZooEnv
from ray.tune import register_env

register_env("robots", lambda _: ParallelPettingZooEnv(situated.parallel_env("bw4t", robots=2, max_cycles=100)))
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
config = (
    PPOConfig()
    .environment("robots")
    .env_runners(num_env_runners=0)
    .multi_agent(policies={"agent_0", "agent_1"}, policy_mapping_fn=lambda agent, *_, **__: agent)
    .training(train_batch_size_per_learner=400, minibatch_size=100, num_epochs=1)
)
algorithm = config.build_algo()
for _ in range(2):
    result = algorithm.train()
runners = result["env_runners"]
assert runners["num_env_steps_sampled_lifetime"] >= 800, runners
print(f"mean return {runners['episode_return_mean']:.1f}")
algorithm.stop()
ray.shutdown()
