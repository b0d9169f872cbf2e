"""Environments of Gymnasium: one entity, and a step whenever it acts."""

from __future__ import annotations

from typing import Any

import gymnasium

from ..iil import Action, Percept
from .body import Body
from .declaring import declare, meanings_of
from .rewarded import RewardedEnvironment

ENTITY = "agent"
"""The name of the entity, and of its type."""


class SingleWorld(RewardedEnvironment):
    """An environment of Gymnasium. Its pace is reactive: nobody else is to be waited for, so an action is a step."""

    def __init__(self, env: gymnasium.Env[Any, Any], large: bool = False) -> None:
        self._env = env
        self._body = Body(env.action_space, env.observation_space, meanings_of(env), large)
        self._observation: Any = None
        self._info: dict[str, Any] = {}
        super().__init__(declare(env, "reactive", {ENTITY: self._body}))

    def begin(self) -> None:
        super().begin()
        self._observation, self._info = self._env.reset(seed=self.library_seed)
        self.add(ENTITY, ENTITY)

    def act(self, entity: str, action: Action) -> None:
        self.check(entity)
        value = self._body.read(action, self._body.mask(self._observation, self._info))
        self._observation, reward, terminated, truncated, self._info = self._env.step(value)
        self.reward(ENTITY, float(reward))
        self.end(ENTITY, bool(terminated), bool(truncated))

    def percepts(self, entity: str) -> list[Percept]:
        return self._body.percepts(self._observation, self._body.mask(self._observation, self._info))
