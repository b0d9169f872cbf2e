"""Mistakes of authors of environments, and correct values that look like mistakes."""

import asyncio
import pickle
from contextlib import nullcontext
from typing import Annotated, Any, Literal, Optional

import numpy as np
import pytest
import situated
from situated import Action, EntityType, Environment, Function, InterfaceError, Measure, Percept, PythonEnvironment
from situated.authoring.provider import Provider
from situated.gymnasium import SingleEnvironment
from situated.remote import ConnectError
from test_authoring import At, Break, Canyon, Echo, Echoed, Fly, Heard, Look, Plaza, Pos, in_plaza, live


class Walk(Action):
    """Walks."""

    direction: Literal["left", "right"]


class Run(Walk):
    """Walks fast."""

    speed: int


def test_a_subclass_of_a_term_has_the_fields_of_its_base_class():
    fast = Run("left", speed=3)
    assert (Run.__match_args__, fast.direction, fast.speed) == (("direction", "speed"), "left", 3)

    class Track(Plaza):
        person = EntityType("Somebody.", actions=[Walk, Run], percepts=[At, Heard])

        def act(self, entity, action):
            match action:
                case Run(direction, speed):
                    self.tell(entity, Heard(entity, [direction, str(speed)]))

    environment, agent = live(Track())
    fields = environment.ontology.declared["entityTypes"][0]["actions"][1]["parameters"]
    assert [(field["name"], field["type"]) for field in fields] == [
        ("direction", {"choice": [{"name": word, "documentation": ""} for word in ("left", "right")]}),
        ("speed", {"integer": {"minimum": -(1 << 63), "maximum": (1 << 63) - 1}}),
    ]
    agent.perceive()
    agent.act(fast)
    assert agent.perceive()["ann"].events == [Heard("ann", ["left", "3"])]


NUMBERS = [
    (np.float32(0.5), 0.5),
    (np.float64(0.5), 0.5),
    (np.int64(3), 3),
    (np.uint8(3), 3),
    (np.True_, True),
    (np.array(2.5), 2.5),
    (np.str_("red"), "red"),
]


@pytest.mark.parametrize(("given", "plain"), NUMBERS, ids=lambda value: f"{type(value).__name__} {value}")
def test_values_of_numpy_become_those_of_python_everywhere(given, plain):
    class Defaults(Canyon):
        def begin(self, value: Any = given) -> None:
            super().begin()
            self.last = value

    environment, agent = live(Defaults(), "ada")
    as_default, as_parameter = environment.parameters["value"], Environment(Defaults(), value=given).parameters["value"]
    as_percept = agent.perceive()["ada"].add[0].value
    as_action = agent.act(Echo(given))["ada"][0].value

    class Measured(Canyon):
        def results(self):
            return [Measure("ada", "last", given)]

    as_result = Environment(Measured()).outcome()["results"][0]["value"]
    for value in (as_default, as_parameter, as_percept, as_action, as_result):
        assert (type(value), value) == (type(plain), plain)


def test_percepts_hold_and_events_happen():
    class Mixed(Plaza):
        def percepts(self, entity):
            return [At(self.where[entity]), Heard("ann", ["hello"])]

        def step(self):
            self.tell("ann", At(Pos(0, 0)))

    with pytest.raises(ValueError, match="`heard` is an event; send it with `tell`"):
        live(Mixed())

    class Wrong(Plaza):
        step = Mixed.step

    environment, agent = live(Wrong())
    with pytest.raises(ValueError, match="`at` holds and is no event; list it in `percepts`"):
        environment.step()


def test_a_parameter_can_be_optional():
    class Sized(Canyon):
        def begin(
            self,
            width: Annotated[Optional[float], "Metres."],  # noqa: UP045
            length: int = None,  # noqa: RUF013
            depth: int | None = 4,
        ):
            super().begin()
            self.last = str((width, length, depth))

    environment = Environment(Sized())
    types = [
        (field["name"], field["type"], field.get("optional")) for field in environment.ontology.declared["parameters"]
    ]
    integer = {"integer": {"minimum": -(1 << 63), "maximum": (1 << 63) - 1}}
    assert types == [("width", "number", True), ("length", integer, True), ("depth", integer, None)]
    assert environment.outcome()["results"][0]["value"] == "(None, None, 4)"
    environment.reset(width=2, length=3)
    assert environment.outcome()["results"][0]["value"] == "(2.0, 3, 4)"
    with pytest.raises(InterfaceError, match="length"):
        environment.reset(length=2.5)


FACES = [
    Environment,
    situated.parallel_env,
    situated.aec_env,
    SingleEnvironment,
    lambda of, **given: situated.make_vec(of, 1, **given),
    lambda of, **given: situated.make_vec(of, 1, processes=1, **given),
    lambda of, **given: situated.check_environment(of, seeds=1, steps=2, **given),
    lambda of, **given: asyncio.run(situated.host(of, "tcp://127.0.0.1:1", **given)),
]


class Stair(PythonEnvironment):
    """A stair without a fixed height."""

    climber = EntityType("Climbs.", actions=[Walk], percepts=[])

    def begin(self, width: int = 5, limit: int | None = None) -> None:
        assert (width, limit) == (5, None)
        self.add("ann", self.climber)

    def act(self, entity, action):
        pass

    def results(self):
        return [Measure("ann", "height", 0)]


class Ladder(Stair):
    def begin(self, height: int) -> None:
        super().begin()


@pytest.mark.parametrize("face", FACES)
def test_a_parameter_that_is_none_is_not_given(face):
    with pytest.raises(ConnectError) if face is FACES[-1] else nullcontext():
        face(Stair(), width=None, limit=None)
    with pytest.raises((InterfaceError, ValueError), match="`height` .* is required"):
        face(Ladder(), height=None)


class Diary(Stair):
    def begin(self, record: int, threads: int, steps: int, name: str, parameters: int, width: int = 5) -> None:
        assert (record, threads, steps, name, parameters, width) == (1, 2, 3, "ann", 4, 6)
        self.add("ann", self.climber)


@pytest.mark.parametrize("face", FACES)
def test_a_dictionary_gives_parameters_with_any_names(face):
    given = {"record": 1, "threads": 2, "steps": 3, "name": "ann", "parameters": 4}
    with pytest.raises(ConnectError) if face is FACES[-1] else nullcontext():
        face(Diary(), width=6, parameters=given)
    with pytest.raises(ValueError, match="parameter `width` is given in `parameters` and as a keyword; give it in one"):
        face(Diary(), width=6, parameters={**given, "width": 6})
    with pytest.raises(TypeError, match="parameters must be a dictionary of parameters by name, not 3"):
        face(Diary(), parameters=3)


def test_a_reset_and_a_copy_have_the_parameters_of_a_dictionary():
    environment = Environment("find-goals", parameters={"view": "global"})
    assert environment.parameters["view"] == "global"
    environment.reset(parameters={"view": None})
    assert environment.parameters == Environment("find-goals").parameters
    for make in (situated.parallel_env, lambda of, **given: situated.make_vec(of, 2, **given)):
        one, other = make("find-goals", parameters={"view": "global"}), make("find-goals", view="global")
        assert one.encoding == other.encoding != make("find-goals").encoding
        assert pickle.loads(pickle.dumps(one)).encoding == one.encoding


def test_a_reset_keeps_the_parameters_that_are_not_given():
    environment = Environment("bw4t", robots=2, log=True)
    environment.reset(robots=3)
    assert (environment.parameters["robots"], environment.parameters["log"]) == (3, True)


def test_a_query_of_an_unknown_property_lists_the_properties():
    environment = Environment("bw4t")
    assert environment.query("log") is None
    assert environment.query("type", "Bot_1") == "bot"
    with pytest.raises(InterfaceError, match="no property `mpa`; it has `map`, `log`, .*did you mean `map`?"):
        environment.query("mpa")
    with pytest.raises(InterfaceError, match="entity `Bot_1` has no property `tpye`; it has `type`; did you mean"):
        environment.query("tpye", "Bot_1")


def test_a_reset_with_none_goes_back_to_the_default():
    environment = Environment("find-goals", view="global")
    environment.reset()
    assert environment.parameters["view"] == "global"
    environment.reset(view=None)
    assert environment.parameters == Environment("find-goals").parameters
    with pytest.raises(InterfaceError, match="there is no parameter `veiw`; did you mean `view`?"):
        environment.reset(veiw=None)
    picture = SingleEnvironment("wumpus", size=None, pixels=None, grayscale=None)
    assert picture.observation_space.shape == SingleEnvironment("wumpus").observation_space.shape


def begins(begin: Any) -> type[PythonEnvironment]:
    return type("Wrong", (Canyon,), {"begin": begin})


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        (lambda: begins(lambda self, *sizes: None), r"`Wrong.begin` takes \*sizes"),
        (lambda: begins(lambda self, **sizes: None), r"`Wrong.begin` takes \*\*sizes"),
        (lambda: begins(lambda self, seed=1: None), "`Wrong.begin` has a parameter `seed`"),
        (lambda: type("Wrong", (Canyon,), {"version": 1}), '`Wrong.version` is 1; write it as text: "1"'),
        (lambda: type("Wrong", (Canyon,), {"pace": "turns"}), "`Wrong.pace` is 'turns'; expected \"reactive\""),
        (lambda: type("Wrong", (Canyon,), {"pace": True}), "`Wrong.pace` is True"),
    ],
)
def test_mistakes_of_a_class_are_named(wrong, why):
    with pytest.raises(TypeError, match=why):
        Environment(wrong()())


def test_mistakes_of_terms_and_entity_types_are_named():
    with pytest.raises(TypeError, match="the delivery of Near is 'on_change'; use one of once, onChange"):

        class Near(Percept, delivery="on_change"):
            pass

    class Pick(Action):
        number: Literal[1, 2]

    class Choose(Action):
        number: int | str

    for action, why in [(Pick, r"Literal\[1, 2\] is not a type"), (Choose, r"int \| str is not a type of parameters")]:
        picker = EntityType("Somebody.", actions=[action])
        with pytest.raises(TypeError, match=why):
            Environment(type("Wrong", (Canyon,), {"walker": picker})())
    for actions, why in [
        ([Fly()], r"`actions` has Fly\(\); list its class: Fly"),
        (At, "expected classes of situated.A"),
    ]:
        with pytest.raises(TypeError, match=why):
            EntityType("Somebody.", actions=actions)
    _, _, agent = in_plaza()
    with pytest.raises(TypeError, match=r"Look is a class; pass an action: Look\(...\)"):
        agent.act(Look)


@pytest.mark.parametrize(
    ("method", "returned", "why"),
    [
        ("ending", True, '`Wrong.ending` returned True; expected "terminated", "truncated" or None'),
        ("percepts", None, "`Wrong.percepts` returned None; expected a list of percepts"),
        ("results", None, "`Wrong.results` returned None; expected a list of situated.Measure"),
        ("results", {"steps": 3}, "`Wrong.results` returned {'steps': 3}; expected a list of situated.Measure"),
        ("results", [("steps", 3)], r"`Wrong.results` returned \('steps', 3\); expected situated.Measure"),
    ],
)
def test_errors_name_the_method_that_has_returned_something_else(method, returned, why):
    with pytest.raises(TypeError, match=why):
        Environment(type("Wrong", (Canyon,), {method: lambda *_: returned})()).outcome()


def test_one_environment_is_used_once():
    plaza, environment, _ = in_plaza()
    for use in (lambda: Environment(plaza), lambda: situated.parallel_env(plaza)):
        with pytest.raises(ValueError, match="this Plaza is already in use; create another instance"):
            use()
    with pytest.raises(ValueError, match="already in use"):
        asyncio.run(situated.host(plaza, "tcp://127.0.0.1:1"))
    twin = pickle.loads(pickle.dumps(environment))
    assert list(twin.entities) == ["hero", "ann"]
    other = Plaza()
    # An environment that has not begun uses nothing.
    with pytest.raises(InterfaceError, match="nobody builds") as refusal:
        Environment(other, width=13)
    assert refusal.tb is not None and Environment(other).entities


def test_a_default_action_is_one_of_a_declared_class():
    class Dreaming(Plaza):
        dream: Any = Action("go", Function("pos", 2, 2))

        def default_action(self, entity):
            return self.dream if entity == "ann" else None

    dreaming = Dreaming()
    provider = Provider(dreaming)
    provider.init(1, {})
    provider.act_by_default("ann")
    assert dreaming.where["ann"] == Pos(2, 2)
    returned = "`Dreaming.default_action` returned"
    Dreaming.dream = Action("swim")
    with pytest.raises(TypeError, match=rf"{returned} Action\('swim'\), which is not an action"):
        provider.act_by_default("ann")
    # Its class may be right and its arguments wrong, each time.
    Dreaming.dream = Break("dance")
    for _ in range(2):
        with pytest.raises(ValueError, match=rf"{returned} Break\('dance'\): .* expected raise\|lie\|reenter for how"):
            provider.act_by_default("ann")


def test_nan_is_no_number():
    class Turn(Action):
        by: float

    class Steer(Action):
        path: list[float]

    class Wheel(Canyon):
        walker = EntityType("Somebody.", actions=[Turn, Steer], percepts=[Echoed])

        def begin(self, speed: float = 1.0) -> None:
            super().begin()

        def default_action(self, entity):
            return Turn(nan)

    nan = float("nan")
    with pytest.raises(InterfaceError, match=r"`speed` of `Wheel.begin` is NaN; give a number"):
        Environment(Wheel(), speed=nan)
    environment, agent = live(Wheel(), "ada", speed=float("inf"))
    for action, of in [(Turn(nan), "`by` of `Turn`"), (Steer([0.5, nan]), "`path` of `Steer`")]:
        with pytest.raises(InterfaceError, match=f"{of} is NaN; give a number"):
            agent.act(action)
    with pytest.raises(ValueError, match=r"`Wheel.default_action` returned Turn\(nan\): `by` of `Turn` is NaN"):
        Provider(Wheel()).act_by_default("ada")


def test_an_outcome_has_values_of_python_and_seeds_are_checked():
    canyon = Canyon()
    environment, agent = live(canyon, "ada")
    for value in (float("inf"), (1, float("-inf")), Pos(1, 2)):
        agent.act(Echo(value))
        assert environment.outcome()["results"] == [{"of": "ada", "name": "last", "value": value}]
    with pytest.raises(ValueError, match="seed must be 0 to"):
        environment.reset(seed=-1)
