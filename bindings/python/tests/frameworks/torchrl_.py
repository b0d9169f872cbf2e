"""TorchRL takes a parallel environment with its wrapper, which checks the specs, and collects episodes."""

import situated
from torchrl.envs import PettingZooWrapper
from torchrl.envs.utils import MarlGroupMapType, check_env_specs

for name, parameters in (("find-goals", {}), ("bw4t", {"robots": 2})):
    environment = PettingZooWrapper(
        situated.parallel_env(name, max_cycles=50, masks="only", **parameters),
        group_map=MarlGroupMapType.ALL_IN_ONE_GROUP,
        use_mask=True,
        categorical_actions=True,
    )
    check_env_specs(environment, seed=1)
    for _ in range(4):
        episode = environment.rollout(50)
        assert episode["agents", "observation"].shape[:2] == (50, 2), episode
        assert episode["next", "truncated"][-1].all(), episode
        assert episode["next", "agents", "reward"].isfinite().all()
