"""AgileRL trains independent PPO on the agents of a parallel environment, with their masks, and evaluates it."""

import math

import situated
from agilerl.algorithms import IPPO
from agilerl.training.train_multi_agent_on_policy import train_multi_agent_on_policy
from pettingzoo.utils import BaseParallelWrapper


class MasksAsLists(BaseParallelWrapper):
    """Masks as lists of numbers: IPPO of AgileRL 2.58 fails with masks that are arrays."""

    def reset(self, seed=None, options=None):
        observations, infos = self.env.reset(seed=seed, options=options)
        return observations, self._masks(infos)

    def step(self, actions):
        *received, infos = self.env.step(actions)
        return *received, self._masks(infos)

    def _masks(self, infos):
        return {agent: {"action_mask": info["action_mask"].tolist()} for agent, info in infos.items()}


for name, parameters in (("find-goals", {}), ("bw4t", {"robots": 2})):
    environment = MasksAsLists(situated.parallel_env(name, max_cycles=50, masks="only", **parameters))
    agents = environment.possible_agents
    learner = IPPO(
        observation_spaces=[environment.observation_space(agent) for agent in agents],
        action_spaces=[environment.action_space(agent) for agent in agents],
        agent_ids=agents,
        batch_size=32,
        learn_step=128,
    )
    population, fitnesses = train_multi_agent_on_policy(
        env=environment,
        env_name=name,
        algo="IPPO",
        pop=[learner],
        max_steps=512,
        evo_steps=256,
        eval_steps=50,
        verbose=False,
    )
    (learner,) = population
    assert learner.steps >= 512, learner.steps
    assert fitnesses, fitnesses
    observations, infos = environment.reset(seed=1)
    while environment.agents:
        batch = {agent: observation[None] for agent, observation in observations.items()}
        actions, *_ = learner.get_action(batch, infos)
        taken = {agent: int(actions[agent].item()) for agent in environment.agents}
        assert all(infos[agent]["action_mask"][action] for agent, action in taken.items()), (taken, infos)
        observations, rewards, _, _, infos = environment.step(taken)
        assert all(math.isfinite(reward) for reward in rewards.values()), rewards
