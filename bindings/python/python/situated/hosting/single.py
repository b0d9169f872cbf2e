"""Environments of Gymnasium: one entity, and a step whenever it acts."""

from __future__ import annotations

from typing import Any

import gymnasium

from ..iil import Action, Percept
from .body import Body
from .declaring import declare, meanings_of
from .standing import Standing
from .world import seed_of

ENTITY = "agent"
"""The name of the entity, and of its type."""


class SingleWorld:
    """An environment of Gymnasium. Its pace is reactive: nobody else is to be waited for, so an action is a step."""

    def __init__(self, env: gymnasium.Env[Any, Any], large: bool = False) -> None:
        self._env = env
        self._body = Body(env.action_space, env.observation_space, meanings_of(env), large)
        self._standing = Standing()
        self._observation: Any = None
        self._info: dict[str, Any] = {}
        self.ontology = declare(env, "reactive", {ENTITY: self._body})

    def begin(self, seed: int) -> None:
        self._observation, self._info = self._env.reset(seed=seed_of(seed))
        self._standing = Standing([ENTITY])

    def act(self, entity: str, action: Action) -> None:
        self._standing.check(entity)
        value = self._body.read(action, self._body.mask(self._observation, self._info))
        self._observation, reward, terminated, truncated, self._info = self._env.step(value)
        self._standing.reward(ENTITY, float(reward))
        self._standing.end(ENTITY, bool(terminated), bool(truncated))

    def step(self) -> None:
        """The action was the step."""

    def entities(self) -> dict[str, str]:
        return {ENTITY: ENTITY}

    def percepts(self, entity: str) -> list[Percept]:
        return self._body.percepts(self._observation, self._body.mask(self._observation, self._info))

    def take_events(self) -> list[tuple[str, Percept]]:
        return self._standing.take_events()

    def outcome(self) -> dict[str, Any]:
        return self._standing.outcome()
