"""Many episodes of one environment, stepped together: arrays in, arrays out."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from situated._native import Scene, Vector
from situated.authoring import PythonEnvironment
from situated.encoding import Encoding
from situated.extras import extra
from situated.iil import Parameter
from situated.learning import Learnable, WrittenVector, is_address, on_server
from situated.registry import find
from situated.settings import first_seed, no_agent, read_count, read_parameters, read_seed, with_suggestions

Autoreset = Literal["next_step", "same_step", "disabled"]
Array = npt.NDArray[Any]


class VectorEnv:
    """Many episodes of one environment. Arrays have the shape `[env, agent, ...]`.

    The environment is one that ships with this package or that another package registers, by its name, one that is
    written in Python or its class, or one on a server by its address, as in `situated.parallel_env`. Those that do not
    ship with this package can be stepped in other `processes`, which end with `close`, or with the vector. On a server,
    each env has an environment of its own, so the address of several names a kind.

    The episodes depend neither on the number of envs nor on the number of threads. The first episode of env `i` has the
    seed `seed + i`, and each later one a seed that follows from the last; without a seed, the system gives one. With
    `copy=True`, every step returns new arrays; otherwise it overwrites those of the last step. A parameter that is None
    is not given. Parameters whose names are arguments here, such as `seed`, are given in the dictionary `parameters`.

    With `outcomes=True`, infos tell how episodes went that have ended in the step: `ending`, `results`, `return` and
    `steps`, each with a mask of the envs that have them, `_ending` and so on. The vector then uses the rules instead of
    a table, which is slower where there is one.
    """

    @with_suggestions
    def __init__(
        self,
        name: str | PythonEnvironment | type[PythonEnvironment],
        num_envs: int,
        *,
        threads: int = 1,
        processes: int | None = None,
        seed: int | None = None,
        autoreset: Autoreset = "next_step",
        max_cycles: int | None = None,
        copy: bool = True,
        tables: bool = True,
        outcomes: bool = False,
        parameters: Mapping[str, Parameter | None] | None = None,
        **named: Parameter | None,
    ) -> None:
        if autoreset not in (modes := get_args(Autoreset)):
            raise ValueError(f"unknown autoreset {autoreset!r}; use {', '.join(modes)}")
        given: str | Learnable = name
        if is_address(name):
            given = on_server(name, named)
        self.parameters = left = read_parameters(parameters, named)
        if isinstance(given, str) and (registered := find(given)) is not None:
            given, others = registered.make_written(left)
            left = dict(others)
        envs, count = read_count("num_envs", num_envs), read_count("threads", threads)
        most = None if max_cycles is None else read_count("max_cycles", max_cycles)
        self._native: Vector | WrittenVector
        if isinstance(given, str):
            if processes is not None:
                raise ValueError(f"{given} runs on threads; use `threads` instead of `processes`")
            self._native = Vector(
                given,
                envs,
                left,
                seed=first_seed(seed),
                threads=count,
                autoreset=autoreset,
                max_steps=most,
                tables=tables,
                outcomes=outcomes,
            )
            encoding, self.name = Encoding(*self._native.encoding()), given
        else:
            self._native = WrittenVector(
                given,
                envs,
                left,
                seed=first_seed(seed),
                threads=count,
                processes=None if processes is None else read_count("processes", processes),
                autoreset=autoreset,
                max_steps=most,
            )
            encoding, self.name = self._native.encoding(), self._native.name
        self._settings = {"threads": threads, "autoreset": autoreset, "max_cycles": max_cycles, "tables": tables}
        self._settings |= {"outcomes": outcomes, "processes": processes}
        self._given = name
        self.num_envs = num_envs
        self.copy = copy
        self.autoreset = autoreset
        self.possible_agents: list[str] = self._native.agents()
        self.encoding = encoding
        self.observation_shape, self.observation_dtype = encoding.shape, encoding.dtype
        self.low, self.high, self.actions = encoding.low, encoding.high, list(encoding.actions)
        self._record = _Record(num_envs, len(self.possible_agents), autoreset) if outcomes else None
        self._take_arrays()

    @property
    def num_agents(self) -> int:
        """The number of agents of each env."""
        return len(self.possible_agents)

    @property
    def metadata(self) -> dict[str, Any]:
        """The name, and the `autoreset_mode` as Gymnasium has it. It needs gymnasium."""
        with extra("pettingzoo"):
            from gymnasium.vector import AutoresetMode

        return {"name": self.name, "autoreset_mode": AutoresetMode[self.autoreset.upper()]}

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

        With a seed, env `i` begins the episode with `seed + i`; otherwise each env begins its next episode, and at
        first the one with the seed of the vector. Infos have the `seed` of each env.
        """
        if self.copy:
            self._renew()
        self._native.reset(read_seed(seed), mask)
        if self._record is not None:
            self._record.begin(slice(None) if mask is None else mask)
        return self._observations, {"action_mask": self._masks, "seed": self._native.seeds()}

    def step(self, actions: Array) -> tuple[Array, Array, Array, Array, dict[str, Array]]:
        """Executes the actions `[env, agent]` (uint8, int32 or int64). Returns observations, rewards, terminated,
        truncated and infos.

        Actions can be a tensor of PyTorch on the processor, and are copied only if they are not in C order.
        Infos have `action_mask`, and with autoreset in the same step `final_obs` and its mask `_final_obs`. Raises
        `ValueError` for a wrong dtype, shape or action, and then changes nothing.
        """
        if self.copy:
            self._renew()
        self._native.step(np.ascontiguousarray(actions))
        if self._record is not None:
            ended = self._record.step(self._native, self._rewards, self._terminated, self._truncated)
            return self._observations, self._rewards, self._terminated, self._truncated, {**self._infos, **ended}
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
        """Sets the arrays from which `run` reads actions, and to which it writes results.

        They can be tensors of PyTorch on the processor, for example with `pin_memory=True`, which are then written in
        their place.
        """
        self._native.bind(
            actions=_shared(actions),
            observations=_shared(observations),
            rewards=_shared(rewards),
            terminated=_shared(terminated),
            truncated=_shared(truncated),
            masks=None if masks is None else _shared(masks),
        )
        self.copy = False
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
        if self._record is not None:
            self._record.begin(slice(None) if env is None else env)
        observations: Array = self._observations
        return observations

    def scene(self, env: int = 0, agent: str | None = None) -> Scene:
        """Returns the scene of an env, as a whole or as an agent may see it."""
        if agent is not None and agent not in self.possible_agents:
            raise ValueError(no_agent(agent, self.possible_agents))
        return self._native.scene(env, None if agent is None else self.possible_agents.index(agent))

    def __reduce__(self) -> tuple[Any, ...]:
        arguments = {**self._settings, "copy": self.copy, "parameters": self.parameters}
        return _remake, (self._given, self.num_envs, arguments, self.get_state(), self._native.is_fresh())

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

    def close(self) -> None:
        """Ends the processes of an environment written in Python, and the sessions with a server."""
        if isinstance(self._native, WrittenVector):
            self._native.close()

    def __repr__(self) -> str:
        return f"<{self.num_envs} envs of {self.name} with {self.num_agents} agents each>"


def _shared(array: Any) -> Any:
    """Returns a NumPy array with the memory of an array or tensor; anything else as it is, for an error."""
    return np.asarray(array) if hasattr(array, "__dlpack__") else array


class _Record:
    """The returns and steps of the episodes of a vector."""

    def __init__(self, envs: int, agents: int, autoreset: Autoreset) -> None:
        self._autoreset = autoreset
        self._returns = np.zeros((envs, agents))
        self._steps = np.zeros(envs, np.int64)
        # The envs in which the coming step only begins the next episode.
        self._over = np.zeros(envs, np.bool_)

    def begin(self, envs: Any) -> None:
        """Counts from 0 again in these envs."""
        self._returns[envs] = 0.0
        self._steps[envs] = 0
        self._over[envs] = False

    def step(
        self, native: Vector | WrittenVector, rewards: Array, terminated: Array, truncated: Array
    ) -> dict[str, Array]:
        """Counts a step. Returns the infos of the envs whose episodes it has ended, if there are any."""
        self._returns += rewards
        self._steps += 1
        self.begin(self._over.copy())
        over: Array = np.asarray((terminated | truncated).all(axis=1))
        if not over.any():
            return {}
        endings, results = np.full(over.shape, None), np.full(over.shape, None)
        for env in np.flatnonzero(over):
            by_rules, results[env] = native.outcome(int(env))
            endings[env] = by_rules or ("terminated" if terminated[env].any() else "truncated")
        returns, steps = np.where(over[:, None], self._returns, 0.0), np.where(over, self._steps, 0)
        if self._autoreset == "same_step":
            self.begin(over)
        else:
            self._over = over
        infos = {"ending": endings, "results": results, "return": returns, "steps": steps}
        return {**infos, **{f"_{name}": over for name in infos}}


def make_vec(
    name: str | PythonEnvironment | type[PythonEnvironment],
    num_envs: int,
    *,
    threads: int = 1,
    processes: int | None = None,
    seed: int | None = None,
    autoreset: Autoreset = "next_step",
    max_cycles: int | None = None,
    copy: bool = True,
    tables: bool = True,
    outcomes: bool = False,
    parameters: Mapping[str, Parameter | None] | None = None,
    **named: Parameter | None,
) -> VectorEnv:
    """Returns many episodes of an environment; see `VectorEnv` for the arguments."""
    return VectorEnv(
        name,
        num_envs,
        threads=threads,
        processes=processes,
        seed=seed,
        autoreset=autoreset,
        max_cycles=max_cycles,
        copy=copy,
        tables=tables,
        outcomes=outcomes,
        parameters=parameters,
        **named,
    )


def _remake(name: Any, num_envs: int, arguments: dict[str, Any], state: bytes, fresh: bool) -> VectorEnv:
    """Restores a pickled vector."""
    vector = VectorEnv(name, num_envs, **arguments)
    vector._native.load(state, fresh=fresh)
    return vector
