"""Environments that other packages register are found by their names."""

from __future__ import annotations

import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import situated
from pettingzoo import AECEnv, ParallelEnv
from pettingzoo.test import parallel_api_test
from situated import registry

PACKAGE = Path(__file__).resolve().parents[3] / "examples/python/racing"

DICE = '''
import random
import situated

class Shows(situated.Percept, delivery="onChange"):
    """The number on top."""
    number: int

class Dice(situated.PythonEnvironment):
    """A die that ignores the seed."""
    die = situated.EntityType("A die.", percepts=[Shows])

    def begin(self):
        self.number = random.randrange(1 << 30)
        self.add("die", self.die)

    def percepts(self, entity):
        return [Shows(self.number)]
'''


@pytest.fixture(scope="session")
def installed(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder in which pip has installed the example of a package."""
    source, folder = tmp_path_factory.mktemp("racing"), tmp_path_factory.mktemp("installed")
    for file in PACKAGE.iterdir():
        if file.is_file():
            (source / file.name).write_bytes(file.read_bytes())
    install = [sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-build-isolation", "--no-index"]
    subprocess.run([*install, "--target", str(folder), str(source)], check=True)
    return folder


@pytest.fixture(autouse=True)
def forget_what_was_found() -> None:
    registry._registered.cache_clear()


@pytest.fixture
def racing(installed: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.syspath_prepend(str(installed))


@pytest.fixture
def register(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Installs a package of a name, which registers some entries, in the folder of the test."""
    monkeypatch.syspath_prepend(str(tmp_path))

    def register(package: str, *entries: str) -> None:
        told = tmp_path / f"{package}-1.0.dist-info"
        told.mkdir()
        (told / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {package}\nVersion: 1.0\n")
        (told / "entry_points.txt").write_text("\n".join(["[situated.environments]", *entries]))

    return register


def test_an_installed_package_is_listed(racing: None) -> None:
    listed = dict(situated.environments())
    assert listed["race"] == listed["race-for-learners"] == "Races, for agents and for learners"
    assert "find-goals" in listed and "racing" not in sys.modules


def test_agents_act_in_it(racing: None) -> None:
    environment = situated.Environment("race", seed=1, length=3)
    assert environment.parameters == {"length": 3}
    agent = environment.register("ada")
    agent.associate("red")
    for _ in range(3):
        agent.act("run", 1)
        environment.step()
    assert [str(percept) for percept in agent.perceive()["red"].add] == ["at(3)"]
    assert environment.outcome()["ending"] == "terminated"


@pytest.mark.filterwarnings("ignore")
def test_learners_step_it_in_both_ways(racing: None) -> None:
    parallel, turns = situated.parallel_env("race-for-learners", length=4), situated.aec_env("race-for-learners")
    assert isinstance(parallel, ParallelEnv) and isinstance(turns, AECEnv)
    assert parallel.observation_space("red").n == 5
    parallel_api_test(parallel, num_cycles=50)
    turns.reset(seed=1)
    for agent in turns.agent_iter():
        _, reward, terminated, truncated, _ = turns.last()
        turns.step(None if terminated or truncated else int(agent == "red"))
        assert reward == float(terminated and agent == "red")


def test_an_environment_for_learners_has_agents_by_names_too(racing: None) -> None:
    environment = situated.Environment("race-for-learners", length=2)
    assert list(environment.entities) == ["red", "blue"]


def test_checks_environments_of_other_packages(racing: None, register: Callable[..., None], tmp_path: Path) -> None:
    register("unseeded", "dice = dice:Dice")
    (tmp_path / "dice.py").write_text(DICE)
    for name in ("race", "race-for-learners"):
        report = situated.check_environment(name, seeds=2, steps=20, length=3)
        assert "passed  determinism" in report and " 0 failed" in report
    with pytest.raises(ValueError, match="did you mean `length`"):
        situated.check_environment("race", lenght=3)
    with pytest.raises(AssertionError, match="FAILED  determinism"):
        situated.check_environment("dice", seeds=2, steps=20)


def test_a_function_gets_the_parameters_of_a_dictionary_as_keywords(racing: None) -> None:
    for given in ({"length": 4}, {"parameters": {"length": 4}}):
        assert situated.parallel_env("race-for-learners", **given).observation_space("red").n == 5
        assert situated.Environment("race", **given).parameters == {"length": 4}
        assert situated.make_vec("race", 1, **given).name == "race"
    with pytest.raises(TypeError, match="multiple values for keyword argument 'length'"):
        situated.parallel_env("race-for-learners", length=4, parameters={"length": 4})


def test_suggests_the_most_similar_name(racing: None) -> None:
    for make in (
        situated.Environment,
        situated.parallel_env,
        situated.aec_env,
        situated.check_environment,
        lambda name: situated.make_vec(name, 2),
    ):
        with pytest.raises(ValueError, match='there is no environment "rce"; did you mean `race`'):
            make("rce")


def test_a_registered_python_environment_can_be_learned_in(racing: None) -> None:
    parallel_api_test(situated.parallel_env("race", max_cycles=30, length=5), num_cycles=100)
    vector = situated.make_vec("race", 2, length=5, seed=3)
    observations, _ = vector.reset()
    assert vector.actions == ["run(1)", "run(2)"] and observations.shape == (2, 2, 2)
    with pytest.raises(TypeError, match="`race-for-learners` of the package `racing` .* is not a PythonEnvironment"):
        situated.make_vec("race-for-learners", 2)


def test_reports_a_broken_package_without_affecting_others(racing: None, register: Callable[..., None]) -> None:
    register("broken", "maze = nowhere:Maze", "number = math:pi", "dictionary = builtins:dict")
    with pytest.raises(RuntimeError, match=r"`maze` of the package `broken` .* cannot be loaded: ModuleNotFoundError"):
        situated.Environment("maze")
    with pytest.raises(TypeError, match=r"`number` of the package `broken` .* register a subclass of PythonEnv"):
        situated.Environment("number")
    with pytest.raises(TypeError, match=r"`dictionary` of the package `broken` .* cannot be run: .* not an env"):
        situated.Environment("dictionary")
    assert dict(situated.environments())["maze"] == "from the package broken"
    assert situated.Environment("race").name == "race"


def test_two_packages_cannot_share_a_name(racing: None, register: Callable[..., None]) -> None:
    register("other", "race = math:pi")
    with pytest.raises(ValueError, match="registered by the packages `other` and `racing`"):
        situated.Environment("race")


def test_warns_about_a_name_of_the_package(register: Callable[..., None]) -> None:
    register("impostor", "find-goals = math:pi")
    with pytest.warns(UserWarning, match=r"`find-goals` of the package `impostor` .* ships with situated"):
        environment = situated.Environment("find-goals")
    assert (
        environment.name == "find-goals" and dict(situated.environments())["find-goals"] != "from the package impostor"
    )
