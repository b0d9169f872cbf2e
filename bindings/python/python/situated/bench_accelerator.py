"""The table of `python -m situated.bench --accelerator`: vectors of JAX on its default device, beside other worlds."""

from __future__ import annotations

from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

import situated
from situated.extras import extra

with extra("jax"):
    import jax

    import situated.jax

wait: Any = jax.block_until_ready  # It has no types.

STEPS = 64
"""Steps of a run."""

FEW_STEPS = 8
"""Steps of a run of the maze of Jumanji, which takes some seconds on a processor."""

SIZES = {"cpu": (1_024, 16_384)}
"""Numbers of envs by the kind of device. An accelerator is full with more than a processor."""

Run = Callable[[], int]
"""Makes steps of envs; returns their number."""


def device() -> str:
    """Returns the words for the device of the runs."""
    kind = jax.default_backend()
    what = jax.devices()[0].device_kind
    of_the_processor = "; these are figures of the processor, not of an accelerator" if kind == "cpu" else ""
    return f"JAX {jax.__version__} on {kind} ({what}){of_the_processor}"


def runs() -> dict[str, tuple[Run, tuple[str, ...]]]:
    """Returns the runs of vectors of all sizes, each with the names of the runs to compare it with."""
    runs: dict[str, tuple[Run, tuple[str, ...]]] = {}
    for count in SIZES.get(jax.default_backend(), (16_384, 1 << 20)):
        processor, stepwise = f"situated.make_vec, {count:,}, one thread", f"situated.jax, {count:,}, step by step"
        loop, other = f"situated.jax, {count:,}, a loop on the device", f"Jumanji Maze, {count:,}, a loop on the device"
        runs[processor] = (on_the_processor(count), ())
        runs[stepwise] = (step_by_step(count), (processor,))
        runs[loop] = (in_a_loop(*situated_world(count), STEPS), (processor, other))
        if find_spec("jumanji"):
            runs[other] = (in_a_loop(*jumanji_world(count), FEW_STEPS), ())
    return runs


def missing() -> str | None:
    """Returns a sentence on what was left out, if something was."""
    if find_spec("jumanji"):
        return None
    return "Jumanji is not installed, so its world was left out; pip install jumanji adds it."


def on_the_processor(count: int) -> Run:
    """Returns a run of the native vector, with actions that were drawn before."""
    vector = situated.make_vec("find-goals", count, copy=False)
    vector.reset(seed=1)
    actions = list(np.random.default_rng(0).integers(0, 5, (STEPS, count, 2), dtype=np.uint8))

    def run() -> int:
        for one in actions:
            vector.step(one)
        return STEPS * count

    return run


def step_by_step(count: int) -> Run:
    """Returns a run in which Python makes each step, with actions that lie on the device."""
    vector = situated.jax.make_vec("find-goals", count)
    _, begun = vector.reset()
    actions = list(jax.random.randint(jax.random.key(0), (STEPS, count, 2), 0, 5, "uint8"))

    def run() -> int:
        state = begun
        for one in actions:
            observations, state, *_ = vector.step(state, one)
        wait((observations, state))
        return STEPS * count

    return run


World = tuple[int, Any, Callable[[Any, Any], Any]]
"""Number of envs, what the first step is given, and the step: from what the last one returned, and a key."""


def situated_world(count: int) -> World:
    """Returns Find the Goals with random actions."""
    vector = situated.jax.make_vec("find-goals", count)

    def step(last: Any, key: Any) -> Any:
        return vector.step(last[1], jax.random.randint(key, (count, 2), 0, 5, "uint8"))

    state = vector.reset()[1]
    return count, step((None, state), jax.random.key(0)), step


def jumanji_world(count: int) -> World:
    """Returns the maze of 10 x 10 cells of Jumanji, with one agent, random actions and new mazes."""
    import jumanji
    from jumanji.wrappers import VmapAutoResetWrapper

    world: Any = VmapAutoResetWrapper(jumanji.make("Maze-v0"))

    def step(last: Any, key: Any) -> Any:
        return world.step(last[0], jax.random.randint(key, (count,), 0, 4))

    begun = jax.jit(world.reset)(jax.random.split(jax.random.key(0), count))
    return count, begun, step


def in_a_loop(count: int, begun: Any, step: Callable[[Any, Any], Any], steps: int) -> Run:
    """Returns a run of steps that the device makes alone. It draws the actions as well."""

    @jax.jit
    def play(last: Any, key: Any) -> Any:
        return jax.lax.scan(lambda last, key: (step(last, key), None), last, jax.random.split(key, steps))[0]

    last = begun

    def run() -> int:
        nonlocal last
        last = wait(play(last, jax.random.key(1)))
        return steps * count

    return run
