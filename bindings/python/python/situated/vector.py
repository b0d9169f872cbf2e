"""Many episodes of one environment, stepped together: arrays in, arrays out."""

from __future__ import annotations

from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from situated._native import Scene, Vector, encoded_environments
from situated.extras import extra
from situated.iil import Parameter
from situated.registry import find

Autoreset = Literal["next_step", "same_step", "disabled"]
Array = npt.NDArray[Any]


class VectorEnv:
    """Many episodes of one environment. Arrays have the shape `[env, agent, ...]`.

    The episodes depend neither on the number of envs nor on the number of threads. With `copy=True`, every step returns
    new arrays; otherwise it overwrites those of the last step.
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
        """The number of agents of each env."""
        return len(self.possible_agents)

    @property
    def states(self) -> int | None:
        """The number of states in the table that replaces the rules; None where the rules are computed."""
        return self._native.states()

    @property
    def single_observation_space(self) -> Any:
        """The observation space of one agent. It needs gymnasium."""
        with extra("pettingzoo"):
            from gymnasium import spaces

        return spaces.Box(self.low, self.high, self.observation_shape, np.dtype(self.observation_dtype).type)

    @property
    def single_action_space(self) -> Any:
        """The action space of one agent. It needs gymnasium."""
        with extra("pettingzoo"):
            from gymnasium import spaces

        return spaces.Discrete(len(self.actions))

    def reset(
        self, *, seed: int | None = None, mask: npt.NDArray[np.bool_] | None = None
    ) -> tuple[Array, dict[str, Array]]:
        """Begins new episodes in the envs that the mask chooses, by default in all.

        With a seed, the episodes are counted from it again: the seed of each env follows from it.
        """
        if self.copy:
            self._renew()
        self._native.reset(seed, mask)
        return self._observations, {"action_mask": self._masks}

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Array]]:
        """Executes the actions `[env, agent]` (uint8, int32 or int64). Returns observations, rewards, terminated,
        truncated and infos.

        Infos have `action_mask`, and with autoreset in the same step `final_obs` and its mask `_final_obs`. Raises
        `ValueError` for a wrong dtype, shape or action, and then changes nothing.
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
        """Sets the arrays from which `run` reads actions, and to which it writes results."""
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
        """Makes one step with the arrays of `bind`."""
        self._native.run()

    def seed_of(self, env: int) -> int | None:
        """Returns the seed of the present episode of an env."""
        return self._native.seed(env)

    def get_state(self, env: int | None = None) -> bytes:
        """Returns the whole state of an env, or of all."""
        return self._native.save(env)

    def set_state(self, state: bytes, env: int | None = None) -> Array:
        """Restores a state; returns the observations. Raises `ValueError` for an invalid state."""
        if self.copy:
            self._renew()
        self._native.load(state, env)
        observations: Array = self._observations
        return observations

    def scene(self, env: int = 0, agent: str | None = None) -> Scene:
        """Returns the scene of an env, as a whole or as an agent may see it."""
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
    """Returns many episodes of an environment; see `VectorEnv` for the arguments."""
    return VectorEnv(name, num_envs, **arguments)


def _remake(name: str, num_envs: int, arguments: dict[str, Any], state: bytes) -> VectorEnv:
    """Restores a pickled vector."""
    vector = VectorEnv(name, num_envs, **arguments)
    vector.set_state(state)
    return vector
