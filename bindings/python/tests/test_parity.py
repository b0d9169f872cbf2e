"""The policy of tests/parity: its trajectory is the same through the vector of environments and over the wire."""

import asyncio
import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
import situated
from serving import Server
from situated.perception import Perception
from situated.remote import RemoteEnvironment, connect

FOLDER = Path(__file__).parents[3] / "tests" / "parity"
TRAJECTORY = [json.loads(line) for line in (FOLDER / "find-goals.jsonl").read_text().splitlines()]
SIGHTS = {"free": 0, "wall": 1, "other": 2}

spec = importlib.util.spec_from_file_location("policy", FOLDER / "policy.py")
policy = importlib.util.module_from_spec(spec)
spec.loader.exec_module(policy)


def line(actions, reward, sees):
    (red, blue), (red_sees, blue_sees) = actions, ("".join(map(str, sights)) for sights in sees)
    return {"red": red, "blue": blue, "reward": reward, "redSees": red_sees, "blueSees": blue_sees}


def test_through_the_vector():
    vector = situated.make_vec("find-goals", 1, max_cycles=len(TRAJECTORY) + 1)
    walkers = [policy.Walker(name) for name in vector.possible_agents]
    sees, _ = vector.reset(seed=1)
    for expected in TRAJECTORY:
        views = [dict(zip(policy.DIRECTIONS, map(int, sights))) for sights in sees[0]]
        actions = [walker.decide(view) for walker, view in zip(walkers, views)]
        sees, rewards, *_ = vector.step(np.array([[vector.actions.index(action) for action in actions]]))
        assert rewards[0, 0] == rewards[0, 1]
        assert line(actions, rewards[0, 0], sees[0]) == expected


async def play(environment: RemoteEnvironment, name: str) -> list[tuple[str, int, list[int]]]:
    """Returns the actions of a walker, the rewards, and what it sees after each step."""
    agent = await environment.register(name)
    await agent.associate(name)
    # A step waits only for agents that are there.
    while not all(one["agents"] for one in await environment.entities()):
        await asyncio.sleep(0.01)
    walker, sees, played = policy.Walker(name), {}, []

    def look(perception: Perception) -> None:
        sees.update({percept.args[0]: SIGHTS[percept.args[1]] for percept in perception.add})

    look((await agent.perceive())[name])
    for _ in TRAJECTORY:
        action = walker.decide(sees)
        told = (await agent.step(action)).told[name]
        look(told)
        rewards = [event.args[0] for event in told.events]
        played.append((action, sum(rewards), [sees[direction] for direction in policy.DIRECTIONS]))
    return played


@pytest.mark.asyncio
async def test_over_the_wire(server: Server) -> None:
    async with connect(server.url(), role="platform") as client:
        environment = await client.create("find-goals", start=True)
        both = await asyncio.gather(play(environment, "red"), play(environment, "blue"))
    for (red, blue), expected in zip(zip(*both), TRAJECTORY, strict=True):
        assert red[1] == blue[1]
        assert line([red[0], blue[0]], red[1], [red[2], blue[2]]) == expected
