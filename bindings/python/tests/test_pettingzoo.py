"""PettingZoo's own conformance tests, with warnings as errors, and what they leave out."""

import copy
import pickle
import subprocess
import sys
import types

import numpy as np
import pytest
import situated
import situated.pettingzoo
from pettingzoo.env_registry.registration import make
from pettingzoo.test import (
    api_test,
    max_cycles_test,
    parallel_api_test,
    parallel_seed_test,
    render_test,
    seed_test,
    state_test,
)
from pettingzoo.test import (
    test_save_obs as save_obs_test,
)

pytestmark = pytest.mark.filterwarnings("error")

PARAMETERS = [
    ("find-goals", {}),
    ("find-goals", {"pixels": 8}),
    ("find-goals", {"pixels": (84, 84), "grayscale": True}),
    ("find-goals", {"view": "global"}),
    ("bw4t", {"robots": 2}),
    ("elevator", {}),
    ("blocks-world", {}),
    ("tower", {}),
    ("cows", {"size": 20, "cowboys": 2, "cows": 8, "lineOfSight": 3}),
    ("vacuum", {}),
    ("vacuum", {"pixels": 4}),
    ("wumpus", {"size": 30, "pits": 0.0}),
    ("wumpus", {"size": 5, "pits": 0.0, "pixels": 8}),
    ("bw4t", {"robots": 2, "steps": "decision", "pixels": 1}),
]


def test_all_environments_with_an_encoding_are_tested():
    assert {name for name, _ in PARAMETERS} == set(situated.encoded_environments())


@pytest.fixture(params=PARAMETERS, ids=str)
def given(request):
    name, parameters = request.param
    return name, {"max_cycles": 60, **parameters}


def parallel(given, **arguments):
    name, parameters = given
    return situated.parallel_env(name, **{**parameters, **arguments})


def aec(given, **arguments):
    name, parameters = given
    return situated.aec_env(name, **{**parameters, **arguments})


def test_parallel_api(given):
    parallel_api_test(parallel(given), num_cycles=1000)


def test_api(given):
    api_test(aec(given), num_cycles=1000)


def test_seeds(given):
    seed_test(lambda: aec(given), num_cycles=200)
    parallel_seed_test(lambda: parallel(given), num_cycles=200)


def test_max_cycles(given):
    name, _ = given
    if name == "wumpus":
        pytest.skip("an explorer can die, or climb out, before the last cycle")
    module = types.SimpleNamespace(
        parallel_env=lambda **arguments: situated.parallel_env(name, **arguments),
        env=lambda **arguments: situated.aec_env(name, **arguments),
    )
    max_cycles_test(module)


def test_state(given):
    state_test(aec(given), parallel(given), num_cycles=50)


def test_rendering(given, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    pytest.importorskip("matplotlib").use("agg")
    render_test(lambda **arguments: aec(given, **arguments))
    with pytest.raises(ValueError, match="use one of ansi"):
        parallel(given, render_mode="sound")


def test_frames_have_the_chosen_size(given):
    for face in (aec, parallel):
        environment = face(given, render_mode="rgb_array", render_size=(84, 120))
        environment.reset(seed=1)
        frame = environment.render()
        assert frame.shape == (84, 120, 3) and len(np.unique(frame)) > 1
    environment = pickle.loads(pickle.dumps(environment))
    np.testing.assert_array_equal(environment.render(), frame)
    for wrong, reason in (
        (84, "render_size must be a height and a width, not 84"),
        ((84, 0), "render_size must be at least 1, not 0"),
        ((84, 1 << 15), "render_size must have at most 16384 pixels in each direction, not 32768"),
    ):
        with pytest.raises((TypeError, ValueError), match=reason):
            parallel(given, render_size=wrong)


def test_agents_observe_pictures_of_the_chosen_size():
    for name in ("find-goals", "bw4t"):
        colored = situated.parallel_env(name, pixels=(84, 60))
        gray = situated.parallel_env(name, pixels=(84, 60), grayscale=True)
        observations, _ = colored.reset(seed=1)
        for agent, brightness in gray.reset(seed=1)[0].items():
            picture = observations[agent]
            assert picture.shape == (84, 60, 3) and brightness.shape == (84, 60) == gray.state().shape
            np.testing.assert_array_equal(picture, colored.scene(agent).pixels(size=(84, 60)))
            # Red, green and blue as ITU-R BT.709 weighs them.
            np.testing.assert_allclose(brightness, picture @ (0.2126, 0.7152, 0.0722), atol=1)
            assert len(np.unique(brightness)) > 2
        again = pickle.loads(pickle.dumps(gray))
        np.testing.assert_array_equal(again.state(), gray.state())
    with pytest.raises(ValueError, match=r"^grayscale is for pictures; .* pixels=\(84, 84\)$"):
        situated.parallel_env("find-goals", grayscale=True)
    with pytest.raises(TypeError, match="^pixels must be a height and a width, not"):
        situated.parallel_env("find-goals", pixels=(84, 84, 3))


def test_pictures_can_be_saved(given, tmp_path, monkeypatch):
    name, parameters = given
    monkeypatch.chdir(tmp_path)
    environment = situated.aec_env(name, **{**parameters, "pixels": 8})
    environment.reset(seed=1)
    save_obs_test(environment)
    assert environment.observe(environment.agents[0]).dtype == np.uint8
    assert len(list(tmp_path.rglob("*.png"))) == len(environment.agents)


def play(environment, seed, steps):
    """The results of a whole episode, with actions that depend on the seed."""
    random = np.random.default_rng(seed)
    told = [environment.reset(seed=seed)]
    while environment.agents and len(told) <= steps:
        counts = {agent: environment.action_space(agent).n for agent in environment.agents}
        told.append(environment.step({agent: int(random.integers(count)) for agent, count in counts.items()}))
    return pickle.dumps(told)


def test_whole_episodes_follow_from_their_seeds(given):
    one, other = parallel(given, max_cycles=600), parallel(given, max_cycles=600)
    for seed in (0, 7, 2**53 - 1):
        assert play(one, seed, 600) == play(other, seed, 600)
    assert one.agents == []


def test_turns_have_the_same_results_as_simultaneous_actions(given):
    together, turns = parallel(given), aec(given)
    observations, _ = together.reset(seed=3)
    turns.reset(seed=3)
    random = np.random.default_rng(3)
    while together.agents:
        actions = {agent: int(random.integers(together.action_space(agent).n)) for agent in together.agents}
        for agent in list(turns.agents):
            assert turns.agent_selection == agent
            np.testing.assert_array_equal(turns.observe(agent), observations[agent])
            turns.step(actions[agent])
        observations, rewards, terminations, truncations, _ = together.step(actions)
        assert (turns.rewards, turns.terminations, turns.truncations) == (rewards, terminations, truncations)


def test_the_registry_knows_it():
    assert make("parallel", "situated/FindGoals-v0", max_cycles=5).max_cycles == 5
    assert make("aec", "situated/FindGoals-v0").entities == {"agent_0": "red", "agent_1": "blue"}
    registry = "from pettingzoo.env_registry.registration import make"
    for imports in (f"import situated; {registry}", f"{registry}; import situated"):
        program = f"{imports}; print(make('parallel', 'situated/FindGoals-v0'))"
        said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
        assert said.stdout == "find_goals_v0\n"


def test_state_is_saved_copied_and_pickled(given):
    environment = parallel(given)
    environment.reset(seed=5)
    first = list(environment.possible_agents)
    for _ in range(7):
        environment.step(dict.fromkeys(first, 0))
    here = environment.get_state()
    for other in (pickle.loads(pickle.dumps(environment)), copy.deepcopy(environment)):
        assert other.get_state() == here
        environment.set_state(here)
        for step in range(20):
            actions = {agent: (step + place) % 4 for place, agent in enumerate(first)}
            assert pickle.dumps(other.step(actions)) == pickle.dumps(environment.step(actions))
    with pytest.raises(ValueError, match="not a saved state"):
        environment.set_state(b"nothing")


def test_rejects_wrong_actions_without_changes(given):
    environment = parallel(given)
    with pytest.raises(ValueError, match="call reset"):
        environment.step({})
    environment.reset(seed=1)
    before = environment.get_state()
    *others, last = environment.possible_agents
    rest = dict.fromkeys(others, 0)
    for actions, reason in (
        (rest, "an action for each of"),
        ({**rest, "nobody": 0}, "no action for agent"),
        ({**rest, last: 1 << 40}, f"^{1 << 40} is not an action of agent {last}; its actions are 0 to"),
        ({**rest, last: -1}, f"^-1 is not an action of agent {last}; its actions are 0 to"),
        ({**rest, last: "up"}, "must be a whole number"),
        ({**rest, last: 1.5}, "must be a whole number"),
        ({**rest, last: None}, "must be a whole number"),
    ):
        with pytest.raises(ValueError, match=reason):
            environment.step(actions)
        assert environment.get_state() == before
    environment.step({**dict.fromkeys(others, np.int32(0)), last: np.uint8(1)})


def test_others_can_read_while_an_action_is_read():
    code = """
import threading, time, situated

class Late:
    def __index__(self):
        time.sleep(0.3)
        return 0

environment = situated.parallel_env("find-goals")
environment.reset()
stepping = threading.Thread(target=environment.step, args=({"agent_0": Late(), "agent_1": 0},))
stepping.start()
time.sleep(0.1)
environment.scene()
stepping.join()
"""
    # A deadlock would stop this process, too.
    subprocess.run([sys.executable, "-c", code], timeout=30, check=True)


def test_dictionaries_are_fresh_and_observations_are_kept(given):
    environment = parallel(given)
    observations, infos = environment.reset(seed=1)
    kept = {agent: observation.copy() for agent, observation in observations.items()}
    told = environment.step(dict.fromkeys(environment.agents, 0))
    for dictionary in told:
        dictionary["__all__"] = True
    told = environment.step(dict.fromkeys(environment.agents, 0))
    assert all("__all__" not in dictionary for dictionary in told)
    for agent, observation in observations.items():
        np.testing.assert_array_equal(observation, kept[agent])
        # Programs normalise them in their place.
        observation.fill(0)
    again, _ = environment.reset(seed=1)
    for agent, observation in again.items():
        np.testing.assert_array_equal(observation, kept[agent])


@pytest.mark.parametrize(
    ("name", "parameters", "actions", "failure"),
    [
        ("blocks-world", {}, ["move(b1,b2)", "move(b2,b3)"], "`move(b2,b3)` is not possible now"),
        ("tower", {}, ["wait", "putdown(held,a)"], "`putdown(held,a)` is not possible now"),
        ("bw4t", {"robots": 2}, ["wait", "pickUp Red"], "`pickUp Red` is not possible now"),
        ("vacuum", {}, ["move(left,1)", "clean"], "`clean` is not possible now"),
    ],
)
def test_an_info_has_the_reason_of_a_failure(name, parameters, actions, failure):
    environment, turns = situated.parallel_env(name, **parameters), situated.aec_env(name, **parameters)
    _, infos = environment.reset(seed=1)
    turns.reset(seed=1)
    for action in actions:
        assert not any("failure" in info for info in infos.values())
        others = environment.agents[1:]
        chosen = {"agent_0": environment.actions.index(action), **dict.fromkeys(others, 0)}
        *_, infos = environment.step(chosen)
        for agent in environment.agents:
            turns.step(chosen[agent])
    assert infos["agent_0"]["failure"] == turns.infos["agent_0"]["failure"] == failure
    assert not any("failure" in infos[agent] for agent in others)


def test_spaces_are_the_same_objects_each_time(given):
    environment = parallel(given)
    for agent in environment.possible_agents:
        assert environment.action_space(agent) is environment.action_space(agent)
        assert environment.observation_space(agent) is environment.observation_space(agent)
    assert len(environment.actions) == environment.action_space(environment.possible_agents[0]).n
