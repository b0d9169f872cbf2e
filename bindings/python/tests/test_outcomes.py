"""Episodes of learners tell how they went, and can be recorded."""

import json
import subprocess

import numpy as np
import pytest
import situated
from serving import binary


def random_episode(environment, seed):
    """Plays an episode at random. Returns the sums of the rewards, the number of steps, and the last infos."""
    environment.reset(seed=seed)
    random, returns, steps = np.random.default_rng(seed), dict.fromkeys(environment.agents, 0.0), 0
    while environment.agents:
        actions = {agent: int(random.integers(len(environment.actions))) for agent in environment.agents}
        _, rewards, _, _, infos = environment.step(actions)
        steps += 1
        for agent, reward in rewards.items():
            returns[agent] += reward
        assert ("results" in infos["agent_0"]) == (not environment.agents)
    return returns, steps, infos


def by_group(measures):
    """The values of results by group and name."""
    results = {}
    for measure in measures:
        results.setdefault(measure["of"], {})[measure["name"]] = measure["value"]
    return results


def test_the_infos_at_the_end_have_what_was_reached():
    # Find the Goals uses a table, in which nothing is counted.
    environment = situated.parallel_env("find-goals", max_cycles=200)
    for seed in (1, 2):
        returns, steps, infos = random_episode(environment, seed)
        for agent, info in infos.items():
            assert (info["return"], info["steps"], info["ending"]) == (returns[agent], steps, "truncated")
            team = info["results"]["team"]
            assert (team["joint reward"], team["steps"]) == (returns[agent], 200)


def test_the_results_are_those_of_the_same_episode_by_terms():
    environment = situated.parallel_env("find-goals", max_cycles=60)
    environment.reset(seed=1)
    same = situated.Environment("find-goals", seed=1)
    agents = [same.register(name) for name in environment.agents]
    for agent, entity in zip(agents, ("red", "blue")):
        agent.associate(entity)
    random = np.random.default_rng(5)
    while environment.agents:
        actions = {name: int(random.integers(5)) for name in environment.agents}
        *_, infos = environment.step(actions)
        for agent in agents:
            agent.act(environment.actions[actions[agent.name]])
        same.step()
    assert infos["agent_1"]["results"] == by_group(same.outcome()["results"])


def test_an_episode_by_turns_ends_with_the_same_infos():
    turns, together = situated.aec_env("wumpus", max_cycles=50), situated.parallel_env("wumpus", max_cycles=50)
    turns.reset(seed=4)
    together.reset(seed=4)
    while together.agents:
        turns.step(3)
        *_, infos = together.step({"agent_0": 3})
    assert turns.infos == infos and "results" in infos["agent_0"]


def test_a_restored_episode_tells_the_results_of_what_it_knows():
    environment = situated.parallel_env("bw4t", robots=1, max_cycles=30)
    environment.reset(seed=1)
    for _ in range(10):
        environment.step({"agent_0": 1})
    other = situated.parallel_env("bw4t", robots=1, max_cycles=30)
    other.set_state(environment.get_state())
    while environment.agents:
        *_, expected = environment.step({"agent_0": 2})
        *_, infos = other.step({"agent_0": 2})
    assert infos["agent_0"]["results"] == expected["agent_0"]["results"]
    assert infos["agent_0"]["steps"] == 20


@pytest.mark.parametrize("autoreset", ["next_step", "same_step"])
def test_vectors_tell_the_same(autoreset):
    vector = situated.make_vec("wumpus", 4, seed=7, max_cycles=25, autoreset=autoreset, outcomes=True, size=5)
    vector.reset()
    alone = [situated.parallel_env("wumpus", max_cycles=25, size=5) for _ in range(4)]
    seeds = [vector.seed_of(env) for env in range(4)]
    for env, single in enumerate(alone):
        single.reset(seed=seeds[env])
    random, ended, waits = np.random.default_rng(1), 0, [False] * 4
    for _ in range(200):
        actions = random.integers(0, len(vector.actions), (4, 1))
        *_, infos = vector.step(actions)
        for env, single in enumerate(alone):
            if waits[env]:
                single.reset()
                waits[env] = False
                continue
            *_, told = single.step({"agent_0": int(actions[env, 0])})
            over = not single.agents
            assert ("_results" in infos and bool(infos["_results"][env])) == over
            if over:
                info = told["agent_0"]
                assert infos["results"][env] == info["results"] and infos["ending"][env] == info["ending"]
                assert infos["return"][env, 0] == pytest.approx(info["return"])
                assert infos["steps"][env] == info["steps"]
                ended += 1
                if autoreset == "next_step":
                    waits[env] = True
                else:
                    single.reset()
    assert ended > 10


@pytest.mark.parametrize(
    ("name", "parameters"), [("find-goals", {}), ("wumpus", {"size": 6}), ("bw4t", {"robots": 2}), ("elevator", {})]
)
def test_episodes_are_recorded(tmp_path, name, parameters):
    environment = situated.parallel_env(name, max_cycles=40, record=tmp_path / "runs", **parameters)
    for seed in (3, 4, 3):
        _, steps, infos = random_episode(environment, seed)
    files = sorted(file.name for file in (tmp_path / "runs").iterdir())
    assert files == [f"{name}-3-2.mcap", f"{name}-3.mcap", f"{name}-4.mcap"]

    def told(*arguments):
        command = [binary(), *arguments, tmp_path / "runs" / f"{name}-3-2.mcap"]
        return subprocess.run(command, capture_output=True, text=True, check=True).stdout

    assert "All agree" in told("replay")
    end = json.loads(told("export", "--format", "jsonl").splitlines()[-1])
    results = by_group(end["results"])
    # Only a robot that an agent has taken can be idle.
    for measures in (*results.values(), *infos["agent_0"]["results"].values()):
        measures.pop("idle steps", None)
    assert (end["channel"], end["step"], results) == ("/outcome", steps, infos["agent_0"]["results"])
