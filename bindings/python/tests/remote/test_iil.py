"""Terms: equality, text, and JSON."""

from __future__ import annotations

import json
import math
import pickle
import struct

import pytest
from situated.iil import Action, Function, Parameter, Percept, Term


def text(value: object) -> str:
    return str(Percept("p", value))[2:-1]


@pytest.mark.parametrize(
    ("value", "printed"),
    [
        (2, "2"),
        (2.0, "2.0"),
        (-0.0, "-0.0"),
        (1e21, "1.0e21"),
        (1.5e-7, "1.5e-7"),
        (0.0001, "0.0001"),
        (1e15, "1000000000000000.0"),
        (1e16, "1.0e16"),
        (math.inf, "1.0Inf"),
        (-math.inf, "-1.0Inf"),
        (math.nan, "1.5NaN"),
        (True, "true"),
        ("true", "'true'"),
        ("roomC1", "roomC1"),
        ("Room C1", "'Room C1'"),
        ("", "''"),
        ("it's\n\u202e", "'it\\'s\\n\\x202E\\'"),
        ("größe", "'größe'"),
        ([Function("pos", 1, 1), []], "[pos(1,1),[]]"),
        (Function("f"), "f()"),
    ],
)
def test_terms_are_printed_as_prolog_reads_them(value: Parameter, printed: str) -> None:
    assert text(value) == printed


def test_a_name_without_arguments_has_no_parentheses() -> None:
    assert str(Action("skip")) == "skip"
    assert str(Percept("at", 3, 2)) == "at(3,2)"
    assert repr(Percept("at", 3, "x")) == "Percept('at', 3, 'x')"


@pytest.mark.parametrize(
    "value", [2, 2.0, -0.0, 1e300, math.inf, -math.inf, math.nan, True, "a b", (1, (2.5, "x")), ()]
)
def test_reads_the_json_that_it_writes(value: Parameter) -> None:
    percept = Percept("p", value, Function("f", value))
    assert Percept.from_json(percept.to_json()) == percept


def test_json_has_the_form_of_the_protocol() -> None:
    assert json.loads(Action("moveTo", 2, (3.5, math.nan)).to_json()) == {
        "name": "moveTo",
        "args": [2, [3.5, {"numeral": "1.5NaN"}]],
    }
    assert Action.from_json('{"name": "up"}') == Action("up")
    assert Percept.from_json('{"name": "p", "args": [-0]}') == Percept("p", -0.0)
    odd = struct.unpack(">d", struct.pack(">Q", 0xFFF8_0000_0000_0001))[0]
    assert Percept.from_json(Percept("p", odd).to_json()) == Percept("p", odd)


@pytest.mark.parametrize(
    "wrong", ["[]", "{}", '{"name": 1}', '{"name": "a", "args": {}}', '{"name": "a", "x": 1}', "x"]
)
def test_rejects_json_that_is_not_a_term(wrong: str) -> None:
    with pytest.raises(ValueError):
        Percept.from_json(wrong)


def test_equality_has_the_rules_of_the_language() -> None:
    different: list[Term] = [Percept("p", value) for value in (1, 1.0, True, "1", (1,), 0.0, -0.0)]
    different += [Action("p", 1), Percept("p"), Percept("p", Function("list", 1))]
    assert len(set(different)) == len(different)
    assert Percept("p", math.nan) == Percept("p", math.nan)
    assert Percept("p", [1, [2]]) == Percept("p", (1, (2,)))


def test_a_percept_is_matched_sorted_and_pickled() -> None:
    match Percept("at", 3, 2):
        case Percept("at", (x, y)):
            assert (x, y) == (3, 2)
        case _:
            pytest.fail("it is not matched")
    assert sorted({Percept("b"), Percept("a", 1)}) == [Percept("a", 1), Percept("b")]
    assert pickle.loads(pickle.dumps(Percept("at", (1, 2)))) == Percept("at", (1, 2))


def test_terms_cannot_be_changed() -> None:
    percept = Percept("at", 3)
    with pytest.raises(AttributeError):
        percept.name = "in"
    with pytest.raises(TypeError):
        Percept("at", {})
    with pytest.raises(ValueError):
        Percept("at", 1 << 63)
