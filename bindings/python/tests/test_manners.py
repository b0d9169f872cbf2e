"""What users are told: errors with Python's names, descriptions of numbers, and environments that can be kept."""

import copy
import inspect
import pickle

import numpy as np
import pytest
import situated
from situated import Action, EntityType, Failure, Percept, PythonEnvironment
from situated.find_goals import EnvFindGoals
from situated.gymnasium import GymnasiumVector, SingleEnvironment
from situated.pettingzoo import ParallelEnvironment


class Walk(Action):
    """Walks some cells."""

    cells: int


class At(Percept, delivery="onChange"):
    """The position."""

    cell: int


class Path(PythonEnvironment):
    """A path."""

    walker = EntityType("Somebody who walks.", actions=[Walk], percepts=[At])

    def begin(self, length: int = 10):
        self.length, self.cell, self.log = length, self.random.randrange(length), []
        self.add("ada", self.walker)

    def act(self, entity, action):
        self.cell += action.cells
        self.log.append(self.random.random())

    def taken(self, entity):
        self.log.append("taken")

    def percepts(self, entity):
        return [At(self.cell)]


class Broken(Path):
    """A path that breaks."""

    def percepts(self, entity):
        return [Percept("somewhere")]


class Stubborn(Path):
    """A path that does not stop."""

    def begin(self, length: int = 10):
        if length > 10:
            raise Failure("it is too long")
        super().begin(length)


def test_errors_in_this_process_speak_of_the_environment():
    with pytest.raises(Exception) as caught:
        situated.Environment(Broken())
    assert "host" not in str(caught.value) and "broken" in str(caught.value)
    with pytest.raises(situated.InterfaceError, match="it is too long") as caught:
        situated.Environment(Stubborn(), length=11)
    assert "host" not in str(caught.value)


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda: situated.parallel_env("find-goals", max_cycle=3), "`max_cycle`; did you mean `max_cycles`?"),
        (lambda: situated.aec_env("wumpus", rendermode="ansi"), "`rendermode`; did you mean `render_mode`?"),
        (lambda: situated.parallel_env(Path, max_cycle=3), "`max_cycle`; did you mean `max_cycles`?"),
        (lambda: situated.make_vec("find-goals", 2, thread=3), "`thread`; did you mean `threads`?"),
        (lambda: situated.make_vec(Path, 2, max_cycle=3), "`max_cycle`; did you mean `max_cycles`?"),
        (lambda: SingleEnvironment("wumpus", gray_scale=True), "`gray_scale`; did you mean `grayscale`?"),
        (lambda: GymnasiumVector("wumpus", 2, rendermode="ansi"), "`rendermode`; did you mean `render_mode`?"),
        (lambda: situated.Environment("wumpus", seeds=3), "`seeds`; did you mean `seed`?"),
        (lambda: situated.Environment("wumpus", sizee=3), "`sizee`; did you mean `size`?"),
        (lambda: situated.Environment(Path()).reset(sed=3), "`sed`; did you mean `seed`?"),
        (lambda: situated.parallel_env("find-goals", quux=3), "`quux`"),
    ],
)
def test_a_misspelled_keyword_is_recognised(make, said):
    with pytest.raises((ValueError, situated.InterfaceError)) as caught:
        make()
    assert str(caught.value) == f"there is no parameter {said}"


def test_values_are_shown_by_their_names():
    environment = situated.Environment("find-goals")
    path = Path()
    shown = {
        "<find-goals with 2 agents>": situated.parallel_env("find-goals"),
        "<find-goals with 2 agents in turns>": situated.aec_env("find-goals"),
        "<3 envs of find-goals with 2 agents each>": situated.make_vec("find-goals", 3),
        "<wumpus for Gymnasium>": SingleEnvironment("wumpus"),
        "<agent ada in find-goals>": environment.register("ada"),
        "<entity type walker>": Path.walker,
        "<Path with 0 entities>": path,
        "<scene of 10 x 4 units with 1 shapes>": situated.Scene(10, 4, [situated.Shape.circle(1, 1, 1, "red")]),
        "<Find the Goals: agent 1 is at [3, 1], agent 2 is at [6, 1]>": EnvFindGoals(),
    }
    assert {repr(value): value for value in shown.values()} == shown
    situated.Environment(path)
    assert repr(path) == "<Path with 1 entities>"
    assert repr(situated.Shape.circle(1, 1, 1, "red")).startswith("<shape {")


def test_errors_use_the_names_of_arguments():
    for make in (
        lambda: situated.parallel_env("find-goals", max_cycles=0),
        lambda: situated.make_vec("find-goals", 2, max_cycles=0),
    ):
        with pytest.raises(ValueError, match="^max_cycles must be at least 1, not 0$"):
            make()
    with pytest.raises(TypeError, match="^max_cycles must be a whole number, not 'many'$"):
        situated.parallel_env("find-goals", max_cycles="many")
    with pytest.raises(ValueError, match="^pixels must be at least 1, not 0$"):
        situated.parallel_env("find-goals", pixels=0)
    for face in (situated.parallel_env("find-goals"), situated.make_vec("find-goals", 2)):
        with pytest.raises(ValueError, match="there is no agent 'ada'; there are "):
            face.scene(agent="ada")


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("find-goals", {}),
        ("find-goals", {"view": "global"}),
        ("bw4t", {"robots": 2}),
        ("bw4t", {"map": "Random"}),
        ("elevator", {}),
        ("wumpus", {}),
    ],
)
def test_each_number_of_an_encoding_is_described(name, parameters):
    environment = situated.parallel_env(name, **parameters)
    encoding = environment.encoding
    assert len(encoding.meanings) == np.prod(encoding.shape) and len(set(encoding.meanings)) == len(encoding.meanings)
    described = encoding.describe()
    for words in (*encoding.meanings, *encoding.actions):
        assert words in described
    assert situated.make_vec(name, 1, **parameters).encoding == encoding


def test_descriptions_are_those_of_the_numbers():
    environment = situated.parallel_env("bw4t", robots=1)
    observations, _ = environment.reset(seed=1)
    number = environment.encoding.meanings.index
    before = observations["agent_0"].copy()
    assert before[number("has arrived")] in (0, 1) and before[number("RoomA1: is on its way here")] == 0
    environment.step({"agent_0": environment.actions.index("goTo RoomA1")})
    observations, *_ = environment.step({"agent_0": 0})
    after = observations["agent_0"]
    assert after[number("RoomA1: is on its way here")] == 1 and after[number("is traveling")] == 1
    maze, infos = situated.parallel_env("find-goals").reset(seed=1)
    meanings = situated.parallel_env("find-goals").encoding.meanings
    # Red starts in an alcove, with walls on both sides.
    seen = dict(zip(meanings, maze["agent_0"].tolist()))
    assert (seen["cell to the north"], seen["cell to the south"]) == (0, 1)


@pytest.mark.parametrize("keep", [lambda one: pickle.loads(pickle.dumps(one)), copy.copy, copy.deepcopy])
@pytest.mark.parametrize("name", ["find-goals", "wumpus", "bw4t", "elevator"])
def test_an_environment_is_pickled_and_copied(name, keep):
    environment = situated.Environment(name, seed=5)
    environment.reset()
    entity = next(iter(environment.entities), None)
    if entity is not None:
        environment.register("ada").associate(entity)
    environment.step()
    other = keep(environment)
    for _ in range(3):
        assert (other.moment.episode, other.moment.step) == (environment.moment.episode, environment.moment.step)
        assert (other.entities, other.agents, other.outcome()) == (
            environment.entities,
            environment.agents,
            environment.outcome(),
        )
        assert other.scene().to_json() == environment.scene().to_json() and other.seed_of() == environment.seed_of()
        environment.step()
        other.step()
    for one in (environment, other):
        one.reset()
    assert other.scene().to_json() == environment.scene().to_json()


@pytest.mark.parametrize("keep", [lambda one: pickle.loads(pickle.dumps(one)), copy.deepcopy])
def test_an_environment_written_in_python_is_pickled_with_its_agents(keep):
    environment = situated.Environment(Path(), seed=3, length=7)
    environment.reset()
    ada = environment.register("ada")
    ada.associate("ada")
    ada.act(Walk(2))
    other, again = keep((environment, ada))
    assert again.environment is other and other.parameters == {"length": 7}
    assert (other.moment.episode, other.moment.step) == (environment.moment.episode, environment.moment.step)
    written, copied = environment._provider.environment, other._provider.environment
    assert copied is not written and copied.log == written.log and copied.cell == written.cell
    for one in (ada, again):
        one.act(Walk(1))
    assert copied.log == written.log and again.perceive()["ada"].add == ada.perceive()["ada"].add
    # A copy goes its own way.
    again.act(Walk(1))
    assert (copied.cell, again.beliefs("ada")) == (written.cell + 1, [At(written.cell)])


def test_a_state_is_saved_and_restored():
    environment = situated.Environment("wumpus", seed=5)
    state = environment.get_state()
    before = environment.scene().to_json()
    environment.reset(seed=6)
    assert environment.scene().to_json() != before
    environment.set_state(state)
    assert environment.scene().to_json() == before and environment.seed_of() == 5
    for other in (situated.Environment("elevator"), situated.Environment(Path())):
        with pytest.raises(Exception, match="not a saved state"):
            other.set_state(situated.Environment(Stubborn()).get_state() if other.name == "path" else state)


def test_factories_declare_their_keywords():
    """A type checker and `help` see them."""

    def keywords(function):
        parameters = inspect.signature(function, eval_str=True).parameters.values()
        return {one.name: (one.default, one.annotation) for one in parameters if one.kind is one.KEYWORD_ONLY}

    of_vectors, of_environments = keywords(situated.VectorEnv), keywords(ParallelEnvironment)
    assert {"threads", "processes", "seed"} <= of_vectors.keys() and keywords(situated.make_vec) == of_vectors
    assert {"grayscale", "masks", "max_cycles", "parameters", "pixels", "record"} <= of_environments.keys()
    assert keywords(situated.parallel_env) == keywords(situated.aec_env) == of_environments
