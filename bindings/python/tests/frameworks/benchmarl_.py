"""BenchMARL takes a task of its own, made of a parallel environment, and trains and evaluates MAPPO on it."""

import math

import situated
from benchmarl.algorithms import MappoConfig
from benchmarl.environments.pettingzoo.common import PettingZooClass
from benchmarl.experiment import Experiment, ExperimentConfig
from benchmarl.models.mlp import MlpConfig
from torchrl.envs import PettingZooWrapper
from torchrl.envs.utils import MarlGroupMapType


class SituatedTask(PettingZooClass):
    """A task of BenchMARL: an environment by its registered name."""

    def get_env_fun(self, num_envs, continuous_actions, seed, device):
        parameters = dict(self.config)
        return lambda: PettingZooWrapper(
            situated.parallel_env(self.name, masks="only", **parameters),
            group_map=MarlGroupMapType.ALL_IN_ONE_GROUP,
            use_mask=True,
            categorical_actions=True,
            seed=seed,
            device=device,
        )

    def supports_continuous_actions(self):
        return False

    def supports_discrete_actions(self):
        return True

    def has_state(self):
        return False

    def has_render(self, env):
        return False


# Its networks take `float32`, so Find the Goals with `uint8` is left out.
for name, parameters in (("elevator", {}), ("bw4t", {"robots": 2})):
    config = ExperimentConfig.get_from_yaml()
    config.loggers, config.render, config.create_json, config.save_folder = [], False, False, "."
    config.max_n_frames, config.on_policy_collected_frames_per_batch = 1000, 500
    config.on_policy_n_envs_per_worker, config.on_policy_minibatch_size, config.on_policy_n_minibatch_iters = 2, 100, 2
    config.evaluation_interval, config.evaluation_episodes = 500, 2
    experiment = Experiment(
        task=SituatedTask(name=name, config={"max_cycles": 50, **parameters}),
        algorithm_config=MappoConfig.get_from_yaml(),
        model_config=MlpConfig.get_from_yaml(),
        critic_model_config=MlpConfig.get_from_yaml(),
        seed=1,
        config=config,
    )
    experiment.run()
    assert experiment.total_frames == 1000, experiment.total_frames
    assert math.isfinite(experiment.mean_return), experiment.mean_return
