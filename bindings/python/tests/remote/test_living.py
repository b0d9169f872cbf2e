"""Agents in an environment on a server: they act, perceive, subscribe, and get errors."""

from __future__ import annotations

import asyncio
import copy
import pickle
from collections.abc import AsyncIterator

import pytest
import pytest_asyncio
from serving import Server
from situated.iil import Action, Parameter, Percept
from situated.remote import Client, Ended, NotDone, Refused, RemoteAgent, RemoteEnvironment, Stepped, connect

pytestmark = pytest.mark.asyncio


@pytest_asyncio.fixture(params=["tcp", "ws"])
async def client(request: pytest.FixtureRequest, server: Server) -> AsyncIterator[Client]:
    async with connect(server.url(request.param), role="platform") as client:
        yield client


@pytest_asyncio.fixture
async def maze(client: Client) -> AsyncIterator[RemoteEnvironment]:
    maze = await client.create("find-goals", start=True)
    yield maze
    await maze.remove()


@pytest_asyncio.fixture
async def ada(maze: RemoteEnvironment) -> RemoteAgent:
    ada = await maze.register("ada")
    await ada.associate("red")
    return ada


async def test_an_agent_acts_and_perceives(maze: RemoteEnvironment, ada: RemoteAgent) -> None:
    perception = (await ada.perceive())["red"]
    assert perception.resync and len(perception.add) == 8 and Percept("see", "north", "free") in perception.add
    assert await ada.act("up") == {"red": []}
    perception = (await ada.perceive())["red"]
    assert not perception.resync and perception.events == [Percept("reward", -1)] and perception.moment.step == 1
    assert set(ada.beliefs("red")) == set((await ada.perceive("snapshot"))["red"].add)
    assert (await ada.perceive())["red"].add == []
    assert [entity["agents"] for entity in await maze.entities()] == [["ada"], []]


async def test_a_step_acts_and_perceives(maze: RemoteEnvironment, ada: RemoteAgent) -> None:
    bob = await maze.register("bob")
    stepped = await ada.step("up")
    assert stepped.told["red"].resync and stepped.told["red"].events == [Percept("reward", -1)]
    assert (await ada.step()).told["red"].events == [Percept("reward", 0)]
    await bob.associate("blue")
    both = await maze.step({ada: Action("right"), bob: None})
    assert isinstance(both[ada], Stepped) and isinstance(both[bob], Stepped)
    await asyncio.gather(ada.pass_(), bob.act(Action("up"), through=["blue"]))
    assert (await maze.status())["moment"]["step"] == 4
    await bob.free("blue")
    assert bob.beliefs("blue") == []
    both = await maze.step({ada: Action("left"), bob: Action("up")})
    assert isinstance(both[ada], Stepped)
    refusal = both[bob]
    assert isinstance(refusal, Refused) and refusal.kind == "noEntities"


async def test_errors_have_codes(client: Client, maze: RemoteEnvironment) -> None:
    ada = await maze.register("ada")
    with pytest.raises(Refused) as refused:
        await ada.act("up")
    assert (refused.value.code, refused.value.kind) == (1003, "noEntities")
    assert refused.value.details == {"noEntities": {"agent": "ada"}} and "`ada`" in refused.value.message
    await ada.associate("red")
    with pytest.raises(Refused) as refused:
        await ada.act("jump", 3)
    assert refused.value.kind == "notSupportedByEnvironment"
    with pytest.raises(Refused) as refused:
        await client.environment("nowhere").status()
    assert refused.value.code == 2001
    await maze.manage("pause")
    with pytest.raises(Refused) as refused:
        await ada.act("up")
    assert refused.value.kind == "wrongState"


async def test_describes_an_environment(client: Client, maze: RemoteEnvironment) -> None:
    assert maze.name in [status["environment"] for status in await client.environments()]
    assert (await maze.describe())["ontology"]["name"] == "find-goals"
    assert await maze.query("name") == "find-goals"
    assert await maze.query("type", "red") == "walker"
    with pytest.raises(Refused, match="has no property `versoin`; it has .*; did you mean `version`?") as refused:
        await maze.query("versoin")
    assert refused.value.kind == "noSuchProperty"
    assert (await maze.scene())["shapes"]
    outcome = await maze.outcome()
    assert outcome is not None and outcome["results"] and not outcome.get("ending")


async def test_time_is_managed(maze: RemoteEnvironment) -> None:
    await maze.manage("pause")
    moment = await maze.advance(3)
    assert moment.step == 3
    await maze.manage("reset", seed=7, parameters={"view": "global"})
    assert (await maze.status())["moment"]["episode"] == 2
    await maze.manage("start")
    waiting = asyncio.ensure_future(maze.wait(await maze.manage("pause")))
    await maze.advance(1)
    assert (await waiting).step >= 1


async def test_a_reset_keeps_the_parameters_that_are_not_given(maze: RemoteEnvironment) -> None:
    async def view_after(parameters: dict[str, Parameter | None]) -> Parameter:
        await maze.manage("reset", parameters=parameters)
        view: Parameter = (await maze.describe())["parameters"]["view"]
        return view

    assert await view_after({"view": "global"}) == "global"
    assert await view_after({}) == "global"
    assert await view_after({"view": None}) == "local"
    with pytest.raises(Refused, match="there is no parameter `veiw`; did you mean `view`?"):
        await view_after({"veiw": None})


async def test_subscribes_to_percepts(ada: RemoteAgent) -> None:
    rewards = 0
    async for told in ada.percepts():
        with pytest.raises(RuntimeError, match="receive them there"):
            await ada.perceive()
        rewards += len(told["red"].events)
        if rewards == 3:
            break
        await ada.act("up")
    assert len(ada.beliefs("red")) == 8
    assert (await ada.perceive())["red"].events == []


async def test_an_agent_is_notified_of_the_percepts_that_it_names(ada: RemoteAgent) -> None:
    percepts = ada.percepts(["see"], interval=0.01)
    assert len((await percepts.receive())["red"].add) == 8
    for action in ("wait", "wait", "wait", "up"):
        await ada.act(action)
    # Rewards come in each step, and sights change when it moves.
    moved = (await percepts.receive())["red"]
    assert len(moved.events) == 4
    assert moved.add


async def test_subscribes_to_happenings_and_scenes(maze: RemoteEnvironment) -> None:
    happenings, scenes = maze.happenings(), maze.scenes()
    first = await happenings.receive()
    assert first["resync"] and {"state": "running"} in first["happenings"]
    assert await scenes.receive() == await maze.scene()
    ada = await maze.register("ada")
    await ada.associate("red")
    await ada.act("up")
    heard: list[object] = []
    async for told in happenings:
        heard += told["happenings"]
        if {"taken": {"entity": "red", "agent": "ada"}} in heard:
            break
    async for scene in scenes:
        if scene == await maze.scene():
            break
    happenings.close()
    with pytest.raises(StopAsyncIteration):
        await happenings.__anext__()


async def test_who_waits_for_a_notification_is_told_that_the_subscription_is_closed(maze: RemoteEnvironment) -> None:
    happenings = maze.happenings()
    await happenings.receive()

    async def follow() -> list[object]:
        return [told async for told in happenings]

    following, receiving = asyncio.create_task(follow()), asyncio.create_task(happenings.receive())
    await asyncio.sleep(0.05)
    happenings.close()
    assert await asyncio.wait_for(following, 10) == []
    with pytest.raises(Ended, match="you have closed this subscription"):
        await asyncio.wait_for(receiving, 10)


async def test_a_slow_subscriber_gets_the_current_state(maze: RemoteEnvironment) -> None:
    happenings = maze.happenings()
    await happenings.receive()
    for _ in range(300):
        await maze.manage("pause")
        await maze.manage("start")
    told = [(await happenings.receive())["resync"] for _ in range(257)]
    assert told[:256] == [False] * 256 and told[256]


async def test_closing_ends_the_session(server: Server) -> None:
    async with connect(server.url(), role="platform") as manager:
        maze = await manager.create("find-goals", start=True)
        client = await connect(server.url())
        ada = await client.environment(maze.name).register("ada")
        await ada.associate("red")
        percepts = ada.percepts()
        await percepts.receive()
        await client.close()
        assert [one["agents"] for one in await maze.entities()] == [[], []]
        with pytest.raises(Ended):
            await ada.act("up")
        assert [told async for told in percepts] == []


async def test_errors_can_be_copied_and_sent_to_another_process(ada: RemoteAgent) -> None:
    with pytest.raises(Refused) as refused:
        await ada.associate("nobody")
    failed = NotDone((await ada.perceive())["red"].moment, {"red": refused.value}, {})
    for error in (refused.value, failed):
        for other in (copy.copy(error), pickle.loads(pickle.dumps(error))):
            assert type(other) is type(error)
            assert (str(other), other.code, other.kind) == (str(error), error.code, error.kind)
