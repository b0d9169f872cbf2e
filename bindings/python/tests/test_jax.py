"""Vectors on an accelerator have the numbers of those on the processor."""

import base64
import struct
import subprocess
import sys

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import situated
import situated.jax

ENVS, STEPS = 16, 1_000


def tabled():
    """The environments that compile to a table with their default parameters."""
    names = situated.encoded_environments()
    return [name for name in names if situated.make_vec(name, 1).states is not None]


def cave(*rows):
    """A level file of Wumpus: wall `#`, ground `.`, pit `p`, Wumpus `w`, gold `g`, explorer `e`."""
    bits = {".": 1, "p": 3, "g": 5, "#": 8, "e": 17, "w": 33}
    cells = [(x, y, bits[sign]) for y, row in enumerate(reversed(rows)) for x, sign in enumerate(row)]
    numbers = [len(cells), *(number for cell in cells for number in cell)]
    header = b"\0\x18WumpusWorldModelFile0.9\n"
    return base64.b64encode(header + struct.pack(f">{len(numbers)}i", *numbers)).decode()


def assert_equal(device, processor):
    """The same numbers of the same type."""
    device = np.asarray(device)
    assert device.dtype == processor.dtype
    np.testing.assert_array_equal(device, processor)


def assert_same_play(name, seed, steps=STEPS, **settings):
    """The same actions have the same results in both vectors. Returns the number of episodes that ended."""
    processor = situated.make_vec(name, ENVS, **settings)
    device = situated.jax.make_vec(name, ENVS, **settings)
    assert device.possible_agents == processor.possible_agents and device.states == processor.states
    expected, infos = processor.reset(seed=seed)
    observations, state = device.reset(jax.random.key(seed))
    assert_equal(observations, expected)
    assert_equal(device.action_mask(state), infos["action_mask"])
    random = np.random.default_rng(seed)
    ended = 0
    for _ in range(steps):
        actions = random.integers(0, len(processor.actions), (ENVS, processor.num_agents))
        *expected, infos = processor.step(actions)
        observations, state, *others, told = device.step(state, actions)
        for one, other in zip((observations, *others), expected, strict=True):
            assert_equal(one, other)
        assert_equal(told.pop("action_mask"), infos["action_mask"])
        if told:
            chosen = infos["_final_obs"]
            assert_equal(told["_final_obs"], chosen)
            assert_equal(np.asarray(told["final_obs"])[chosen], infos["final_obs"][chosen])
        ended += int((expected[2] | expected[3]).all(axis=1).sum())
    return ended


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
@pytest.mark.parametrize("view", ["local", "global"])
def test_find_the_goals_has_the_numbers_of_the_processor(view, autoreset, seed):
    assert assert_same_play("find-goals", seed, view=view) == 0
    assert assert_same_play("find-goals", seed, 100, view=view, autoreset=autoreset, max_cycles=7) > 100


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_so_has_a_grid_world(autoreset):
    level = cave("....", ".w.g", "..p.", "e...")
    assert situated.make_vec("wumpus", 1, file=level).states > 100
    assert assert_same_play("wumpus", 1, file=level, autoreset=autoreset) > 100


def test_so_has_every_environment_with_a_table():
    names = tabled()
    assert "find-goals" in names
    for name in names:
        assert_same_play(name, 3, 200, max_cycles=30)


def test_a_loop_on_the_device_is_a_loop_of_steps():
    vector = situated.jax.make_vec("find-goals", ENVS, max_cycles=9)
    _, begun = vector.reset()
    actions = jax.random.randint(jax.random.key(0), (40, ENVS, 2), 0, 5)

    def step(state, actions):
        _, state, rewards, *_ = vector.step(state, actions)
        return state, rewards

    last, rewards = jax.jit(lambda state: jax.lax.scan(step, state, actions))(begun)
    state = begun
    for row, expected in zip(actions, rewards, strict=True):
        state, told = step(state, row)
        assert_equal(told, np.asarray(expected))
    assert all(map(np.array_equal, state, last))
    assert float(jnp.abs(rewards).sum()) > 0


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_an_episode_is_over_when_it_has_ended_for_all_agents(autoreset):
    vector = situated.jax.make_vec("find-goals", 2, autoreset=autoreset)
    # Two states, and two agents with two actions. The second step ends the episode for the first agent, and also for
    # the second one if the second acts.
    no, ends = [False, False], [True, False]
    vector.table = situated.jax.Table(
        next=jnp.array([[1] * 4, [1] * 4]),
        rewards=jnp.array([[[1.0, 2.0]] * 4, [[3.0, 4.0]] * 4]),
        terminated=jnp.array([[no] * 4, [ends] * 4]),
        truncated=jnp.array([[no] * 4, [no, [False, True]] * 2]),
        observations=jnp.array([[[10], [20]], [[11], [21]]]),
        masks=jnp.ones((2, 2, 2), bool),
    )
    seen, state = vector.reset()
    actions = jnp.array([[0, 1], [0, 0]])
    told = []
    for _ in range(3):
        seen, state, rewards, terminated, truncated, infos = vector.step(state, actions)
        told.append((seen[:, 0, 0].tolist(), rewards[:, 0].tolist(), terminated.tolist(), truncated.tolist()))
        if autoreset == "same_step" and len(told) == 2:
            assert infos["_final_obs"].tolist() == [True, False]
            assert infos["final_obs"][0].tolist() == [[11], [21]]
    first = ([11, 11], [1, 1], [no, no], [no, no])
    second = ([10 if autoreset == "same_step" else 11, 11], [3, 3], [ends, ends], [[False, True], no])
    third = ([11, 11], [1, 3], [no, ends], [no, no])
    if autoreset == "next_step":
        third = ([10, 11], [0, 3], [no, ends], [no, no])
    assert told == [first, second, third]


def test_envs_can_be_mapped():
    vector = situated.jax.make_vec("find-goals", ENVS)
    _, state = vector.reset()
    actions = jax.random.randint(jax.random.key(0), (ENVS, 2), 0, 5)
    together, apart = vector.step(state, actions), jax.vmap(vector.step)(state, actions)
    for one, other in zip(jax.tree.leaves(together), jax.tree.leaves(apart), strict=True):
        assert_equal(one, np.asarray(other))


@pytest.fixture
def processor():
    """JAX on the processor, whose memory NumPy can share."""
    with jax.default_device(jax.devices("cpu")[0]):
        yield


@pytest.mark.usefixtures("processor")
def test_other_libraries_share_the_arrays():
    vector = situated.jax.make_vec("find-goals", ENVS)
    observations, state = vector.reset()
    shared = np.from_dlpack(observations)
    assert shared.ctypes.data == observations.unsafe_buffer_pointer()
    actions = jnp.from_dlpack(np.full((ENVS, 2), 4, np.int64).astype(np.int32))
    _, _, rewards, *_ = vector.step(state, actions)
    assert not np.from_dlpack(rewards).any()


def test_an_action_out_of_range_counts_as_the_nearest():
    vector = situated.jax.make_vec("find-goals", 1)
    _, state = vector.reset()
    for wrong, right in (([-7, 255], [0, 4]), ([5, -1], [4, 0])):
        one, other = (vector.step(state, np.array([actions], np.int32)) for actions in (wrong, right))
        assert all(map(np.array_equal, jax.tree.leaves(one), jax.tree.leaves(other)))


class Python(situated.PythonEnvironment):
    """Never begins."""


@pytest.mark.parametrize(
    ("name", "settings", "reason"),
    [
        ("bw4t", {}, "bw4t does not compile to a table, .* Use situated.make_vec"),
        (Python, {}, "it is written in Python"),
        ("find-goals", {"autoreset": "disabled"}, "'next_step' or 'same_step'"),
        ("find-goals", {"max_cycles": 0}, "max_cycles must be at least 1"),
        ("find-goals", {"max_cycles": 1 << 31}, "max_cycles must be at most 2147483647"),
        ("find-goals", {"view": "sideways"}, "view"),
    ],
)
def test_what_cannot_be_done_is_refused(name, settings, reason):
    with pytest.raises(ValueError, match=reason):
        situated.jax.make_vec(name, 1, **settings)


@pytest.mark.parametrize("actions", [np.zeros((1, 3), np.int32), np.zeros(2, np.int32), np.zeros((1, 2), np.float32)])
def test_wrong_arrays_of_actions_are_refused(actions):
    vector = situated.jax.make_vec("find-goals", 1)
    _, state = vector.reset()
    with pytest.raises(ValueError, match=r"actions must be integers of shape \[1, 2\]"):
        vector.step(state, actions)


def test_without_jax_the_error_says_what_to_install():
    program = "import sys; sys.modules['jax'] = None; import situated.jax"
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    assert "pip install 'situated[jax]'" in done.stderr


def test_a_dictionary_gives_parameters_too():
    def encodings(**given):
        return situated.jax.make_vec("find-goals", 1, **given).encoding

    assert encodings(parameters={"view": "global"}) == encodings(view="global") != encodings()
