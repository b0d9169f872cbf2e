"""Environments for PettingZoo: parallel (all agents act at once) and AEC (agents act in turns).

PettingZoo 1.27 and later have a registry, in which `import situated` registers every environment with an encoding:
`find-goals` is `situated/FindGoals-v0`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Literal, TypeAlias, cast, get_args

import numpy as np

from situated._native import Parallel, Scene
from situated.authoring import PythonEnvironment
from situated.encoding import Encoding
from situated.extras import extra
from situated.learning import WrittenParallel, is_address, on_server
from situated.registration import register
from situated.registry import find
from situated.settings import (
    first_seed,
    no_agent,
    read_count,
    read_parameters,
    read_seed,
    read_size,
    with_suggestions,
)

with extra("pettingzoo"):
    from gymnasium import spaces
    from pettingzoo import AECEnv, ParallelEnv
    from pettingzoo.utils.conversions import aec_to_parallel, parallel_to_aec

# Where the module of the registry is found in an unusual way, its import has not registered them.
register()

RenderMode: TypeAlias = Literal["ansi", "rgb_array", "human"]
"""The way in which an environment is rendered: as text, as an array [height, width, 3], or in a window."""

Masks: TypeAlias = Literal["infos", "observation", "only"]
"""Where learners find which actions are possible: in the infos where some are not, beside each observation, or always
in the infos, which then have nothing else."""

AnyEnvironment: TypeAlias = str | PythonEnvironment | type[PythonEnvironment]
"""An environment by its name or its address on a server, one that is written in Python, or its class."""

RENDER_MODES = list(get_args(RenderMode))
RENDER_FPS = 10
"""Frames for each second of a film of steps."""

Array: TypeAlias = np.ndarray[Any, Any]
Infos: TypeAlias = dict[str, dict[str, Any]]


class ParallelEnvironment(ParallelEnv[str, np.ndarray[Any, Any], int]):
    """An environment that ships with this package, that is written in Python, or that is on a server, in which all
    agents act at once.

    Observations are arrays as in the environment's encoding, and actions are numbers. `actions` has the names of the
    numbers, `encoding` all that is known about them, and `entities` the entity of each agent. Where agents differ,
    these are those of the first one, and `encodings` has the encoding of each. Episodes are truncated after
    `max_cycles` steps.

    With `pixels`, agents observe pictures of this height and width, or with this number of pixels for each unit of the
    scene of the whole environment; their shape is [height, width, 3], or [height, width] if `grayscale`. All pictures
    have one size; what an agent sees is drawn as large as it fits. In an environment that is written in Python or runs
    on a server, all agents see the whole scene.

    An info has an `action_mask` if some actions are not possible, and the reason of a `failure` if the last action was
    not possible and had no effect. The infos of a reset have the `seed`, and those of
    the last step of an episode the `ending`, the `results` by entity or group, the `return` of the agent, and the
    `steps`. With `masks="observation"`, observations are dictionaries of `observation` and `action_mask`, as RLlib and
    Tianshou take them; with `masks="only"`, infos always have an `action_mask` and nothing else, as TorchRL takes them,
    which needs the same numbers in all infos.

    `record` is a folder for recordings, one file for each episode that has ended. `render_size` is the height and width
    of an `rgb_array`, in pixels; by default, it has 32 pixels for each unit of the scene.

    Parameters of the environment are keywords, or in the dictionary `parameters`, which can have names that are
    arguments here, such as `record`.
    """

    metadata: dict[str, Any] = {"render_modes": RENDER_MODES, "render_fps": RENDER_FPS, "is_parallelizable": True}

    @with_suggestions
    def __init__(
        self,
        name: AnyEnvironment,
        *,
        pixels: int | tuple[int, int] | None = None,
        grayscale: bool = False,
        masks: Masks = "infos",
        max_cycles: int | None = None,
        render_mode: RenderMode | None = None,
        render_size: tuple[int, int] | None = None,
        record: str | PathLike[str] | None = None,
        parameters: Mapping[str, Any] | None = None,
        **named: Any,
    ) -> None:
        if masks not in get_args(Masks):
            raise ValueError(f"unknown masks {masks!r}; use {' or '.join(get_args(Masks))}")
        if grayscale and pixels is None:
            raise ValueError("grayscale is for pictures; choose their size as well, for instance pixels=(84, 84)")
        given = on_server(name, named) if is_address(name) else name
        values, seed = read_parameters(parameters, named), first_seed(None)
        self._arguments = {
            "name": name,
            "pixels": pixels,
            "grayscale": grayscale,
            "masks": masks,
            "max_cycles": max_cycles,
            "render_mode": render_mode,
            "render_size": render_size,
            "record": record,
            "parameters": values,
        }
        most = None if max_cycles is None else read_count("max_cycles", max_cycles)
        self._native: Parallel | WrittenParallel
        if isinstance(given, str):
            self.name, self._native = given, Parallel(given, values, seed=seed, max_steps=most)
            encodings = [Encoding(*self._native.encoding())] * len(self._native.possible_agents())
        else:
            if record is not None:
                raise ValueError(
                    "a server records environments that are written in Python or run there, with `situated serve "
                    "--record`; use them without `record`"
                )
            self._native = WrittenParallel(given, values, seed=seed, max_steps=most)
            self.name, encodings = self._native.name, self._native.encodings()
        self.max_cycles = max_cycles
        self.render_mode = _checked(render_mode)
        self.render_size = read_size("render_size", render_size)
        self.metadata = {**self.metadata, "name": _identifier(self.name)}
        self.possible_agents = self._native.possible_agents()
        self.entities = dict(zip(self.possible_agents, self._native.entities()))
        self.encoding = encodings[0]
        self.encodings = dict(zip(self.possible_agents, encodings))
        self.actions: list[str] = list(self.encoding.actions)
        self._recordings = None if record is None else Path(record)
        self._masks, self._grayscale = masks, bool(grayscale)
        self._size = None if pixels is None else self._read_pixels(pixels)
        shape = self.state().shape
        self.state_space = self._box(self.encoding, shape)
        self.observation_spaces: dict[str, spaces.Space[Any]] = {
            agent: self._space(of, of.shape if self._size is None else shape) for agent, of in self.encodings.items()
        }
        self.action_spaces = {agent: spaces.Discrete(len(of.actions)) for agent, of in self.encodings.items()}
        self._window = _Window(self.name) if render_mode == "human" else None
        # A step calls this without further lookups.
        self._step = self._native.step
        self._is_plain = pixels is None and masks == "infos"

    @property
    def agents(self) -> list[str]:
        """The agents for which the present episode continues; empty when it is over."""
        if isinstance(self._native, WrittenParallel):
            return self._native.present()
        return list(self.possible_agents) if self._native.goes_on() else []

    @agents.setter
    def agents(self, agents: list[str]) -> None:
        raise AttributeError("the agents follow from the episode and cannot be set")

    def reset(self, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[dict[str, Any], Infos]:
        """Begins a new episode. By default, the first seed comes from the system, and each later one follows from the
        last."""
        observations, infos = self._native.reset(read_seed(seed))
        self._show()
        return self._observe(observations), self._inform(infos)

    def step(
        self, actions: Mapping[str, int]
    ) -> tuple[dict[str, Any], dict[str, float], dict[str, bool], dict[str, bool], Infos]:
        """Lets all agents act. Returns observations, rewards, terminations, truncations and infos, each by agent."""
        outputs = self._step(actions)
        if self._window is not None:
            self._show()
        if self._recordings is not None and not self._native.goes_on():
            self._record(self._recordings)
        if self._is_plain:
            return outputs
        observations, rewards, terminations, truncations, infos = outputs
        return self._observe(observations), rewards, terminations, truncations, self._inform(infos)

    def seed_of(self) -> int | None:
        """Returns the seed of the present episode; `reset` begins the same episode with it."""
        return self._native.seed()

    def action_masks(self, agent: str) -> np.ndarray[Any, np.dtype[np.bool_]]:
        """Returns whether each action of an agent is possible now."""
        return self._native.mask(self.possible_agents.index(agent))

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Returns the action space of an agent."""
        return self.action_spaces[agent]

    def state(self) -> np.ndarray[Any, Any]:
        """Returns the observations of all agents, with the shape [agent, ...]; those of three dimensions one after
        another along the first; in one row where their shapes differ. With pictures, returns one of the whole
        environment."""
        return self._native.state() if self._size is None else self._picture()

    def scene(self, agent: str | None = None) -> Scene:
        """Returns the scene, as a whole or as an agent may see it."""
        if agent is not None and agent not in self.entities:
            raise ValueError(no_agent(agent, self.possible_agents))
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

    def _observe(self, observations: dict[str, Any]) -> dict[str, Any]:
        """Returns what the agents observe, from the arrays of the encoding."""
        if self._size is not None:
            observations = {agent: self._picture(agent) for agent in observations}
        if self._masks == "observation":
            observations = {
                agent: {"observation": observed, "action_mask": self._mask(agent)}
                for agent, observed in observations.items()
            }
        return observations

    def _inform(self, infos: Infos) -> Infos:
        """Returns what the infos of the agents have, from all that they can have."""
        return {agent: {"action_mask": self._mask(agent)} for agent in infos} if self._masks == "only" else infos

    def _mask(self, agent: str) -> np.ndarray[Any, np.dtype[np.int8]]:
        return self.action_masks(agent).astype(np.int8)

    def _picture(self, agent: str | None = None) -> Array:
        return self.scene(agent).pixels(size=self._size, grayscale=self._grayscale)

    def _read_pixels(self, pixels: int | tuple[int, int]) -> tuple[int, int] | None:
        """Returns the height and width of pictures."""
        if isinstance(pixels, Sequence):
            return read_size("pixels", pixels)
        height, width, *_ = self.scene().pixels(read_count("pixels", pixels)).shape
        return height, width

    def _box(self, of: Encoding, shape: tuple[int, ...]) -> spaces.Box:
        if self._size is not None:
            return spaces.Box(0, 255, shape, np.uint8)
        return spaces.Box(of.low, of.high, shape, np.dtype(of.dtype).type)

    def _space(self, of: Encoding, shape: tuple[int, ...]) -> spaces.Space[Any]:
        """Returns the space of what an agent with this encoding observes."""
        box = self._box(of, shape)
        if self._masks != "observation":
            return box
        return spaces.Dict({"observation": box, "action_mask": spaces.Box(0, 1, (len(of.actions),), np.int8)})

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

    def __repr__(self) -> str:
        return f"<{self.name} with {len(self.possible_agents)} agents>"


PixelEnvironment = ParallelEnvironment
"""The name for `ParallelEnvironment` with `pixels` in programs that import it."""


class TurnEnvironment(AECEnv[str, np.ndarray[Any, Any], Any]):
    """Version of `ParallelEnvironment` in turns: agents choose one after another, and all act after the last choice."""

    metadata = ParallelEnvironment.metadata

    def __init__(self, name: AnyEnvironment, **arguments: Any) -> None:
        self._parallel = parallel = ParallelEnvironment(name, **arguments)
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

    def observe(self, agent: str) -> Any:
        """Returns the observation of an agent."""
        return self._observations[agent]

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        """Returns the observation space of an agent."""
        return self.observation_spaces[agent]

    def action_space(self, agent: str) -> spaces.Discrete:
        """Returns the action space of an agent."""
        return self.action_spaces[agent]

    def state(self) -> np.ndarray[Any, Any]:
        """Returns the observations of all agents; see `ParallelEnvironment.state`."""
        return self._parallel.state()

    def scene(self, agent: str | None = None) -> Scene:
        """Returns the scene, as a whole or as an agent may see it."""
        return self._parallel.scene(agent)

    def render(self) -> Any:
        """Renders the scene as the render mode says: as text, as an array [height, width, 3], or in a window."""
        return self._parallel.render()

    def _repr_html_(self) -> str:
        return self._parallel._repr_html_()

    def __repr__(self) -> str:
        return f"<{self.name} with {len(self.possible_agents)} agents in turns>"

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
    parameters: Mapping[str, Any] | None = None,
    **named: Any,
) -> ParallelEnvironment:
    """Creates a parallel environment.

    It is one that ships with this package or that another package registers, by its name, an environment written in
    Python or its class, or one on a server: `parallel_env("tcp://127.0.0.1:7467/corridor")`. That is an environment
    which exists there, and which each episode resets, or a kind, of which the server makes an environment until
    `close`; further arguments are the `token` and `trust` of `situated.remote.connect`.

    The other arguments are those of `ParallelEnvironment`. The function of another package gets the arguments that
    differ from the defaults, and all parameters as keywords; an environment in turns is converted to a parallel one. It
    has the methods of PettingZoo alone, whatever the type here says. A parameter that is None is not given.
    """
    made, arguments = _found(
        name,
        pixels=pixels,
        grayscale=grayscale or None,
        masks=None if masks == "infos" else masks,
        max_cycles=max_cycles,
        render_mode=render_mode,
        render_size=render_size,
        record=record,
        parameters=parameters,
        **named,
    )
    if isinstance(made, (AECEnv, ParallelEnv)):
        return cast(ParallelEnvironment, aec_to_parallel(made) if isinstance(made, AECEnv) else made)
    return ParallelEnvironment(made, **arguments)


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
    parameters: Mapping[str, Any] | None = None,
    **named: Any,
) -> TurnEnvironment:
    """Creates an environment in turns; see `parallel_env` for the arguments."""
    made, arguments = _found(
        name,
        pixels=pixels,
        grayscale=grayscale or None,
        masks=None if masks == "infos" else masks,
        max_cycles=max_cycles,
        render_mode=render_mode,
        render_size=render_size,
        record=record,
        parameters=parameters,
        **named,
    )
    if isinstance(made, (AECEnv, ParallelEnv)):
        return cast(TurnEnvironment, parallel_to_aec(made) if isinstance(made, ParallelEnv) else made)
    return TurnEnvironment(made, **arguments)


def _found(name: AnyEnvironment, /, **arguments: Any) -> tuple[Any, dict[str, Any]]:
    """Returns an environment that another package registers, else what is given; and the arguments that are left."""
    # The function of another package need not know the options that are not given.
    given = {argument: value for argument, value in arguments.items() if value is not None}
    if not isinstance(name, str) or is_address(name) or (registered := find(name)) is None:
        return name, given
    options = dict(given)
    made = registered.make(options.pop("parameters", {}), **options)
    if isinstance(made, type):
        return made, given
    if not isinstance(made, (PythonEnvironment, ParallelEnv, AECEnv)):
        raise TypeError(f"{registered} is not an environment of PettingZoo; use `situated.Environment`")
    return made, {}


def _remake(arguments: dict[str, Any], state: bytes, fresh: bool) -> ParallelEnvironment:
    """Restores a pickled environment."""
    environment = ParallelEnvironment(**arguments)
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
