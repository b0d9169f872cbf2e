"""Remote agents play environments that are hosted from Python, through the server."""

from __future__ import annotations

import asyncio
import random
import sys
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import gymnasium
import pytest
from pettingzoo.butterfly import knights_archers_zombies_v11, pistonball_v6
from pettingzoo.classic import connect_four_v3, tictactoe_v3
from serving import REPOSITORY, Proxy, Server, running
from situated.hosting import host
from situated.iil import Action, Function, Percept
from situated.remote import NotDone, Refused, RemoteAgent, RemoteEnvironment, Stepped, connect

pytestmark = pytest.mark.asyncio

LEFT, DOWN, RIGHT = 0, 1, 2
TO_THE_GOAL = [DOWN, DOWN, RIGHT, RIGHT, DOWN, RIGHT]


@asynccontextmanager
async def hosted(env: Any, server: Server, url: str, scheme: str = "tcp") -> AsyncIterator[RemoteEnvironment]:
    """An environment that is hosted at this address, from the point of view of a platform's agents."""
    hosting = asyncio.create_task(host(env, url, "hosted"))
    async with connect(server.url(scheme), role="platform") as client:
        async for environments in client.watch_environments():
            if any(one["environment"] == "hosted" and one["state"] == "running" for one in environments):
                break
        try:
            yield client.environment("hosted")
        finally:
            hosting.cancel()
            await asyncio.wait([hosting])
            while any(one["environment"] == "hosted" for one in await client.environments()):
                await asyncio.sleep(0.01)


async def players(environment: RemoteEnvironment) -> list[RemoteAgent]:
    """An agent for each entity, with the same name."""
    agents = []
    for listed in await environment.entities():
        agent = await environment.register(listed["entity"])
        await agent.associate(agent.name)
        agents.append(agent)
    return agents


def walker() -> Any:
    return gymnasium.make("FrozenLake-v1", is_slippery=False)


@pytest.mark.parametrize("scheme", ["tcp", "ws"])
async def test_an_agent_walks_to_the_goal(server: Server, scheme: str) -> None:
    async with hosted(walker(), server, server.url(scheme), scheme) as lake:
        (agent,) = await players(lake)
        told = (await agent.perceive())["agent"]
        assert told.add == [Percept("observation", 0)]
        for direction in TO_THE_GOAL:
            told = (await agent.step("act", direction)).told["agent"]
        assert agent.beliefs("agent") == [Percept("observation", 15)]
        assert told.events == [Percept("reward", 1.0), Percept("terminated")]
        assert told.moment.step == len(TO_THE_GOAL)
        outcome = await lake.outcome()
        assert outcome is not None and outcome["ending"] == "terminated"
        assert outcome["results"] == [{"of": "agent", "name": "return", "value": 1.0}]
        with pytest.raises(NotDone, match=r"the episode is over \(terminated\); reset the environment"):
            await agent.act("act", LEFT)
        with pytest.raises(Refused) as refused:
            await agent.act("act", 4)
        assert refused.value.kind == "notSupportedByEnvironment"
        await lake.manage("reset", seed=2)
        await lake.manage("start")
        await agent.act("act", DOWN)
        await agent.perceive()
        assert agent.beliefs("agent") == [Percept("observation", 4)]


async def play(agent: RemoteAgent, generator: random.Random) -> list[Percept]:
    """Makes a random legal move in each of its turns; returns the agent's events."""
    events: list[Percept] = []
    async for told in agent.percepts():
        events += told[agent.name].events
        if Percept("terminated") in events or Percept("truncated") in events:
            return events
        beliefs = agent.beliefs(agent.name)
        if Percept("turn", agent.name) in beliefs:
            legal = [percept.args[0] for percept in beliefs if percept.name == "legal"]
            await agent.act("act", generator.choice(legal))
    return events


@pytest.mark.parametrize("game", [tictactoe_v3, connect_four_v3], ids=["tictactoe", "connect four"])
async def test_two_agents_play_a_game_to_its_end(server: Server, game: Any) -> None:
    async with hosted(game.env(), server, server.url()) as board:
        both = await players(board)
        generator = random.Random(3)
        heard = await asyncio.gather(*(play(agent, generator) for agent in both))
        rewards = [[percept.args[0] for percept in events if percept.name == "reward"] for events in heard]
        assert sorted(map(sum, rewards)) in ([-1.0, 1.0], [0, 0])
        outcome = await board.outcome()
        assert outcome is not None and outcome["ending"] == "terminated"
        with pytest.raises(NotDone, match="the episode is over"):
            await both[0].act("act", 0)


async def test_rejects_illegal_moves_with_a_reason(server: Server) -> None:
    async with hosted(tictactoe_v3.env(), server, server.url()) as board:
        first, second = await players(board)
        with pytest.raises(NotDone, match="it is the turn of `player_1`, not of `player_2`"):
            await second.act("act", 0)
        assert await first.act("act", 4) == {"player_1": []}
        with pytest.raises(NotDone, match=r"act\(4\) is not legal now; legal are 0, 1, 2, 3, 5, 6, 7, 8") as refused:
            await second.act("act", 4)
        assert refused.value.kind == "failure"
        assert (await board.status())["moment"]["step"] == 1
        await second.act("act", 0)
        with pytest.raises(Refused, match="player_2"):
            await first.associate("player_2")


async def test_all_agents_of_a_parallel_environment_act_at_once(server: Server) -> None:
    env = pistonball_v6.parallel_env(n_pistons=5, max_cycles=5)
    async with hosted(env, server, server.url()) as pistons:
        agents = await players(pistons)
        told = (await agents[0].perceive())["piston_0"]
        assert told.add == [Percept("observation", Function("array", (457, 120, 3)))]
        with pytest.raises(NotDone, match="is not of Box"):
            await asyncio.gather(agents[0].act("act", [2.0]), *(agent.pass_() for agent in agents[1:]))
        for _ in range(4):
            turns = await pistons.step({agent: Action("act", [1.0]) for agent in agents})
        for agent, stepped in turns.items():
            assert isinstance(stepped, Stepped)
            assert stepped.told[agent.name].events[-1] == Percept("truncated")
        outcome = await pistons.outcome()
        assert outcome is not None and outcome["ending"] == "truncated"


async def test_an_entity_without_an_agent_does_nothing(server: Server) -> None:
    env = knights_archers_zombies_v11.parallel_env(max_cycles=20)
    async with hosted(env, server, server.url()) as field:
        entities = {listed["entity"]: listed["entityType"] for listed in await field.entities()}
        assert entities["archer_0"] == "archer" and entities["knight_1"] == "knight"
        agent = await field.register("ada")
        await agent.associate("archer_0")
        events: list[Percept] = []
        for _ in range(20):
            events += (await agent.step("act", 1)).told["archer_0"].events
        assert events[-1] == Percept("truncated")


async def test_a_host_reconnects_after_a_lost_connection(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("situated.hosting.run._ANSWER_MS", 300)
    async with Proxy(server) as proxy, hosted(walker(), server, proxy.url()) as lake:
        (agent,) = await players(lake)
        await agent.act("act", DOWN)
        # A call on its way is lost with the connection, and the agent gets a timeout.
        proxy.swallow()
        with pytest.raises(Refused) as late:
            await agent.act("act", RIGHT)
        assert late.value.kind == "hostTimeout"
        proxy.cut()
        while True:
            try:
                await agent.act("act", DOWN)
                break
            except Refused as refusal:
                assert refusal.kind == "hostTimeout"
        assert proxy.connections == 2
        for direction in [RIGHT, RIGHT, DOWN, RIGHT]:
            await agent.act("act", direction)
        await agent.perceive()
        assert Percept("observation", 15) in agent.beliefs("agent")


class Fragile(gymnasium.Env[int, int]):
    """It breaks when an agent acts."""

    action_space = gymnasium.spaces.Discrete(2)
    observation_space = gymnasium.spaces.Discrete(2)

    def reset(self, *, seed: int | None = None, options: Any = None) -> tuple[int, dict[str, Any]]:
        return 0, {}

    def step(self, action: int) -> Any:
        raise RuntimeError("the ice has broken")


async def test_an_exception_ends_the_environment(server: Server) -> None:
    hosting = asyncio.create_task(host(Fragile(), server.url(), "ice"))
    async with connect(server.url()) as client:
        ice = await running(client, "ice")
        agent = await ice.register("ada")
        await agent.associate("agent")
        with pytest.raises(NotDone, match="the ice has broken"):
            await agent.act("act", 0)
        with pytest.raises(RuntimeError, match="the ice has broken"):
            await hosting


async def test_the_example_hosts_a_lake(server: Server) -> None:
    example = REPOSITORY / "examples/python/host_frozen_lake.py"
    process = await asyncio.create_subprocess_exec(sys.executable, str(example), server.url("ws"))
    async with connect(server.url()) as client:
        lake = await running(client, "lake")
        (agent,) = await players(lake)
        for direction in TO_THE_GOAL:
            told = (await agent.step("act", direction)).told["agent"]
        assert Percept("reward", 1.0) in told.events
        await lake.remove()
        assert await asyncio.wait_for(process.wait(), 10) == 0


async def test_hosting_ends_when_the_environment_is_killed(server: Server) -> None:
    hosting = asyncio.create_task(host(walker(), server.url(), "lake"))
    async with connect(server.url()) as client:
        lake = await running(client, "lake")
        await lake.remove()
        await asyncio.wait_for(hosting, 5)
