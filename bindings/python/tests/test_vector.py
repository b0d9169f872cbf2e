"""Vectors of environments."""

import pickle
import sys
import threading
import time

import numpy as np
import pytest
import situated
from serving import REPOSITORY


def random_actions(vector, steps, seed=0, dtype=np.int64):
    shape = (steps, vector.num_envs, vector.num_agents)
    return np.random.default_rng(seed).integers(0, len(vector.actions), shape).astype(dtype)


def run(vector, steps=40, seed=0):
    """The results of some steps."""
    told = [vector.reset(seed=3)[0].copy()]
    for actions in random_actions(vector, steps, seed):
        *arrays, infos = vector.step(actions)
        told += [array.copy() for array in (*arrays, infos["action_mask"])]
    return told


def assert_same(one, other):
    for left, right in zip(one, other, strict=True):
        np.testing.assert_array_equal(left, right)


def test_shapes_and_types():
    vector = situated.make_vec("find-goals", 5)
    observations, infos = vector.reset(seed=1)
    assert (observations.shape, observations.dtype) == ((5, 2, 8), np.uint8)
    assert infos["action_mask"].shape == (5, 2, 5) and infos["action_mask"].all()
    observations, rewards, terminated, truncated, _ = vector.step(np.zeros((5, 2), np.int64))
    assert (rewards.shape, rewards.dtype, terminated.dtype) == ((5, 2), np.float32, np.bool_)
    assert rewards.tolist() == [[-2, -2]] * 5 and not truncated.any()
    assert vector.possible_agents == ["red", "blue"] and vector.actions[0] == "up"
    assert vector.single_action_space.n == 5 and vector.single_observation_space.shape == (8,)
    assert vector.states == 107


@pytest.mark.parametrize("tables", [True, False])
def test_results_depend_neither_on_threads_nor_on_other_envs(tables):
    alone = run(situated.make_vec("find-goals", 4096, max_cycles=7, tables=tables))
    for threads in (2, 3):
        assert_same(alone, run(situated.make_vec("find-goals", 4096, threads=threads, max_cycles=7, tables=tables)))


def test_tables_have_the_same_results_as_rules():
    for autoreset in ("next_step", "same_step"):
        settings = {"max_cycles": 11, "autoreset": autoreset}
        both = [situated.make_vec("find-goals", 64, tables=tables, **settings) for tables in (True, False)]
        assert_same(*map(run, both))


def test_an_env_equals_the_parallel_environment():
    vector = situated.make_vec("find-goals", 3, max_cycles=30, autoreset="disabled")
    vector.reset(seed=9)
    environment = situated.parallel_env("find-goals", max_cycles=30)
    environment.reset(seed=9)
    for actions in random_actions(vector, 30):
        observations, rewards, terminated, truncated, _ = vector.step(actions)
        told = environment.step(dict(zip(environment.possible_agents, actions[0])))
        for place, agent in enumerate(environment.possible_agents):
            np.testing.assert_array_equal(observations[0, place], told[0][agent])
            assert rewards[0, place] == told[1][agent]
            assert (terminated[0, place], truncated[0, place]) == (told[2][agent], told[3][agent])


def test_the_step_after_the_end_begins_a_new_episode():
    vector = situated.make_vec("find-goals", 2, max_cycles=3)
    first, _ = vector.reset(seed=1)
    actions = np.zeros((2, 2), np.int64)
    truncations = []
    for _ in range(8):
        observations, rewards, _, truncated, _ = vector.step(actions)
        truncations.append(bool(truncated.all()))
    assert truncations == [False, False, True, False, False, False, True, False]
    np.testing.assert_array_equal(observations, first)
    assert not rewards.any()


def test_autoreset_in_the_same_step_keeps_the_final_observations():
    vector = situated.make_vec("find-goals", 2, max_cycles=3, autoreset="same_step")
    first, _ = vector.reset(seed=1)
    for step in range(1, 4):
        observations, _, _, truncated, infos = vector.step(np.zeros((2, 2), np.int64))
        assert bool(truncated.all()) == (step == 3) == bool(infos["_final_obs"].all())
    np.testing.assert_array_equal(observations, first)
    assert (infos["final_obs"] != first).any()


def test_without_autoreset_the_caller_resets_with_a_mask():
    vector = situated.make_vec("find-goals", 3, max_cycles=2, autoreset="disabled")
    first, _ = vector.reset(seed=1)
    actions = np.zeros((3, 2), np.int64)
    vector.step(actions)
    vector.step(actions)
    with pytest.raises(ValueError, match="env 0 is over"):
        vector.step(actions)
    observations, _ = vector.reset(mask=np.array([True, False, True]))
    assert (observations[0] == first[0]).all() and (observations[1] != first[1]).any()
    with pytest.raises(ValueError, match="env 1 is over"):
        vector.step(actions)


def test_arrays_are_copied_or_reused():
    for copy in (True, False):
        vector = situated.make_vec("find-goals", 4, copy=copy)
        vector.reset(seed=1)
        first, *_ = vector.step(np.zeros((4, 2), np.int64))
        kept = first.copy()
        second, *_ = vector.step(np.ones((4, 2), np.int64))
        assert (first is second) != copy
        assert np.shares_memory(first, second) != copy
        assert np.array_equal(first, kept) == copy


def test_shares_arrays_with_other_libraries_without_a_copy():
    vector = situated.make_vec("find-goals", 4, copy=False)
    observations, _ = vector.reset(seed=1)
    assert np.shares_memory(np.from_dlpack(observations), observations)


def test_uses_the_arrays_of_the_caller():
    vector = situated.make_vec("find-goals", 6)
    shape = (6, 2)
    arrays = {
        "actions": np.zeros(shape, np.int32),
        "observations": np.zeros((*shape, 8), np.uint8),
        "rewards": np.zeros(shape, np.float32),
        "terminated": np.zeros(shape, np.bool_),
        "truncated": np.zeros(shape, np.bool_),
    }
    vector.bind(**arrays)
    vector.reset(seed=1)
    vector.run()
    assert arrays["rewards"].tolist() == [[-2, -2]] * 6
    arrays["actions"][:] = 4
    vector.run()
    assert not arrays["rewards"].any()
    for name, wrong in (
        ("observations", np.zeros((*shape, 8), np.float32)),
        ("rewards", np.zeros((6, 3), np.float32)),
        ("rewards", np.zeros(shape, np.float64)),
        ("truncated", np.zeros((6, 4), np.bool_)[:, ::2]),
        ("terminated", [False]),
    ):
        with pytest.raises((ValueError, TypeError), match=name):
            vector.bind(**{**arrays, name: wrong})


def test_a_vector_goes_on_after_arrays_of_wrong_shapes():
    sys.path.insert(0, str(REPOSITORY / "examples" / "python"))
    from ferry import Ferry

    for name in ("find-goals", Ferry):
        vector, same = (situated.make_vec(name, 2, max_cycles=9) for _ in range(2))
        observations, _ = vector.reset(seed=1)
        flags = np.zeros((2, vector.num_agents), np.bool_)
        numbers = {"actions": np.zeros(flags.shape, np.int64), "rewards": np.zeros(flags.shape, np.float32)}
        with pytest.raises(ValueError, match="shape"):
            vector.bind(**numbers, observations=observations[:1], terminated=flags, truncated=flags)
        same.reset(seed=1)
        for number in (1, 2, 3):
            actions = np.full(flags.shape, number)
            for told, expected in zip(vector.step(actions)[:4], same.step(actions)[:4]):
                np.testing.assert_array_equal(told, expected)


def test_rejects_wrong_actions_without_changes():
    vector = situated.make_vec("find-goals", 3)
    vector.reset(seed=1)
    before = vector.get_state()
    good = np.zeros((3, 2), np.int64)
    beyond = good.copy()
    beyond[1, 1] = 5
    for wrong, reason in (
        (beyond, "no action 5 for agent 1 of env 1"),
        (-beyond, "no action -5 for agent 1 of env 1"),
        (good.astype(np.float32), "dtype uint8, int32 or int64, not float32"),
        (good.astype(np.int16), "not int16"),
        (good[:2], r"shape \[3, 2\] in C order, not \[2, 2\]"),
        ([[0.5, 0.0]] * 3, "not float64"),
        (None, r"shape \[3, 2\]"),
    ):
        with pytest.raises((ValueError, TypeError), match=reason):
            vector.step(wrong)
        assert vector.get_state() == before
    for dtype in (np.uint8, np.int32, np.int64):
        vector.step(good.astype(dtype))


def test_takes_actions_in_any_order_and_as_lists():
    actions = np.array([[1, 2], [3, 4], [0, 1]])
    states = []
    for given in (actions, np.asfortranarray(actions), actions.tolist()):
        vector = situated.make_vec("find-goals", 3)
        vector.reset(seed=1)
        vector.step(given)
        states.append(vector.get_state())
    assert states[0] == states[1] == states[2]


def test_settings_are_checked():
    for arguments, reason in (
        ({"num_envs": 0}, "num_envs must be at least 1, not 0"),
        ({"num_envs": 1 << 21}, "num_envs must be 1 to 1048576, not 2097152"),
        ({"threads": -1}, "threads must be at least 1, not -1"),
        ({"max_cycles": 0}, "max_cycles must be at least 1, not 0"),
        ({"autoreset": "never"}, "use next_step"),
        ({"view": "none"}, "view"),
        ({"colour": 3}, "colour"),
    ):
        with pytest.raises(ValueError, match=reason):
            situated.make_vec("find-goals", **{"num_envs": 2, **arguments})
    with pytest.raises(ValueError, match="did you mean `find-goals`"):
        situated.make_vec("find-goal", 2)


def test_state_is_saved_and_pickled():
    vector = situated.make_vec("find-goals", 5, max_cycles=9, seed=4)
    for actions in random_actions(vector, 13):
        vector.step(actions)
    other = pickle.loads(pickle.dumps(vector))
    third = situated.make_vec("find-goals", 5, max_cycles=9, tables=False)
    third.set_state(vector.get_state())
    fourth = situated.make_vec("find-goals", 1, max_cycles=9)
    fourth.set_state(vector.get_state(3), 0)
    for actions in random_actions(vector, 20, seed=1):
        expected = vector.step(actions)
        for again in (other, third):
            assert_same(expected[:4], again.step(actions)[:4])
        assert_same([array[3:4] for array in expected[:4]], fourth.step(actions[3:4].copy())[:4])


def test_seeds_of_envs_differ_and_follow_from_the_first():
    vector = situated.make_vec("find-goals", 100, seed=1)
    vector.reset(seed=11)
    seeds = [vector.seed_of(env) for env in range(100)]
    assert len(set(seeds)) == 100 and all(0 <= seed < 2**53 for seed in seeds)
    vector.reset(seed=11)
    assert seeds == [vector.seed_of(env) for env in range(100)]


def longest_rest(vector, actions):
    """The longest time that this thread was blocked while another one made a step, as a share of that step."""
    spans = []

    def step():
        begin = time.perf_counter()
        vector.step(actions)
        spans.append(time.perf_counter() - begin)

    stepping = threading.Thread(target=step)
    stepping.start()
    last, longest = time.perf_counter(), 0.0
    while stepping.is_alive():
        now = time.perf_counter()
        last, longest = now, max(longest, now - last)
    return longest / spans[0]


def test_other_threads_run_meanwhile():
    vector = situated.make_vec("find-goals", 1 << 18, tables=False, copy=False)
    actions = random_actions(vector, 1)[0]
    interval = sys.getswitchinterval()
    sys.setswitchinterval(1e-5)
    try:
        # On a machine that is busy with other things, it may take several attempts.
        assert min(longest_rest(vector, actions) for _ in range(10)) < 0.5
    finally:
        sys.setswitchinterval(interval)


def test_scenes():
    vector = situated.make_vec("find-goals", 2)
    vector.reset(seed=1)
    assert vector.scene(1).width == 10 and vector.scene(0, "red").width == 3
    with pytest.raises(ValueError, match="no env 2"):
        vector.scene(2)
