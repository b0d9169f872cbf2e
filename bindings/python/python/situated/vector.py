"""Many episodes of one environment, stepped together: arrays in, arrays out."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from situated._native import Scene, Vector, encoded_environments
from situated.iil import Parameter
from situated.registry import find

Autoreset = Literal["next_step", "same_step", "disabled"]
Array = npt.NDArray[Any]


class VectorEnv:
    """Many episodes of one environment. Arrays have the shape `[env, agent, ...]`.

    What an env does depends neither on the number of envs nor on that of threads. With `copy=True`, every step
    returns arrays of its own; otherwise each overwrites those of the last.
    """

    def __init__(
        self,
        name: str,
        num_envs: int,
        *,
        threads: int = 1,
        seed: int | None = None,
        autoreset: Autoreset = "next_step",
        max_cycles: int | None = None,
        copy: bool = True,
        tables: bool = True,
        **parameters: Parameter,
    ) -> None:
        if (registered := find(name)) is not None:
            encoded = ", ".join(encoded_environments())
            raise ValueError(f"{registered} has no encoding, which vectors need; there are vectors of {encoded}")
        self._native = Vector(
            name,
            num_envs,
            parameters,
            threads=threads,
            seed=seed,
            autoreset=autoreset,
            max_steps=max_cycles,
            tables=tables,
        )
        self._settings = {"threads": threads, "autoreset": autoreset, "max_cycles": max_cycles, "tables": tables}
        self.name = name
        self.num_envs = num_envs
        self.parameters = parameters
        self.copy = copy
        self.autoreset = autoreset
        self.metadata = {"name": name, "autoreset_mode": autoreset}
        self.possible_agents: list[str] = self._native.agents()
        self.observation_shape, self.observation_dtype, self.low, self.high, self.actions = self._native.encoding()
        self._take_arrays()

    @property
    def num_agents(self) -> int:
        """How many agents each env has."""
        return len(self.possible_agents)

    @property
    def states(self) -> int | None:
        """How many states the table has that stands in for the rules; none where the rules are computed."""
        return self._native.states()

    @property
    def single_observation_space(self) -> Any:
        """What one agent can observe (it needs gymnasium)."""
        from gymnasium import spaces

        return spaces.Box(self.low, self.high, self.observation_shape, np.dtype(self.observation_dtype).type)

    @property
    def single_action_space(self) -> Any:
        """What one agent can do (it needs gymnasium)."""
        from gymnasium import spaces

        return spaces.Discrete(len(self.actions))

    def reset(
        self, *, seed: int | None = None, mask: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Array, dict[str, Array]]:
        """Begins new episodes in the envs that the mask chooses, in all without one.

        With a seed, episodes are counted anew from this one: each env has its own, which follows from it.
        """
        if self.copy:
            self._renew()
        self._native.reset(seed, mask)
        return self._observations, {"action_mask": self._masks}

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Array]]:
        """Does the actions `[env, agent]` (uint8, int32 or int64): observations, rewards, terminated, truncated, infos.

        Infos have `action_mask`, and, with autoreset in the same step, `final_obs` and `_final_obs` (of which envs).
        Raises `ValueError` for a wrong dtype, shape or action; nothing has changed then.
        """
        if self.copy:
            self._renew()
        self._native.step(actions)
        return self._observations, self._rewards, self._terminated, self._truncated, self._infos

    def bind(
        self,
        *,
        actions: Array,
        observations: Array,
        rewards: Array,
        terminated: Array,
        truncated: Array,
        masks: Array | None = None,
    ) -> None:
        """From now on, `run` reads actions from and writes results to these arrays, which are kept."""
        self.copy = False
        self._native.bind(
            actions=actions,
            observations=observations,
            rewards=rewards,
            terminated=terminated,
            truncated=truncated,
            masks=masks,
        )
        self._take_arrays()

    def run(self) -> None:
        """Does one step in the arrays that were bound."""
        self._native.run()

    def seed_of(self, env: int) -> int | None:
        """The seed of the present episode of an env."""
        return self._native.seed(env)

    def get_state(self, env: int | None = None) -> bytes:
        """The whole state, of an env or of all."""
        return self._native.save(env)

    def set_state(self, state: bytes, env: int | None = None) -> Array:
        """Goes on where a state was got; the observations there. Raises `ValueError` if it is no such state."""
        if self.copy:
            self._renew()
        self._native.load(state, env)
        observations: Array = self._observations
        return observations

    def scene(self, env: int = 0, agent: str | None = None) -> Scene:
        """What the world of an env looks like, as a whole or as an agent may see it."""
        return self._native.scene(env, None if agent is None else self.possible_agents.index(agent))

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = {**self._settings, "copy": self.copy, **self.parameters}
        return _remake, (self.name, self.num_envs, arguments, self.get_state())

    def _renew(self) -> None:
        self._native.renew()
        self._take_arrays()

    def _take_arrays(self) -> None:
        (
            self._observations,
            self._rewards,
            self._terminated,
            self._truncated,
            self._masks,
            final_observations,
            final_mask,
        ) = self._native.arrays()
        self._infos = {"action_mask": self._masks}
        if final_mask is not None:
            self._infos |= {"final_obs": final_observations, "_final_obs": final_mask}

    def __repr__(self) -> str:
        return f"<{self.num_envs} envs of {self.name} with {self.num_agents} agents each>"


def make_vec(name: str, num_envs: int, **arguments: Any) -> VectorEnv:
    """Many episodes of an environment; see `VectorEnv` for the arguments."""
    return VectorEnv(name, num_envs, **arguments)


def _remake(name: str, num_envs: int, arguments: dict[str, Any], state: bytes) -> VectorEnv:
    """The vector that was pickled."""
    vector = VectorEnv(name, num_envs, **arguments)
    vector.set_state(state)
    return vector
