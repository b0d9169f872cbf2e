"""Environments in Python files, run by the command of the package."""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from serving import REPOSITORY
from situated.hosting.addition import added
from situated.hosting.file import EnvironmentFile, Unusable
from situated.remote import connect

EXAMPLE = REPOSITORY / "examples/python/treasure_hunt.py"

SHOP = '''"""A shop."""
from typing import Annotated

from beside import PRICE
from situated import Action, EntityType, Failure, Measure, Percept, PythonEnvironment


class Buy(Action):
    """Buys some."""

    count: Annotated[int, range(1, 4), "How many."]


class Stock(Percept, delivery="onChange"):
    """The stock that is left."""

    count: Annotated[int, "How many."]


class Shop(PythonEnvironment):
    """A shop that sells all that it has."""

    customer = EntityType("Somebody who buys.", actions=[Buy], percepts=[Stock])

    def begin(self, stock: Annotated[int, range(1, 100), "At the beginning."] = 12):
        if stock == 13:
            raise Failure("13 brings bad luck")
        print("the shop opens")
        self.stock, self.paid = stock, 0
        self.add("ann", self.customer)

    def act(self, entity, action):
        if action.count > self.stock:
            raise Failure("there is not enough")
        self.stock -= action.count
        self.paid += action.count * PRICE

    def percepts(self, entity):
        return [Stock(self.stock)]

    def ending(self):
        return "terminated" if self.stock == 0 else None

    def results(self):
        return [Measure("ann", "paid", self.paid)]
'''


def write_shop(folder: Path, *changes: tuple[str, str]) -> Path:
    """Writes the file of the shop with changes, and returns its path."""
    text = SHOP
    for before, after in changes:
        assert before in text
        text = text.replace(before, after)
    if not (beside := folder / "beside.py").exists():
        beside.write_text("PRICE = 2\n")
    file = folder / "shop.py"
    file.write_text(text)
    return file


def situated(*arguments: object) -> tuple[int, str, str]:
    """Runs the command. Returns its exit code, its output and its errors."""
    command = [sys.executable, "-m", "situated", *map(str, arguments)]
    done = subprocess.run(command, capture_output=True, text=True, timeout=120)
    return done.returncode, done.stdout, done.stderr


def test_a_file_is_run_with_random_agents_until_its_end(tmp_path: Path) -> None:
    code, out, err = situated("run", write_shop(tmp_path), "--stock", "5")
    lines = [json.loads(line) for line in out.splitlines()]
    assert (code, err) == (0, "the shop opens\n")
    assert lines[0]["environment"] == "shop"
    assert lines[-1]["outcome"]["results"] == [{"of": "ann", "name": "paid", "value": 10}]


def test_the_file_of_the_book_runs(tmp_path: Path) -> None:
    page = (REPOSITORY / "docs/src/how-to/python-environment.md").read_text()
    file = tmp_path / "corridor.py"
    file.write_text(page.split("```python\n")[1].split("```")[0])
    code, out, err = situated("run", file, "--length", "6", "--quiet")
    assert code == 0 and json.loads(out)["outcome"]["ending"] == "terminated", err


def test_a_run_is_the_same_again_also_beside_others(tmp_path: Path) -> None:
    file = write_shop(tmp_path)
    tables = [
        situated("run", file, "--repeat", "4", "--steps", "3", "--jobs", jobs, "--format", "csv")[1] for jobs in (1, 3)
    ]
    assert tables[0] == tables[1]
    assert len(tables[0].splitlines()) == 5


def test_a_recording_has_the_scenes_and_says_that_it_cannot_be_replayed(tmp_path: Path) -> None:
    recording = tmp_path / "hunt.mcap"
    code, _, err = situated("run", EXAMPLE, "--quiet", "--steps", "9", "--record", recording)
    assert code == 0, err
    code, out, _ = situated("export", recording, "--format", "svg")
    assert code == 0 and out.startswith("<svg")
    code, _, err = situated("replay", recording)
    assert code == 1 and "was run elsewhere, by a host" in err


def test_it_is_described_and_checked(tmp_path: Path) -> None:
    code, out, _ = situated("describe", EXAMPLE)
    assert code == 0 and "treasure-hunt 1.0" in out and "walk(" in out
    code, out, err = situated("check-environment", write_shop(tmp_path), "--seeds", "2", "--steps", "20")
    assert code == 0, out + err
    faulty = write_shop(tmp_path, ("return [Stock(self.stock)]", "return [Stock('much')]"))
    code, out, _ = situated("check-environment", faulty, "--seeds", "1", "--steps", "5")
    assert code == 1 and "FAILED" in out


@pytest.mark.parametrize(
    ("change", "code", "where", "short"),
    [
        (("self.stock -= action.count", "self.stock -= 1 / 0"), 1, "line 35, in act", "ZeroDivisionError"),
        (("print(", "print(("), 2, "line 28", "SyntaxError"),
        (("PRICE\n", "PRICES\n"), 2, "line 4, in <module>", "ImportError"),
        (("self.add(", "self.addd("), 1, "line 30, in begin", "AttributeError"),
        (("Annotated[int, range(1, 100),", "Annotated[complex,"), 2, "", "TypeError"),
    ],
)
def test_an_exception_shows_the_line_of_the_author(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, change: tuple[str, str], code: int, where: str, short: str
) -> None:
    monkeypatch.chdir(tmp_path)
    ended, _, err = situated("run", write_shop(tmp_path, change))
    assert ended == code
    assert where in err and "importlib" not in err and "situated/hosting" not in err, err
    assert re.search(rf"^error: .*{short}: ", err, re.MULTILINE), err


def test_wrong_usage_says_what_to_do(tmp_path: Path) -> None:
    file = write_shop(tmp_path)
    for arguments, why in [
        (["run", tmp_path / "shops.py"], "there is no file"),
        (["run", f"{file}:Shap"], "there is no `Shap` in it; did you mean `Shop`?"),
        (["run", tmp_path / "beside.py"], "there is no environment in it: define a subclass of"),
        (["run", file, "--stock", "13"], "13 brings bad luck\n\n`situated describe " + str(file) + "` explains"),
        (["run", file, "--stock", "200"], "Parameters of shop:\n  stock=integer 1..99"),
        (["run", file, "--reload"], "--page"),
        (["serve", "find-goals", "--reload"], "--reload needs the Python file of an environment"),
        (["serve", file, "--data", tmp_path / "data"], "--data cannot keep the environment in"),
    ]:
        code, _, err = situated(*arguments)
        assert code == 2 and why in err, err
    (tmp_path / "two.py").write_text("from shop import Shop\nclass A(Shop): pass\nclass B(Shop): pass\n")
    code, _, err = situated("run", tmp_path / "two.py")
    assert code == 2 and "it has several environments; name one of two.py:A, two.py:B" in err
    assert situated("run", f"{tmp_path / 'two.py'}:B", "--quiet", "--steps", "1")[0] == 0


def test_libraries_environments_are_found_in_files(tmp_path: Path) -> None:
    file = tmp_path / "lake.py"
    file.write_text("import gymnasium\n\ndef make():\n    return gymnasium.make('FrozenLake-v1')\n")
    code, out, err = situated("run", f"{file}:make", "--steps", "3", "--quiet")
    assert code == 0 and json.loads(out)["environment"] == "FrozenLake-v1", err
    file.write_text("import gymnasium\n\nenv = gymnasium.make('CliffWalking-v1')\n")
    assert "CliffWalking-v1" in situated("describe", file)[1]


def test_a_language_model_plays_it() -> None:
    requests = [
        {"id": 1, "method": "initialize", "params": INITIALIZE},
        {"method": "notifications/initialized"},
        {"id": 2, "method": "tools/list"},
    ]
    lines = "".join(json.dumps({"jsonrpc": "2.0", **request}) + "\n" for request in requests)
    command = [sys.executable, "-m", "situated", "mcp", str(EXAMPLE), "--agents", "random", "--log-level", "error"]
    process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert process.stdin is not None and process.stdout is not None
    process.stdin.write(lines)
    process.stdin.flush()
    answers = [json.loads(process.stdout.readline()) for _ in range(2)]
    assert {"walk", "dig"} <= {tool["name"] for tool in answers[1]["result"]["tools"]}
    process.communicate(timeout=20)
    assert process.returncode == 0


INITIALIZE = {
    "protocolVersion": "2025-06-18",
    "capabilities": {},
    "clientInfo": {"name": "test", "version": "1"},
}


class Serving:
    """`situated serve` for a file, with what it prints to the standard error."""

    def __init__(self, process: asyncio.subprocess.Process, url: str) -> None:
        self.process = process
        self.url = url

    async def says(self, expected: str) -> str:
        """Waits for a line on the standard error. Returns all until there."""
        said = ""
        assert self.process.stderr is not None
        while expected not in said:
            line = await asyncio.wait_for(self.process.stderr.readline(), 20)
            assert line, said
            said += line.decode()
        return said


@asynccontextmanager
async def serving(*arguments: object) -> AsyncIterator[Serving]:
    command = [sys.executable, "-m", "situated", "serve", *map(str, arguments), "--port", "0", "--log-level", "error"]
    process = await asyncio.create_subprocess_exec(
        *command, stdout=asyncio.subprocess.PIPE, stderr=asyncio.subprocess.PIPE
    )
    try:
        assert process.stdout is not None
        address = None
        while address is None:
            line = await asyncio.wait_for(process.stdout.readline(), 20)
            assert line, process.stderr and await process.stderr.read()
            address = re.search(r"TCP at ([\d.]+:\d+)", line.decode())
        yield Serving(process, f"tcp://{address[1]}")
    finally:
        if process.returncode is None:
            process.terminate()
            await process.communicate()


@pytest.mark.asyncio
async def test_an_exception_ends_the_environment_and_its_agent_gets_the_short_text(tmp_path: Path) -> None:
    file = write_shop(tmp_path, ("self.stock -= action.count", "self.stock -= 1 / 0"))
    async with serving(file) as server, connect(server.url) as client:
        agent = await client.environment("shop").register("buyer")
        await agent.associate("ann")
        with pytest.raises(Exception, match=r"ZeroDivisionError: division by zero \(shop.py, line 35\)"):
            await agent.act("buy", 1)
        assert "line 35, in act" in await server.says("ZeroDivisionError")


@pytest.mark.asyncio
async def test_a_saved_file_begins_a_new_episode_and_agents_stay(tmp_path: Path) -> None:
    file = write_shop(tmp_path)
    async with serving(file, "--reload", "--stock", "30") as server, connect(server.url) as client:
        shop = client.environment("shop")
        agent = await shop.register("buyer")
        await agent.associate("ann")

        async def buys(expected: str) -> None:
            await agent.act("buy", 3)
            assert str((await agent.perceive())["ann"].add[-1]) == expected

        await buys("stock(27)")
        write_shop(tmp_path, ("self.stock -= action.count", "self.stock -= 1"))
        await server.says("shop.py was saved: a new episode has begun")
        await buys("stock(29)")

        # With a mistake, the last code continues.
        write_shop(tmp_path, ("self.stock -= action.count", "self.stock -="))
        said = await server.says("the last code continues")
        assert "line 35" in said and "SyntaxError" in said
        await buys("stock(28)")

        # Files beside it count, too; an exception only pauses the environment.
        write_shop(tmp_path)
        await server.says("a new episode has begun")
        (tmp_path / "beside.py").write_text("PRICE = None\n")
        await server.says("a new episode has begun")
        with pytest.raises(Exception, match="TypeError"):
            await agent.act("buy", 1)
        assert "line 36, in act" in await server.says("TypeError")
        (tmp_path / "beside.py").write_text("PRICE = 5\n")
        await server.says("a new episode has begun")
        await buys("stock(27)")

        # So does a percept that is not declared.
        write_shop(tmp_path, ("return [Stock(self.stock)]", "return [Stock('much')]"))
        await server.says("the last code continues: ValueError: the percept `stock(much)` of entity `ann` is wrong")
        await buys("stock(24)")

        # Declarations can be added, but not changed.
        more = ("class Shop(", "class Leave(Action):\n    pass\n\n\nclass Shop(")
        can_leave = ("actions=[Buy]", "actions=[Buy, Leave]")
        write_shop(tmp_path, more, can_leave)
        await server.says("a new episode has begun")
        assert [one["name"] for one in (await shop.describe())["ontology"]["entityTypes"][0]["actions"]] == [
            "buy",
            "leave",
        ]
        write_shop(tmp_path, ("range(1, 4)", "range(1, 5)"))
        said = await server.says("the last code continues")
        assert "end the command and start it again" in said
        await buys("stock(27)")


@pytest.mark.asyncio
async def test_its_process_ends_with_the_command(tmp_path: Path) -> None:
    file = write_shop(tmp_path, ('print("the shop opens")', 'print("process", __import__("os").getpid(), "runs")'))
    async with serving(file) as server:
        said = await server.says("process ")
        number = int(re.findall(r"process (\d+) ", said)[0])
        os.kill(number, 0)
        server.process.kill()
        await server.process.wait()
        for _ in range(200):
            try:
                os.kill(number, 0)
            except ProcessLookupError:
                return
            await asyncio.sleep(0.05)
        pytest.fail("the process is still there")


def declared(actions: list[tuple[str, int]]) -> dict[str, object]:
    of = [{"name": name, "documentation": "x" * count, "parameters": [{}] * count} for name, count in actions]
    return {
        "name": "shop",
        "version": "1.0",
        "pace": "reactive",
        "relation": {},
        "parameters": [],
        "entityTypes": [{"name": "customer", "documentation": "", "actions": of, "percepts": []}],
        "types": {},
    }


def test_only_additions_to_an_ontology_are_followed() -> None:
    one, two = declared([("buy", 1)]), declared([("buy", 1), ("leave", 0)])
    assert added(one, one) == {"entityTypes": [], "types": {}}
    assert [action["name"] for action in added(one, two)["entityTypes"][0]["actions"]] == ["leave"]
    with pytest.raises(Unusable, match="the action of `customer` `leave` is no longer declared"):
        added(two, one)
    with pytest.raises(Unusable, match="the pace is 'lockstep' now, and was 'reactive'"):
        added(one, {**one, "pace": "lockstep"})


@pytest.fixture
def path_of_imports() -> Iterator[None]:
    path, writes = list(sys.path), sys.dont_write_bytecode
    yield
    sys.path[:], sys.dont_write_bytecode = path, writes


def test_a_file_that_cannot_be_loaded_leaves_the_modules_of_the_last_load(
    tmp_path: Path, path_of_imports: None
) -> None:
    file = EnvironmentFile(write_shop(tmp_path))
    file.load()
    shop = sys.modules["shop"]
    assert {Path(source).name for source in file.sources} == {"shop.py", "beside.py"}
    write_shop(tmp_path, ("PRICE\n", "PRICES\n"))
    assert file.was_saved()
    with pytest.raises(Unusable, match=r"ImportError: .* \(shop.py, line 4\)"):
        file.load()
    assert sys.modules["shop"] is shop and not file.was_saved()
