"""One episode after another of an environment written in Python or on a server, for agents with names."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from situated._native import Scene
from situated.encoding import Encoding
from situated.settings import read_number

from .episodes import Array, Episodes, Learnable


class WrittenParallel:
    """Version of `situated._native.Parallel` for environments written in Python or on a server.

    The episode is over for an agent when its entity is removed. The infos of an agent have the reason of a `failure`
    of its action.
    """

    def __init__(
        self,
        environment: Learnable,
        parameters: Mapping[str, Any],
        *,
        seed: int,
        max_steps: int | None = None,
    ) -> None:
        self._episodes = Episodes(environment, parameters, seed=seed, max_steps=max_steps)
        self.name = self._episodes.name
        self._agents = [f"agent_{place}" for place in range(len(self._episodes.learners))]
        self._entities = [of.entity for of in self._episodes.learners]
        self._present: list[int] = []
        self._fresh = True

    def entities(self) -> list[str]:
        return list(self._entities)

    def possible_agents(self) -> list[str]:
        return list(self._agents)

    def present(self) -> list[str]:
        """Returns the agents for which the episode continues."""
        return [self._agents[place] for place in self._present]

    def encodings(self) -> list[Encoding]:
        return [of.encoding for of in self._episodes.learners]

    def goes_on(self) -> bool:
        return bool(self._present)

    def seed(self) -> int | None:
        return self._episodes.seed

    def record(self, path: Path) -> bool:
        raise NotImplementedError("a server records these environments")

    def mask(self, agent: int) -> npt.NDArray[np.bool_]:
        return self._episodes.mask(agent)

    def reset(self, seed: int | None = None) -> tuple[dict[str, Array], dict[str, dict[str, Any]]]:
        episodes = self._episodes
        if seed is not None or not self._fresh:
            episodes.begin(seed)
        self._fresh = False
        self._present = [] if episodes.is_over else list(range(len(self._agents)))
        infos = self._infos(range(len(self._agents)))
        for info in infos.values():
            info["seed"] = episodes.seed
        return dict(zip(self._agents, episodes.observations)), infos

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[dict[str, Array], dict[str, float], dict[str, bool], dict[str, bool], dict[str, dict[str, Any]]]:
        episodes, present = self._episodes, self._present
        episodes.act(self._read(actions))
        over = episodes.is_over
        self._present = [] if over else [place for place in present if not episodes.terminated[place]]
        infos = self._infos(present)
        results = {"results": episodes.results()} if over else {}
        for place in present:
            if over or episodes.terminated[place]:
                ending = episodes.ending or ("terminated" if episodes.terminated[place] else "truncated")
                counted = {"ending": ending, "return": episodes.returns[place], "steps": episodes.steps}
                infos[self._agents[place]] |= counted | results

        def told(values: list[Any]) -> dict[str, Any]:
            return {self._agents[place]: values[place] for place in present}

        return (
            told(episodes.observations),
            told(episodes.rewards),
            told(episodes.terminated),
            told(episodes.truncated),
            infos,
        )

    def state(self) -> Array:
        observations = self._episodes.observations
        if len({of.shape for of in observations}) == 1:
            return np.stack(observations)
        return np.concatenate([of.ravel() for of in observations])

    def save(self) -> bytes:
        return self._episodes.save()

    def is_fresh(self) -> bool:
        return self._fresh

    def load(self, state: bytes, fresh: bool = False) -> None:
        episodes = self._episodes
        episodes.load(state)
        self._fresh = fresh
        present = [place for place, gone in enumerate(episodes.terminated) if not gone]
        self._present = [] if fresh or episodes.is_over else present

    def scene(self, viewer: int | None = None) -> Scene:
        return self._episodes.scene()

    def close(self) -> None:
        self._episodes.close()

    def _read(self, actions: Mapping[str, int]) -> list[int]:
        """Returns the number of the action of each learner."""
        if not self._present:
            raise ValueError("the episode is over, or has not begun; call reset()")
        chosen = [0] * len(self._agents)
        if actions.keys() != {self._agents[place] for place in self._present}:
            raise ValueError(f"there must be an action for each of {', '.join(self.present())}")
        for place in self._present:
            agent = self._agents[place]
            number = read_number(f"the action of agent {agent}", actions[agent])
            if not 0 <= number < (count := len(self._episodes.learners[place].actions)):
                raise ValueError(f"{number} is not an action of agent {agent}; its actions are 0 to {count - 1}")
            chosen[place] = number
        return chosen

    def _infos(self, places: Any) -> dict[str, dict[str, Any]]:
        infos: dict[str, dict[str, Any]] = {self._agents[place]: {} for place in places}
        for place in places:
            info, mask = infos[self._agents[place]], self._episodes.mask(place)
            if not mask.all():
                info["action_mask"] = mask.astype(np.int8)
            if (failure := self._episodes.failures.get(self._entities[place])) is not None:
                info["failure"] = failure
        return infos
