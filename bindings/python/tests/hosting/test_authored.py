"""An environment written in Python, on the real server: agents act in it, it has a scene, and it is recorded."""

from __future__ import annotations

import asyncio
import subprocess
import sys
import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Annotated, Any

import pytest
import situated
from serving import REPOSITORY, Proxy, Server, binary, running
from situated import Action, EntityType, Failure, Percept, PythonEnvironment
from situated.remote import Client, NotDone, Refused, RemoteAgent, connect

EXAMPLE = REPOSITORY / "examples/python/treasure_hunt.py"


@pytest.mark.asyncio
async def test_agents_act_in_it_and_it_is_recorded(tmp_path: Path) -> None:
    with Server("--record", str(tmp_path)) as server:
        process = await asyncio.create_subprocess_exec(sys.executable, str(EXAMPLE), server.url("ws"))
        async with connect(server.url()) as client:
            hunt = await running(client, "treasure-hunt")
            agent = await hunt.register("walker")
            await agent.associate("ada")
            with pytest.raises(NotDone, match="the corridor ends here"):
                await agent.act("walk", "left")
            events = []
            while not events:
                await agent.act("dig")
                events = (await agent.perceive())["ada"].events
                if not events:
                    await agent.act("walk", "right")
            assert [str(event) for event in events] == ["found(ada)"]
            scene = await hunt.scene()
            assert (scene["width"], len(scene["shapes"])) == (10, 12)
            assert (await hunt.outcome())["ending"] == "terminated"
            await hunt.remove()
        assert await asyncio.wait_for(process.wait(), 10) == 0
    (recording,) = tmp_path.rglob("*.mcap")
    exported = subprocess.run(
        [binary(), "export", recording, "--format", "csv"], capture_output=True, text=True, check=True
    )
    assert "dig" in exported.stdout and "the corridor ends here" in exported.stdout


def test_it_runs_in_one_process() -> None:
    played = subprocess.run([sys.executable, str(EXAMPLE)], capture_output=True, text=True, check=True)
    assert "found: [{'of': 'ada'" in played.stdout


class Think(Action):
    """Thinks for a while."""


class Look(Action):
    """Looks something up, which takes a moment."""


class Study(PythonEnvironment):
    """A place where actions take long."""

    scholar = EntityType("A scholar.", actions=[Think, Look])

    def begin(self) -> None:
        self.woken = threading.Event()
        self.thoughts = 0
        self.add("ada", self.scholar)

    def act(self, entity: str, action: Action) -> None:
        self.woken.wait(2.5 if isinstance(action, Think) else 0.2)
        self.thoughts += 1


@asynccontextmanager
async def studying(study: Study) -> AsyncIterator[tuple[asyncio.Task[None], Client, RemoteAgent]]:
    """Hosts a study on a server that takes a host for lost after a second without a message, with an agent in it."""
    with Server("--heartbeat", "1", "--grace", "0") as server:
        hosting = asyncio.create_task(situated.host(study, server.url(), "study"))
        async with connect(server.url()) as client:
            agent = await (await running(client, "study")).register("agent")
            await agent.associate("ada")
            yield hosting, client, agent


@pytest.mark.asyncio
async def test_its_connection_stays_while_an_action_takes_long() -> None:
    study = Study()
    async with studying(study) as (hosting, client, agent):
        await agent.act("think")
        assert study.thoughts == 1
        # It can be cancelled while it acts.
        acting = asyncio.create_task(agent.act("think"))
        await asyncio.sleep(0.2)
        hosting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(hosting, 1)
        assert await client.environments() == [] and study.thoughts == 1
        study.woken.set()
        with pytest.raises(situated.remote.RemoteError):
            await acting


@pytest.mark.asyncio
async def test_its_connection_stays_while_many_actions_wait() -> None:
    study = Study()
    async with studying(study) as (hosting, _, agent):
        await asyncio.gather(*(agent.act("look") for _ in range(20)))
        assert study.thoughts == 20
        hosting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await asyncio.wait_for(hosting, 5)


class Empty(PythonEnvironment):
    """An environment with a common mistake."""

    reader = EntityType("A reader.", actions=[Look])

    def begin(self) -> None:
        self.add("ada", self.reader)

    def act(self, entity: str, action: Action) -> None:
        next(iter(()))


@pytest.mark.asyncio
async def test_it_may_end_with_the_exception_that_ends_iterators(server: Server) -> None:
    hosting = asyncio.create_task(situated.host(Empty(), server.url(), "empty"))
    async with connect(server.url()) as client:
        agent = await (await running(client, "empty")).register("agent")
        await agent.associate("ada")
        with pytest.raises(situated.remote.RemoteError):
            await agent.act("look")
        with pytest.raises(RuntimeError, match="StopIteration"):
            await asyncio.wait_for(hosting, 5)


class Cell(Percept, delivery="onChange"):
    """A number of a cell."""

    number: Annotated[int, range(0, 3)]


class Rang(Percept, delivery="event"):
    """A bell has rung."""

    times: int


class Ward(PythonEnvironment):
    """An environment whose methods are replaced by mistakes."""

    nurse = EntityType("A nurse.", actions=[Look], percepts=[Cell, Rang])

    def begin(self, beds: int = 2) -> None:
        self.number = 0
        self.add("ada", self.nurse)

    def act(self, entity: str, action: Action) -> list[Percept]:
        self.number += 1
        return []

    def percepts(self, entity: str) -> list[Percept]:
        return [Cell(self.number)]


class Closed(Ward):
    def begin(self) -> None:
        raise Failure("the ward is closed")


class Unset(Ward):
    def begin(self, beds: int) -> None:
        super().begin()


class Stranger(Ward):
    def begin(self) -> None:
        super().begin()
        self.add("eve", "doctor")


class Far(Ward):
    def percepts(self, entity: str) -> list[Percept]:
        return [Cell(7)]


@pytest.mark.parametrize(
    ("of", "parameters", "error", "why"),
    [
        (Closed, {}, Failure, "the ward is closed"),
        (Ward, {"beds": "two"}, situated.InterfaceError, "beds"),
        (Ward, {"nurses": 2}, situated.InterfaceError, "nurses"),
        (Unset, {}, situated.InterfaceError, "beds"),
        (Stranger, {}, Refused, "doctor"),
        (Far, {}, Refused, "cell"),
    ],
)
@pytest.mark.asyncio
async def test_it_ends_if_its_first_episode_cannot_begin(
    server: Server, of: type[Ward], parameters: dict[str, Any], error: type[Exception], why: str
) -> None:
    with pytest.raises(error, match=why):
        await asyncio.wait_for(situated.host(of(), server.url(), "ward", **parameters), 30)
    async with connect(server.url()) as client:
        assert not any(one["environment"] == "ward" for one in await client.environments())


class Cutter(Proxy):
    """A proxy that cuts the connection in place of the first request to begin an episode."""

    has_cut = False

    async def _copy(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_swallowed: Callable[[], bool]
    ) -> None:
        while line := await reader.readline():
            if b'"method":"init"' in line and not self.has_cut:
                self.has_cut = True
                self.cut()
                return
            writer.write(line)


@pytest.mark.asyncio
async def test_it_begins_after_the_connection_was_lost_before(server: Server) -> None:
    async with Cutter(server) as proxy, connect(server.url()) as client:
        hosting = asyncio.create_task(situated.host(Ward(), proxy.url(), "cut"))
        await asyncio.wait_for(running(client, "cut"), 10)
        assert (proxy.has_cut, proxy.connections) == (True, 2)
        hosting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await hosting


class Ringing(Ward):
    def act(self, entity: str, action: Action) -> list[Percept]:
        self.tell(entity, Percept("rang", 0.5))
        return []


class Finding(Ward):
    def act(self, entity: str, action: Action) -> list[Percept]:
        return [Percept("cell", 7)]


@pytest.mark.parametrize(("of", "why"), [(Ringing, "rang"), (Finding, "cell")])
@pytest.mark.asyncio
async def test_it_ends_if_it_reports_something_invalid(server: Server, of: type[Ward], why: str) -> None:
    hosting = asyncio.create_task(situated.host(of(), server.url(), "ward"))
    async with connect(server.url()) as client:
        agent = await (await running(client, "ward")).register("agent")
        await agent.associate("ada")
        with pytest.raises(NotDone, match=f"the environment has failed.*{why}"):
            await agent.act("look")
        with pytest.raises(Refused, match=why):
            await asyncio.wait_for(hosting, 30)


LEFT = """
import asyncio, sys, threading, situated

class Lake(situated.PythonEnvironment):
    swan = situated.EntityType("A swan.")

    def begin(self) -> None:
        self.add("odette", self.swan)

hosting = situated.host(Lake(), sys.argv[1], "left")
threading.Thread(target=asyncio.run, args=[hosting], daemon=True).start()
sys.stdin.read()
"""


@pytest.mark.asyncio
async def test_the_process_ends_although_a_thread_hosts(server: Server) -> None:
    process = subprocess.Popen([sys.executable, "-c", LEFT, server.url()], stdin=subprocess.PIPE)
    async with connect(server.url()) as client:
        await running(client, "left")
        # The end of its input ends the main thread.
        await asyncio.to_thread(process.communicate, timeout=10)
        assert process.returncode == 0
        assert not any(one["environment"] == "left" for one in await client.environments())
