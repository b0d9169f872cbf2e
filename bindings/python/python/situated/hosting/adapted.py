"""Environments of Gymnasium and PettingZoo as environments written in Python.

Their entities get rewards until the episode is over for them, by the rules (`terminated`) or for another reason
(`truncated`).
"""

from __future__ import annotations

import inspect
import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Literal

import numpy as np

from .._native import Scene
from ..authoring import EntityType, Failure, Measure, PythonEnvironment
from ..extras import extra
from ..iil import Action, Percept
from .picture import picture_of

with extra("pettingzoo"):
    import gymnasium

    from .entity import EntitySpaces, field, percept

SEED_BITS = 31
"""Number of bits of a seed that reach an environment: as many as all of these libraries accept."""

ENTITY = "agent"
"""Name of the entity of an environment of Gymnasium, and of its type."""


def adapt(env: Any, large: bool = False) -> PythonEnvironment:
    """Adapts an environment of Gymnasium or PettingZoo. Raises `TypeError` for anything else.

    `large` also sends the numbers of each Box with more than 256 of them; by default, only their shape is sent. All
    changes of a step must then fit into one frame of the server.
    """
    if isinstance(env, gymnasium.Env):
        return _Single(env, large)
    try:
        from pettingzoo import AECEnv, ParallelEnv
    except ImportError:
        pass
    else:
        if isinstance(env, ParallelEnv):
            return _Parallel(env, large)
        if isinstance(env, AECEnv):
            return _InTurns(env, large)
    raise TypeError(f"{env!r} is not an environment of Gymnasium or PettingZoo")


class _Adapted(PythonEnvironment):
    """An environment of a library: its spaces, the last observations and infos, and the rewards, by entity."""

    def __init__(
        self,
        env: Any,
        pace: Literal["reactive", "lockstep"],
        spaces: Mapping[str, EntitySpaces],
        types: Mapping[str, str],
        percepts: Sequence[dict[str, Any]] = (),
    ) -> None:
        """`percepts` are declared for all entity types, besides those that follow from their spaces."""
        self._env = env
        self._spaces = spaces
        self._types = types
        self._observations: dict[str, Any] = {}
        self._infos: dict[str, Any] = {}
        self._returns: dict[str, float] = {}
        self._ended: dict[str, str] = {}
        # Entities of one type have the same spaces.
        declared = {types[entity]: of.entity_type(types[entity], percepts) for entity, of in spaces.items()}
        self.ontology = {
            "name": _name(env),
            "version": "1.0",
            "documentation": _documentation(env),
            "pace": pace,
            # Two agents could not both choose for one entity.
            "relation": {"oneAgentPerEntity": True, "oneEntityPerAgent": False},
            "parameters": [],
            "entityTypes": list(declared.values()),
            "types": {},
        }

    def begin(self) -> None:
        self._observations, self._infos, self._returns, self._ended = {}, {}, {}, {}
        given = self._env.reset(seed=self.seed & ((1 << SEED_BITS) - 1))
        self._begin(given)

    def percepts(self, entity: str) -> list[Percept]:
        return self._spaces[entity].percepts(self._observations[entity], self._mask(entity))

    def ending(self) -> Literal["terminated", "truncated"] | None:
        if not self._is_over:
            return None
        return "terminated" if "terminated" in self._ended.values() else "truncated"

    def results(self) -> Iterable[Measure]:
        return [Measure(entity, "return", value) for entity, value in self._returns.items()]

    def scene(self) -> Scene | None:
        """Returns what the library renders as `rgb_array`, if it does."""
        if getattr(self._env, "render_mode", None) != "rgb_array":
            return None
        frame = self._env.render()
        return None if frame is None else picture_of(np.asarray(frame))

    def add(self, entity: str, entity_type: EntityType | str) -> None:
        super().add(entity, entity_type)
        self._returns[entity] = 0.0

    def _begin(self, given: Any) -> None:
        """Adds the entities. `given` is what the library returned for the reset."""
        raise NotImplementedError

    @property
    def _is_over(self) -> bool:
        return len(self._ended) == len(self._returns)

    def _check(self, entity: str) -> None:
        """Raises `Failure` if the episode is over for an entity."""
        if entity in self._ended:
            whole = "the episode is over" if self._is_over else f"the episode is over for `{entity}`"
            raise Failure(f"{whole} ({self._ended[entity]}); reset the environment to begin another")

    def _read(self, entity: str, action: Action) -> Any:
        """Returns the action as a value of the entity's space. Raises `Failure` if the entity cannot do it now."""
        self._check(entity)
        return self._spaces[entity].read(action, self._mask(entity))

    def _reward(self, entity: str, reward: float) -> None:
        self._returns[entity] += reward
        self.tell(entity, Percept("reward", reward))

    def _end(self, entity: str, terminated: bool, truncated: bool) -> None:
        """Ends the episode for an entity if one of these is true."""
        how = "terminated" if terminated else "truncated"
        if (terminated or truncated) and entity not in self._ended:
            self._ended[entity] = how
            self.tell(entity, Percept(how))

    def _mask(self, entity: str) -> Any:
        return self._spaces[entity].mask(self._observations[entity], self._infos.get(entity, {}))


class _Single(_Adapted):
    """An environment of Gymnasium. Its pace is reactive: there is one entity, and each of its actions is a step."""

    def __init__(self, env: gymnasium.Env[Any, Any], large: bool) -> None:
        get_meanings = getattr(env.unwrapped, "get_action_meanings", None)
        meanings = [str(meaning) for meaning in get_meanings()] if callable(get_meanings) else []
        spaces = EntitySpaces(env.action_space, env.observation_space, meanings, large)
        super().__init__(env, "reactive", {ENTITY: spaces}, {ENTITY: ENTITY})

    def _begin(self, given: Any) -> None:
        self._observations[ENTITY], self._infos[ENTITY] = given
        self.add(ENTITY, ENTITY)

    def act(self, entity: str, action: Action) -> None:
        given = self._env.step(self._read(entity, action))
        self._observations[ENTITY], reward, terminated, truncated, self._infos[ENTITY] = given
        self._reward(ENTITY, float(reward))
        self._end(ENTITY, bool(terminated), bool(truncated))


class _Parallel(_Adapted):
    """A `ParallelEnv`. Its pace is lockstep: actions are kept until the step, in which all entities act.

    For an entity without an action, the default is 0 or the first legal action. An entity that is out of
    the game remains, and cannot act until the next reset; its agent must pass or free it, so that no other agent waits.
    """

    def __init__(self, env: Any, large: bool) -> None:
        self._chosen: dict[str, Any] = {}
        super().__init__(env, "lockstep", *_spaces(env, large))

    def _begin(self, given: Any) -> None:
        self._observations, self._infos = given
        self._chosen = {}
        self._add_agents()

    def act(self, entity: str, action: Action) -> None:
        self._chosen[entity] = self._read(entity, action)

    def step(self) -> None:
        if self._is_over:
            return
        chosen, self._chosen = self._chosen, {}
        actions = {agent: self._choice(agent, chosen) for agent in self._env.agents}
        observations, rewards, terminations, truncations, infos = self._env.step(actions)
        # Agents that are out of the game keep their last observation.
        self._observations, self._infos = {**self._observations, **observations}, {**self._infos, **infos}
        self._add_agents()
        for agent in observations:
            self._reward(agent, float(rewards.get(agent, 0.0)))
            self._end(agent, bool(terminations.get(agent)), bool(truncations.get(agent)))

    def _add_agents(self) -> None:
        """Adds new agents, which may come during an episode."""
        for agent in self._observations:
            if agent not in self.entities:
                self.add(agent, self._types[agent])

    def _choice(self, agent: str, chosen: dict[str, Any]) -> Any:
        return chosen[agent] if agent in chosen else self._spaces[agent].idle(self._mask(agent))


class _InTurns(_Adapted):
    """An `AECEnv`, in which one agent acts after another. The percept `turn` names the entity that can act.

    Its pace is reactive: an action is a step. In lockstep, all other agents would have to pass in every step. Agents
    that are out of the game make the empty step that PettingZoo requires by themselves. Rewards other than 0 are
    reported when the library gives them.
    """

    def __init__(self, env: Any, large: bool) -> None:
        turn = {"choice": [{"name": agent, "documentation": ""} for agent in env.possible_agents]}
        documentation = "The entity that can act, as long as the episode continues."
        turn = percept("turn", documentation, "onChange", field("entity", "The entity.", turn))
        super().__init__(env, "reactive", *_spaces(env, large), [turn])

    def _begin(self, given: Any) -> None:
        for agent in self._env.agents:
            self.add(agent, self._types[agent])
        self._observe()

    def act(self, entity: str, action: Action) -> None:
        self._check(entity)
        selected = self._env.agent_selection
        if entity != selected:
            raise Failure(f"it is the turn of `{selected}`, not of `{entity}`; wait for turn({entity})")
        self._env.step(self._read(entity, action))
        for agent in self._env.agents:
            if self._env.rewards[agent]:
                self._reward(agent, float(self._env.rewards[agent]))
            self._end(agent, bool(self._env.terminations[agent]), bool(self._env.truncations[agent]))
        self._observe()
        while self._env.agents and self._is_out(self._env.agent_selection):
            self._env.step(None)

    def percepts(self, entity: str) -> list[Percept]:
        turn = [] if self._is_over else [Percept("turn", self._env.agent_selection)]
        return super().percepts(entity) + turn

    def _observe(self) -> None:
        for agent in self._env.agents:
            self._observations[agent] = self._env.observe(agent)
            self._infos[agent] = self._env.infos[agent]

    def _is_out(self, agent: str) -> bool:
        return bool(self._env.terminations[agent] or self._env.truncations[agent])


def types_of(spaces: Mapping[str, tuple[Any, Any]]) -> dict[str, str]:
    """Returns the entity type of each agent with these spaces: `archer` for `archer_0` and `archer_1` if their spaces
    are equal, otherwise a type of its own for each."""
    families: dict[str, list[tuple[Any, Any]]] = {}
    for agent, of in spaces.items():
        families.setdefault(_family(agent), []).append(of)
    uniform = {family for family, members in families.items() if all(one == members[0] for one in members)}
    return {agent: _family(agent) if _family(agent) in uniform else agent for agent in spaces}


def _spaces(env: Any, large: bool) -> tuple[dict[str, EntitySpaces], dict[str, str]]:
    """Returns the spaces and the entity type of each agent of PettingZoo."""
    spaces = {agent: (env.action_space(agent), env.observation_space(agent)) for agent in env.possible_agents}
    return {agent: EntitySpaces(*of, large=large) for agent, of in spaces.items()}, types_of(spaces)


def _family(agent: str) -> str:
    return re.sub(r"_\d+$", "", agent)


def _name(env: Any) -> str:
    if getattr(env, "spec", None) is not None:
        return str(env.spec.id)
    metadata = getattr(env, "metadata", None) or {}
    return str(metadata.get("name") or type(env.unwrapped).__name__)


def _documentation(env: Any) -> str:
    """Returns the first paragraph of the documentation of an environment."""
    documentation = inspect.cleandoc(type(env.unwrapped).__doc__ or "") or f"The environment {_name(env)}."
    return documentation.partition("\n\n")[0]
