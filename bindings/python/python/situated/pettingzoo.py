"""Environments for PettingZoo: parallel (all agents act at once) and AEC (agents act in turns).

PettingZoo 1.27 and later have a registry, in which this module registers every environment with an encoding:
`find-goals` is `situated/FindGoals-v0`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, get_args

import numpy as np

from situated._native import Parallel, Scene, encoded_environments
from situated.authoring import PythonEnvironment
from situated.encoding import Encoding
from situated.extras import extra
from situated.iil import Parameter
from situated.learning import WrittenParallel, is_address
from situated.registry import find
from situated.settings import first_seed, read_count, read_seed, read_size

with extra("pettingzoo"):
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils.conversions import aec_to_parallel, parallel_to_aec

RenderMode: TypeAlias = Literal["ansi", "rgb_array", "human"]
"""The way in which an environment is rendered: as text, as an array [height, width, 3], or in a window."""

Masks: TypeAlias = Literal["infos", "observation", "only"]
"""Where learners find which actions are possible: in the infos where some are not, beside each observation, or always
in the infos, which then have nothing else."""

AnyEnvironment: TypeAlias = str | PythonEnvironment | type[PythonEnvironment]
"""An environment by its name or its address on a server, one that is written in Python, or its class."""

RENDER_MODES = list(get_args(RenderMode))
Array: TypeAlias = np.ndarray[Any, Any]
Infos: TypeAlias = dict[str, dict[str, Any]]


class ParallelEnvironment(ParallelEnv[str, np.ndarray[Any, Any], int]):
    """An environment that ships with this package, that is written in Python, or that is on a server, in which all
    agents act at once.

    Observations are arrays as in the environment's encoding, and actions are numbers. `actions` has the names of the
    numbers, `encoding` all that is known about them, and `entities` the entity of each agent. Where agents differ,
    these are those of the first one, and `encodings` has the encoding of each. Episodes are truncated after
    `max_cycles` steps.

    An info has an `action_mask` if some actions are not possible. The infos of a reset have the `seed`, and those of
    the last step of an episode the `ending`, the `results` by entity or group, the `return` of the agent, and the
    `steps`.

    `record` is a folder for recordings, one file for each episode that has ended. `render_size` is the height and width
    of an `rgb_array`, in pixels; by default, it has 32 pixels for each unit of the scene.
    """

    def __init__(
        self,
        name: AnyEnvironment,
        *,
        max_cycles: int | None = None,
        render_mode: RenderMode | None = None,
        render_size: tuple[int, int] | None = None,
        record: str | PathLike[str] | None = None,
        **parameters: Parameter | None,
    ) -> None:
        most = None if max_cycles is None else read_count("max_cycles", max_cycles)
        self._native: Parallel | WrittenParallel
        if isinstance(name, str) and not is_address(name):
            self.name, self._native = name, Parallel(name, parameters, seed=first_seed(None), max_steps=most)
        else:
            if record is not None:
                raise ValueError(
                    "a server records environments that are written in Python or run there, with `situated serve "
                    "--record`; use them without `record`"
                )
            self._native = WrittenParallel(name, parameters, seed=first_seed(None), max_steps=most)
            self.name = self._native.name
        self._arguments = {
            "name": name,
            "max_cycles": max_cycles,
            "render_mode": render_mode,
            "render_size": render_size,
            "record": record,
            **parameters,
        }
        self.max_cycles = max_cycles
        self.render_mode = _checked(render_mode)
        self.render_size = read_size("render_size", render_size)
        self.metadata = {"render_modes": RENDER_MODES, "name": _identifier(self.name), "is_parallelizable": True}
        self.possible_agents = self._native.possible_agents()
        self.entities = dict(zip(self.possible_agents, self._native.entities()))
        if isinstance(self._native, WrittenParallel):
            encodings = self._native.encodings()
        else:
            encodings = [Encoding(*self._native.encoding())] * len(self.possible_agents)
        self.encoding = encodings[0]
        self.encodings = dict(zip(self.possible_agents, encodings))
        self.actions: list[str] = list(self.encoding.actions)
        self._recordings = None if record is None else Path(record)
        self.observation_spaces = {agent: _box(of, of.shape) for agent, of in self.encodings.items()}
        self.action_spaces = {agent: spaces.Discrete(len(of.actions)) for agent, of in self.encodings.items()}
        self.state_space = _box(self.encoding, self._native.state().shape)
        self._window = _Window(self.name) if render_mode == "human" else None
        # A step calls this without further lookups.
        self._step = self._native.step

    @property
    def agents(self) -> list[str]:
        """The agents for which the present episode continues; empty when it is over."""
        if isinstance(self._native, WrittenParallel):
            return self._native.present()
        return list(self.possible_agents) if self._native.goes_on() else []

    @agents.setter
    def agents(self, agents: list[str]) -> None:
        raise AttributeError("the agents follow from the episode and cannot be set")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Array], Infos]:
        """Begins a new episode. By default, the first seed comes from the system, and each later one follows from the
        last."""
        outputs = self._native.reset(read_seed(seed))
        self._show()
        return outputs

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[dict[str, Array], dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Lets all agents act. Returns observations, rewards, terminations, truncations and infos, each by agent."""
        outputs = self._step(actions)
        if self._window is not None:
            self._show()
        if self._recordings is not None and not self._native.goes_on():
            self._record(self._recordings)
        return outputs

    def seed_of(self) -> int | None:
        """Returns the seed of the present episode; `reset` begins the same episode with it."""
        return self._native.seed()

    def action_masks(self, agent: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Returns whether each action of an agent is possible now."""
        return self._native.mask(self.possible_agents.index(agent))

    def observation_space(self, agent: str) -> spaces.Box:
        """Returns the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Returns the action space of an agent."""
        return self.action_spaces[agent]

    def state(self) -> np.ndarray[Any, Any]:
        """Returns the observations of all agents, with the shape [agent, ...]; in one row where their shapes differ."""
        return self._native.state()

    def scene(self, agent: str | None = None) -> Scene:
        """Returns the scene, as a whole or as an agent may see it."""
        if agent is not None and agent not in self.entities:
            raise ValueError(f"there is no agent {agent!r}; there are {', '.join(self.possible_agents)}")
        return self._native.scene(None if agent is None else self.possible_agents.index(agent))

    def render(self) -> Any:
        """Renders the scene as the render mode says: as text, as an array [height, width, 3], or in a window."""
        if self.render_mode == "ansi":
            return self.scene().text(colored=True)
        if self.render_mode == "rgb_array":
            return self.scene().pixels(size=self.render_size)
        if self._window is not None:
            self._window.show(self.scene())
        return None

    def close(self) -> None:
        """Closes the window, if there is one, and ends the session with a server."""
        if self._window is not None:
            self._window.close()
        if isinstance(self._native, WrittenParallel):
            self._native.close()

    def get_state(self) -> bytes:
        """Returns the whole state, for this environment or another one with the same parameters."""
        return self._native.save()

    def set_state(self, state: bytes) -> None:
        """Restores a state. Raises `ValueError` for an invalid state."""
        self._native.load(state)

    def __reduce__(self) -> tuple[Any, ...]:
        return _remake, (self._arguments, self.get_state(), self._native.is_fresh())

    def _record(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        name, number = f"{self.name}-{self.seed_of()}", 1
        while (path := folder / f"{name}{f'-{number}' if number > 1 else ''}.mcap").exists():
            number += 1
        self._native.record(path)

    def _show(self) -> None:
        if self._window is not None:
            self.render()

    def _repr_html_(self) -> str:
        return f"<p>{self.metadata['name']}</p>{self.scene().svg()}"


class _Changed(ParallelEnvironment):
    """Version of `ParallelEnvironment` with other observations or infos."""

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], Infos]:
        """Begins a new episode; see `ParallelEnvironment.reset`."""
        observations, infos = super().reset(seed, options)
        return self._change_observations(observations), self._change_infos(infos)

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Lets all agents act. Returns observations, rewards, terminations, truncations and infos, each by agent."""
        observations, rewards, terminations, truncations, infos = super().step(actions)
        changed = self._change_observations(observations), self._change_infos(infos)
        return changed[0], rewards, terminations, truncations, changed[1]

    def _change_observations(self, observations: dict[str, Any]) -> dict[str, Any]:
        return observations

    def _change_infos(self, infos: Infos) -> Infos:
        return infos


class PixelEnvironment(_Changed):
    """Version of `ParallelEnvironment` in which agents observe pictures of the shape [height, width, 3], or
    [height, width] if `grayscale`.

    `pixels` is the height and width, or the number of pixels for each unit of the scene of the whole environment. All
    pictures have one size; what an agent sees is drawn as large as it fits. In an environment that is written in Python
    or runs on a server, all agents see the whole scene.
    """

    def __init__(
        self, name: AnyEnvironment, *, pixels: int | tuple[int, int], grayscale: bool = False, **arguments: Any
    ) -> None:
        super().__init__(name, **arguments)
        self._arguments |= {"pixels": pixels, "grayscale": grayscale}
        self._grayscale = bool(grayscale)
        if isinstance(pixels, Sequence):
            self._size = read_size("pixels", pixels)
        else:
            height, width, *_ = self.scene().pixels(read_count("pixels", pixels)).shape
            self._size = height, width
        shape = self.state().shape
        self.observation_spaces = {agent: spaces.Box(0, 255, shape, np.uint8) for agent in self.possible_agents}
        self.state_space = spaces.Box(0, 255, shape, np.uint8)

    def state(self) -> np.ndarray[Any, Any]:
        """Returns a picture of the whole environment."""
        return self.scene().pixels(size=self._size, grayscale=self._grayscale)

    def _change_observations(self, observations: dict[str, Any]) -> dict[str, Any]:
        return {agent: self.scene(agent).pixels(size=self._size, grayscale=self._grayscale) for agent in observations}


class _Masked(_Changed):
    """Version of `ParallelEnvironment` whose observations are dictionaries of `observation` and `action_mask`, as RLlib
    and Tianshou take them."""

    def __init__(self, name: AnyEnvironment, **arguments: Any) -> None:
        super().__init__(name, **arguments)
        self._arguments["masks"] = "observation"
        self.observation_spaces: dict[str, Any] = {
            agent: spaces.Dict(
                {"observation": space, "action_mask": spaces.Box(0, 1, (self.action_spaces[agent].n,), np.int8)}
            )
            for agent, space in self.observation_spaces.items()
        }

    def _change_observations(self, observations: dict[str, Any]) -> dict[str, Any]:
        return {
            agent: {"observation": observation, "action_mask": self.action_masks(agent).astype(np.int8)}
            for agent, observation in super()._change_observations(observations).items()
        }


class _MaskedPixels(_Masked, PixelEnvironment):
    """Version of `PixelEnvironment` with masks."""


class _OnlyMasks(_Changed):
    """Version of `ParallelEnvironment` whose infos always have an `action_mask` and nothing else, as TorchRL takes
    them, which needs the same numbers in all infos."""

    def __init__(self, name: AnyEnvironment, **arguments: Any) -> None:
        super().__init__(name, **arguments)
        self._arguments["masks"] = "only"

    def _change_infos(self, infos: Infos) -> Infos:
        return {agent: {"action_mask": self.action_masks(agent).astype(np.int8)} for agent in infos}


class _OnlyMasksPixels(_OnlyMasks, PixelEnvironment):
    """Version of `PixelEnvironment` with masks alone in the infos."""


class TurnEnvironment(AECEnv[str, np.ndarray[Any, Any], Any]):
    """Version of `ParallelEnvironment` in turns: agents choose one after another, and all act after the last choice."""

    def __init__(self, name: AnyEnvironment, **arguments: Any) -> None:
        self._parallel = parallel = _encoded(name, **arguments)
        self.metadata = parallel.metadata
        self.name = parallel.name
        self.encoding = parallel.encoding
        self.encodings = parallel.encodings
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
        """Begins a new episode; see `ParallelEnvironment.reset`."""
        self._observations, self.infos = self._parallel.reset(seed, options)
        self.agents = self._parallel.agents
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self._cumulative_rewards = dict.fromkeys(self.agents, 0.0)
        self.terminations = dict.fromkeys(self.agents, False)
        self.truncations = dict.fromkeys(self.agents, False)
        self._chosen = {}
        # An episode can be over at its beginning.
        self.agent_selection = next(iter(self.agents), self.possible_agents[0])

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
        observations, self.rewards, self.terminations, self.truncations, self.infos = self._parallel.step(chosen)
        self._observations |= observations
        self._accumulate_rewards()
        # Agents for which the episode is over come first, as PettingZoo wants it.
        self.agent_selection = next(iter(self._parallel.agents), self.agents[0])
        self._deads_step_first()

    def seed_of(self) -> int | None:
        """Returns the seed of the present episode; `reset` begins the same episode with it."""
        return self._parallel.seed_of()

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
        """Closes the window, if there is one, and ends the session with a server."""
        self._parallel.close()


def parallel_env(
    name: AnyEnvironment,
    *,
    pixels: int | tuple[int, int] | None = None,
    grayscale: bool = False,
    masks: Masks = "infos",
    max_cycles: int | None = None,
    render_mode: RenderMode | None = None,
    render_size: tuple[int, int] | None = None,
    record: str | PathLike[str] | None = None,
    **parameters: Any,
) -> ParallelEnv[Any, Any, Any]:
    """Creates a parallel environment.

    It is one that ships with this package or that another package registers, by its name, an environment written in
    Python or its class, or one on a server: `parallel_env("tcp://127.0.0.1:7467/corridor")`. That is an environment
    which exists there, and which each episode resets, or a kind, of which the server makes an environment until
    `close`; further arguments are the `token` and `trust` of `situated.remote.connect`.

    The other arguments are those of `ParallelEnvironment`. With `pixels=(84, 84)`, agents observe pictures of this
    height and width, with `pixels=8` pictures with 8 pixels for each unit of the scene, and with `grayscale=True` their
    brightness alone. With `masks="observation"`, observations are dictionaries of `observation` and `action_mask`; with
    `masks="only"`, infos always have an `action_mask` and nothing else. The function of another package gets the
    arguments that differ from the defaults; an environment in turns is converted to a parallel one. A parameter that is
    None is not given.
    """
    options = _given(
        masks,
        pixels=pixels,
        grayscale=grayscale or None,
        max_cycles=max_cycles,
        render_mode=render_mode,
        render_size=render_size,
        record=record,
    )
    made, arguments = _found(name, {**options, **parameters})
    if isinstance(made, AECEnv):
        return aec_to_parallel(made)
    return made if isinstance(made, ParallelEnv) else _encoded(made, **arguments)


def aec_env(
    name: AnyEnvironment,
    *,
    pixels: int | tuple[int, int] | None = None,
    grayscale: bool = False,
    masks: Masks = "infos",
    max_cycles: int | None = None,
    render_mode: RenderMode | None = None,
    render_size: tuple[int, int] | None = None,
    record: str | PathLike[str] | None = None,
    **parameters: Any,
) -> AECEnv[Any, Any, Any]:
    """Creates an environment in turns; see `parallel_env` for the arguments."""
    options = _given(
        masks,
        pixels=pixels,
        grayscale=grayscale or None,
        max_cycles=max_cycles,
        render_mode=render_mode,
        render_size=render_size,
        record=record,
    )
    made, arguments = _found(name, {**options, **parameters})
    if isinstance(made, ParallelEnv):
        return parallel_to_aec(made)
    return made if isinstance(made, AECEnv) else TurnEnvironment(made, **arguments)


def _given(masks: Masks, **options: Any) -> dict[str, Any]:
    """Returns the options that differ from the defaults. The function of another package need not know the others."""
    given = {option: value for option, value in options.items() if value is not None}
    return given if masks == "infos" else {"masks": masks, **given}


def _encoded(name: AnyEnvironment, *, masks: Masks = "infos", **arguments: Any) -> ParallelEnvironment:
    """Creates an environment that ships with this package, is written in Python, or is on a server."""
    if masks not in get_args(Masks):
        raise ValueError(f"unknown masks {masks!r}; use {' or '.join(get_args(Masks))}")
    arguments = {name: value for name, value in arguments.items() if value is not None}
    if "grayscale" in arguments and "pixels" not in arguments:
        raise ValueError("grayscale is for pictures; choose their size as well, for instance pixels=(84, 84)")
    if masks == "observation":
        return (_MaskedPixels if "pixels" in arguments else _Masked)(name, **arguments)
    if masks == "only":
        return (_OnlyMasksPixels if "pixels" in arguments else _OnlyMasks)(name, **arguments)
    return (PixelEnvironment if "pixels" in arguments else ParallelEnvironment)(name, **arguments)


def _found(name: AnyEnvironment, arguments: Mapping[str, Any]) -> tuple[Any, dict[str, Any]]:
    """Returns an environment that another package registers, and the arguments that are left; else what is given."""
    if not isinstance(name, str) or is_address(name) or (registered := find(name)) is None:
        return name, dict(arguments)
    made, left = registered.make(arguments)
    if not isinstance(made, (PythonEnvironment, ParallelEnv, AECEnv)):
        raise TypeError(f"{registered} is not an environment of PettingZoo; use `situated.Environment`")
    return made, dict(left)


def _box(encoding: Encoding, shape: tuple[int, ...]) -> spaces.Box:
    return spaces.Box(encoding.low, encoding.high, shape, np.dtype(encoding.dtype).type)


def _remake(arguments: dict[str, Any], state: bytes, fresh: bool) -> ParallelEnvironment:
    """Restores a pickled environment."""
    environment = _encoded(**arguments)
    environment._native.load(state, fresh)
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
            if getattr(figure.canvas, "required_interactive_framework", None) is not None:
                figure.show()
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


def _checked(mode: RenderMode | None) -> RenderMode | None:
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
