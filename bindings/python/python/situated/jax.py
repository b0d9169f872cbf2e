"""Many episodes of one environment on an accelerator, stepped by compiled functions of JAX.

This works for every environment that compiles to a table: one whose episodes all begin alike, whatever their seed,
that uses no random numbers, neither adds nor removes entities, and has at most 65,536 states, 4,096 joint actions and
1,048,576 pairs of both. The rules are tried once, on the processor, with every joint action in every state. From then
on a step is a look into the table, and the numbers are those of `situated.make_vec`, to the bit. It needs the extra
`jax`.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import partial
from typing import Any, Literal, NamedTuple

import numpy as np

from situated._native import Vector
from situated.encoding import Encoding
from situated.extras import extra
from situated.iil import Parameter
from situated.registry import find
from situated.settings import read_count, read_parameters

with extra("jax"):
    import jax
    import jax.numpy as jnp

Array = jax.Array
Autoreset = Literal["next_step", "same_step"]

_MOST_CYCLES = (1 << 31) - 1


class State(NamedTuple):
    """The state of envs. Each field has a number for each env."""

    number: Array
    """The number of the state in the table."""
    steps: Array
    """The number of steps of the episode."""
    over: Array
    """Whether the episode is over, so that the next step begins another one."""


class Table(NamedTuple):
    """The effects of the rules. The action of the first agent is the highest digit of the number of a joint action."""

    next: Array
    """The number of the next state: `[state, joint action]`."""
    rewards: Array
    """`[state, joint action, agent]`."""
    terminated: Array
    """`[state, joint action, agent]`."""
    truncated: Array
    """`[state, joint action, agent]`."""
    observations: Array
    """`[state, agent, ...]`."""
    masks: Array
    """The actions that can be done: `[state, agent, action]`."""


Results = tuple[Array, State, Array, Array, Array, dict[str, Array]]


class VectorEnv:
    """Many episodes of one environment. Arrays have the shape `[env, agent, ...]` and stay on the device.

    The methods are pure functions: they take a state and return another one, so `jax.jit`, `jax.vmap` and
    `jax.lax.scan` can be applied to them. Episodes have no seeds, because they all begin alike.

    An episode is truncated after `max_cycles` steps, if they are given. With the autoreset `next_step`, the step after
    the end of an episode begins the next one and ignores the actions; with `same_step`, the last step does so as well.
    Parameters whose names are arguments here, such as `autoreset`, are given in the dictionary `parameters`.
    """

    def __init__(
        self,
        name: str,
        num_envs: int,
        *,
        autoreset: Autoreset = "next_step",
        max_cycles: int | None = None,
        parameters: Mapping[str, Parameter | None] | None = None,
        **named: Parameter | None,
    ) -> None:
        if autoreset not in ("next_step", "same_step"):
            raise ValueError(
                f"autoreset must be 'next_step' or 'same_step', not {autoreset!r}; a compiled step cannot refuse to go "
                "on after the end of an episode. situated.make_vec can have it disabled"
            )
        most = None if max_cycles is None else read_count("max_cycles", max_cycles)
        if most is not None and most > _MOST_CYCLES:
            raise ValueError(f"max_cycles must be at most {_MOST_CYCLES}, not {most}")
        if not isinstance(name, str) or find(name) is not None:
            raise ValueError(_without_table(name, "it is written in Python"))
        self.parameters = read_parameters(parameters, named)
        native = Vector(name, 1, self.parameters, seed=0)
        told = native.table()
        if told is None:
            reason = (
                "it uses random numbers, adds or removes entities, cannot be reduced to its essence, or is too large"
            )
            raise ValueError(_without_table(name, reason))
        self.name = name
        self.num_envs = read_count("num_envs", num_envs)
        self.autoreset = autoreset
        self.max_cycles = most
        self.possible_agents: list[str] = native.agents()
        self.encoding = Encoding(*native.encoding())
        self.actions = list(self.encoding.actions)
        self.table = _shape(told, len(self.possible_agents), self.encoding)

    @property
    def num_agents(self) -> int:
        """The number of agents of each env."""
        return len(self.possible_agents)

    @property
    def states(self) -> int:
        """The number of states in the table."""
        return len(self.table.observations)

    def reset(self, key: Any = None) -> tuple[Array, State]:
        """Returns the observations and the state of envs whose episodes begin.

        The key is for programs that give one to every environment. Nothing depends on it.
        """
        begun = jnp.zeros(self.num_envs, jnp.int32)
        state = State(begun, begun, jnp.zeros(self.num_envs, jnp.bool_))
        return self.table.observations[begun], state

    def step(self, state: State, actions: Array) -> Results:
        """Executes the actions `[env, agent]`, integers of any type. Returns observations, the next state, rewards,
        terminated, truncated and infos.

        Infos have `action_mask`, and with autoreset in the same step `final_obs` and its mask `_final_obs`. An action
        out of range counts as the nearest one, because a compiled function cannot raise an error for it; JAX cuts one
        of 64 bits to 32 bits before. Raises `ValueError` for a wrong dtype or shape.
        """
        shape = (*jnp.shape(state.number), self.num_agents)
        if jnp.shape(actions) != shape or not jnp.issubdtype(jnp.result_type(actions), jnp.integer):
            given = f"{jnp.result_type(actions)} of shape {list(jnp.shape(actions))}"
            raise ValueError(f"actions must be integers of shape {list(shape)}, not {given}")
        same_step = self.autoreset == "same_step"
        results: Results = _step(self.table, state, actions, max_cycles=self.max_cycles, same_step=same_step)
        return results

    def action_mask(self, state: State) -> Array:
        """Returns the actions that the agents can do in a state: `[env, agent, action]`."""
        return self.table.masks[state.number]

    def __repr__(self) -> str:
        return f"<{self.num_envs} envs of {self.name} with {self.num_agents} agents each, on {jax.default_backend()}>"


def make_vec(
    name: str,
    num_envs: int,
    *,
    autoreset: Autoreset = "next_step",
    max_cycles: int | None = None,
    parameters: Mapping[str, Parameter | None] | None = None,
    **named: Parameter | None,
) -> VectorEnv:
    """Returns many episodes of an environment; see `VectorEnv` for the arguments.

    Raises `ValueError` for an environment that does not compile to a table.
    """
    return VectorEnv(name, num_envs, autoreset=autoreset, max_cycles=max_cycles, parameters=parameters, **named)


@partial(jax.jit, static_argnames=("max_cycles", "same_step"))
def _step(table: Table, state: State, actions: Array, *, max_cycles: int | None, same_step: bool) -> Results:
    """Makes a step, as the vector on the processor makes it with the same table."""
    choices = table.masks.shape[2]
    joint = jnp.zeros_like(state.number)
    for agent in range(actions.shape[-1]):
        # First, because the conversion could wrap a large unsigned number around.
        action = jnp.clip(actions[..., agent], 0, choices - 1).astype(jnp.int32)
        joint = joint * choices + action
    number = table.next[state.number, joint]
    rewards = table.rewards[state.number, joint]
    terminated = table.terminated[state.number, joint]
    truncated = table.truncated[state.number, joint]
    steps = state.steps + 1
    if max_cycles is not None:
        truncated |= (steps >= max_cycles)[..., None]

    # These envs do nothing but begin an episode.
    begins = state.over
    rewards = jnp.where(begins[..., None], 0, rewards)
    terminated &= ~begins[..., None]
    truncated &= ~begins[..., None]
    over = (terminated | truncated).all(-1)

    infos: dict[str, Array] = {}
    if same_step:
        infos |= {"final_obs": table.observations[number], "_final_obs": over}
        begins, over = begins | over, jnp.zeros_like(over)
    number, steps = jnp.where(begins, 0, number), jnp.where(begins, 0, steps)
    infos["action_mask"] = table.masks[number]
    return table.observations[number], State(number, steps, over), rewards, terminated, truncated, infos


def _shape(told: tuple[Any, ...], agents: int, encoding: Encoding) -> Table:
    """Returns the arrays of a table, which are flat, in their shapes and on the device."""
    choices = len(encoding.actions)
    joint_actions = choices**agents
    states = len(told[0]) // joint_actions
    effects = (states, joint_actions, agents)
    shapes = [effects[:2], effects, effects, effects, (states, agents, *encoding.shape), (states, agents, choices)]
    assert all(len(flat) == math.prod(shape) for flat, shape in zip(told, shapes))
    first, *others = (np.reshape(flat, shape) for flat, shape in zip(told, shapes))
    return Table(*map(jnp.asarray, (first.astype(np.int32), *others)))


def _without_table(name: object, reason: str) -> str:
    return (
        f"{name if isinstance(name, str) else repr(name)} does not compile to a table, which situated.jax needs: "
        f"{reason}. Use situated.make_vec, which steps it on the processor"
    )
