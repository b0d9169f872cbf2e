"""Environments for Gymnasium: those with one agent, and vectors.

`import situated` registers every environment with an encoding: `gymnasium.make("situated/Wumpus-v0")`, and without the
import `gymnasium.make("situated:situated/Wumpus-v0")`; likewise `gymnasium.make_vec`.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from situated._native import Scene
from situated.extras import extra
from situated.pettingzoo import RENDER_FPS, RENDER_MODES, AnyEnvironment, ParallelEnvironment, RenderMode, _found
from situated.registration import register
from situated.settings import read_size, with_suggestions
from situated.vector import Autoreset, VectorEnv

with extra("pettingzoo"):
    import gymnasium
    from gymnasium import spaces
    from gymnasium.vector.utils import batch_space

# Where the module of the registry is found in an unusual way, its import has not registered them.
register()

Array = npt.NDArray[Any]


class SingleEnvironment(gymnasium.Env[Array, int]):
    """An environment with one agent. The arguments are those of `situated.parallel_env`."""

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": RENDER_FPS}

    def __init__(self, name: AnyEnvironment, **arguments: Any) -> None:
        made, arguments = _found(name, **arguments)
        self._parallel = parallel = ParallelEnvironment(made, **arguments)
        self.name = parallel.name
        if len(parallel.possible_agents) != 1:
            raise ValueError(
                f"{self.name} has {len(parallel.possible_agents)} agents with these parameters, and Gymnasium has one; "
                "use situated.parallel_env, or a vector, in which each agent is an env"
            )
        (self._agent,) = parallel.possible_agents
        self.render_mode = parallel.render_mode
        self.metadata = {**self.metadata, "name": self.name}
        self.encoding = parallel.encoding
        self.actions = parallel.actions
        self.observation_space: spaces.Space[Array] = parallel.observation_space(self._agent)
        self.action_space: spaces.Space[Any] = parallel.action_space(self._agent)

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Array, dict[str, Any]]:
        """Begins a new episode. By default, the first seed comes from the system, and each later one follows from the
        last."""
        super().reset(seed=seed)
        observations, infos = self._parallel.reset(seed, options)
        return observations[self._agent], infos[self._agent]

    def step(self, action: int) -> tuple[Array, float, bool, bool, dict[str, Any]]:
        """Executes an action. Returns observation, reward, terminated, truncated and info."""
        agent = self._agent
        observations, rewards, terminations, truncations, infos = self._parallel.step({agent: action})
        return observations[agent], rewards[agent], terminations[agent], truncations[agent], infos[agent]

    def action_masks(self) -> npt.NDArray[np.bool_]:
        """Returns whether each action is possible now, as the MaskablePPO of Stable-Baselines3 wants it."""
        return self._parallel.action_masks(self._agent)

    def seed_of(self) -> int | None:
        """Returns the seed of the present episode; `reset` begins the same episode with it."""
        return self._parallel.seed_of()

    def scene(self) -> Scene:
        """Returns the scene."""
        return self._parallel.scene()

    def render(self) -> Any:
        """Renders the scene as the render mode says: as text, as an array [height, width, 3], or in a window."""
        return self._parallel.render()

    def close(self) -> None:
        """Closes the window, if there is one, and ends the session with a server."""
        self._parallel.close()

    def __repr__(self) -> str:
        return f"<{self.name} for Gymnasium>"


class GymnasiumVector(gymnasium.vector.VectorEnv[Array, Array, Array]):
    """A vector of Gymnasium, in which each agent of each episode is an env: the agents of episode 0, those of episode
    1, and so on.

    `num_envs` is the number of agents in all episodes, a multiple of the number of agents of an episode. `render_mode`
    and `render_size` are those of `situated.parallel_env`, the other arguments those of `situated.VectorEnv`, without
    `outcomes`.
    """

    metadata: dict[str, Any] = {"render_modes": ["rgb_array", "ansi"], "render_fps": RENDER_FPS}

    @with_suggestions
    def __init__(
        self,
        name: AnyEnvironment,
        num_envs: int,
        *,
        render_mode: RenderMode | None = None,
        render_size: tuple[int, int] | None = None,
        autoreset: Autoreset = "next_step",
        **arguments: Any,
    ) -> None:
        one = VectorEnv(name, 1, **{**arguments, **({"processes": None} if "processes" in arguments else {})})
        agents = len(one.possible_agents)
        one.close()
        if num_envs % agents:
            raise ValueError(
                f"num_envs must be a multiple of {agents}, the number of agents of {one.name}, not {num_envs}"
            )
        if render_mode not in (None, *self.metadata["render_modes"]):
            raise ValueError(f"unknown render_mode {render_mode!r} of a vector; use rgb_array or ansi")
        self.vector = VectorEnv(name, num_envs // agents, autoreset=autoreset, **arguments)
        self.num_envs = num_envs
        self.render_mode = render_mode
        self.render_size = read_size("render_size", render_size)
        self.metadata = {**self.metadata, **self.vector.metadata}
        self.encoding = self.vector.encoding
        self.actions = self.vector.actions
        self.single_observation_space = self.vector.single_observation_space
        self.single_action_space = self.vector.single_action_space
        self.observation_space = batch_space(self.single_observation_space, num_envs)
        self.action_space = batch_space(self.single_action_space, num_envs)

    def reset(
        self, *, seed: int | list[int] | None = None, options: dict[str, Any] | None = None
    ) -> tuple[Array, dict[str, Any]]:
        """Begins new episodes. `options` can have a `reset_mask` of the envs in which they begin; all agents of an
        episode are reset together."""
        if isinstance(seed, list):
            raise TypeError("seed must be one number; episode i begins with seed + i")
        mask = None if options is None or "reset_mask" not in options else self._read_mask(options["reset_mask"])
        observations, infos = self.vector.reset(seed=seed, mask=mask)
        return self._flat(observations), self._infos(infos)

    def step(self, actions: Any) -> tuple[Array, Array, Array, Array, dict[str, Any]]:
        """Executes an action of each env. Returns observations, rewards, terminated, truncated and infos."""
        rows = np.ascontiguousarray(actions).reshape(self.vector.num_envs, -1)
        try:
            observations, rewards, terminated, truncated, infos = self.vector.step(rows)
        except ValueError:
            self._check(rows.ravel())
            raise
        flat = self._flat
        return flat(observations), flat(rewards), flat(terminated), flat(truncated), self._infos(infos)

    def seed_of(self, env: int) -> int | None:
        """Returns the seed of the present episode of an env."""
        return self.vector.seed_of(env // self.vector.num_agents)

    def render(self) -> Any:
        """Renders the scene of each episode as the render mode says: as text, or as an array [height, width, 3]."""
        if self.render_mode is None:
            return None
        scenes = [self.vector.scene(env) for env in range(self.vector.num_envs)]
        if self.render_mode == "rgb_array":
            return tuple(scene.pixels(size=self.render_size) for scene in scenes)
        return tuple(scene.text(colored=True) for scene in scenes)

    def close_extras(self, **kwargs: Any) -> None:
        """Ends the processes of an environment written in Python, and the sessions with a server."""
        self.vector.close()

    def _check(self, actions: Array) -> None:
        """Raises `ValueError` for an action that does not exist, with its env as Gymnasium counts them."""
        wrong = np.flatnonzero((actions < 0) | (actions >= len(self.actions)))
        if wrong.size and actions.dtype.kind in "iu":
            raise ValueError(
                f"{actions[wrong[0]]} is not an action of env {wrong[0]}; its actions are 0 to {len(self.actions) - 1}"
            )

    def _flat(self, array: Array) -> Array:
        return array.reshape(self.num_envs, *array.shape[2:])

    def _infos(self, infos: dict[str, Array]) -> dict[str, Any]:
        """Returns the infos with a row for each env. What the agents of an episode share is repeated. Masks have the
        type that `sample` of a space takes."""
        agents = self.vector.num_agents
        per_agent = ("action_mask", "final_obs", "return")
        rows = {
            name: self._flat(array) if name in per_agent else np.repeat(array, agents) for name, array in infos.items()
        }
        return {**rows, "action_mask": rows["action_mask"].view(np.int8)}

    def _read_mask(self, mask: Any) -> npt.NDArray[np.bool_]:
        rows = np.asarray(mask, np.bool_).reshape(self.vector.num_envs, -1)
        if (rows.any(axis=1) != rows.all(axis=1)).any():
            raise ValueError("reset_mask must have the same value for all agents of an episode")
        return np.ascontiguousarray(rows.all(axis=1))
