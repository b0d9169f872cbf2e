"""The tournament in Blocks World for Teams: its players play as the book says, and its learners learn."""

import asyncio
import itertools
import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import situated
from serving import REPOSITORY, Server
from situated.remote import connect

TOURNAMENT = REPOSITORY / "examples" / "tournament"


@pytest.fixture(autouse=True)
def modules(monkeypatch):
    """The modules of the example, which import each other by their names."""
    names = [file.stem for file in TOURNAMENT.glob("*.py")]
    monkeypatch.syspath_prepend(str(TOURNAMENT))
    for name in names:
        monkeypatch.delitem(sys.modules, name, raising=False)
    yield
    for name in names:
        sys.modules.pop(name, None)


def test_percepts_tell_a_robot_what_the_encoding_does():
    from observer import Observer
    from players import guesser, script
    from sight import SETTING, Plan, see

    plan, random, guess = Plan(), np.random.default_rng(0), guesser(seed=0)
    numbers = situated.make_vec("bw4t", 1, **SETTING)
    terms = situated.Environment("bw4t", seed=5, **SETTING)
    agents = {entity: terms.register(entity) for entity in terms.entities}
    observers = {entity: Observer(plan, entity) for entity in agents}
    for entity, agent in agents.items():
        agent.associate(entity)
    observations, infos = numbers.reset(seed=5)
    for _ in range(300):
        seen = see(plan, observations[0], infos["action_mask"][0])
        actions = seen.choose(np.where(random.random(2) < 0.2, guess(seen), script(seen)))
        for row, (entity, agent) in enumerate(agents.items()):
            agent.perceive()
            perceived = see(plan, *observers[entity].observe(agent.beliefs(entity)))
            for name, value in vars(perceived).items():
                assert np.allclose(value, getattr(seen, name)[row], atol=1e-5), (name, entity)
        for row, (entity, agent) in enumerate(agents.items()):
            if (action := observers[entity].act(int(actions[row]))) is not None:
                agent.act(action)
        terms.step()
        observations, _, terminated, _, infos = numbers.step(actions[None])
        if terminated.any():
            break
    assert seen.delivered.max() == 5


def test_saved_learners_deliver_what_the_book_says():
    from games import compete

    rates = {name: np.mean([game.rate for game in games]) for name, games in compete(games=20).items()}
    full = rates["built-in team"]
    assert rates["PPO"] > 0.55 * full
    assert rates["independent learners"] > 0.45 * full
    assert rates["script"] > 0.65 * full
    assert rates["random choices"] < 0.1 * full


def test_the_script_trains_and_prints_a_table(tmp_path):
    command = [sys.executable, str(TOURNAMENT / "tournament.py"), "--train", "--part", "0.01", "--games", "2"]
    done = subprocess.run([*command, "--folder", str(tmp_path)], capture_output=True, text=True, timeout=240)
    assert done.returncode == 0, done.stderr
    assert "\n| built-in team | 6.00 | 100 % |" in done.stdout and "\n| PPO |" in done.stdout
    assert {file.name for file in tmp_path.iterdir()} == {"ppo.npz", "q_learning.npz", "curves.svg"}


def test_the_notebook_runs():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(TOURNAMENT / "tournament.ipynb", as_version=4)
    resources = {"metadata": {"path": str(TOURNAMENT)}}
    nbclient.NotebookClient(notebook, timeout=240, kernel_name="python3", resources=resources).execute()
    shown = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    assert any("<svg" in data.get("text/html", "") for data in shown)
    assert any("| PPO |" in data.get("text/markdown", "") for data in shown)


def test_the_network_plays_on_a_server_beside_another_agent(server, monkeypatch):
    # The fixture skips the test without a binary.
    monkeypatch.setenv("PATH", str(Path(sys.executable).parent), prepend=os.pathsep)
    server = Server(str(TOURNAMENT / "team.toml"), "--seed", "1", "--speed", "500")
    try:
        asyncio.run(asyncio.wait_for(walk_until_deliveries(server.url(), "Bot_1", "Bot_2", 2), timeout=60))
    finally:
        server.stop()


async def walk_until_deliveries(url, own, other, count):
    """Walks between two rooms until another robot has delivered this number of colours."""
    async with connect(url) as client:
        environment = client.environment("bw4t")
        walker = await environment.register("walker")
        await walker.associate(own)
        for room in itertools.cycle(["RoomA1", "RoomC3"]):
            await walker.act("goTo", room)
            await asyncio.sleep(1)
            outcome = await environment.outcome() or {"results": []}
            results = {(one["of"], one["name"]): one["value"] for one in outcome["results"]}
            if results[other, "good drops"] >= count:
                return
