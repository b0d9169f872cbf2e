"""Spaces as types, and their values as parameters and back."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from gymnasium import spaces
from situated import Failure
from situated.hosting.entity import EntitySpaces
from situated.hosting.spaces import from_parameter, idle_value, to_parameter, type_of
from situated.iil import Action, Function, Percept

SPACES: list[spaces.Space[Any]] = [
    spaces.Discrete(4),
    spaces.Discrete(3, start=-1),
    spaces.MultiDiscrete([2, 3]),
    spaces.MultiDiscrete([[2, 3], [4, 5]]),
    spaces.MultiBinary(3),
    spaces.Box(-1, 1, (2, 2), np.float32),
    spaces.Box(-np.inf, np.inf, (), np.float64),
    spaces.Box(0, 255, (2, 3), np.uint8),
    spaces.Text(5),
    spaces.Tuple([spaces.Discrete(2), spaces.Box(0, 1, (1,))]),
    spaces.Dict({"a": spaces.Discrete(2), "b": spaces.Dict({"c": spaces.MultiBinary(2)})}),
]


@pytest.mark.parametrize("space", SPACES, ids=str)
def test_reads_the_values_that_it_writes(space: spaces.Space[Any]) -> None:
    type_of(space)
    space.seed(1)
    for value in [*(space.sample() for _ in range(10)), idle_value(space)]:
        said = to_parameter(space, value)
        Percept.from_json(Percept("p", said).to_json())
        again = from_parameter(space, said)
        assert space.contains(again) and to_parameter(space, again) == said


def test_types_contain_the_bounds() -> None:
    assert type_of(spaces.Discrete(3, start=-1)) == {"integer": {"minimum": -1, "maximum": 1}}
    assert type_of(spaces.MultiDiscrete([2, 3])) == {"list": {"integer": {"minimum": 0, "maximum": 2}}}
    assert type_of(spaces.Box(0, 255, (2, 3), np.uint8)) == {
        "list": {"list": {"integer": {"minimum": 0, "maximum": 255}}}
    }
    assert type_of(spaces.Box(-1, 1, ())) == "number"


@pytest.mark.parametrize(
    ("space", "wrong"),
    [
        (spaces.Discrete(3), 3),
        (spaces.MultiDiscrete([2, 3]), (2, 0)),
        (spaces.MultiDiscrete([2, 3]), (1,)),
        (spaces.Box(-1, 1, (2,)), (0.0, 1.5)),
        (spaces.Box(-1, 1, (2,)), "left"),
        (spaces.Tuple([spaces.Discrete(2)]), 1),
    ],
    ids=str,
)
def test_rejects_values_outside_of_a_space(space: spaces.Space[Any], wrong: Any) -> None:
    with pytest.raises(Failure, match="is not of"):
        from_parameter(space, wrong)


def test_rejects_spaces_without_a_representation() -> None:
    with pytest.raises(TypeError, match="has no representation"):
        type_of(spaces.Sequence(spaces.Discrete(2)))


def test_observations_are_sent_as_their_leaves() -> None:
    entity = EntitySpaces(
        spaces.Discrete(2), spaces.Dict({"a": spaces.Discrete(9), "b": spaces.Tuple([spaces.MultiBinary(2)])})
    )
    told = entity.percepts({"a": 7, "b": (np.array([0, 1], np.int8),)}, None)
    assert told == [Percept("observation", "a", 7), Percept("observation", "b.part0", (0, 1))]


def test_sends_only_the_shape_of_large_observations_by_default() -> None:
    image = spaces.Box(0, 255, (16, 16, 3), np.uint8)
    value = np.zeros(image.shape, np.uint8)
    assert EntitySpaces(spaces.Discrete(2), image).percepts(value, None) == [
        Percept("observation", Function("array", (16, 16, 3)))
    ]
    (told,) = EntitySpaces(spaces.Discrete(2), image, large=True).percepts(value, None)
    match told:
        case Percept("observation", (Function("array", (shape, values)),)):
            assert shape == (16, 16, 3) and values == (0,) * 768
        case _:
            pytest.fail(f"{told!r:.80}")


def test_actions_have_the_names_that_the_environment_gives_them() -> None:
    entity = EntitySpaces(spaces.Discrete(2, start=5), spaces.Discrete(1), ["LEFT", "RIGHT"])
    assert entity.read(Action("act", "RIGHT"), None) == 6
    assert entity.percepts(0, [0, 1])[1:] == [Percept("legal", "RIGHT")]
    with pytest.raises(Failure, match=r"act\('LEFT'\) is not legal now; legal are RIGHT"):
        entity.read(Action("act", "LEFT"), [0, 1])
    assert entity.idle([0, 1]) == 6
