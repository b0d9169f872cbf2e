"""Does the environment keep its own rules, and those on which agents, recordings and servers rely?"""

import pytest
import situated
from situated.checking import check_environment

from agent import decide
from my_world import At, MyWorld, Walk


def test_it_is_an_environment() -> None:
    check_environment(MyWorld)


def test_the_robot_does_not_leave_the_corridor() -> None:
    world = situated.Environment(MyWorld(), length=3)
    ada = world.register("ada")
    ada.associate("robot")
    with pytest.raises(situated.InterfaceError, match="there is a wall"):
        ada.act(Walk("left"))
    ada.perceive()
    assert At(0) in ada.beliefs("robot")


def test_the_agent_takes_all_parcels() -> None:
    world = situated.Environment(MyWorld(), length=20, seed=1)
    ada = world.register("ada")
    ada.associate("robot")
    ada.perceive()
    while world.outcome()["ending"] is None:
        ada.act(decide(ada.beliefs("robot")))
        world.step()
        ada.perceive()
    assert At(19) in ada.beliefs("robot")
