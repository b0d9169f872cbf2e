"""Lost connections as agents in Python see them. The tests of the Rust client, which reconnects, go further."""

from __future__ import annotations

import asyncio
import random
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
import pytest_asyncio
from serving import Proxy, Server
from situated.iil import Percept
from situated.remote import Busy, Client, Ended, RemoteAgent, RemoteEnvironment, TooLong, Uncertain, connect

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture
async def maze(server: Server) -> AsyncIterator[RemoteEnvironment]:
    async with connect(server.url(), role="platform") as client:
        maze = await client.create("find-goals", start=True)
        yield maze
        await maze.remove()


@pytest_asyncio.fixture
async def proxy(server: Server) -> AsyncIterator[Proxy]:
    async with Proxy(server) as proxy:
        yield proxy


@pytest_asyncio.fixture(params=["tcp", "ws"])
async def client(request: pytest.FixtureRequest, proxy: Proxy) -> AsyncIterator[Client]:
    async with connect(proxy.url(request.param), patience=5) as client:
        yield client


@pytest_asyncio.fixture
async def ada(client: Client, maze: RemoteEnvironment) -> RemoteAgent:
    ada = await client.environment(maze.name).register("ada")
    await ada.associate("red")
    return ada


async def until_step(maze: RemoteEnvironment, step: int) -> None:
    while (await maze.status())["moment"]["step"] < step:
        await asyncio.sleep(0.01)


async def test_repeats_an_action_once(proxy: Proxy, maze: RemoteEnvironment, ada: RemoteAgent) -> None:
    proxy.swallow()
    acting = asyncio.ensure_future(ada.act("up"))
    await until_step(maze, 1)
    proxy.cut()
    assert await acting == {"red": []}
    await ada.act("right")
    assert (await maze.status())["moment"]["step"] == 2
    assert proxy.connections == 2


async def test_continues_after_the_server_was_killed(tmp_path: Path) -> None:
    arguments = ("find-goals", "--data", str(tmp_path / "state"))
    first = Server(*arguments)
    async with Proxy(first) as proxy, connect(proxy.url(), patience=20) as client:
        maze = client.environment("find-goals")
        ada = await maze.register("ada")
        await ada.associate("red")
        await ada.perceive()
        await ada.act("up")
        first.kill()
        # The client notices this itself, and repeats the calls without an answer.
        acting = asyncio.ensure_future(ada.act("down"))
        with Server(*arguments) as proxy.server:
            assert await acting == {"red": []}
            seen = (await ada.perceive())["red"]
            assert seen.resync
            assert Percept("see", "north", "free") in seen.add, "it is back where it began, south of a free cell"
            assert Percept("see", "south", "wall") in seen.add


async def test_raises_uncertain_for_calls_that_cannot_be_repeated(
    proxy: Proxy, maze: RemoteEnvironment, ada: RemoteAgent
) -> None:
    proxy.swallow()
    passing = asyncio.ensure_future(ada.pass_())
    await until_step(maze, 1)
    proxy.cut()
    with pytest.raises(Uncertain, match="`pass`"):
        await passing
    assert (await maze.entities())[0]["agents"] == ["ada"]


async def test_unregisters_although_the_connection_is_lost(proxy: Proxy, maze: RemoteEnvironment) -> None:
    async with connect(proxy.url(), role="platform") as client:
        # The server keeps a session without a connection only for its agents.
        await client.environment(maze.name).register("eve")
        ada = await client.environment(maze.name).register("ada")
        await ada.associate("red")
        proxy.swallow()
        unregistering = asyncio.ensure_future(ada.unregister())
        while (await maze.entities())[0]["agents"]:
            await asyncio.sleep(0.01)
        proxy.cut()
        await unregistering


async def test_subscriptions_survive(proxy: Proxy, client: Client, maze: RemoteEnvironment, ada: RemoteAgent) -> None:
    percepts, happenings = ada.percepts(), client.environment(maze.name).happenings()
    assert (await percepts.receive())["red"].resync
    assert (await happenings.receive())["resync"]
    proxy.cut()
    await ada.act("up")
    assert (await percepts.receive())["red"].events == [Percept("reward", -1)]
    assert (await happenings.receive())["resync"]
    await maze.manage("pause")
    assert (await happenings.receive())["happenings"] == [{"state": "paused"}]


async def test_ends_when_the_server_does_not_come_back(proxy: Proxy) -> None:
    client = await connect(proxy.url(), patience=0.2)
    waiting = asyncio.ensure_future(client.environment("any").status())
    proxy.open = False
    proxy.cut()
    with pytest.raises(Ended, match=r"could not be restored within 0\.2 s.*; check that the server is running"):
        await client.environments()
    with pytest.raises(Ended):
        await waiting
    await client.close()


async def test_ends_when_another_client_takes_over_the_session(server: Server, client: Client) -> None:
    reader, writer = await asyncio.open_connection(server.host, server.port)
    hello = '{"jsonrpc":"2.0","id":1,"method":"hello","params":{"protocol":2,"role":"agent","resume":"%s"}}\n'
    writer.write((hello % client.greeting["resume"]).encode())
    assert b'"resumed":true' in await reader.readline()
    with pytest.raises(Ended) as ended:
        while True:
            await client.environments()
    assert ended.value.code == -32007
    assert "its agents continue there" in str(ended.value)
    writer.close()


async def test_limits_calls(proxy: Proxy, client: Client, ada: RemoteAgent) -> None:
    with pytest.raises(TooLong, match="`query`"):
        await client.environment("any").query("x" * client.greeting["limits"]["frameBytes"])
    proxy.open = False
    proxy.cut()
    await asyncio.sleep(0.05)
    asked = [asyncio.ensure_future(client.environments()) for _ in range(1025)]
    with pytest.raises(Busy, match="1024 calls are already waiting"):
        await asked.pop()
    proxy.open = True
    await asyncio.gather(*asked)


@pytest.mark.parametrize("seed", range(2))
async def test_random_cuts_lose_and_repeat_nothing(server: Server, maze: RemoteEnvironment, seed: int) -> None:
    """An agent acts and perceives while the connection is cut again and again, after numbers of bytes that come from
    the seed: after the same time, a loaded machine has done nothing yet."""
    generator = random.Random(seed)
    async with Proxy(server) as proxy, connect(proxy.url(generator.choice(["tcp", "ws"]))) as client:
        ada = await client.environment(maze.name).register("ada")
        await ada.associate("red")

        async def cut() -> None:
            while True:
                await proxy.pass_on(generator.randrange(4_000))
                if generator.random() < 0.5:
                    proxy.swallow()
                    await asyncio.sleep(generator.uniform(0, 0.01))
                proxy.cut()

        cutting = asyncio.create_task(cut())
        acted, rewards = 0, 0
        while acted < 100:
            action = generator.choice(["up", "down", "left", "right"])
            match generator.choice(["act", "step", "perceive"]):
                case "act":
                    await ada.act(action)
                    acted += 1
                case "step":
                    rewards += len((await ada.step(action)).told["red"].events)
                    acted += 1
                case "perceive":
                    rewards += len((await ada.perceive())["red"].events)
        cutting.cancel()
        rewards += len((await ada.perceive())["red"].events)
        assert rewards == acted == (await maze.status())["moment"]["step"]
        assert set(ada.beliefs("red")) == set((await ada.perceive("snapshot"))["red"].add)
        assert proxy.connections > 10
