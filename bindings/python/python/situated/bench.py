"""Compares the package with similar ones: `python -m situated.bench`.

Each figure is the best of several runs, which alternate with the others. Packages that are not installed (pettingzoo,
envpool) are left out. `--bare FILE` compares vectors with the simplest loops in Rust, a program of the repository:

cargo build --profile wheel -p situated-vector --example bare
python -m situated.bench --bare target/wheel/examples/bare

`--accelerator` measures the vectors of `situated.jax` instead, on the default device of JAX.
"""

from __future__ import annotations

import argparse
import subprocess
import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

import situated

Runs = dict[str, tuple[Callable[[], float], tuple[str, ...]]]
# By name: a function that makes a run and returns its steps per second, and the names of the runs to compare it with.

ROUNDS = 7
SPAN = 0.3
"""Minimum duration of a run in seconds."""


def main() -> None:
    """Prints all tables."""
    parser = argparse.ArgumentParser(prog="python -m situated.bench", description="Measures the package.")
    parser.add_argument("--bare", metavar="FILE", help="the program `bare`, to compare vectors with it")
    parser.add_argument("--accelerator", action="store_true", help="measure situated.jax on the device of JAX instead")
    arguments = parser.parse_args()
    bare = arguments.bare
    print(f"situated {situated.__version__}, {np.__name__} {np.__version__}")
    if arguments.accelerator:
        from situated import bench_accelerator

        table(f"{bench_accelerator.device()}, env-steps per second", bench_accelerator.runs())
        if missing := bench_accelerator.missing():
            print(missing)
        return
    if find_spec("pettingzoo"):
        table("one environment, steps per second (an env-step moves both agents)", single())
    table("vectors, env-steps per second, one thread", vectors(threads=1) | rivals() | (loops(bare) if bare else {}))
    table("vectors, env-steps per second, two threads", vectors(threads=2))


def table(title: str, runs: Runs) -> None:
    """Measures all runs in turn, and prints each with the runs that it is compared with."""
    best = dict.fromkeys(runs, 0.0)
    for _ in range(ROUNDS):
        for name, (run, _) in runs.items():
            best[name] = max(best[name], run())
    print(f"\n{title}")
    for name, (_, beside) in runs.items():
        ratios = ", ".join(f"{best[name] / best[one]:.2f} of {one}" for one in beside if one in best)
        print(f"  {name:<46} {best[name]:>15,.0f}  {ratios}")


def rate(run: Callable[[], int]) -> Callable[[], float]:
    """Returns a function that measures the steps per second of `run`, which returns its number of steps."""

    def measure() -> float:
        steps, begin = 0, time.perf_counter()
        while (span := time.perf_counter() - begin) < SPAN:
            steps += run()
        return steps / span

    return measure


def single() -> Runs:
    """Returns the runs of one environment of PettingZoo."""
    choices = [{"agent_0": int(a), "agent_1": int(b)} for a, b in np.random.default_rng(0).integers(0, 5, (1000, 2))]
    return {
        "a trivial ParallelEnv in Python": (rate(stepping(trivial(), choices)), ()),
        "situated.parallel_env": (rate(stepping(begun("find-goals"), choices)), ("a trivial ParallelEnv in Python",)),
    }


def begun(name: str) -> Any:
    """Returns an environment whose episode has begun."""
    environment = situated.parallel_env(name)
    environment.reset(seed=1)
    return environment


def trivial() -> Any:
    """Returns a parallel environment that does nothing."""
    from pettingzoo import ParallelEnv

    class Trivial(ParallelEnv):
        def __init__(self) -> None:
            self.agents = ["agent_0", "agent_1"]
            self.observation = np.zeros(8, np.uint8)

        def step(self, actions: Any) -> Any:
            agents, observation = self.agents, self.observation
            return (
                dict.fromkeys(agents, observation),
                dict.fromkeys(agents, 0.0),
                dict.fromkeys(agents, False),
                dict.fromkeys(agents, False),
                {agent: {} for agent in agents},
            )

    return Trivial()


def stepping(environment: Any, choices: list[dict[str, int]]) -> Callable[[], int]:
    """Returns a run that makes a step with each of these choices."""

    def run() -> int:
        step = environment.step
        for choice in choices:
            step(choice)
        return len(choices)

    return run


def vectors(threads: int) -> Runs:
    """Returns the runs of vectors of two sizes, with the table and with the rules, with new and with reused arrays."""
    runs: Runs = {}
    for count in (1_024, 16_384):
        for tables in (True, False):
            for copy in (False, True):
                vector = situated.make_vec("find-goals", count, threads=threads, tables=tables, copy=copy)
                vector.reset(seed=1)
                how = "table" if tables else "rules"
                beside = ("EnvPool FrozenLake, 1,024", f"a bare loop, {count:,}, {how}")
                run = batches(vector, 32 if tables else 4)
                runs[f"situated, {count:,}, {how}{', copies' if copy else ''}"] = (rate(run), beside)
    return runs


def batches(vector: Any, steps: int) -> Callable[[], int]:
    """Returns a run that makes this number of steps with actions that were drawn before."""
    shape = (steps, vector.num_envs, vector.num_agents)
    actions = list(np.random.default_rng(0).integers(0, len(vector.actions), shape, dtype=np.uint8))

    def run() -> int:
        step = vector.step
        for one in actions:
            step(one)
        return steps * int(vector.num_envs)

    return run


def loops(program: str) -> Runs:
    """Returns the runs of the simplest loops, in Rust."""

    def loop(how: str, count: int) -> Callable[[], float]:
        return lambda: float(subprocess.run([program, how, str(count)], stdout=subprocess.PIPE, check=True).stdout)

    counts, ways = (1_024, 16_384), ("table", "rules")
    return {f"a bare loop, {count:,}, {how}": (loop(how, count), ()) for count in counts for how in ways}


def rivals() -> Runs:
    """Returns the runs of toy environments of EnvPool, on one thread as well."""
    if not find_spec("envpool"):
        return {}
    import envpool

    runs: Runs = {}
    for name, id in (("FrozenLake", "FrozenLake-v1"), ("Catch", "Catch-v0")):
        pool = envpool.make_gymnasium(id, num_envs=1_024, num_threads=1)
        pool.reset()
        actions = np.random.default_rng(0).integers(0, pool.action_space.n, (8, 1_024)).astype(np.int32)

        def run(pool: Any = pool, actions: Any = actions) -> int:
            for one in actions:
                pool.step(one)
            return int(actions.size)

        runs[f"EnvPool {name}, 1,024"] = (rate(run), ())
    return runs


if __name__ == "__main__":
    main()
