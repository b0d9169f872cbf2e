"""Environments on the real server, in the faces for learners."""

import asyncio
import gc
import pickle
import subprocess
import sys
import threading
import time
from contextlib import contextmanager

import numpy as np
import pytest
import situated
from pettingzoo.test import api_test, parallel_api_test
from serving import REPOSITORY
from situated.gymnasium import GymnasiumVector, SingleEnvironment
from situated.remote import AddressError, ConnectError, Ended, Refused, RemoteError, connect
from test_learning import Island

sys.path.insert(0, str(REPOSITORY / "examples" / "python"))

from treasure_hunt import TreasureHunt  # noqa: E402


async def statuses(url):
    async with connect(url) as client:
        return {one["environment"]: one for one in await client.environments()}


@contextmanager
def hosted(server, environment, name):
    """Hosts an environment; yields its address."""
    url, failures = server.url(), []

    async def host():
        try:
            await situated.host(environment, url, name)
        except BaseException as failure:
            failures.append(failure)

    thread = threading.Thread(target=lambda: asyncio.run(host()))
    thread.start()
    while asyncio.run(statuses(url)).get(name, {}).get("state") != "running":
        assert not failures
        time.sleep(0.02)
    yield f"{url}/{name}"

    async def remove():
        async with connect(url) as client:
            await client.environment(name).remove()

    asyncio.run(remove())
    thread.join()
    assert not failures


@pytest.fixture
def server(serve):
    """A server without environments, which no other test uses."""
    return serve()


@pytest.fixture
def hunt(server):
    with hosted(server, TreasureHunt(), "hunt") as address:
        yield address


def play(environment, seed, steps=60):
    """Plays an episode at random; yields everything that the learners get."""
    random = np.random.default_rng(seed)
    yield environment.reset(seed=seed)
    while environment.agents and steps:
        actions = {agent: int(random.integers(environment.action_space(agent).n)) for agent in environment.agents}
        yield environment.step(actions)
        steps -= 1


def same(one, other):
    """Whether these are equal, with arrays in them."""
    if isinstance(one, dict):
        return one.keys() == other.keys() and all(same(one[key], other[key]) for key in one)
    if isinstance(one, tuple):
        return len(one) == len(other) and all(map(same, one, other))
    return np.array_equal(one, other)


def test_a_hosted_environment_passes_the_tests_of_pettingzoo(hunt):
    environment = situated.parallel_env(hunt, max_cycles=30, length=5)
    parallel_api_test(environment, num_cycles=100)
    environment.close()
    api_test(situated.aec_env(hunt, max_cycles=30), num_cycles=100)


@pytest.mark.parametrize(("kind", "parameters"), [("wumpus", {"size": 5}), ("find-goals", {}), ("elevator", {})])
def test_a_kind_of_the_server_passes_the_tests_of_pettingzoo(server, kind, parameters):
    address = f"{server.url('ws')}/{kind}"
    parallel_api_test(situated.parallel_env(address, max_cycles=30, **parameters), num_cycles=100)
    api_test(situated.aec_env(address, max_cycles=30, **parameters), num_cycles=100)


@pytest.mark.parametrize("of", [TreasureHunt, Island])
def test_episodes_are_those_of_the_environment_in_this_process(server, of):
    with hosted(server, of(), "same") as address:
        there, here = situated.parallel_env(address, max_cycles=40), situated.parallel_env(of, max_cycles=40)
        assert (there.encodings, there.entities) == (here.encodings, here.entities)
        ended = 0
        for seed in range(8):
            for told, expected in zip(play(there, seed), play(here, seed), strict=True):
                assert same(told, expected)
            ended += told[-1]["agent_0"].get("ending") == "terminated" if "agent_0" in told[-1] else 1
            assert there.agents == here.agents
        assert ended
        there.close()


def test_a_shipped_environment_has_the_rewards_of_its_first_result(server):
    there = situated.parallel_env(f"{server.url()}/find-goals", max_cycles=50)
    here = situated.parallel_env("find-goals", max_cycles=50)
    assert there.actions == ["up", "down", "left", "right", "wait"] == here.actions
    assert "see(northWest,wall)" in there.encoding.meanings
    total = 0.0
    for told, expected in zip(play(there, 3), play(here, 3), strict=True):
        if len(told) == 5:
            assert told[1] == expected[1] and told[2:4] == expected[2:4]
            total += sum(told[1].values())
    assert total < 0
    assert there.scene().svg() == here.scene().svg()
    there.close()


def test_the_face_of_gymnasium_and_vectors(server):
    address = f"{server.url()}/wumpus"
    single = SingleEnvironment(address, size=5, max_cycles=20)
    observation, info = single.reset(seed=4)
    assert single.observation_space.contains(observation) and info["seed"] == 4
    assert single.step(single.actions.index("turn(left)"))[1] == -1.0
    for given in ({"size": 5}, {"parameters": {"size": 5}}, {"token": None, "parameters": {"size": 5}}):
        parallel = situated.parallel_env(address, **given)
        assert np.array_equal(parallel.reset(seed=4)[0]["agent_0"], observation)
        parallel.close()
    with pytest.raises(RemoteError, match="there is no parameter `token`"):
        situated.parallel_env(address, parameters={"token": "of the environment"})
    vector = GymnasiumVector(address, 3, size=5, max_cycles=20)
    assert len(asyncio.run(statuses(server.url()))) == 4
    observations, _ = vector.reset(seed=4)
    assert np.array_equal(observations[0], observation)
    first = vector.step(np.zeros(3, np.int64))[0]
    vector.reset(seed=4)
    assert np.array_equal(vector.step(np.zeros(3, np.int64))[0], first)
    vector.close()
    single.close()
    # The server removes what it has made for them.
    assert asyncio.run(statuses(server.url())) == {}
    with pytest.raises(ValueError, match="this environment was closed"):
        single.reset()


@pytest.mark.asyncio
async def test_works_where_an_event_loop_runs(server):
    environment = situated.parallel_env(f"{server.url()}/wumpus", max_cycles=3)
    environment.reset(seed=1)
    while environment.agents:
        environment.step({"agent_0": 0})
    environment.close()


def test_errors_name_what_is_wrong(hunt, server):
    url = server.url()
    with pytest.raises(AddressError, match="names no environment; write it as tcp://HOST:PORT/ENVIRONMENT"):
        situated.parallel_env(url)
    with pytest.raises(ConnectError, match="cannot connect to tcp://127.0.0.1:1"):
        situated.parallel_env("tcp://127.0.0.1:1/hunt")
    with pytest.raises(ValueError, match="no environment `cave` on .*; it has the environments hunt, and can create"):
        situated.parallel_env(f"{url}/cave")
    with pytest.raises(situated.InterfaceError, match="depth"):
        situated.parallel_env(hunt, depth=3)
    first = situated.parallel_env(hunt)
    with pytest.raises(ValueError, match="entity `ada` of environment `hunt` on .* belongs to the agent `learner-"):
        situated.parallel_env(hunt)
    with pytest.raises(ValueError, match="each env of a vector, needs one of its own"):
        situated.make_vec(hunt, 2)
    with pytest.raises(TypeError, match="the state of environment `hunt` on .* cannot be saved or copied from here"):
        pickle.dumps(first)
    with pytest.raises(ValueError, match="with `situated serve --record`"):
        situated.parallel_env(hunt, record="runs")
    first.close()
    situated.parallel_env(hunt).close()


class SlowIsland(Island):
    def step(self):
        time.sleep(2)
        super().step()


def test_who_waits_for_a_step_is_told_that_another_thread_has_closed_it(server):
    with hosted(server, SlowIsland(), "slow") as address:
        environment = situated.parallel_env(address)
        environment.reset()
        told = []

        def step():
            try:
                environment.step(dict.fromkeys(environment.agents, 0))
            except Exception as error:
                told.append(error)

        stepping = threading.Thread(target=step, daemon=True)
        stepping.start()
        time.sleep(0.5)
        environment.close()
        stepping.join(10)
        assert [type(error) for error in told] == [Ended]


def test_calls_of_other_threads_end_while_it_is_closed(server):
    for _ in range(10):
        environment = situated.parallel_env(f"{server.url()}/wumpus", render_mode="rgb_array")
        environment.reset()
        told = []

        def look(environment=environment, told=told):
            try:
                while True:
                    environment.render()
            except Exception as error:
                told.append(type(error))

        looking = [threading.Thread(target=look, daemon=True) for _ in range(6)]
        for thread in looking:
            thread.start()
        time.sleep(0.05)
        environment.close()
        for thread in looking:
            thread.join(5)
        assert set(told) <= {Ended, Refused, ValueError} and len(told) == len(looking)


@pytest.mark.parametrize("made", ["parallel_env(URL)", "make_vec(URL, 3)", "make_vec(URL, 3, processes=2)"])
def test_sessions_end_with_the_program(server, made):
    program = f"import situated; URL = '{server.url()}/wumpus'; env = situated.{made}; env.reset(); print('begun')"
    ended = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, timeout=20, check=True)
    assert (ended.stdout, ended.stderr) == ("begun\n", "")
    assert asyncio.run(statuses(server.url())) == {}


@pytest.mark.parametrize("parts", [{"threads": 2}, {"processes": 2}])
def test_sessions_end_with_a_vector_that_is_not_used_any_more(server, parts):
    vector = situated.make_vec(f"{server.url()}/wumpus", 3, **parts)
    # Its processes are copies of this one, with all that it has open.
    other = situated.make_vec(Island, 2, processes=2)
    assert len(asyncio.run(statuses(server.url()))) == 3
    del vector
    gc.collect()
    assert asyncio.run(statuses(server.url())) == {}
    assert other.reset()[0].shape[0] == 2


def test_learners_need_the_right_to_manage_and_a_pace_that_waits_for_them(serve):
    acting, managing = "only-to-act-0123456789", "to-manage-0123456789"
    rights = [("act", acting), ("act", managing), ("manage", managing)]
    server = serve("elevator", *(word for right, token in rights for word in ("--token", f"{right}={token}")))
    address = f"{server.url()}/elevator"
    with pytest.raises(PermissionError, match="this token has no right to manage environments on tcp"):
        situated.parallel_env(address, token=acting)
    with pytest.raises(ValueError, match="`elevator` on .* runs in real time, and learners need a pace"):
        situated.parallel_env(address, token=managing)
