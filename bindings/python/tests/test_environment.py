"""An environment in this process, by names and terms."""

import copy
import pickle

import pytest
import situated
from situated import Action, Environment, InterfaceError, Moment, Percept


def maze(**parameters) -> Environment:
    return Environment("find-goals", **parameters)


def test_lists_the_environments_of_the_package():
    names = dict(situated.environments())
    assert "find-goals" in names and names["find-goals"].endswith(".")


def test_suggests_the_most_similar_name():
    with pytest.raises(ValueError, match="did you mean `find-goals`"):
        Environment("find-goal")


def test_an_agent_acts_and_perceives():
    environment = maze()
    assert environment.entities == {"red": "walker", "blue": "walker"}
    ada = environment.register("ada")
    ada.associate("red")
    assert (ada.entities, environment.free_entities, environment.agents) == (["red"], ["blue"], ["ada"])
    first = ada.perceive()["red"]
    assert first.resync and len(first.add) == 8 and not first.delete
    assert ada.act("up") == {"red": []}
    environment.step()
    then = ada.perceive()["red"]
    assert then.events == [environment.percepts.Reward(-1)]
    assert sorted(ada.beliefs("red")) == sorted(ada.perceive("snapshot")["red"].add)
    assert environment.moment == Moment(1, 1)


def test_percepts_are_matched_by_the_classes_of_the_ontology():
    environment = maze(view="global")
    at, see = environment.percepts.At, environment.percepts.See
    ada = environment.register("ada")
    ada.associate("red")
    places, north = [], []
    for percept in ada.perceive()["red"].add:
        match percept:
            case at(x, y):
                places.append((x, y))
            case see(direction="north", what=what):
                north.append(what)
            case Percept("see", _):
                pass
            case _:
                pytest.fail(f"{percept} is declared nowhere")
    assert (places, north) == ([(3, 1)], ["free"])
    assert str(at(3, 1)) == "at(3,1)" and repr(at(3, 1)) == "At(3, 1)"
    assert at(3, 1) == Percept("at", 3, 1) and hash(at(3, 1)) == hash(Percept("at", 3, 1))
    for other in (pickle.loads(pickle.dumps(at(3, 1))), copy.copy(at(3, 1)), copy.deepcopy(at(3, 1))):
        assert other == at(3, 1) and type(other) is at and (other.x, other.y) == (3, 1)
    with pytest.raises(TypeError, match=r"at has 2 parameters \(x, y\), not 1"):
        at(3)


def test_actions_are_terms_of_any_kind():
    environment = maze()
    ada = environment.register("ada")
    ada.associate("red")
    for action in (Action("up"), environment.actions.Up(), "up"):
        ada.act(action)
        environment.step()
    assert environment.outcome()["results"][1]["value"] == -3


def test_errors_contain_the_reason_and_change_nothing():
    environment = maze()
    ada = environment.register("ada")
    for refused, kind, reason in (
        (lambda: environment.register("ada"), "notRegistrable", "is already registered"),
        (lambda: ada.act("up"), "noEntities", "has no entities"),
        (lambda: ada.associate("reds"), "wrongEntity", "did you mean `red`"),
    ):
        with pytest.raises(InterfaceError, match=reason) as caught:
            refused()
        assert caught.value.kind == kind
    ada.associate("red")
    with pytest.raises(InterfaceError, match="jump"):
        ada.act("jump", 3)
    with pytest.raises(TypeError, match="is not a parameter"):
        ada.act("up", object())
    ada.act("up")
    with pytest.raises(InterfaceError, match="has already chosen") as caught:
        ada.act("up")
    assert caught.value.kind == "failure"
    assert environment.moment == Moment(1, 0)


def test_manages_time_and_episodes():
    environment = maze()
    assert environment.state == "running" and repr(environment) == "<find-goals: running, episode 1, step 0>"
    environment.pause()
    with pytest.raises(InterfaceError, match="paused"):
        environment.step()
    environment.start()
    environment.step()
    environment.reset(view="global")
    assert (environment.moment, environment.parameters) == (Moment(2, 0), {"view": "global"})
    assert [happening for happening in environment.happenings() if "episode" in happening]
    environment.kill()
    assert environment.state == "killed"


def test_has_a_readable_representation():
    environment = maze()
    scene = environment.scene()
    assert (scene.width, scene.height) == (10, 4)
    assert scene.pixels(8).shape == (32, 80, 3) and scene.pixels(8).dtype == "uint8"
    assert len(scene.text(40, 20).splitlines()) == 12
    assert scene.svg().startswith("<svg") and "start" in scene.svg()
    assert environment._repr_html_().count("<svg") == 1
    assert environment.scene("red").width == 3
