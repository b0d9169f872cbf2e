"""What an agent remembers: what is told again is heard once, and what was heard before it was lost is not missed."""

from __future__ import annotations

from typing import Any

from situated.iil import Percept
from situated.remote import Moment
from situated.remote.memory import Memory


def told(since: tuple[int, int], version: tuple[int, int], events: str, lost: int = 0) -> dict[str, Any]:
    return {
        "entity": "red",
        "since": list(since),
        "version": list(version),
        "resync": since[0] == 0,
        "add": [Percept("at", version[0]).to_data()],
        "delete": [] if since[0] == 0 else [Percept("at", since[0]).to_data()],
        "events": [{"name": event} for event in events],
        "lost": lost,
    }


def heard(memory: Memory, told: dict[str, Any]) -> tuple[str, int]:
    perception = memory.take([told], Moment(1, 0), "update")["red"]
    return "".join(event.name for event in perception.events), perception.lost


def test_what_is_told_again_is_heard_once() -> None:
    memory = Memory()
    assert heard(memory, told((0, 3), (1, 5), "ab")) == ("ab", 0)
    assert heard(memory, told((0, 3), (2, 6), "abc")) == ("c", 0)
    assert memory.beliefs("red") == [Percept("at", 2)]
    assert heard(memory, told((2, 6), (3, 7), "d")) == ("d", 0)
    assert memory.beliefs("red") == [Percept("at", 3)]


def test_what_was_heard_before_it_was_lost_is_not_missed() -> None:
    memory = Memory()
    assert heard(memory, told((0, 0), (1, 2), "ab")) == ("ab", 0)
    assert heard(memory, told((0, 0), (2, 5), "de", 3)) == ("de", 1)
    assert heard(memory, told((0, 0), (2, 6), "ef", 4)) == ("f", 0)


def test_what_is_known_already_needs_no_acknowledgement() -> None:
    memory = Memory()
    heard(memory, told((0, 0), (1, 0), ""))
    assert list(memory.unacknowledged()) == [{"entity": "red", "version": [1, 0]}]
    heard(memory, {"entity": "red", "since": [1, 0], "version": [1, 0]})
    assert list(memory.unacknowledged()) == []
    memory.forget("red")
    assert memory.beliefs("red") == []
