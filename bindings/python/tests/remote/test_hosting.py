"""A host that answers the calls of the server one by one, for environments that `situated.host` does not fit."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest
from serving import Server
from situated.iil import Action, Percept
from situated.remote import Ended, HostCall, Hosted, NotDone, Refused, connect

pytestmark = pytest.mark.asyncio


def declared(name: str, delivery: str) -> dict[str, Any]:
    return {"name": name, "documentation": f"The lamp: {name}.", "parameters": [], "delivery": delivery}


PERCEPTS = [
    declared("dark", "onChangeWithNegation"),
    declared("light", "onChangeWithNegation"),
    declared("click", "onChange"),
    declared("flash", "event"),
]
LAMP: dict[str, Any] = {
    "name": "lamp",
    "version": "1",
    "documentation": "A lamp.",
    "pace": "own",
    "relation": {"oneAgentPerEntity": False, "oneEntityPerAgent": False},
    "open": True,
    "parameters": [],
    "entityTypes": [{"name": "hand", "documentation": "A hand.", "actions": [], "percepts": PERCEPTS}],
    "types": {},
}


def term(name: str, *args: object) -> dict[str, Any]:
    return {"name": name, "args": list(args)}


async def answer(hosted: Hosted, calls: list[HostCall]) -> None:
    """Answers for a lamp that a hand can press, and that nobody can eat, until its end."""
    while True:
        call = await hosted.receive()
        assert isinstance(call, HostCall), call
        calls.append(call)
        action = call.params.get("action", {"name": ""})["name"]
        if call.method == "init":
            await hosted.answer(call, {"update": {"new": [{"entity": "left", "entityType": "hand"}]}})
        elif call.method == "perceive":
            holds = {"entity": "left", "resync": True, "add": [term("dark")]}
            await hosted.answer(call, {"update": {"percepts": [holds]}})
        elif action == "press":
            changes = {"entity": "left", "delete": [term("dark")], "add": [term("light")]}
            await hosted.answer(call, {"percepts": [term("click")], "update": {"percepts": [changes]}})
        elif call.method == "act":
            await hosted.fail(call, f"nobody can {action} a lamp")
        else:
            await hosted.answer(call, {})


async def test_a_host_answers_calls_and_reports_what_changes(server: Server) -> None:
    calls: list[HostCall] = []
    async with connect(server.url(), role="host") as host, connect(server.url()) as client:
        hosted = await host.host(ontology=LAMP, start=True)
        answering = asyncio.create_task(answer(hosted, calls))
        lamp = client.environment(hosted.name)
        while not await lamp.entities() and not answering.done():
            await asyncio.sleep(0.01)
        ada = await lamp.register("ada")
        await ada.associate("left")
        # The percepts come when the host has answered.
        while not (await ada.perceive())["left"].add and not answering.done():
            await asyncio.sleep(0.01)
        assert ada.beliefs("left") == [Percept("dark")]
        assert await ada.act(Action("press")) == {"left": [Percept("click")]}
        with pytest.raises(NotDone, match="nobody can eat a lamp"):
            await ada.act(Action("eat"))
        await ada.perceive()
        assert ada.beliefs("left") == [Percept("light")]
        await hosted.tell({"events": [{"entity": "left", "percept": term("flash")}]})
        assert (await ada.perceive())["left"].events == [Percept("flash")]
        with pytest.raises(Refused, match="bang"):
            await hosted.tell({"events": [{"entity": "left", "percept": term("bang")}]})
        with pytest.raises(ValueError, match="expected a list"):
            await hosted.tell({"events": "bang"})
        assert await hosted.standing() == ("running", [{"entity": "left", "entityType": "hand", "agents": ["ada"]}])
        hosted.let_go()
        with pytest.raises(Ended, match="you have let this environment go"):
            await asyncio.wait_for(answering, 10)
        with pytest.raises(Refused):
            await ada.act(Action("press"))
    assert [call.method for call in calls if call.method != "taken"] == ["init", "start", "perceive", "act", "act"]
