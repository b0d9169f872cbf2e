"""SuperSuit's wrappers, and its vector of the agents of many environments."""

import numpy as np
import situated
import supersuit

environment = situated.parallel_env("find-goals", max_cycles=50)
environment = supersuit.frame_stack_v1(supersuit.dtype_v0(environment, np.float32), 2)
vector = supersuit.concat_vec_envs_v1(
    supersuit.pettingzoo_env_to_vec_env_v1(environment), 4, num_cpus=0, base_class="gymnasium"
)
observations, _ = vector.reset(seed=1)
assert observations.shape == (8, 16)
for _ in range(200):
    observations, rewards, *_ = vector.step(np.random.randint(0, 5, 8))
    assert observations.shape == (8, 16) and np.isfinite(rewards).all()
