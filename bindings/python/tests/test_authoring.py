"""Environments written in Python, in this process."""

import pickle
import threading
from typing import Annotated, Any, Literal

import numpy as np
import pytest
import situated
from situated import (
    Action,
    EntityType,
    Environment,
    Failure,
    Function,
    InterfaceError,
    Measure,
    Percept,
    PythonEnvironment,
)


class Pos(Function):
    """A place."""

    x: int
    y: int


class Go(Action):
    """Goes there."""

    to: Pos


class Say(Action):
    """Says words, which all receive."""

    words: tuple[str, ...]
    loud: bool


class Look(Action):
    """Returns the positions of all."""


class Fly(Action):
    """Always fails."""


class Break(Action):
    """Makes a mistake of an author."""

    how: Literal["raise", "lie", "reenter"]


class At(Percept, delivery="onChange"):
    """Where it is."""

    pos: Pos


class Heard(Percept, delivery="event"):
    """What somebody said."""

    speaker: str
    words: list[str]


class Plaza(PythonEnvironment):
    """A place where people meet.

    They can join and leave.
    """

    version = "2.1"
    pace = "lockstep"
    one_entity_per_agent = True

    person = EntityType("Somebody.", actions=[Go, Say, Look, Fly, Break], percepts=[At, Heard])
    statue = EntityType("Stands there.", percepts=[At])

    def begin(
        self,
        width: Annotated[int, range(1, 50), "Units from left to right."] = 9,
        *,
        start: Pos = Pos(0, 0),  # noqa: B008
        names: list[str] = ["ann"],  # noqa: B006
    ) -> None:
        if width == 13:
            raise Failure("nobody builds such a plaza")
        self.width, self.start = width, start
        self.where: dict[str, Pos] = {}
        self.news: list[tuple[str, str]] = []
        self.interface: Environment | None = None
        self.add("hero", self.statue)
        self.where["hero"] = Pos(self.random.randrange(width), 1)
        for name in names:
            self.request("person", name)

    def request(self, entity_type: str, name: str | None) -> str:
        name = name or f"person{len(self.entities)}"
        if name in self.entities:
            raise Failure(f"there is a {name} already")
        self.add(name, entity_type)
        self.where[name] = self.start
        return name

    def act(self, entity: str, action: Any) -> list[Percept] | None:
        match action:
            case Go(Pos(x, y)):
                if x >= self.width:
                    raise Failure("there is no such place")
                self.where[entity] = Pos(x, y)
            case Say(words, loud):
                for name in self.entities:
                    if self.entities[name] == "person":
                        self.tell(name, Heard(entity, [word.upper() if loud else word for word in words]))
            case Look():
                return [At(pos) for pos in self.where.values()]
            case Fly():
                raise NotImplementedError("nobody can fly")
            case Break("raise"):
                raise ZeroDivisionError("it is broken")
            case Break("lie"):
                self.tell(entity, Percept("nobody_has_declared_this"))
            case Break("reenter"):
                assert self.interface is not None
                self.interface.step()
        return None

    def percepts(self, entity: str) -> list[Percept]:
        return [At(self.where[entity])]

    def taken(self, entity: str) -> None:
        self.news.append(("taken", entity))

    def freed(self, entity: str) -> None:
        self.news.append(("freed", entity))

    def left(self, entity: str) -> None:
        self.news.append(("left", entity))
        self.remove(entity)

    def results(self) -> list[Measure]:
        return [Measure("all", "persons", len(self.entities) - 1)]


def live(written: PythonEnvironment, entity: str = "ann", **parameters: Any) -> tuple[Environment, situated.Agent]:
    environment = Environment(written, **parameters)
    agent = environment.register("ada")
    agent.associate(entity)
    return environment, agent


def in_plaza(**parameters: Any) -> tuple[Plaza, Environment, situated.Agent]:
    plaza = Plaza()
    return plaza, *live(plaza, **parameters)


def test_the_ontology_is_made_from_the_classes():
    declared = Plaza().ontology
    assert (declared["name"], declared["version"], declared["pace"]) == ("plaza", "2.1", "lockstep")
    assert declared["documentation"] == "A place where people meet.\n\nThey can join and leave."
    assert declared["relation"] == {"oneAgentPerEntity": False, "oneEntityPerAgent": True}
    width, start, names = declared["parameters"]
    assert width == {
        "name": "width",
        "documentation": "Units from left to right.",
        "type": {"integer": {"minimum": 1, "maximum": 49}},
        "default": 9,
    }
    assert start["type"]["function"]["name"] == "pos" and names["type"] == {"list": "identifier"}
    person, statue = declared["entityTypes"]
    assert [action["name"] for action in person["actions"]] == ["go", "say", "look", "fly", "break"]
    assert (statue["name"], statue["actions"]) == ("statue", [])
    say = person["actions"][1]["parameters"]
    assert [field["type"] for field in say] == [{"list": "identifier"}, "truthValue"]
    assert {percept["name"]: percept["delivery"] for percept in person["percepts"]} == {
        "at": "onChange",
        "heard": "event",
    }


def test_rejects_types_that_parameters_cannot_have():
    class Wrong(PythonEnvironment):
        def begin(self, size: complex = 1j) -> None: ...

    with pytest.raises(TypeError, match="complex.* is not a type of parameters"):
        Environment(Wrong())


def test_terms_have_the_classes_of_their_author():
    _, environment, agent = in_plaza()
    told = agent.perceive()["ann"]
    assert told.add == [At(Pos(0, 0))] and type(told.add[0]) is At
    assert environment.percepts.At is At and environment.actions.Go is Go
    assert agent.act(Go(Pos(2, 3))) == {"ann": []}
    assert agent.perceive()["ann"].add == [At(pos=Pos(x=2, y=3))]
    found = agent.act("look")["ann"]
    assert At(Pos(2, 3)) in found and len(found) == 2
    assert pickle.loads(pickle.dumps(found)) == found
    assert repr(At(Pos(2, 3))) == "At(Pos(2, 3))" and str(At(Pos(2, 3))) == "at(pos(2,3))"


def test_events_arrive_once_and_in_order():
    _, _, agent = in_plaza(names=["ann", "ben"])
    agent.perceive()
    agent.act(Say(("hello", "you"), False))
    agent.act(Say(["hello", "you"], True))
    assert agent.perceive()["ann"].events == [Heard("ann", ["hello", "you"]), Heard("ann", ["HELLO", "YOU"])]
    assert agent.perceive()["ann"].events == []


def test_an_entity_is_removed_with_its_events():
    class Leaving(Plaza):
        def step(self):
            self.tell("ben", Heard("ann", ["farewell"]))
            self.remove("ben")

    environment, agent = live(Leaving(), names=["ann", "ben"])
    environment.step()
    assert "ben" not in environment.entities
    assert agent.perceive()["ann"].events == []


def test_percepts_are_asked_for_once_when_somebody_looks():
    asked = []

    class Asked(Plaza):
        def percepts(self, entity):
            asked.append(entity)
            return super().percepts(entity)

    environment, agent = live(Asked())
    agent.perceive()
    asked.clear()
    agent.act(Go(Pos(1, 0)))
    agent.act(Go(Pos(2, 0)))
    environment.step()
    assert asked == []
    told = agent.perceive()["ann"]
    assert (told.delete, told.add, asked) == ([At(Pos(0, 0))], [At(Pos(2, 0))], ["hero", "ann"])
    assert agent.perceive()["ann"].add == [] and asked == ["hero", "ann"]


def test_numbers_and_texts_of_numpy_become_those_of_python():
    told = Percept("at", np.float64(0.5), np.int64(2), np.str_("red"))
    assert [type(arg) for arg in told.args] == [float, int, str] and told == Percept("at", 0.5, 2, "red")


def test_errors_change_nothing_and_contain_the_reason():
    _, environment, agent = in_plaza()
    for action, kind, why in [
        (Go(Pos(9, 0)), "failure", "there is no such place"),
        (Fly(), "notSupportedByEntity", "nobody can fly"),
        (Action("go", 3), "notSupportedByEnvironment", "go"),
    ]:
        with pytest.raises(InterfaceError, match=why) as refusal:
            agent.act(action)
        assert (refusal.value.kind, environment.state) == (kind, "running")
    with pytest.raises(InterfaceError, match="nobody builds such a plaza"):
        environment.reset(width=13)
    with pytest.raises(InterfaceError, match=r"width.* 1\.\.49, got 50"):
        environment.reset(width=50)
    assert environment.moment.episode == 1 and agent.act("look")


def test_the_last_episode_continues_if_the_next_one_cannot_begin():
    plaza, environment, agent = in_plaza(seed=5)
    drawn = plaza.random.getstate()
    with pytest.raises(InterfaceError, match="nobody builds such a plaza"):
        environment.reset(width=13, seed=6)
    assert (plaza.seed, plaza.random.getstate(), list(plaza.entities)) == (5, drawn, ["hero", "ann"])
    assert agent.act(Say(["still", "here"], False)) == {"ann": []}
    assert agent.perceive()["ann"].events == [Heard("ann", ["still", "here"])]


def test_entities_are_requested_and_left():
    plaza, environment, ada = in_plaza()
    with pytest.raises(InterfaceError, match="there is a hero already"):
        environment.register("bob").request_entity("person", "hero")
    eve = environment.register("eve")
    assert eve.request_entity("person", "eva") == "eva"
    assert eve.perceive()["eva"].add == [At(Pos(0, 0))]
    assert environment.outcome()["results"] == [{"of": "all", "name": "persons", "value": 2}]
    ada.free()
    eve.unregister()
    assert plaza.news == [("taken", "ann"), ("taken", "eva"), ("freed", "ann"), ("freed", "eva"), ("left", "eva")]
    assert list(environment.entities) == ["hero", "ann"]


def test_an_episode_can_be_repeated():
    def hero(seed: int) -> list[Percept]:
        _, environment, agent = in_plaza(seed=seed, width=40)
        found = agent.act("look")["ann"]
        environment.reset(seed=seed)
        assert agent.act("look")["ann"] == found
        return found

    assert hero(1) == hero(1) and len({tuple(hero(seed)) for seed in range(8)}) > 1


def test_steps_are_counted_and_time_can_be_paused():
    _, environment, agent = in_plaza()
    environment.step()
    assert (environment.moment.episode, environment.moment.step) == (1, 1)
    environment.pause()
    with pytest.raises(InterfaceError):
        agent.act("look")
    environment.start()
    environment.reset(start=Pos(4, 4))
    assert (environment.moment.episode, environment.moment.step) == (2, 0)
    assert agent.perceive()["ann"].add == [At(Pos(4, 4))]
    assert environment.parameters["start"] == Pos(4, 4)
    environment.kill()
    assert environment.state == "killed"


@pytest.mark.parametrize(
    ("how", "error", "why"),
    [
        ("raise", ZeroDivisionError, "it is broken"),
        ("lie", InterfaceError, "nobody_has_declared_this"),
        ("reenter", RuntimeError, "cannot call its own interface"),
    ],
)
def test_an_exception_ends_the_environment(how, error, why):
    plaza, environment, agent = in_plaza()
    plaza.interface = environment
    with pytest.raises(error, match=why):
        agent.act(Break(how))
    assert environment.state == "killed"


def test_threads_take_turns():
    _, environment, _ = in_plaza(names=["ann", *(f"p{number}" for number in range(4))])

    def walk(number: int) -> None:
        agent = environment.register(f"agent{number}")
        agent.associate(f"p{number}")
        for x in range(100):
            agent.act(Go(Pos(x % 9, number)))
            assert agent.perceive()[f"p{number}"].add in ([At(Pos(x % 9, number))], [])

    threads = [threading.Thread(target=walk, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()
    assert len(environment.agents) == 5


def test_fields_of_terms_are_checked():
    with pytest.raises(TypeError, match=r"pos has 2 parameters \(x, y\), not 1"):
        Pos(1)
    with pytest.raises(TypeError, match="every term has `name`"):

        class Called(Percept, delivery="always"):
            name: str

    with pytest.raises(TypeError, match="fields have none"):

        class Counted(Percept, delivery="always"):
            count: int = 3


def test_colours_of_shapes_have_names_or_parts():
    shape = situated.Shape.line([(0, 0), (1, 1)], (1, 2, 3), label="l", stands_for=Pos(1, 2))
    drawn = situated.Scene(2, 1, [shape, situated.Shape.circle(1, 0.5, 0.2, "red")]).to_json()
    assert '"color":[1,2,3]' in drawn and '"standsFor":{"name":"pos","args":[1,2]}' in drawn
    with pytest.raises(ValueError, match='unknown color "mauve"; use one of black, white'):
        situated.Shape.circle(0, 0, 1, "mauve")


def test_draws_only_when_somebody_looks():
    drawn = []

    class Drawn(Plaza):
        def scene(self):
            drawn.append(len(drawn))
            return situated.Scene(5, 1, [])

    environment, agent = live(Drawn())
    agent.act("look")
    environment.step()
    agent.perceive()
    assert drawn == [] and environment.scene().width == 5 and drawn == [0]
    assert environment.scene("ann").width == 0 and drawn == [0]


class Echo(Action):
    """Returns a value, and reports it from then on."""

    value: Any


class Echoed(Percept, delivery="onChange"):
    """The last value."""

    value: Any


class Canyon(PythonEnvironment):
    """Repeats what one says."""

    walker = EntityType("Somebody.", actions=[Echo], percepts=[Echoed])
    wrong: Any = None
    ends: Any = None

    def begin(self) -> None:
        self.last: Any = "silence"
        self.add("ada", self.walker)

    def act(self, entity: str, action: Echo) -> list[Percept]:
        self.last = action.value
        return [Echoed(self.last)]

    def percepts(self, entity: str) -> list[Any]:
        return [Echoed(self.last) if self.wrong is None else self.wrong]

    def results(self) -> list[Measure]:
        return [Measure("ada", "last", self.last)]

    def ending(self) -> Any:
        return self.ends


@pytest.mark.parametrize(
    "value",
    [1, 1.0, True, "Ünïcödé", -(1 << 63), 1e300, -0.0, float("nan"), float("-inf"), (), (1, ("a", 2.5)), Pos(1, 2)],
)
def test_values_of_all_types_come_back(value):
    environment, agent = live(Canyon(), "ada")
    agent.perceive()
    assert agent.act(Echo(value)) == {"ada": [Echoed(value)]}
    perception = agent.perceive()["ada"]
    assert (perception.delete, perception.add) == ([Echoed("silence")], [Echoed(value)])
    assert [one["name"] for one in environment.outcome()["results"]] == ["last"]


@pytest.mark.parametrize(
    "wrong, ends, error, why",
    [
        ("north", None, TypeError, "str is not a percept"),
        (Echo(1), None, TypeError, "Echo is not a percept"),
        (None, "won", TypeError, '`Canyon.ending` returned \'won\'; expected "terminated", "truncated" or None'),
    ],
)
def test_an_invalid_report_ends_the_environment(wrong, ends, error, why):
    canyon = Canyon()
    environment, agent = live(canyon, "ada")
    canyon.wrong, canyon.ends = wrong, ends
    agent.act(Echo(1))
    with pytest.raises(error, match=why):
        environment.outcome()
    assert environment.state == "killed"


def test_an_attribute_cannot_hide_a_method():
    class Hiding(Canyon):
        def begin(self):
            super().begin()
            self.taken = 0

    with pytest.raises(TypeError, match=r"Hiding\.begin cannot set self\.taken; choose another name"):
        situated.Environment(Hiding())
