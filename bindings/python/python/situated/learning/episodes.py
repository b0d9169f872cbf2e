"""Episodes of an environment written in Python or on a server, one after another, in numbers."""

from __future__ import annotations

import pickle
from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from situated._native import Scene, next_seed
from situated.authoring import Failure, PythonEnvironment, as_environment, reports
from situated.authoring.provider import Provider
from situated.encoding import Encoding
from situated.environment import Environment
from situated.iil import Action, Parameter, Percept

from .encoding import Percepts, choices, entity_types, tells_rewards, without_numbers
from .on_server import OnServer

Array: TypeAlias = npt.NDArray[Any]

Learnable: TypeAlias = PythonEnvironment | type[PythonEnvironment] | partial[OnServer]
"""An environment written in Python, its class, or what creates one on a server from its parameters."""


class Learner:
    """An entity that a learner controls: its actions, and the encoding of what it observes."""

    def __init__(
        self,
        entity: str,
        actions: Sequence[Action],
        encoding: Encoding,
        percepts: Percepts | None,
        receives_rewards: bool,
    ) -> None:
        self.entity = entity
        self.actions = actions
        self.encoding = encoding
        self.dtype = np.dtype(encoding.dtype)
        self.low, self.high = float(np.float32(encoding.low)), float(np.float32(encoding.high))
        """The bounds of its observations, as `float32` represents them."""
        self.percepts = percepts
        """The places of percepts; None if the environment observes for the learner."""
        self.receives_rewards = receives_rewards
        """Whether its rewards are events that it receives."""


class Episodes:
    """One episode after another. The learners are the entities with actions at the beginning of an episode.

    In a step, all learners act, and then time advances. An episode is truncated after `max_steps` steps.
    """

    def __init__(
        self,
        environment: Learnable,
        parameters: Mapping[str, Any],
        *,
        seed: int,
        max_steps: int | None,
    ) -> None:
        self._parameters: Mapping[str, Parameter] = {}
        if isinstance(environment, partial):
            # The server checks the parameters.
            self.environment: PythonEnvironment = environment(parameters)
        else:
            self.environment = as_environment(environment() if isinstance(environment, type) else environment)
            # The interface checks the parameters, and adds those with a default.
            self._parameters = Environment(self.environment, seed=seed, parameters=parameters).parameters
        of = type(self.environment)
        self.name = str(self.environment.ontology["name"])
        self._most = max_steps
        self._provider = Provider(self.environment)
        self._rewards_itself = of.reward is not PythonEnvironment.reward
        self._types = entity_types(self.environment.ontology)
        are_told = any(map(tells_rewards, self._types.values()))
        if not (self._rewards_itself or are_told) and of.results is PythonEnvironment.results:
            raise TypeError(
                f"{of.__name__} has neither rewards nor results, so nothing can be learned; define "
                "`def reward(self, entity)`, the reward of the last step"
            )
        self._has_masks = of.possible is not PythonEnvironment.possible
        self.begin(seed)
        self.learners = self._find_learners()
        if not self.learners:
            raise ValueError(
                f"{self.name} has no entities with actions that have numbers at the beginning of an episode"
                f"{self._why_without_numbers()}"
            )
        if of.observe is PythonEnvironment.observe:
            self._look()
        else:
            # It was observed for the form of its observations, and may draw random numbers for each.
            self.begin(self.seed)
        self._provider.keep()

    def begin(self, seed: int | None = None) -> None:
        """Begins the episode with this seed, by default the next one."""
        seed = next_seed(self.seed) if seed is None else seed
        self._provider.begin(seed, self._parameters)
        self.seed: int = seed
        self.steps = 0
        self.ending: str | None = None
        self.is_over = False
        self.failures: dict[str, str] = {}
        self._acting: set[str] = set()
        self._scores: dict[str, float] = {}
        if hasattr(self, "learners"):
            wanted = [one.entity for one in self.learners]
            if not all(entity in self.environment.entities for entity in wanted):
                raise ValueError(
                    f"this episode of {self.name} begins without some of the entities {', '.join(wanted)}; learners "
                    "need the same ones in each episode"
                )
            self._look()

    def act(self, actions: Sequence[int]) -> None:
        """Lets each learner execute the action with its number. The number of one that has left is ignored."""
        environment, self.failures = self.environment, {}
        self._acting = set(environment.entities)
        for learner, number in zip(self.learners, actions):
            entity = learner.entity
            if entity not in environment.entities:
                continue
            try:
                environment.act(entity, learner.actions[number])
            except (Failure, NotImplementedError) as failure:
                self.failures[entity] = str(failure)
        environment.step()
        if isinstance(environment, OnServer):
            self.failures = environment.failures
        self.steps += 1
        self._look()

    def mask(self, learner: int) -> npt.NDArray[np.bool_]:
        """Returns whether each action of a learner is possible now."""
        of = self.learners[learner]
        if not self._has_masks or of.entity not in self.environment.entities:
            return np.ones(len(of.actions), np.bool_)
        possible = self.environment.possible
        return np.array([possible(of.entity, action) for action in of.actions], np.bool_)

    def results(self) -> dict[str, dict[str, Parameter]]:
        """Returns the results so far, by entity or group."""
        results: dict[str, dict[str, Parameter]] = {}
        for of, name, value in reports.results(self.environment):
            results.setdefault(of, {})[name] = value
        return results

    def scene(self) -> Scene:
        """Returns the scene. Raises `ValueError` if there is none."""
        scene = self.environment.scene()
        if scene is None:
            raise ValueError(f"{self.name} has no scene; define `def scene(self)`, which returns a situated.Scene")
        return scene

    def save(self) -> bytes:
        """Returns the whole state, pickled."""
        told = self.observations, self.rewards, self.returns
        return pickle.dumps((self.environment, self.seed, self.steps, self._scores, told))

    def load(self, state: bytes) -> None:
        """Restores a state, which runs code of it. Raises `ValueError` for one of another environment."""
        saved = pickle.loads(state)
        if not isinstance(saved, tuple) or type(saved[0]) is not type(self.environment):
            raise ValueError(f"this is not a saved state of {self.name}")
        # The learners may hold the environment.
        vars(self.environment).clear()
        vars(self.environment).update(vars(saved[0]))
        # Observations are restored, since events were part of them, and observing may draw random numbers.
        _, self.seed, self.steps, self._scores, (self.observations, self.rewards, self.returns) = saved
        self.failures = {}
        self._see_ending()

    def leave(self) -> None:
        """Begins to close."""
        if isinstance(self.environment, OnServer):
            self.environment.leave()

    def close(self) -> None:
        """Ends the session with a server, if there is one."""
        if isinstance(self.environment, OnServer):
            self.environment.close()

    def _look(self) -> None:
        """Reads everything that the learners are told about the last step."""
        environment, entities = self.environment, self.environment.entities
        self._see_ending()
        events: dict[str, list[Percept]] = {}
        for entity, event in environment.take_events():
            if entity not in entities and entity not in self._acting:
                raise ValueError(f"`tell` has sent {event} to {entity!r}, which is not an entity")
            events.setdefault(entity, []).append(event)
        if self.steps == 0:
            self.observations = [np.zeros(one.encoding.shape, one.encoding.dtype) for one in self.learners]
            self.returns = [0.0] * len(self.learners)
        for place, learner in enumerate(self.learners):
            entity = learner.entity
            if entity in entities:
                if learner.percepts is None:
                    self.observations[place] = self._observe(learner)
                else:
                    holding = [*reports.percepts(environment, entity), *events.get(entity, ())]
                    self.observations[place] = learner.percepts.observe(holding)
        self.rewards = self._read_rewards(events)
        if self.steps > 0:
            self.returns = [total + reward for total, reward in zip(self.returns, self.rewards)]

    def _see_ending(self) -> None:
        self.ending = reports.ending(self.environment)
        cut = self._most is not None and self.steps >= self._most
        entities = self.environment.entities
        self.terminated = [self.ending == "terminated" or one.entity not in entities for one in self.learners]
        self.truncated = [not gone and (cut or self.ending == "truncated") for gone in self.terminated]
        self.is_over = cut or self.ending is not None or all(self.terminated)

    def _observe(self, learner: Learner) -> Array:
        observed, dtype = _observed(self.environment, learner.entity)
        encoding = learner.encoding
        if observed.shape != encoding.shape or dtype != encoding.dtype:
            raise ValueError(
                f"observe({learner.entity!r}) returned an array of shape {list(observed.shape)} for {dtype}, and at "
                f"first one of shape {list(encoding.shape)} for {encoding.dtype}; return the same shape and type always"
            )
        observation = observed if observed.dtype == learner.dtype else observed.astype(learner.dtype)
        # NaN is the least number of its array, and within no bounds.
        if dtype == "float32" and observation.size:
            low, high, least = learner.low, learner.high, observation.item(observation.argmin())
            if not (low <= least and (high == np.inf or observation.item(observation.argmax()) <= high)):
                raise ValueError(
                    f"`{type(self.environment).__name__}.observe` returned numbers from {least:g} to "
                    f"{observation.max():g}; its `bounds` are {low:g} and {high:g}"
                )
        return observation

    def _read_rewards(self, events: Mapping[str, Sequence[Percept]]) -> list[float]:
        # An entity that the step has removed still gets its reward for it.
        has_acted = [self.steps > 0 and one.entity in self._acting for one in self.learners]
        if self._rewards_itself:
            reward = self.environment.reward
            return [float(reward(one.entity)) if acted else 0.0 for one, acted in zip(self.learners, has_acted)]
        # The first result of each entity or group.
        scores: dict[str, float] = {}
        for of, _, value in reports.results(self.environment):
            if of not in scores and isinstance(value, (int, float)):
                scores[of] = float(value)
        before, self._scores = self._scores, scores
        shared = [of for of in scores if of not in self.environment.entities]

        def gained(of: str) -> float:
            return scores[of] - before.get(of, 0.0)

        def received(of: str) -> float:
            rewards: list[Any] = [event.args[0] for event in events.get(of, ()) if event.name == "reward"]
            return float(sum(rewards))

        common = gained(shared[0]) if shared else 0.0

        def rewarded(one: Learner) -> float:
            if one.receives_rewards:
                return received(one.entity)
            return gained(one.entity) if one.entity in scores else common

        return [rewarded(one) if acted else 0.0 for one, acted in zip(self.learners, has_acted)]

    def _why_without_numbers(self) -> str:
        """Returns why the actions of the present entities have no numbers, as the end of an error."""
        types = dict.fromkeys(self.environment.entities.values())
        reasons = "; ".join(dict.fromkeys(why for of in types for why in without_numbers(self._types[of])))
        if not reasons:
            return ""
        remedy = "" if isinstance(self.environment, OnServer) else "; define `choices`, which returns some of them"
        return f", and learners choose actions by number: {reasons}{remedy}"

    def _find_learners(self) -> list[Learner]:
        environment, learners = self.environment, []
        by_hand = type(environment).observe is not PythonEnvironment.observe
        encodings: dict[str, tuple[Sequence[Action], Encoding, Percepts | None, bool]] = {}
        for entity, of in environment.entities.items():
            if of not in encodings:
                given = environment.choices(of)
                plain = [*map(self._provider.typed, choices(self._types[of]))]
                actions = plain if given is None else [self._provider.declared(one, "choices") for one in given]
                if not actions:
                    continue
                receives_rewards = tells_rewards(self._types[of])
                if by_hand:
                    (observed, dtype), words = _observed(environment, entity), tuple(map(str, actions))
                    low, high = (0.0, 255.0) if dtype == "uint8" else environment.bounds
                    encoding = Encoding(observed.shape, dtype, low, high, words, ())
                    encodings[of] = actions, encoding, None, receives_rewards
                else:
                    percepts = Percepts(self._types[of])
                    encodings[of] = actions, percepts.encoding(actions), percepts, receives_rewards
            learners.append(Learner(entity, *encodings[of]))
        return learners


def _observed(environment: PythonEnvironment, entity: str) -> tuple[Array, str]:
    """Returns what an entity observes, and the type of observations that it becomes."""
    # A copy, since the environment may go on with its array.
    observed = np.array(environment.observe(entity))
    dtype = _DTYPES.get(observed.dtype.char)
    if dtype is None:
        of = f"`{type(environment).__name__}.observe`"
        raise TypeError(f"{of} returned an array of {observed.dtype}; return one of uint8, or of numbers")
    return observed, dtype


_DTYPES = dict.fromkeys(np.typecodes["AllInteger"] + np.typecodes["Float"] + "?", "float32")
_DTYPES[np.dtype(np.uint8).char] = "uint8"
"""The type of observations that an array with this type code becomes."""
