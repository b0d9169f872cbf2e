"""Compares the package with similar ones: `python -m situated.bench`.

Each figure is the best of several runs, which alternate with the others. Packages that are not installed (pettingzoo,
envpool) are left out. `--bare FILE` compares vectors with the simplest loops in Rust, a program of the repository:

cargo build --profile wheel -p situated-vector --example bare
python -m situated.bench --bare target/wheel/examples/bare

`--accelerator` measures the vectors of `situated.jax` instead, on the default device of JAX.
"""

from __future__ import annotations

import argparse
import asyncio
import re
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from importlib.util import find_spec
from multiprocessing import get_context
from typing import Any, Literal

import numpy as np

import situated
from situated import Action, EntityType, Measure, Percept, PythonEnvironment
from situated.remote import RemoteAgent, connect

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

        rates = {name: (rate(run), beside) for name, (run, beside) in bench_accelerator.runs().items()}
        table(f"{bench_accelerator.device()}, env-steps per second", rates)
        if missing := bench_accelerator.missing():
            print(missing)
        return
    if find_spec("pettingzoo"):
        table("one environment, steps per second (an env-step moves both agents)", single())
        table("one environment, steps per second, two agents that observe 84 x 84 pixels in grey", pictures())
    table("a world written in Python, steps per second (act, step, perceive)", written())
    with hosted() as runs:
        table("a world written in Python and hosted, requests per second on one machine", runs)
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
    """Returns a function that measures the steps per second of `run`, which returns its number of steps. The first run
    is not measured, since JAX compiles in it."""
    run()

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


def pictures() -> Runs:
    """Returns the runs of environments whose agents observe pictures."""
    runs: Runs = {}
    teams: tuple[dict[str, Any], ...] = ({"robots": 2}, {"robots": 2, "steps": "decision"})
    for name, parameters in (("find-goals", {}), *(("bw4t", team) for team in teams)):
        environment = begun(name, pixels=(84, 84), grayscale=True, **parameters)
        assert len(environment.agents) == 2
        runs[f"{name} {parameters}"] = (rate(stepping(environment, wandered(environment))), ())
    return runs


def wandered(environment: Any) -> list[dict[str, int]]:
    """Returns what agents choose that do anything possible, for at most 1,000 steps of the episode with the seed 1."""
    generator = np.random.default_rng(0)
    choices: list[dict[str, int]] = []
    while environment.agents and len(choices) < 1000:
        possible = {agent: np.flatnonzero(environment.action_masks(agent)) for agent in environment.agents}
        choices.append({agent: int(generator.choice(actions)) for agent, actions in possible.items()})
        environment.step(choices[-1])
    return choices


def begun(name: str, **arguments: Any) -> Any:
    """Returns an environment whose episode has begun."""
    environment = situated.parallel_env(name, **arguments)
    environment.reset(seed=1)
    return environment


def trivial() -> Any:
    """Returns a parallel environment that does nothing."""
    from pettingzoo import ParallelEnv

    class Trivial(ParallelEnv):
        def __init__(self) -> None:
            self.agents = ["agent_0", "agent_1"]
            self.observation = np.zeros(8, np.uint8)

        def reset(self, seed: int | None = None, options: Any = None) -> Any:
            return dict.fromkeys(self.agents, self.observation), {agent: {} for agent in self.agents}

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
    """Returns a run of an episode with these choices."""

    def run() -> int:
        environment.reset(seed=1)
        step = environment.step
        for choice in choices:
            step(choice)
        return len(choices)

    return run


class Walk(Action):
    """Walks by one cell."""

    direction: Literal["left", "right"]


class At(Percept, delivery="onChange"):
    """The cell of the walker."""

    cell: int


class See(Percept, delivery="onChange"):
    """Whether the next cell is free."""

    side: Literal["left", "right"]
    free: bool


class Corridor(PythonEnvironment):
    """A corridor with a walker."""

    walker = EntityType("A walker.", actions=[Walk], percepts=[At, See])

    def begin(self, length: int = 10) -> None:
        self.length, self.cell = length, 0
        self.add("ada", self.walker)

    def act(self, entity: str, action: Action) -> None:
        assert isinstance(action, Walk)
        cell = self.cell + (1 if action.direction == "right" else -1)
        if 0 <= cell < self.length:
            self.cell = cell

    def percepts(self, entity: str) -> list[Percept]:
        return [At(self.cell), See("left", self.cell > 0), See("right", self.cell < self.length - 1)]

    def results(self) -> list[Measure]:
        return [Measure("ada", "cell", self.cell)]


WAY: tuple[Literal["left", "right"], ...] = ("right",) * 9 + ("left",) * 9
"""The directions from the first cell of the corridor to the last and back."""


def written() -> Runs:
    """Returns the runs of a world written in Python: its methods alone, and by an agent in the same process."""
    world = Corridor()
    world.begin_episode(1, {})
    environment = situated.Environment(Corridor())
    agent = environment.register("agent")
    agent.associate("ada")

    def bare() -> int:
        for direction in WAY:
            world.act("ada", Walk(direction))
            world.step()
            world.percepts("ada")
        return len(WAY)

    def by_terms() -> int:
        for direction in WAY:
            agent.act(Walk(direction))
            environment.step()
            agent.perceive()
        return len(WAY)

    return {
        "its methods": (rate(bare), ()),
        "situated.Environment": (rate(by_terms), ("its methods",)),
    }


@contextmanager
def hosted() -> Iterator[Runs]:
    """Returns the runs of a world whose server, host and agent are processes of this machine."""
    words = [sys.executable, "-m", "situated", "serve", "--port", "0", "--log-level", "error"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        lines = (re.search(r"TCP at (\S+:\d+)", line) for line in server.stdout)
        url = next(f"tcp://{found[1]}" for found in lines if found)
        host = get_context("spawn").Process(target=host_corridor, args=(url,))
        host.start()
        loop = asyncio.new_event_loop()
        try:
            agent = loop.run_until_complete(walker_on(url))

            def each(call: Callable[[Walk], Awaitable[Any]]) -> tuple[Callable[[], float], tuple[str, ...]]:
                async def calls() -> int:
                    for direction in WAY:
                        await call(Walk(direction))
                    return len(WAY)

                return rate(lambda: loop.run_until_complete(calls())), ()

            yield {"act": each(agent.act), "step (act and perceive)": each(agent.step)}
        finally:
            host.terminate()
            host.join()
            server.terminate()
            loop.close()


def host_corridor(url: str) -> None:
    """Hosts the world."""
    asyncio.run(situated.host(Corridor(), url, "corridor"))


async def walker_on(url: str) -> RemoteAgent:
    """Returns an agent that controls the entity of the hosted world."""
    client = await connect(url, role="platform")
    while not any(one["state"] == "running" for one in await client.environments()):
        await asyncio.sleep(0.05)
    agent = await client.environment("corridor").register("agent")
    await agent.associate("ada")
    return agent


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
