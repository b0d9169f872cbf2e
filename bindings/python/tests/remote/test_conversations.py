"""This client says and understands the same as the client in Rust: see tests/conversations."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest
from serving import REPOSITORY
from situated.iil import Percept
from situated.remote import Refused, connect

pytestmark = pytest.mark.asyncio


@asynccontextmanager
async def conversation(name: str) -> AsyncIterator[str]:
    """A server that plays a recorded conversation, and notices if the client says something else."""
    text = (REPOSITORY / "tests/conversations" / f"{name}.jsonl").read_text()
    script = [json.loads(line) for line in text.splitlines()]
    played: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def play(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            ids: dict[Any, Any] = {}
            calls: list[dict[str, Any]] = []
            notifications: list[Any] = []
            while script and "lost" not in (line := script.pop(0)):
                if "sent" in line:
                    ids[line["sent"].get("id")] = await expect(reader, line["sent"], calls, notifications)
                else:
                    message = line["received"]
                    if "id" in message:
                        message["id"] = ids.get(message["id"])
                    writer.write(f"{json.dumps(message)}\n".encode())
            writer.close()
            if not script:
                played.set_result(None)
        except (AssertionError, OSError, ValueError) as error:
            played.set_exception(error)

    server = await asyncio.start_server(play, "127.0.0.1", 0)
    host, port = server.sockets[0].getsockname()
    try:
        yield f"tcp://{host}:{port}"
        await asyncio.wait_for(played, 20)
    finally:
        server.close()


async def expect(
    reader: asyncio.StreamReader, expected: dict[str, Any], calls: list[dict[str, Any]], notifications: list[Any]
) -> Any:
    """Waits for a message, and returns its id. Notifications may be repeated, and come before or after other calls."""
    while not calls if "id" in expected else essence(expected) not in notifications:
        message = json.loads(await reader.readline())
        if "id" in message:
            calls.append(message)
        else:
            notifications.append(essence(message))
    if "id" not in expected:
        return None
    message = calls.pop(0)
    assert essence(message) == essence(expected)
    return message["id"]


def essence(message: dict[str, Any]) -> tuple[str, Any]:
    """Returns what counts of a message of the client."""
    params = message.get("params", {})
    if message["method"] == "hello":
        params = {key: params.get(key) for key in ("protocol", "role", "resume")}
    return message["method"], without_defaults(params)


DEFAULTS = {"form": "update", "perceive": True, "intervalMs": 0}


def without_defaults(value: Any) -> Any:
    match value:
        case dict():
            counts = {key: one for key, one in value.items() if one not in (None, [], {}) and DEFAULTS.get(key) != one}
            return {key: without_defaults(one) for key, one in counts.items()}
        case list():
            return [without_defaults(one) for one in value]
    return value


async def test_plays_as_recorded() -> None:
    async with conversation("playing") as url, connect(url, role="platform") as client:
        ada = await client.environment("find-goals").register("ada")
        await ada.associate("red")
        first = (await ada.perceive())["red"].add
        assert Percept("see", "north", "free") in first
        assert (await ada.step("up")).told["red"].events == [Percept("reward", -1)]
        with pytest.raises(Refused) as refused:
            await ada.step("jump")
        assert refused.value.kind == "notSupportedByEnvironment"
        assert (await ada.step("right")).moment.step == 2
        told = (await ada.perceive())["red"]
        assert not (told.add or told.delete or told.events), "it knows all"
        assert len(ada.beliefs("red")) == len(first)
        await ada.free("red")
        await ada.unregister()


async def test_listens_as_recorded() -> None:
    async with conversation("listening") as url, connect(url, role="platform") as client:
        ada = await client.environment("find-goals").register("ada")
        await ada.associate("red")
        percepts = ada.percepts(["see"])
        assert (await percepts.receive())["red"].events == []
        for action in ("up", "right"):
            await ada.act(action)
            assert len((await percepts.receive())["red"].events) == 1
        assert Percept("see", "north", "wall") in ada.beliefs("red")
        await ada.unregister()


async def test_ignores_what_it_has_as_recorded() -> None:
    async with conversation("repeating") as url, connect(url, role="platform") as client:
        ada = await client.environment("find-goals").register("ada")
        await ada.associate("red")
        percepts = ada.percepts(["see"], interval=0.5)
        assert (await percepts.receive())["red"].events == []
        for action in ("up", "right"):
            await ada.act(action)
            assert len((await percepts.receive())["red"].events) == 1, "each event comes once"
        assert Percept("at", 4, 2) in ada.beliefs("red")
        await ada.unregister()


async def test_resumes_as_recorded() -> None:
    async with conversation("resuming") as url, connect(url, role="platform") as client:
        ada = await client.environment("find-goals").register("ada")
        await ada.associate("red")
        assert await ada.act("up") == {"red": []}, "the action runs once"
        await ada.unregister()
