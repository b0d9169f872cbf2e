"""A seed means the same episode in every face, and is told where none was given."""

import copy
import pickle

import numpy as np
import pytest
import situated
from test_learning import Island

# Its caves, and so its observations and rewards, depend on the seed.
NAME, PARAMETERS = "wumpus", {"size": 8, "pits": 0.3}


def percepts(seed):
    """What an agent perceives in the whole cave at the beginning, and after some steps."""
    environment = situated.Environment(NAME, seed=seed, **PARAMETERS)
    return environment.scene().to_json()


def test_a_seed_begins_the_same_episode_in_every_face():
    for seed in (0, 9, 2**53 - 1, 2**64 - 1):
        expected = percepts(seed)
        parallel, turns = situated.parallel_env(NAME, **PARAMETERS), situated.aec_env(NAME, **PARAMETERS)
        vector = situated.make_vec(NAME, 2, **PARAMETERS)
        for face in (parallel, turns, vector):
            face.reset(seed=seed)
            assert face.scene().to_json() == expected
        assert parallel.seed_of() == turns.seed_of() == vector.seed_of(0) == seed
        environment = situated.Environment(NAME, seed=seed, **PARAMETERS)
        assert environment.seed_of() == seed
    assert percepts(9) != percepts(10)


def test_later_episodes_are_the_same_in_every_face():
    environment = situated.Environment(NAME, seed=9, **PARAMETERS)
    parallel, vector = situated.parallel_env(NAME, **PARAMETERS), situated.make_vec(NAME, 1, seed=9, **PARAMETERS)
    parallel.reset(seed=9)
    vector.reset()
    for _ in range(3):
        for face in (environment, parallel, vector):
            face.reset()
        assert environment.seed_of() == parallel.seed_of() == vector.seed_of(0)
        assert environment.scene().to_json() == parallel.scene().to_json() == vector.scene(0).to_json()


def test_the_seed_of_an_env_given_back_reproduces_its_episode():
    vector = situated.make_vec(NAME, 5, seed=3, max_cycles=4, **PARAMETERS)
    vector.reset()
    for _ in range(9):
        vector.step(np.zeros((5, 1), np.int64))
    vector.reset()
    for env in range(5):
        again = situated.parallel_env(NAME, **PARAMETERS)
        again.reset(seed=vector.seed_of(env))
        assert again.scene().to_json() == vector.scene(env).to_json()


def test_the_seed_of_a_vector_is_that_of_its_first_reset():
    given, later = situated.make_vec(NAME, 3, seed=9, **PARAMETERS), situated.make_vec(NAME, 3, **PARAMETERS)
    one, other = given.reset(), later.reset(seed=9)
    np.testing.assert_array_equal(one[0], other[0])
    assert one[1]["seed"].tolist() == other[1]["seed"].tolist() == [9, 10, 11]
    assert given.reset()[1]["seed"].tolist() != [9, 10, 11]


@pytest.mark.parametrize("keep", [lambda one: pickle.loads(pickle.dumps(one)), copy.copy, copy.deepcopy])
@pytest.mark.parametrize("of", [NAME, Island])
def test_a_copy_from_before_the_first_reset_begins_with_the_same_seeds(of, keep):
    vector, parallel = situated.make_vec(of, 2, seed=9, threads=2), situated.parallel_env(of)
    others = keep(vector), keep(parallel)
    assert others[1].agents == []
    for _ in range(2):
        (first, infos), (second, again) = vector.reset(), others[0].reset()
        np.testing.assert_array_equal(first, second)
        assert infos["seed"].tolist() == again["seed"].tolist()
        assert [one.reset()[1]["agent_0"]["seed"] for one in (parallel, others[1])] == [parallel.seed_of()] * 2
    # A copy of a vector that was reset begins its next episode.
    other = keep(vector)
    assert other.reset()[1]["seed"].tolist() == vector.reset()[1]["seed"].tolist()


def test_without_a_seed_each_environment_has_a_fresh_one_and_tells_it():
    def told():
        parallel, vector = situated.parallel_env(NAME), situated.make_vec(NAME, 2)
        turns = situated.aec_env(NAME)
        turns.reset()
        _, infos = parallel.reset()
        assert infos["agent_0"]["seed"] == parallel.seed_of()
        assert turns.infos["agent_0"]["seed"] == turns.seed_of()
        return parallel.seed_of(), turns.seed_of(), int(vector.reset()[1]["seed"][0])

    seeds = [seed for _ in range(5) for seed in told()]
    assert len(set(seeds)) == len(seeds)


def test_seeds_are_checked():
    parallel, vector = situated.parallel_env(NAME), situated.make_vec(NAME, 2)
    for reset in (parallel.reset, vector.reset, lambda seed: situated.Environment(NAME, seed=seed)):
        with pytest.raises(ValueError, match="seed must be 0 to 18446744073709551615, not -1"):
            reset(seed=-1)
        with pytest.raises(TypeError, match="seed must be a whole number, not 'one'"):
            reset(seed="one")
    parallel.reset(seed=np.int64(4))
    assert parallel.seed_of() == 4
