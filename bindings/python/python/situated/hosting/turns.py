"""Environments of PettingZoo in which one agent acts after another (AEC)."""

from __future__ import annotations

from typing import Any

from ..authoring import Failure
from ..iil import Action, Percept
from .declaring import bodies_of, declare
from .rewarded import RewardedEnvironment


class TurnsWorld(RewardedEnvironment):
    """An `AECEnv`. `turn` tells all whose turn it is, and only that entity can act.

    Its pace is reactive: an action is a step. In lockstep every step would wait until all the others had passed, though
    the environment takes one action at a time. Who has fallen out makes the empty step that PettingZoo wants by itself.
    Rewards are told when they are given, to whomever they are given, unless they are 0.
    """

    def __init__(self, env: Any, large: bool = False) -> None:
        self._env = env
        self._types, bodies = bodies_of(env, large)
        self._bodies = {agent: bodies[of] for agent, of in self._types.items()}
        self._observations: dict[str, Any] = {}
        self._infos: dict[str, Any] = {}
        ontology = declare(env, "reactive", bodies)
        for declared in ontology["entityTypes"]:
            declared["percepts"].append(_turn(list(self._types)))
        super().__init__(ontology)

    def begin(self) -> None:
        super().begin()
        self._env.reset(seed=self.library_seed)
        for agent in self._env.agents:
            self.add(agent, self._types[agent])
        self._observe()

    def act(self, entity: str, action: Action) -> None:
        self.check(entity)
        if entity != self._env.agent_selection:
            raise Failure(
                f"it is the turn of `{self._env.agent_selection}`, not of `{entity}`; wait for turn({entity})"
            )
        self._env.step(self._bodies[entity].read(action, self._mask(entity)))
        for agent in self._env.agents:
            if self._env.rewards[agent]:
                self.reward(agent, float(self._env.rewards[agent]))
            self.end(agent, bool(self._env.terminations[agent]), bool(self._env.truncations[agent]))
        self._observe()
        while self._env.agents and self._is_out(self._env.agent_selection):
            self._env.step(None)

    def percepts(self, entity: str) -> list[Percept]:
        percepts = self._bodies[entity].percepts(self._observations[entity], self._mask(entity))
        turn = [] if self.is_over else [Percept("turn", self._env.agent_selection)]
        return percepts + turn

    def _observe(self) -> None:
        for agent in self._env.agents:
            self._observations[agent] = self._env.observe(agent)
            self._infos[agent] = self._env.infos[agent]

    def _mask(self, agent: str) -> Any:
        return self._bodies[agent].mask(self._observations[agent], self._infos[agent])

    def _is_out(self, agent: str) -> bool:
        return bool(self._env.terminations[agent] or self._env.truncations[agent])


def _turn(agents: list[str]) -> dict[str, Any]:
    choice = {"choice": [{"name": agent, "documentation": ""} for agent in agents]}
    parameter = {"name": "entity", "documentation": "Whose turn it is.", "type": choice}
    documentation = "Whose turn it is, as long as the episode goes on."
    return {"name": "turn", "documentation": documentation, "parameters": [parameter], "delivery": "onChange"}
