"""Plays through the client of OpenEnv: openenv_client.py SITUATED

Starts servers with the command SITUATED, and compares what the client gets with what the rules of the environments say.
"""

import asyncio
import json
import random
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request
from contextlib import contextmanager
from pathlib import Path

import jsonschema
from openenv import GenericEnvClient
from openenv.core.client_types import StepResult
from openenv.core.env_client import EnvClient
from openenv.core.env_server.types import (
    Action,
    EnvironmentMetadata,
    HealthResponse,
    Observation,
    SchemaResponse,
    State,
)
from pydantic import Field

TOKEN = "a-token-for-those-who-manage"


@contextmanager
def server(*arguments):
    """A server; yields its address."""
    command = [sys.argv[1], "serve", *arguments, "--port", "0", "--log-level", "warn"]
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder, "said")
        with said.open("w") as out:
            process = subprocess.Popen(command, stdout=out, cwd=folder)
        try:
            while not (found := re.search(r"Page: +(http://\S+?)/", said.read_text())):
                assert process.poll() is None, f"the server has ended: {said.read_text()}"
                time.sleep(0.05)
            yield found[1]
        finally:
            process.terminate()
            process.wait()


def get(url, data=None):
    """Returns the status and the content of a response."""
    try:
        with urllib.request.urlopen(urllib.request.Request(url, data)) as response:
            return response.status, json.load(response)
    except urllib.error.HTTPError as error:
        return error.code, json.load(error)


def position(result):
    """Returns the position of a walker in the global view."""
    at = [re.fullmatch(r"at\((\d),(\d)\)", percept) for percept in result.observation["percepts"]]
    return next((int(found[1]), int(found[2])) for found in at if found)


def walks_to_the_goal(address):
    """The positions and rewards of a walker, by the rules of Find the Goals."""
    with GenericEnvClient(base_url=f"{address}/openenv/find-goals").sync() as env:
        result = env.reset(seed=1, entity="red", others="idle", parameters={"view": "global"})
        assert (result.reward, result.done, position(result)) == (None, False, (3, 1)), result
        assert "Two walkers" in result.observation["instructions"]
        way = [
            ("down", (3, 1), -1),  # A wall.
            ("wait", (3, 1), 0),
            (0, (3, 2), -1),  # The number of `up`.
            ("left", (2, 2), -1),
            ("right", (3, 2), -1),
            *(("right", (x, 2), -1) for x in range(4, 8)),
            ("right", (3, 1), 99),  # The goal, and back to the start.
            (None, (3, 1), 0),
        ]
        for number, (action, place, reward) in enumerate(way, 1):
            result = env.step({"action": action})
            got = (position(result), result.reward, result.done, result.observation["step"])
            assert got == (place, reward, False, number), f"{action}: {got}"
        state = env.state()
        results = {(one["of"], one["name"]): one["value"] for one in state["world"]["results"]}
        assert (state["step_count"], results["red", "goals"]) == (len(way), 1), state
        assert state["world"]["seed"] == 1


def controls_several_entities(address):
    """Two walkers in one episode: they cannot pass each other, and share their rewards."""
    with GenericEnvClient(base_url=f"{address}/openenv/find-goals").sync() as env:
        result = env.reset(seed=1, entities=["red", "blue"], parameters={"view": "global"}, percepts="changes")
        assert sorted(result.observation["entities"]) == ["blue", "red"]
        for red, blue, reward in [("up", "up", -2), ("right", "left", -2), ("right", "wait", -1), ("wait", "wait", 0)]:
            result = env.step({"actions": {"red": {"action": red}, "blue": {"action": blue}}})
            entities = result.observation["entities"]
            assert [entities[name]["reward"] for name in ("red", "blue")] == [reward, reward], result
            assert result.reward == 2 * reward
        # They stand face to face: red at (4, 2), blue at (5, 2).
        first = env.step({"actions": {"red": {"action": "right"}}}).observation["entities"]
        assert "new" in first["red"] and not any(new.startswith("at(") for new in first["red"]["new"]), first


def episode(env, seed, steps=40):
    """Plays an episode with random actions, and returns everything that the client got."""
    chance, result = random.Random(seed), env.reset(seed=seed, max_steps=steps)
    seen = [(result.observation, result.reward, result.done)]
    while not result.done:
        possible = [number for number, can in enumerate(result.observation["mask"]) if can]
        result = env.step({"action": chance.choice(possible)})
        seen.append((result.observation, result.reward, result.done))
    assert result.metadata["ending"] in ("terminated", "truncated")
    return seen


def seeds_make_episodes(address):
    """The same seed gives the same episode, on the same connection and on another."""
    with GenericEnvClient(base_url=f"{address}/openenv/wumpus").sync() as env:
        first = [episode(env, seed) for seed in range(5)]
        assert [episode(env, seed) for seed in range(5)] == first
        assert any(one != first[0] for one in first)
    with GenericEnvClient(base_url=f"{address}/openenv/wumpus").sync() as env:
        assert [episode(env, seed) for seed in range(5)] == first


async def plays_at_once(address, sessions=16):
    """Sessions of one client at the same time are worlds of their own."""

    async def play(env, seed):
        chance, result, total = random.Random(seed), await env.reset(seed=seed, max_steps=30, percepts="none"), 0
        while not result.done:
            result = await env.step({"action": chance.randrange(5)})
            total += result.reward
        return total, (await env.state())["world"]["environment"]

    async with GenericEnvClient(base_url=f"{address}/openenv/find-goals") as env:
        alone = [(await play(env, seed))[0] for seed in range(sessions)]
        others = [await env.new_session() for _ in range(sessions)]
        together = await asyncio.gather(*(play(other, seed) for seed, other in enumerate(others)))
    assert [total for total, _ in together] == alone
    assert len({world for _, world in together}) == sessions


class Move(Action):
    """An action of a walker, as an author of a typed client declares it."""

    action: str


class Sight(Observation):
    """An observation of a walker."""

    step: int
    percepts: list[str] = Field(default_factory=list)
    events: list[str] = Field(default_factory=list)
    numbers: list[int]
    mask: list[bool]
    instructions: str = ""


class Walker(EnvClient[Move, Sight, State]):
    """A typed client."""

    def _step_payload(self, action):
        return action.model_dump()

    def _parse_result(self, payload):
        reward, done = payload["reward"], payload["done"]
        sight = Sight(**payload["observation"], reward=reward, done=done)
        return StepResult(observation=sight, reward=reward, done=done)

    def _parse_state(self, payload):
        return State(**payload)


def serves_typed_clients(address):
    """The messages fit the types of the package."""
    with Walker(base_url=f"{address}/openenv/find-goals").sync() as env:
        assert "walkers" in env.reset(seed=1, episode_id="mine").observation.instructions
        result = env.step(Move(action="up"))
        assert (result.observation.step, result.observation.mask) == (1, [True] * 5)
        state = env.state()
        assert (state.episode_id, state.step_count) == ("mine", 1)


def describes_itself(address):
    """The descriptions fit the types of the package, and what is sent fits the descriptions."""
    for environment, actions in {
        "find-goals": [{"action": "up"}, {"action": 3}],
        "bw4t": [{"action": "goTo", "arguments": {"place": "RoomC1"}}, {"action": "goTo('RoomB2')"}, {"action": None}],
    }.items():
        base = f"{address}/openenv/{environment}"
        schema = SchemaResponse(**get(f"{base}/schema")[1])
        metadata = EnvironmentMetadata(**get(f"{base}/metadata")[1])
        assert metadata.name == environment and metadata.readme_content
        assert HealthResponse(**get(f"{base}/health")[1]).status == "healthy"
        for wrong in ({"action": "fly"}, {}, {"action": "up", "to": 1}):
            assert not jsonschema.Draft202012Validator(schema.action).is_valid(wrong), wrong
        with GenericEnvClient(base_url=base).sync() as env:
            jsonschema.validate(env.reset(seed=1).observation, schema.reset_observation)
            for action in actions:
                jsonschema.validate(action, schema.action)
                result = env.step(action)
                jsonschema.validate(result.observation, schema.observation)
                assert "failed" not in result.observation, result
            jsonschema.validate(env.state(), schema.state)
    assert get(f"{address}/openenv/find-goal/schema")[0] == 404
    for path in ("reset", "step", "mcp"):
        status, content = get(f"{address}/openenv/find-goals/{path}", data=b"{}")
        assert status == 501 and content["detail"], content


def refuses_with_reasons(address):
    """Errors of the client have the reason, and the session goes on."""
    with GenericEnvClient(base_url=f"{address}/openenv/find-goals").sync() as env:

        def refused(code, act):
            try:
                act()
            except RuntimeError as error:
                assert code in str(error), error
            else:
                raise AssertionError(f"no {code}")

        refused("EXECUTION_ERROR", lambda: env.step({"action": "up"}))
        refused("VALIDATION_ERROR", lambda: env.reset(sead=1))
        env.reset(seed=1, max_steps=1)
        refused("VALIDATION_ERROR", lambda: env.step({"action": "fly"}))
        assert env.step({"action": "up"}).done
        refused("EXECUTION_ERROR", lambda: env.step({"action": "up"}))
        assert env.reset(seed=1).observation["step"] == 0


def needs_a_token(address):
    """A server with tokens lets in those who may manage and act."""
    base = f"{address}/openenv/tower"
    assert get(f"{base}/schema")[0] == 401
    try:
        with GenericEnvClient(base_url=base).sync() as env:
            env.reset()
    except ConnectionError as error:
        assert "401" in str(error), error
    else:
        raise AssertionError("let in without a token")
    with GenericEnvClient(base_url=base, headers={"Authorization": f"Bearer {TOKEN}"}).sync() as env:
        env.reset()
        assert env.step({"action": None}).reward is not None


def main():
    with server("find-goals", "bw4t", "wumpus") as address:
        walks_to_the_goal(address)
        controls_several_entities(address)
        seeds_make_episodes(address)
        asyncio.run(plays_at_once(address))
        serves_typed_clients(address)
        describes_itself(address)
        refuses_with_reasons(address)
        example = Path(__file__).parents[4] / "examples/python/openenv_learner.py"
        command = [sys.executable, example, f"{address}/openenv/find-goals"]
        said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
        assert re.fullmatch(r"(Seed [123]: total reward -?\d+\n){3}", said), said
    with server("tower", "--token", f"manage={TOKEN}", "--token", f"act={TOKEN}") as address:
        needs_a_token(address)
    print("The client of OpenEnv has made its steps.")


main()
