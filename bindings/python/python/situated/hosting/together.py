"""Environments of PettingZoo in which all agents act at once (parallel)."""

from __future__ import annotations

from typing import Any

from ..iil import Action, Percept
from .declaring import bodies_of, declare
from .rewarded import RewardedEnvironment


class TogetherWorld(RewardedEnvironment):
    """A `ParallelEnv`. Its pace is lockstep: what entities do is kept until the step, in which all do it.

    For whom nobody has chosen, that which comes nearest to doing nothing is done: 0, or the first legal action. Who has
    fallen out stays, and can do nothing until the environment is reset; its agent passes, or frees it, so that nobody
    waits for it.
    """

    def __init__(self, env: Any, large: bool = False) -> None:
        self._env = env
        self._types, bodies = bodies_of(env, large)
        self._bodies = {agent: bodies[of] for agent, of in self._types.items()}
        self._chosen: dict[str, Any] = {}
        self._observations: dict[str, Any] = {}
        self._infos: dict[str, Any] = {}
        super().__init__(declare(env, "lockstep", bodies))

    def begin(self) -> None:
        super().begin()
        self._observations, self._infos = self._env.reset(seed=self.library_seed)
        self._chosen = {}
        self._add_agents()

    def act(self, entity: str, action: Action) -> None:
        self.check(entity)
        self._chosen[entity] = self._bodies[entity].read(action, self._mask(entity))

    def step(self) -> None:
        if self.is_over:
            return
        chosen, self._chosen = self._chosen, {}
        actions = {agent: self._choice(agent, chosen) for agent in self._env.agents}
        observations, rewards, terminations, truncations, infos = self._env.step(actions)
        # Who has fallen out keeps what it observed last.
        self._observations, self._infos = {**self._observations, **observations}, {**self._infos, **infos}
        self._add_agents()
        for agent in observations:
            self.reward(agent, float(rewards.get(agent, 0.0)))
            self.end(agent, bool(terminations.get(agent)), bool(truncations.get(agent)))

    def percepts(self, entity: str) -> list[Percept]:
        return self._bodies[entity].percepts(self._observations[entity], self._mask(entity))

    def _add_agents(self) -> None:
        """Agents may come while an episode goes on."""
        for agent in self._observations:
            if agent not in self.entities:
                self.add(agent, self._types[agent])

    def _choice(self, agent: str, chosen: dict[str, Any]) -> Any:
        return chosen[agent] if agent in chosen else self._bodies[agent].idle(self._mask(agent))

    def _mask(self, agent: str) -> Any:
        return self._bodies[agent].mask(self._observations[agent], self._infos.get(agent, {}))
