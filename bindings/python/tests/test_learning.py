"""Environments written in Python, in the faces for learners."""

import copy
import os
import pickle
import signal
import subprocess
import sys
import threading
import time
from pathlib import Path
from typing import Annotated, Literal

import numpy as np
import pytest
import situated
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from serving import REPOSITORY
from situated import Action, EntityType, Failure, Function, Measure, Percept, PythonEnvironment
from situated.gymnasium import GymnasiumVector, SingleEnvironment
from test_gymnasium import check

sys.path.insert(0, str(REPOSITORY / "examples" / "python"))

from ferry import Ferry, learn  # noqa: E402
from treasure_hunt import TreasureHunt  # noqa: E402


class Pos(Function):
    x: Annotated[int, range(0, 3)]
    y: Annotated[int, range(0, 2)]


class Go(Action):
    to: Pos


class Wait(Action):
    pass


class Say(Action):
    text: str


class At(Percept, delivery="onChange"):
    pos: Pos


class Sees(Percept, delivery="onChangeWithNegation"):
    direction: Literal["left", "right"]
    free: bool
    far: float


class Named(Percept, delivery="once"):
    name_: str


class Bell(Percept, delivery="event"):
    pass


class Island(PythonEnvironment):
    """Who goes to (2,1) leaves the island; the last one ends the episode."""

    person = EntityType("Somebody.", actions=[Go, Wait, Say], percepts=[At, Sees, Named, Bell])
    rock = EntityType("A rock.", percepts=[At])
    pace = "lockstep"

    def begin(self, persons: Annotated[int, range(1, 9)] = 2) -> None:
        self.add("rock", self.rock)
        self.where = {}
        for number in range(persons):
            self.add(f"p{number}", self.person)
            self.where[f"p{number}"] = Pos(self.random.randrange(2), 0)
        self.gone = 0

    def act(self, entity, action):
        match action:
            case Go(Pos(x, y)):
                if abs(x - self.where[entity].x) > 1:
                    raise Failure("too far")
                self.where[entity] = Pos(x, y)

    def step(self):
        for entity in list(self.where):
            if self.where[entity] == Pos(2, 1):
                self.remove(entity)
                del self.where[entity]
                self.gone += 1
                for other in self.where:
                    self.tell(other, Bell())

    def percepts(self, entity):
        if entity == "rock":
            return [At(Pos(0, 0))]
        return [At(self.where[entity]), Sees("right", True, 2.5), Named("ada")]

    def results(self):
        return [Measure("all", "gone", self.gone), Measure("all", "left", len(self.where))]

    def ending(self):
        return None if self.where else "terminated"


class ByHand(Ferry):
    """The ferry with an encoding by hand."""

    def choices(self, entity_type):
        from ferry import Cross

        return [Cross("goat"), Cross("nothing")]

    def observe(self, entity):
        return np.array([[self.across["goat"], self.across["farmer"]]], np.uint8)


ENVIRONMENTS = [(TreasureHunt, {"length": 5}), (Island, {}), (Ferry, {}), (ByHand, {})]


@pytest.mark.parametrize(("of", "parameters"), ENVIRONMENTS, ids=str)
def test_passes_the_tests_of_pettingzoo(of, parameters):
    def parallel():
        return situated.parallel_env(of(), max_cycles=30, **parameters)

    def aec():
        return situated.aec_env(of, max_cycles=30, **parameters)

    parallel_api_test(parallel(), num_cycles=300)
    api_test(aec(), num_cycles=300)
    parallel_seed_test(parallel, num_cycles=100)
    seed_test(aec, num_cycles=100)


def test_renders():
    render_test(lambda **arguments: situated.aec_env(Ferry, max_cycles=30, **arguments))
    with pytest.raises(ValueError, match="island has no scene; define `def scene"):
        situated.parallel_env(Island, render_mode="ansi").render()
    observations, _ = situated.parallel_env(Ferry, pixels=2).reset()
    assert observations["agent_0"].shape == (8, 12, 3)


def test_passes_the_checker_of_gymnasium():
    for of in (Ferry, ByHand()):
        check(SingleEnvironment(of, max_cycles=30))
    with pytest.raises(ValueError, match="island has 2 agents"):
        SingleEnvironment(Island)
    assert SingleEnvironment(Island, persons=1).reset(seed=1)[0].shape == (13,)


def test_a_learner_finds_the_best_plan():
    plan = learn()
    assert len(plan) == 7 and plan.count("cross(goat)") == 3 and plan.count("cross(nothing)") == 2


def test_the_encoding_follows_from_the_types():
    island = situated.parallel_env(Island)
    observations, infos = island.reset(seed=4)
    assert island.entities == {"agent_0": "p0", "agent_1": "p1"}
    assert island.actions == [*(f"go(pos({x},{y}))" for x in range(3) for y in range(2)), "wait"]
    meanings = ["at", "at: pos.x", "at: pos.y"]
    for direction in ("left", "right"):
        for free in ("false", "true"):
            meanings += [f"sees({direction},{free})", f"sees({direction},{free}): far"]
    assert list(island.encoding.meanings) == [*meanings, "named", "bell"]
    here = island._native._episodes.environment.where["p0"]
    assert observations["agent_0"].tolist() == [1, here.x, here.y, 0, 0, 0, 0, 0, 0, 1, 2.5, 1, 0]


def test_who_leaves_is_terminated_and_the_others_continue():
    island = situated.parallel_env(Island, max_cycles=50)
    island.reset(seed=4)
    go = {name: number for number, name in enumerate(island.actions)}
    wait, over = go["wait"], go["go(pos(2,1))"]
    _, rewards, _, _, infos = island.step({"agent_0": go["go(pos(1,1))"], "agent_1": wait})
    assert rewards == {"agent_0": 0.0, "agent_1": 0.0} and infos == {"agent_0": {}, "agent_1": {}}
    told, rewards, terminated, truncated, infos = island.step({"agent_0": over, "agent_1": wait})
    # The first result of the group has risen by one, and those who remain hear the bell.
    assert rewards == {"agent_0": 1.0, "agent_1": 1.0} and told["agent_1"][-1] == 1
    assert terminated == {"agent_0": True, "agent_1": False} and island.agents == ["agent_1"]
    assert infos == {"agent_0": {"ending": "terminated", "return": 1.0, "steps": 2}, "agent_1": {}}
    with pytest.raises(ValueError, match="there must be an action for each of agent_1"):
        island.step({"agent_0": 0, "agent_1": 0})
    with pytest.raises(ValueError, match="9 is not an action of agent agent_1; its actions are 0 to 6"):
        island.step({"agent_1": 9})
    island.step({"agent_1": go["go(pos(1,1))"]})
    infos = island.step({"agent_1": over})[-1]
    assert infos["agent_1"]["results"] == {"all": {"gone": 2, "left": 0}}
    assert infos["agent_1"]["ending"] == "terminated" and infos["agent_1"]["steps"] == 4
    assert infos["agent_1"]["return"] == 2.0 and not island.agents


def test_who_has_left_gets_no_more_rewards():
    vector = situated.make_vec(Island, 1, seed=4, outcomes=True)
    vector.reset()
    go = {name: number for number, name in enumerate(vector.actions)}
    over, towards = go["go(pos(2,1))"], go["go(pos(1,1))"]
    for actions in ([towards, go["wait"]], [over, go["wait"]], [over, towards], [over, over]):
        *_, infos = vector.step(np.array([actions]))
    assert infos["return"].tolist() == [[1.0, 2.0]]


class Deserted(Island):
    """It is over at its beginning."""

    def ending(self):
        return "terminated"


def test_an_episode_that_is_over_at_its_beginning_has_no_agents():
    together, in_turns = situated.parallel_env(Deserted), situated.aec_env(Deserted)
    together.reset(seed=1)
    in_turns.reset(seed=1)
    assert together.agents == in_turns.agents == list(in_turns.agent_iter()) == []


class Crowd(Island):
    """The number of persons follows from the seed."""

    def begin(self):
        super().begin(2)
        if self.random.random() < 0.5:
            self.add("p2", self.person)
            self.where["p2"] = Pos(0, 0)


@pytest.mark.parametrize("more", [{}, {"threads": 4}, {"processes": 4}])
def test_the_envs_of_a_vector_have_the_same_learners(more):
    with pytest.raises(ValueError, match="one episode of crowd begins with the learners p0, p1(, p2)?, and another"):
        situated.make_vec(Crowd, 4, seed=3, **more)


class Reward(Percept, delivery="event"):
    points: float


class Dice(PythonEnvironment):
    """A player gets rewards as events."""

    player = EntityType("Throws.", actions=[Wait], percepts=[Reward])

    def begin(self):
        self.add("ada", self.player)
        self.tell("ada", Reward(50.0))

    def act(self, entity, action):
        self.tell(entity, Reward(2.5))
        self.tell(entity, Reward(1.0))


class Last(Dice):
    """A throw is the last one."""

    def act(self, entity, action):
        super().act(entity, action)
        self.remove(entity)


def test_an_entity_gets_the_reward_for_the_step_that_removes_it():
    last = situated.parallel_env(Last)
    last.reset(seed=1)
    _, rewards, terminated, _, infos = last.step({"agent_0": 0})
    assert rewards == {"agent_0": 3.5} and terminated == {"agent_0": True} and infos["agent_0"]["return"] == 3.5


def test_events_are_rewards():
    dice = situated.parallel_env(Dice, max_cycles=2)
    dice.reset(seed=1)
    assert dice.step({"agent_0": 0})[1] == {"agent_0": 3.5}
    assert dice.step({"agent_0": 0})[-1]["agent_0"]["return"] == 7.0


def test_a_failure_is_in_the_infos_and_masks_say_what_is_possible():
    ferry = situated.parallel_env(Ferry, masks="observation")
    observations, _ = ferry.reset(seed=1)
    assert observations["agent_0"]["action_mask"].tolist() == [1, 1, 1, 1]
    observations, *_, infos = ferry.step({"agent_0": ferry.actions.index("cross(goat)")})
    assert observations["agent_0"]["action_mask"].tolist() == [1, 0, 1, 0]
    assert infos["agent_0"]["action_mask"].tolist() == [1, 0, 1, 0]
    infos = ferry.step({"agent_0": ferry.actions.index("cross(wolf)")})[-1]
    assert infos["agent_0"]["failure"] == "the wolf is on the other side"


def test_an_encoding_by_hand():
    ferry = situated.parallel_env(ByHand)
    observations, _ = ferry.reset(seed=1)
    assert ferry.actions == ["cross(goat)", "cross(nothing)"]
    box = ferry.observation_space("agent_0")
    assert (box.shape, box.dtype, box.high.max()) == ((1, 2), np.uint8, 255)
    assert ferry.step({"agent_0": 0})[0]["agent_0"].tolist() == [[1, 1]]
    assert ferry.step({"agent_0": 1})[0]["agent_0"].tolist() == [[1, 0]]


class Painted(ByHand):
    """It paints over what it has shown before."""

    def begin(self):
        super().begin()
        self.picture = np.zeros((1, 2), np.uint8)

    def observe(self, entity):
        self.picture += 1
        return self.picture


def test_observations_stay_as_they_were_told():
    ferry = situated.parallel_env(Painted)
    before = ferry.reset(seed=1)[0]["agent_0"]
    told = before.copy()
    after = ferry.step({"agent_0": 0})[0]["agent_0"]
    assert before.tolist() == told.tolist() != after.tolist()
    after[:] = 77
    assert ferry.step({"agent_0": 1})[0]["agent_0"].max() < 77


def test_an_episode_is_that_of_the_environment_with_terms():
    learned, lived = situated.parallel_env(TreasureHunt, length=9), situated.Environment(TreasureHunt(), length=9)
    agents = {name: lived.register(name) for name in learned.entities}
    for name, entity in learned.entities.items():
        agents[name].associate(entity)
    random = np.random.default_rng(2)
    seen = 0
    for seed in range(5):
        observations, _ = learned.reset(seed=seed)
        lived.reset(seed=seed)
        while learned.agents:
            for name, entity in learned.entities.items():
                (cell,) = [one.cell for one in agents[name].perceive("snapshot")[entity].add if one.name == "at"]
                assert observations[name][1] == cell
                seen += 1
            actions = {name: int(random.integers(3)) for name in learned.agents}
            for name, number in actions.items():
                action = learned._native._episodes.learners[0].actions[number]
                try:
                    agents[name].act(action)
                except situated.InterfaceError:
                    pass
            lived.step()
            observations, *_, infos = learned.step(actions)
        results = {one["of"]: {one["name"]: one["value"]} for one in lived.outcome()["results"]}
        assert infos["agent_0"]["results"] == results
    assert seen > 50


def test_saved_and_copied_episodes_continue_alike():
    hunt = situated.parallel_env(TreasureHunt(), max_cycles=40)
    hunt.reset(seed=8)
    hunt.step({"agent_0": 1, "agent_1": 0})
    same = [copy.deepcopy(hunt), pickle.loads(pickle.dumps(hunt))]
    saved = hunt.get_state()
    told = hunt.step({"agent_0": 1, "agent_1": 0})
    hunt.step({"agent_0": 1, "agent_1": 0})
    hunt.set_state(saved)
    for one in (*same, hunt):
        assert one.seed_of() == 8
        for observed, expected in zip(one.step({"agent_0": 1, "agent_1": 0})[0].values(), told[0].values()):
            np.testing.assert_array_equal(observed, expected)
    with pytest.raises(ValueError, match="not a saved state of treasure-hunt"):
        hunt.set_state(situated.parallel_env(Ferry).get_state())


@pytest.mark.parametrize("autoreset", ["next_step", "same_step", "disabled"])
def test_a_vector_has_the_episodes_of_parallel_environments(autoreset):
    random = np.random.default_rng(3)
    chosen = random.integers(0, 3, (60, 3, 2))
    arguments = {"length": 4, "max_cycles": 12}
    vectors = [
        situated.make_vec(TreasureHunt, 3, seed=5, autoreset=autoreset, outcomes=True, **more, **arguments)
        for more in ({}, {"threads": 2}, {"processes": 2})
    ]
    single = [situated.parallel_env(TreasureHunt, **arguments) for _ in range(3)]
    for place, one in enumerate(single):
        one.reset(seed=5 + place)
    for vector in vectors:
        assert vector.reset()[1]["seed"].tolist() == [5, 6, 7]
    ended = 0
    for actions in chosen:
        if autoreset == "disabled":
            over = np.array([not one.agents for one in single])
            if over.any():
                with pytest.raises(ValueError, match=r"the episode of env \d is over; reset it"):
                    vectors[0].step(actions)
                for vector in vectors:
                    vector.reset(mask=over)
        told = []
        for one, of in zip(single, actions):
            if one.agents:
                told.append(one.step({f"agent_{place}": number for place, number in enumerate(of.tolist())}))
            elif autoreset == "next_step":
                told.append((one.reset()[0], {}, {}, {}, {}))
            else:
                one.reset()
                told.append(one.step({f"agent_{place}": number for place, number in enumerate(of.tolist())}))
        for vector in vectors:
            observations, rewards, terminated, _, infos = vector.step(actions)
            for env, (seen, won, ends, _, said) in enumerate(told):
                for place, agent in enumerate(("agent_0", "agent_1")):
                    over = autoreset == "same_step" and not single[env].agents
                    shown = infos["final_obs"] if over else observations
                    np.testing.assert_array_equal(shown[env, place], seen[agent])
                    assert rewards[env, place] == won.get(agent, 0.0)
                    assert terminated[env, place] == ends.get(agent, False)
                if "results" in said.get("agent_0", {}):
                    ended += 1
                    assert infos["results"][env] == said["agent_0"]["results"]
                    assert infos["ending"][env] == said["agent_0"]["ending"]
    assert ended >= 9
    states = [vector.get_state() for vector in vectors]
    for vector in vectors:
        vector.set_state(states[0])
        assert vector.scene(2).width == 4
        vector.close()


class Bug(Exception):
    def __init__(self, one, other):
        super().__init__(f"{one} and {other}")


class Held(Exception):
    def __init__(self):
        super().__init__("it holds a lock")
        self.lock = threading.Lock()


class Faulty(PythonEnvironment):
    """Its action fails with an even seed, and takes long with an odd one."""

    person = EntityType("Somebody.", actions=[Wait])
    is_acting = False

    def begin(self):
        assert not type(self).is_acting
        self.add("ada", self.person)

    def act(self, entity, action):
        if self.seed % 2 == 0:
            time.sleep(0.05)
            raise Bug(1, 2)
        type(self).is_acting = True
        time.sleep(0.3)
        type(self).is_acting = False

    def reward(self, entity):
        return 1.0


class Locked(Faulty):
    def act(self, entity, action):
        try:
            super().act(entity, action)
        except Bug as bug:
            raise Held from bug


@pytest.mark.parametrize("more", [{"threads": 2}, {"processes": 2}])
@pytest.mark.parametrize(("of", "said"), [(Faulty, "1 and 2"), (Locked, "it holds a lock")])
def test_a_vector_goes_on_after_an_error_of_one_env(more, of, said):
    vector = situated.make_vec(of, 2, seed=4, **more)
    actions = np.zeros((2, 1), np.uint8)
    with pytest.raises(Exception, match=said):
        vector.step(actions)
    assert vector.reset(seed=7)[1]["seed"].tolist() == [7, 8]
    with pytest.raises(Exception, match=said):
        vector.step(actions)
    vector.close()


class Noisy(Faulty):
    """Observations are noise."""

    def act(self, entity, action):
        pass

    def observe(self, entity):
        return np.array([self.random.random()], np.float32)


def test_looking_at_noise_is_part_of_the_episode_of_a_seed():
    environment = situated.parallel_env(Noisy)
    first = environment.reset()[0]["agent_0"]
    again = environment.reset(seed=environment.seed_of())[0]["agent_0"]
    assert first == again
    vectors = [situated.make_vec(Noisy, 3, seed=9).reset()[0], situated.make_vec(Noisy, 3).reset(seed=9)[0]]
    np.testing.assert_array_equal(*vectors)


def test_a_restored_vector_tells_what_it_has_told():
    vector = situated.make_vec(Noisy, 2, seed=9)
    vector.reset()
    actions = np.zeros((2, 1), np.uint8)
    told, saved = vector.step(actions)[0], vector.get_state()
    after = vector.step(actions)[0]
    np.testing.assert_array_equal(vector.set_state(saved), told)
    np.testing.assert_array_equal(vector.step(actions)[0], after)


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")
def test_processes_end_when_their_program_is_killed():
    code = """
import multiprocessing, sys, time
sys.path.insert(0, sys.argv[1])
import situated
from ferry import Ferry
vector = situated.make_vec(Ferry, 4, processes=3)
print(*(child.pid for child in multiprocessing.active_children()), flush=True)
time.sleep(600)
"""
    command = [sys.executable, "-c", code, str(REPOSITORY / "examples" / "python")]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as program:
        assert program.stdout is not None
        children = [int(child) for child in program.stdout.readline().split()]
        assert len(children) == 3
        program.kill()
    deadline = time.monotonic() + 60
    while any(is_running(child) for child in children):
        assert time.monotonic() < deadline, "the processes are still there"
        time.sleep(0.05)


@pytest.mark.skipif(sys.platform == "win32", reason="sends signals")
def test_ctrl_c_leaves_a_vector_usable():
    vector = situated.make_vec(Ferry, 4, processes=2)
    vector.reset(seed=1)
    # A terminal interrupts all processes of a program.
    for part in vector._native._parts:
        os.kill(part._process.pid, signal.SIGINT)
    time.sleep(0.1)
    assert vector.step(np.zeros((4, 1), np.uint8))[0].shape == (4, 1, 4)
    vector.close()


def is_running(process: int) -> bool:
    try:
        state = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[0]
    except FileNotFoundError:
        return False
    return state != "Z"


def test_a_process_that_fails_says_why():
    with pytest.raises(situated.InterfaceError, match="length"):
        situated.make_vec(TreasureHunt, 4, processes=2, length=1000)
    vector = GymnasiumVector(Ferry, 4, processes=2, max_cycles=5, render_mode="rgb_array")
    vector.reset(seed=1)
    assert vector.step(vector.action_space.sample())[0].shape == (4, 4) and len(vector.render()) == 4
    for part in vector.vector._native._parts:
        part._process.kill()
    with pytest.raises(RuntimeError, match="a process of the vector has ended"):
        vector.step(vector.action_space.sample())
    vector.close()


def test_errors_say_how_to_mend_them():
    class Silent(PythonEnvironment):
        """Nobody measures anything."""

        one = EntityType("One.", actions=[Wait])

        def begin(self):
            self.add("one", self.one)

    class Talkative(Silent):
        """Nobody can be numbered."""

        one = EntityType("One.", actions=[Say])

        def reward(self, entity):
            return 0.0

    class Steer(Action):
        """Steers."""

        by: float

    class Follow(Action):
        """Follows a path."""

        path: list[float]

    class Car(Talkative):
        """Actions have floats."""

        one = EntityType("One.", actions=[Steer, Follow])

    with pytest.raises(TypeError, match="Silent has neither rewards nor results.*def reward"):
        situated.parallel_env(Silent)
    with pytest.raises(ValueError, match="talkative has no entities with actions that have numbers"):
        situated.parallel_env(Talkative)
    with pytest.raises(
        ValueError,
        match=r"learners choose actions by number: `steer` takes `by` \(float\); "
        r"`follow` takes `path` \(list of float\); define `choices`, which returns some of them$",
    ):
        situated.parallel_env(Car)
    with pytest.raises(TypeError, match="3 is not an environment"):
        situated.parallel_env(3)
    with pytest.raises(ValueError, match="use `threads` instead"):
        situated.make_vec("find-goals", 2, processes=2)
    with pytest.raises(ValueError, match="without `record`"):
        situated.parallel_env(Ferry, record="runs")


class Wide(Percept, delivery="onChange"):
    cell: Annotated[int, range(0, 3)]


class Seen(PythonEnvironment):
    """Observes what a test wants."""

    person = EntityType("Somebody.", actions=[Wait, Go], percepts=[Wide, Bell])
    shown: object = None
    bounds = (0.0, 1.0)

    def begin(self) -> None:
        self.cell = 0
        self.acted = []
        self.add("ada", self.person)

    def act(self, entity, action):
        self.cell += 1
        self.acted.append(action)

    def percepts(self, entity):
        return [Wide(self.cell)]

    def results(self):
        return [Measure("ada", "cell", np.float32(self.cell))]


def test_results_of_numpy_give_rewards():
    env = situated.parallel_env(Seen)
    env.reset()
    assert [env.step({"agent_0": 0})[1]["agent_0"] for _ in range(2)] == [1.0, 1.0]


def test_numbers_of_percepts_stay_in_their_range():
    env = situated.parallel_env(Seen)
    env.reset()
    for _ in range(2):
        env.step({"agent_0": 0})
    with pytest.raises(ValueError, match="`cell` of percept `wide` is 3, which is not 0 to 2"):
        env.step({"agent_0": 0})


def test_events_are_for_entities():
    class Calling(Seen):
        def step(self):
            self.tell("bob", Bell())

    env = situated.parallel_env(Calling)
    env.reset()
    with pytest.raises(ValueError, match="`tell` has sent bell to 'bob', which is not an entity"):
        env.step({"agent_0": 0})


@pytest.mark.parametrize(
    ("first", "later", "why"),
    [
        (None, None, "`Looking.observe` returned an array of object"),
        ([0.5], None, "`Looking.observe` returned an array of object"),
        ([0.5], ["x"], "`Looking.observe` returned an array of <U1"),
        (np.zeros(1, np.uint8), [0.7], "for float32, and at first one of shape .1. for uint8"),
        ([0.5], [1.5], "numbers from 1.5 to 1.5; its `bounds` are 0 and 1"),
        ([0.5], [float("nan")], "its `bounds` are 0 and 1"),
    ],
)
def test_observations_keep_their_type_and_bounds(first, later, why):
    class Looking(Seen):
        def observe(self, entity):
            return later if self.cell else first

    with pytest.raises((TypeError, ValueError), match=why):
        env = situated.parallel_env(Looking)
        env.reset()
        env.step({"agent_0": 0})


def test_learners_do_not_observe_nan():
    class Weight(Percept, delivery="onChange"):
        grams: float

    class Scale(Seen):
        person = EntityType("Somebody.", actions=[Wait], percepts=[Weight])
        bounds = PythonEnvironment.bounds
        grams = float("inf")

        def percepts(self, entity):
            return [Weight(self.grams)]

    class Looking(Scale):
        def observe(self, entity):
            return [0.0, self.grams]

    for of, why in [
        (Looking, "`Looking.observe` returned numbers from nan to nan"),
        (Scale, "`grams` of percept `weight` is nan"),
    ]:
        env = situated.parallel_env(of())
        assert env.reset()[0]["agent_0"][1] == float("inf")
        Scale.grams = float("nan")
        with pytest.raises(ValueError, match=why):
            env.step({"agent_0": 0})
        Scale.grams = float("inf")


def test_chosen_actions_are_declared_and_have_their_class():
    class Choosing(Seen):
        given = [Action("go", Function("pos", 1, 1))]

        def choices(self, entity_type):
            return self.given

    choosing = Choosing()
    env = situated.parallel_env(choosing)
    env.reset()
    env.step({"agent_0": 0})
    assert [type(action) for action in choosing.acted] == [Go] and type(choosing.acted[0].to) is Pos
    for wrong, why in [(Action("swim"), "which is not an action"), (Wait, "which is not"), (Go(Pos(9, 9)), "x")]:
        Choosing.given = [wrong]
        with pytest.raises((TypeError, ValueError), match=why):
            situated.parallel_env(Choosing)


def test_the_last_episode_continues_if_the_next_one_cannot_begin():
    class Odd(Seen):
        is_odd = False

        def begin(self) -> None:
            if self.is_odd:
                raise Failure("an odd seed")
            super().begin()

    env = situated.parallel_env(Odd)
    env.reset(seed=2)
    Odd.is_odd = True
    with pytest.raises(Failure, match="an odd seed"):
        env.reset(seed=3)
    assert env.step({"agent_0": 0})[1] == {"agent_0": 1.0}
