"""A user's program, which `mypy --strict` and `pyright` in its strict mode accept. It is checked and not run."""

from __future__ import annotations

import numpy as np
import situated
from situated import Action, EntityType, Environment, Percept, PythonEnvironment
from situated.gymnasium import GymnasiumVector, SingleEnvironment
from situated.pettingzoo import ParallelEnvironment, TurnEnvironment
from situated.vector import VectorEnv
from typing_extensions import assert_type


class Go(Action):
    """Goes."""

    way: str


class At(Percept, delivery="onChange"):
    """Where."""

    x: int


class Path(PythonEnvironment):
    """A path."""

    walker = EntityType("Walks.", actions=[Go], percepts=[At])

    def begin(self, length: int = 3) -> None:
        self.x = 0
        self.add("ada", self.walker)

    def act(self, entity: str, action: Action) -> None:
        match action:
            case Go(way):
                self.x += len(way)
            case _:
                raise situated.Failure(f"nobody can {action}")

    def percepts(self, entity: str) -> list[Percept]:
        return [At(self.x)]


def parallel() -> None:
    env = assert_type(situated.parallel_env("find-goals", max_cycles=5, view="global"), ParallelEnvironment)
    env.reset(seed=1)
    assert_type(env.seed_of(), int | None)
    assert_type(env.actions, list[str])
    while env.agents:
        chosen = {agent: int(env.action_space(agent).sample()) for agent in env.agents}
        observations, rewards, terminations, truncations, infos = env.step(chosen)
        assert_type(rewards, dict[str, float])
        assert_type(terminations, dict[str, bool])
        print(observations, truncations, infos, env.action_masks("agent_0").sum(), env.encoding.describe())
    env.scene().svg()
    env.close()


def turns() -> None:
    env = assert_type(situated.aec_env("find-goals"), TurnEnvironment)
    env.reset(seed=1)
    for agent in env.agent_iter():
        observation, reward, terminated, truncated, info = env.last()
        print(observation, reward, info)
        env.step(None if terminated or truncated else int(env.action_space(agent).sample()))
    assert_type(env.actions, list[str])


def single() -> None:
    env = SingleEnvironment("wumpus", render_mode="rgb_array")
    env.reset(seed=1)
    observation, reward, terminated, truncated, info = env.step(0)
    assert_type(reward, float)
    print(observation.shape, terminated, truncated, info)
    vector = GymnasiumVector("wumpus", 2)
    vector.step(np.zeros(2, np.int64))


def vector() -> None:
    envs = assert_type(situated.make_vec("find-goals", 2, view="global"), VectorEnv)
    envs.reset(seed=1)
    observations, rewards, terminated, truncated, infos = envs.step(np.zeros((2, 2), np.int64))
    print(rewards.sum(), observations.shape, terminated, truncated, infos)


def terms() -> None:
    environment = Environment("wumpus", seed=1)
    agent = environment.register("ada")
    agent.associate(next(iter(environment.entities)))
    results = agent.act(environment.actions.Forward())
    for entity, perception in agent.perceive().items():
        for percept in perception.add:
            print(entity, percept.name, percept.args, results)
    written = Environment(Path(), length=4)
    print(written.outcome()["results"], written.scene().width)


async def remote() -> None:
    async with situated.connect("tcp://127.0.0.1:1") as session:
        print(session)
