"""Gymnasium's own tools, on environments with one agent and on vectors; and masks as libraries want them."""

import pickle
import subprocess
import sys
import warnings

import gymnasium
import numpy as np
import pytest
import situated
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode
from gymnasium.wrappers.vector import RecordEpisodeStatistics
from situated.gymnasium import GymnasiumVector, SingleEnvironment

SINGLE = [("wumpus", {"size": 5}), ("bw4t", {"robots": 1}), ("elevator", {"cars": 1})]


@pytest.mark.parametrize(
    ("imports", "id"),
    [
        ("import gymnasium, situated", "situated/Wumpus-v0"),
        ("import situated, gymnasium", "situated/Wumpus-v0"),
        ("import gymnasium", "situated:situated/Wumpus-v0"),
        ("import gymnasium", "situated.gymnasium:situated/Wumpus-v0"),
    ],
)
def test_gymnasium_makes_it_after_any_import(imports, id):
    program = f"{imports}; print(gymnasium.make({id!r}, size=6, render_mode='ansi').reset(seed=1)[1])"
    said = subprocess.run([sys.executable, "-W", "error", "-c", program], capture_output=True, text=True)
    assert (said.returncode, said.stdout) == (0, "{'seed': 1}\n"), said.stderr
    vector = gymnasium.make_vec("situated/FindGoals-v0", num_envs=6)
    assert isinstance(vector.unwrapped, GymnasiumVector) and vector.num_envs == 6


def test_situated_imports_no_other_library():
    program = (
        "import sys, situated; "
        "print({name.partition('.')[0] for name in sys.modules} & {'gymnasium', 'pettingzoo', 'jax', 'matplotlib'})"
    )
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert said.stdout == "set()\n"


@pytest.mark.parametrize("render_mode", ["ansi", "rgb_array", "human"])
def test_gymnasium_makes_it_with_any_render_mode(render_mode, monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        environment = gymnasium.make("situated/Wumpus-v0", render_mode=render_mode)
        environment.reset(seed=1)
        environment.render()
        environment.close()
        if render_mode != "human":
            vector = gymnasium.make_vec("situated/FindGoals-v0", num_envs=2, render_mode=render_mode)
            vector.reset(seed=1)
            assert len(vector.render()) == 1


def test_masks_have_the_type_of_spaces():
    single = SingleEnvironment("bw4t", robots=1)
    _, info = single.reset(seed=1)
    assert info["action_mask"][single.action_space.sample(info["action_mask"])] == 1
    vector = GymnasiumVector("bw4t", 4, robots=2)
    _, infos = vector.reset(seed=1)
    for _ in range(20):
        actions = vector.action_space.sample(tuple(infos["action_mask"]))
        assert np.take_along_axis(infos["action_mask"], actions[:, None], axis=1).all()
        *_, infos = vector.step(actions)


def test_a_wrong_action_of_a_vector_names_its_env():
    vector = GymnasiumVector("find-goals", 6)
    vector.reset(seed=1)
    with pytest.raises(ValueError, match="^9 is not an action of env 3; its actions are 0 to 4$"):
        vector.step(np.array([0, 0, 0, 9, 0, 0]))
    with pytest.raises(ValueError, match="dtype uint8, int32 or int64, not float64"):
        vector.step(np.full(6, 0.5))


def check(environment):
    """Gymnasium's checker, for which all but some warnings are errors."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        warnings.filterwarnings("ignore", ".*(?:not recommended|render|different from the unwrapped|minimum|maximum).*")
        check_env(environment, skip_render_check=True)


@pytest.mark.parametrize(("name", "parameters"), SINGLE, ids=str)
def test_passes_gymnasiums_checker(name, parameters):
    check(SingleEnvironment(name, max_cycles=50, **parameters))


def test_an_episode_is_that_of_the_parallel_environment():
    single, parallel = SingleEnvironment("wumpus", max_cycles=40), situated.parallel_env("wumpus", max_cycles=40)
    random = np.random.default_rng(1)
    for seed in range(5):
        observation, _ = single.reset(seed=seed)
        np.testing.assert_array_equal(observation, parallel.reset(seed=seed)[0]["agent_0"])
        while parallel.agents:
            action = int(random.integers(single.action_space.n))
            told = parallel.step({"agent_0": action})
            observation, *others = single.step(action)
            np.testing.assert_array_equal(observation, told[0]["agent_0"])
            assert others == [of["agent_0"] for of in told[1:]]
        assert others[-1]["results"]


def test_several_agents_are_refused():
    with pytest.raises(ValueError, match="find-goals has 2 agents .* use situated.parallel_env, or a vector"):
        SingleEnvironment("find-goals")


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_a_vector_is_one_of_gymnasium(autoreset):
    vector = RecordEpisodeStatistics(
        GymnasiumVector(
            "find-goals", 6, max_cycles=5, autoreset=autoreset, render_mode="rgb_array", render_size=(48, 64)
        )
    )
    assert vector.metadata["autoreset_mode"] == AutoresetMode(
        {"next_step": "NextStep", "same_step": "SameStep"}[autoreset]
    )
    plain = situated.make_vec("find-goals", 3, max_cycles=5, autoreset=autoreset)
    assert plain.metadata == {"name": "find-goals", "autoreset_mode": vector.metadata["autoreset_mode"]}
    observations, infos = vector.reset(seed=3)
    assert vector.observation_space.contains(observations) and observations.shape == (6, 8)
    assert infos["seed"].tolist() == [3, 3, 4, 4, 5, 5]
    plain.reset(seed=3)
    total = np.zeros(6)
    vector.action_space.seed(1)
    for step in range(1, 6):
        actions = vector.action_space.sample()
        observations, rewards, terminated, truncated, infos = vector.step(actions)
        expected = plain.step(actions.reshape(3, 2))
        np.testing.assert_array_equal(observations, expected[0].reshape(6, 8))
        np.testing.assert_array_equal(rewards, expected[1].ravel())
        total += rewards
        assert terminated.shape == truncated.shape == (6,) and truncated.all() == (step == 5)
    assert infos["episode"]["r"].tolist() == total.tolist() and infos["episode"]["l"].tolist() == [5] * 6
    assert [frame.shape for frame in vector.render()] == [(48, 64, 3)] * 3
    vector.close()


def test_outcomes_have_a_row_for_each_env():
    vector = GymnasiumVector("find-goals", 6, max_cycles=2, outcomes=True)
    vector.reset(seed=3)
    vector.step(np.zeros(6, np.int64))
    *_, infos = vector.step(np.zeros(6, np.int64))
    assert {array.shape for name, array in infos.items() if name != "action_mask"} == {(6,)}
    assert infos["return"].tolist() == [-4.0] * 6 and infos["steps"].tolist() == [2] * 6


def test_envs_are_reset_by_a_mask():
    vector = GymnasiumVector("find-goals", 4, max_cycles=2, autoreset="disabled")
    first, _ = vector.reset(seed=1)
    for _ in range(2):
        last, *_ = vector.step(np.zeros(4, np.int64))
    observations, _ = vector.reset(options={"reset_mask": np.array([True, True, False, False])})
    np.testing.assert_array_equal(observations, np.concatenate([first[:2], last[2:]]))
    with pytest.raises(ValueError, match="same value for all agents"):
        vector.reset(options={"reset_mask": np.array([True, False, False, False])})
    with pytest.raises(ValueError, match="num_envs must be a multiple of 2"):
        GymnasiumVector("find-goals", 3)


@pytest.mark.parametrize("pixels", [{}, {"pixels": 2}])
def test_masks_stand_beside_observations(pixels):
    plain = situated.parallel_env("bw4t", robots=2, max_cycles=30, **pixels)
    masked = situated.parallel_env("bw4t", robots=2, max_cycles=30, masks="observation", **pixels)
    turns = situated.aec_env("bw4t", robots=2, max_cycles=30, masks="observation", **pixels)
    expected, infos = plain.reset(seed=1)
    observations, _ = masked.reset(seed=1)
    turns.reset(seed=1)
    some_are_impossible = False
    for step in range(30):
        for agent, space in masked.observation_spaces.items():
            assert space.contains(observations[agent]) and space.contains(turns.observe(agent))
            np.testing.assert_array_equal(observations[agent]["observation"], expected[agent])
            mask = infos[agent].get("action_mask", np.ones(len(plain.actions)))
            np.testing.assert_array_equal(observations[agent]["action_mask"], mask)
            np.testing.assert_array_equal(turns.observe(agent)["action_mask"], mask)
            some_are_impossible |= bool((mask == 0).any())
        actions = {agent: (step + 1) % 19 for agent in plain.agents}
        expected, *_, infos = plain.step(actions)
        observations, *_ = masked.step(actions)
        for agent in list(turns.agents):
            turns.step(actions[agent])
    assert some_are_impossible
    with pytest.raises(ValueError, match="use infos or observation"):
        situated.parallel_env("bw4t", masks="nowhere")


@pytest.mark.parametrize("pixels", [{}, {"pixels": 1}], ids=str)
def test_infos_can_have_masks_only(pixels):
    alone = situated.parallel_env("bw4t", robots=2, max_cycles=5, masks="only", **pixels)
    plain = situated.parallel_env("bw4t", robots=2, max_cycles=5, **pixels)
    told, expected = alone.reset(seed=3), plain.reset(seed=3)
    while alone.agents:
        for agent in alone.agents:
            assert list(told[-1][agent]) == ["action_mask"]
            np.testing.assert_array_equal(told[-1][agent]["action_mask"], plain.action_masks(agent))
            np.testing.assert_array_equal(told[0][agent], expected[0][agent])
        actions = {agent: int(info["action_mask"].argmax()) for agent, info in told[-1].items()}
        told, expected = alone.step(actions), plain.step(actions)
    assert "results" in expected[-1]["agent_0"] and list(told[-1]["agent_0"]) == ["action_mask"]
    assert type(pickle.loads(pickle.dumps(alone))) is type(alone)
    with pytest.raises(ValueError, match="unknown masks 'all'; use infos or observation or only"):
        situated.parallel_env("bw4t", masks="all")
