"""Measures the package beside its rivals: `python -m situated.bench`.

Each figure is the best of several runs that take turns with the others, since other work on a machine only slows. What
is not installed (pettingzoo, envpool) is left out.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from importlib.util import find_spec
from typing import Any

import numpy as np

import situated

Runs = dict[str, tuple[Callable[[], int], str]]

ROUNDS = 7
SPAN = 0.3
"""Seconds that a run takes at the least."""


def main() -> None:
    """Prints all tables."""
    print(f"situated {situated.__version__}, {np.__name__} {np.__version__}")
    if find_spec("pettingzoo"):
        table("one environment, steps a second (an env-step moves both agents)", single())
    table("vectors, env-steps a second, one thread", vectors(threads=1) | rivals())
    table("vectors, env-steps a second, two threads", vectors(threads=2))


def table(title: str, runs: Runs) -> None:
    """Measures in turn, and prints each beside that with which it is compared."""
    best = dict.fromkeys(runs, 0.0)
    for _ in range(ROUNDS):
        for name, (run, _) in runs.items():
            best[name] = max(best[name], rate(run))
    print(f"\n{title}")
    for name, (_, beside) in runs.items():
        ratio = f"{best[name] / best[beside]:8.2f} of {beside}" if beside in best else ""
        print(f"  {name:<46} {best[name]:>15,.0f} {ratio}")


def rate(run: Callable[[], int]) -> float:
    """Steps a second; a run says how many it has made."""
    steps, begin = 0, time.perf_counter()
    while (span := time.perf_counter() - begin) < SPAN:
        steps += run()
    return steps / span


def single() -> Runs:
    """One environment, as PettingZoo has them."""
    choices = [{"agent_0": int(a), "agent_1": int(b)} for a, b in np.random.default_rng(0).integers(0, 5, (1000, 2))]
    return {
        "a trivial ParallelEnv in Python": (stepping(trivial(), choices), ""),
        "situated.parallel_env": (stepping(begun("find-goals"), choices), "a trivial ParallelEnv in Python"),
    }


def begun(name: str) -> Any:
    """An environment whose episode has begun."""
    environment = situated.parallel_env(name)
    environment.reset(seed=1)
    return environment


def trivial() -> Any:
    """As little as a parallel environment can do: nothing happens in it."""
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
    """Steps once with each of these choices."""

    def run() -> int:
        step = environment.step
        for choice in choices:
            step(choice)
        return len(choices)

    return run


def vectors(threads: int) -> Runs:
    """Vectors of two sizes: by the table and by the rules; by arrays of their own and by arrays that stay."""
    runs: Runs = {}
    for count in (1_024, 16_384):
        for tables in (True, False):
            for copy in (False, True):
                vector = situated.make_vec("find-goals", count, threads=threads, tables=tables, copy=copy)
                vector.reset(seed=1)
                label = f"situated, {count:,}, {'table' if tables else 'rules'}{', copies' if copy else ''}"
                runs[label] = (batches(vector, 32 if tables else 4), "EnvPool FrozenLake, 1,024")
    return runs


def batches(vector: Any, steps: int) -> Callable[[], int]:
    """Steps a vector so often, with actions that were drawn before."""
    shape = (steps, vector.num_envs, vector.num_agents)
    actions = list(np.random.default_rng(0).integers(0, len(vector.actions), shape))

    def run() -> int:
        step = vector.step
        for one in actions:
            step(one)
        return steps * int(vector.num_envs)

    return run


def rivals() -> Runs:
    """Toy worlds of EnvPool, on one thread as well."""
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

        runs[f"EnvPool {name}, 1,024"] = (run, "")
    return runs


if __name__ == "__main__":
    main()
