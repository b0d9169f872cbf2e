"""Environments for PettingZoo: parallel (all agents act at once) and AEC (agents act in turns).

PettingZoo 1.27 and later have a registry, in which this module registers every environment with an encoding:
`find-goals` is `situated/FindGoals-v0`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from situated._native import Parallel, Scene, encoded_environments
from situated.extras import extra
from situated.iil import Parameter
from situated.registry import Registered, find

with extra("pettingzoo"):
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils.conversions import aec_to_parallel, parallel_to_aec

RENDER_MODES = ["ansi", "rgb_array", "human"]


class ParallelEnvironment(ParallelEnv[str, np.ndarray[Any, Any], int]):
    """An environment of this package in which all agents act at once.

    Observations are arrays as in the environment's encoding, and actions are numbers. An info has an `action_mask` if
    some actions are not possible. `actions` has the names of the numbers, and `entities` the entity of each agent.
    Episodes are truncated after `max_cycles` steps.
    """

    def __init__(
        self, name: str, *, max_cycles: int | None = None, render_mode: str | None = None, **parameters: Parameter
    ) -> None:
        self._native = Parallel(name, parameters, max_steps=max_cycles)
        self._arguments = {"name": name, "max_cycles": max_cycles, "render_mode": render_mode, **parameters}
        self.name = name
        self.max_cycles = max_cycles
        self.render_mode = _checked(render_mode)
        self.metadata = {"render_modes": RENDER_MODES, "name": _identifier(name), "is_parallelizable": True}
        self.possible_agents = self._native.possible_agents()
        self.entities = dict(zip(self.possible_agents, self._native.entities()))
        shape, dtype, low, high, self.actions = self._native.encoding()
        kind = np.dtype(dtype).type
        self.observation_spaces = {agent: spaces.Box(low, high, shape, kind) for agent in self.possible_agents}
        self.action_spaces = {agent: spaces.Discrete(len(self.actions)) for agent in self.possible_agents}
        self.state_space = spaces.Box(low, high, (len(self.possible_agents), *shape), kind)
        self._window = _Window(name) if render_mode == "human" else None
        # A step calls this without further lookups.
        self._step = self._native.step

    @property
    def agents(self) -> list[str]:
        """The agents of the present episode; empty when it is over."""
        return list(self.possible_agents) if self._native.goes_on() else []

    @agents.setter
    def agents(self, agents: list[str]) -> None:
        raise AttributeError("the agents follow from the episode and cannot be set")

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray[Any, Any]], dict[str, dict[str, Any]]]:
        """Begins a new episode. By default, the seed follows from the last."""
        outputs = self._native.reset(seed)
        self._show()
        return outputs

    def step(self, actions: Mapping[str, int]) -> Any:
        """Lets all agents act. Returns observations, rewards, terminations, truncations and infos, each by agent."""
        outputs = self._step(actions)
        if self._window is not None:
            self._show()
        return outputs

    def observation_space(self, agent: str) -> spaces.Box:
        """Returns the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Returns the action space of an agent."""
        return self.action_spaces[agent]

    def state(self) -> np.ndarray[Any, Any]:
        """Returns the observations of all agents, with the shape [agent, ...]."""
        return self._native.state()

    def scene(self, agent: str | None = None) -> Scene:
        """Returns the scene, as a whole or as an agent may see it."""
        return self._native.scene(None if agent is None else self.possible_agents.index(agent))

    def render(self) -> Any:
        """Renders the scene as the render mode says: as text, as an array [height, width, 3], or in a window."""
        return _render(self.render_mode, self.scene, self._window)

    def close(self) -> None:
        """Closes the window, if there is one."""
        if self._window is not None:
            self._window.close()

    def get_state(self) -> bytes:
        """Returns the whole state, for this environment or another one with the same parameters."""
        return self._native.save()

    def set_state(self, state: bytes) -> None:
        """Restores a state. Raises `ValueError` for an invalid state."""
        self._native.load(state)

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (self._arguments, self.get_state())

    def _show(self) -> None:
        if self._window is not None:
            self.render()

    def _repr_html_(self) -> str:
        return f"<p>{self.metadata['name']}</p>{self.scene().svg()}"


class PixelEnvironment(ParallelEnvironment):
    """Version of `ParallelEnvironment` in which agents observe pictures of the shape [height, width, 3].

    `pixels` is the number of pixels for each unit of the scene.
    """

    def __init__(self, name: str, *, pixels: int, **arguments: Any) -> None:
        super().__init__(name, **arguments)
        self._pixels = pixels
        self._arguments["pixels"] = pixels
        self.observation_spaces = {
            agent: spaces.Box(0, 255, image.shape, np.uint8)
            for agent, image in self._images(self.possible_agents).items()
        }
        self.state_space = spaces.Box(0, 255, self.state().shape, np.uint8)

    def reset(
        self, seed: int | None = None, options: dict[str, Any] | None = None
    ) -> tuple[dict[str, np.ndarray[Any, Any]], dict[str, dict[str, Any]]]:
        """Begins a new episode. By default, the seed follows from the last."""
        observations, infos = super().reset(seed, options)
        return self._images(observations), infos

    def step(self, actions: Mapping[str, int]) -> Any:
        """Lets all agents act. Returns observations, rewards, terminations, truncations and infos, each by agent."""
        observations, *outputs = super().step(actions)
        return self._images(observations), *outputs

    def state(self) -> np.ndarray[Any, Any]:
        """Returns a picture of the whole environment."""
        return self.scene().pixels(self._pixels)

    def _images(self, agents: Iterable[str]) -> dict[str, np.ndarray[Any, Any]]:
        return {agent: self.scene(agent).pixels(self._pixels) for agent in agents}


class TurnEnvironment(AECEnv[str, np.ndarray[Any, Any], Any]):
    """Version of `ParallelEnvironment` in turns: agents choose one after another, and all act after the last choice."""

    def __init__(self, name: str, **arguments: Any) -> None:
        self._parallel = parallel = _encoded(name, **arguments)
        self.metadata = parallel.metadata
        self.name = name
        self.actions = parallel.actions
        self.entities = parallel.entities
        self.render_mode = parallel.render_mode
        self.max_cycles = parallel.max_cycles
        self.possible_agents = parallel.possible_agents
        self.observation_spaces = parallel.observation_spaces
        self.action_spaces = parallel.action_spaces
        self.state_space = parallel.state_space
        self.agents: list[str] = []
        self._chosen: dict[str, int] = {}

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> None:
        """Begins a new episode. By default, the seed follows from the last."""
        self._observations, self.infos = self._parallel.reset(seed, options)
        self.agents = list(self.possible_agents)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._chosen = {}
        self.agent_selection = self.agents[0]

    def step(self, action: int | None) -> None:
        """Chooses for the selected agent; `None` if the episode is over for it."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        space = self.action_spaces[agent]
        if action is None or not space.contains(action):
            raise ValueError(f"{action!r} is not an action of agent {agent}; its actions are 0 to {space.n - 1}")
        self._cumulative_rewards[agent] = 0.0
        self._chosen[agent] = action
        if len(self._chosen) < len(self.agents):
            self._clear_rewards()
            self.agent_selection = self.agents[len(self._chosen)]
            return
        chosen, self._chosen = self._chosen, {}
        self._observations, self.rewards, self.terminations, self.truncations, self.infos = self._parallel.step(chosen)
        self._accumulate_rewards()
        self.agent_selection = self.agents[0]

    def observe(self, agent: str) -> np.ndarray[Any, Any]:
        """Returns the observation of an agent."""
        return self._observations[agent]

    def observation_space(self, agent: str) -> spaces.Box:
        """Returns the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Returns the action space of an agent."""
        return self.action_spaces[agent]

    def state(self) -> np.ndarray[Any, Any]:
        """Returns the observations of all agents, with the shape [agent, ...]."""
        return self._parallel.state()

    def scene(self, agent: str | None = None) -> Scene:
        """Returns the scene, as a whole or as an agent may see it."""
        return self._parallel.scene(agent)

    def render(self) -> Any:
        """Renders the scene as the render mode says: as text, as an array [height, width, 3], or in a window."""
        return self._parallel.render()

    def _repr_html_(self) -> str:
        return self._parallel._repr_html_()

    def close(self) -> None:
        """Closes the window, if there is one."""
        self._parallel.close()


def parallel_env(name: str, *, pixels: int | None = None, **arguments: Any) -> ParallelEnv[Any, Any, Any]:
    """Creates a parallel environment.

    For one that ships with this package, the arguments are those of `ParallelEnvironment`; with `pixels`, agents
    observe pictures with this number of pixels for each unit of the scene. The function of another package gets all
    arguments; an environment in turns is converted to a parallel one.
    """
    if pixels is not None:
        arguments["pixels"] = pixels
    if (registered := find(name)) is not None:
        made = _made(registered, arguments)
        return made if isinstance(made, ParallelEnv) else aec_to_parallel(made)
    return _encoded(name, **arguments)


def aec_env(name: str, **arguments: Any) -> AECEnv[Any, Any, Any]:
    """Creates an environment in turns; see `parallel_env` for the arguments."""
    if (registered := find(name)) is not None:
        made = _made(registered, arguments)
        return made if isinstance(made, AECEnv) else parallel_to_aec(made)
    return TurnEnvironment(name, **arguments)


def _encoded(name: str, **arguments: Any) -> ParallelEnvironment:
    """Creates an environment that ships with this package."""
    return (PixelEnvironment if "pixels" in arguments else ParallelEnvironment)(name, **arguments)


def _made(registered: Registered, arguments: Mapping[str, Any]) -> ParallelEnv[Any, Any, Any] | AECEnv[Any, Any, Any]:
    """Creates an environment of another package."""
    made, _ = registered.make(arguments)
    if not isinstance(made, (ParallelEnv, AECEnv)):
        raise TypeError(f"{registered} is not an environment of PettingZoo; use `situated.Environment`")
    return made


def _remake(arguments: dict[str, Any], state: bytes) -> ParallelEnvironment:
    """Restores a pickled environment."""
    environment = _encoded(**arguments)
    environment.set_state(state)
    return environment


class _Window:
    """A window with this title that opens with the first scene. It needs matplotlib and a display."""

    def __init__(self, title: str) -> None:
        self._title = title
        self._image: Any = None

    def show(self, scene: Scene) -> None:
        """Shows a scene in place of the last one."""
        with extra("window"):
            from matplotlib import pyplot

        pixels = scene.pixels()
        if self._image is None:
            # Each environment has its own window.
            figure, axes = pyplot.subplots(frameon=False)
            if figure.canvas.manager is not None:
                figure.canvas.manager.set_window_title(self._title)
            axes.set_axis_off()
            self._image = axes.imshow(pixels)
        else:
            self._image.set_data(pixels)
        figure = self._image.figure
        figure.canvas.draw_idle()
        figure.canvas.flush_events()

    def close(self) -> None:
        """Closes the window."""
        if self._image is not None:
            from matplotlib import pyplot

            pyplot.close(self._image.figure)
            self._image = None


def _render(mode: str | None, scene: Any, window: _Window | None) -> Any:
    if mode == "ansi":
        return scene().text(colored=True)
    if mode == "rgb_array":
        return scene().pixels()
    if window is not None:
        window.show(scene())
    return None


def _checked(mode: str | None) -> str | None:
    if mode is not None and mode not in RENDER_MODES:
        raise ValueError(f"unknown render_mode {mode!r}; use one of {', '.join(RENDER_MODES)}")
    return mode


def _identifier(name: str) -> str:
    """`find-goals` is `find_goals_v0`."""
    return f"{name.replace('-', '_')}_v0"


def _register() -> None:
    try:
        from pettingzoo.env_registry.registration import aec_registry, parallel_registry, register
    except ModuleNotFoundError:
        return
    for name in encoded_environments():
        camel = "".join(part.capitalize() for part in name.split("-"))
        id = f"situated/{camel}-v0"
        if id not in parallel_registry:
            register("parallel", id, "situated.pettingzoo:parallel_env", kwargs={"name": name})
        if id not in aec_registry:
            register("aec", id, "situated.pettingzoo:aec_env", kwargs={"name": name})


_register()
