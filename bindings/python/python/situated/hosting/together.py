"""Environments of PettingZoo in which all agents act at once (parallel)."""

from __future__ import annotations

from typing import Any

from ..iil import Action, Percept
from .declaring import bodies_of, declare
from .standing import Standing
from .world import seed_of


class TogetherWorld:
    """A `ParallelEnv`. Its pace is lockstep: what entities do is kept until the step, in which all do it.

    For whom nobody has chosen, that which comes nearest to doing nothing is done: 0, or the first legal action. Who has
    fallen out stays, and can do nothing until the environment is reset; its agent passes, or frees it, so that nobody
    waits for it.
    """

    def __init__(self, env: Any, large: bool = False) -> None:
        self._env = env
        self._types, bodies = bodies_of(env, large)
        self._bodies = {agent: bodies[of] for agent, of in self._types.items()}
        self._standing = Standing()
        self._chosen: dict[str, Any] = {}
        self._observations: dict[str, Any] = {}
        self._infos: dict[str, Any] = {}
        self.ontology = declare(env, "lockstep", bodies)

    def begin(self, seed: int) -> None:
        self._observations, self._infos = self._env.reset(seed=seed_of(seed))
        self._chosen = {}
        self._standing = Standing(self._env.agents)

    def act(self, entity: str, action: Action) -> None:
        self._standing.check(entity)
        self._chosen[entity] = self._bodies[entity].read(action, self._mask(entity))

    def step(self) -> None:
        if self._standing.is_over:
            return
        chosen, self._chosen = self._chosen, {}
        actions = {agent: self._choice(agent, chosen) for agent in self._env.agents}
        observations, rewards, terminations, truncations, infos = self._env.step(actions)
        # Who has fallen out keeps what it observed last.
        self._observations, self._infos = {**self._observations, **observations}, {**self._infos, **infos}
        for agent in observations:
            self._standing.add(agent)
            self._standing.reward(agent, float(rewards.get(agent, 0.0)))
            self._standing.end(agent, bool(terminations.get(agent)), bool(truncations.get(agent)))

    def entities(self) -> dict[str, str]:
        return {agent: self._types[agent] for agent in self._standing.entities}

    def percepts(self, entity: str) -> list[Percept]:
        return self._bodies[entity].percepts(self._observations[entity], self._mask(entity))

    def take_events(self) -> list[tuple[str, Percept]]:
        return self._standing.take_events()

    def outcome(self) -> dict[str, Any]:
        return self._standing.outcome()

    def _choice(self, agent: str, chosen: dict[str, Any]) -> Any:
        return chosen[agent] if agent in chosen else self._bodies[agent].idle(self._mask(agent))

    def _mask(self, agent: str) -> Any:
        return self._bodies[agent].mask(self._observations[agent], self._infos.get(agent, {}))
