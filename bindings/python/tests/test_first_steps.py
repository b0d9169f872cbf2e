"""The first experiences of newcomers: names, missing packages, mistakes in a first environment, notebooks."""

import asyncio
import json
import subprocess
import sys
from importlib.metadata import distribution

import numpy as np
import pytest
import situated
from situated import Action, EntityType, Environment, PythonEnvironment
from situated.authoring import declaration


def run(program: str) -> str:
    """The output of a program in a new interpreter."""
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True)
    return (done.stdout + done.stderr).strip()


def without(*packages: str) -> str:
    """The beginning of a program for which these packages are not installed."""
    return f"import sys; sys.modules.update(dict.fromkeys({packages}));"


def test_only_names_of_the_package_are_listed():
    names = dir(situated)
    assert {"parallel_env", "aec_env", "make_vec", "VectorEnv", "connect", "host", "Film"} <= set(names)
    assert not {"Any", "annotations", "_native", "TYPE_CHECKING"} & set(names)
    assert all(hasattr(situated, name) for name in names)


@pytest.mark.parametrize(
    ("missing", "use", "extra"),
    [
        ("pettingzoo", "situated.parallel_env", "pettingzoo"),
        ("gymnasium", "import situated.pettingzoo", "pettingzoo"),
        ("gymnasium", "situated.make_vec('find-goals', 2).single_action_space", "pettingzoo"),
        ("gymnasium", "from situated.hosting.adapted import adapt", "pettingzoo"),
        ("matplotlib", "situated.parallel_env('find-goals', render_mode='human').reset(seed=1)", "window"),
    ],
)
def test_a_missing_package_says_how_to_install_it(missing, use, extra):
    said = run(f"{without(missing)} import situated; {use}").splitlines()[-1]
    assert said.startswith("ModuleNotFoundError: ") and said.endswith(f"pip install 'situated[{extra}]'"), said
    assert any(requirement.split(">")[0].strip() == missing for requirement in extras()[extra])


def extras() -> dict[str, list[str]]:
    """The requirements of each extra, without those of its own extras."""
    by_extra: dict[str, list[str]] = {}
    for requirement in distribution("situated").requires or []:
        needed, _, condition = requirement.partition(" ; extra == ")
        by_extra.setdefault(condition.strip("'\""), []).append(needed)
    return by_extra


def test_works_with_pettingzoo_without_a_registry():
    # The registry came with PettingZoo 1.27.
    program = f"import pettingzoo; {without('pettingzoo.env_registry.registration')}"
    program += "import situated; print(situated.parallel_env('find-goals').possible_agents)"
    assert run(program) == "['agent_0', 'agent_1']"


def test_the_licences_are_installed():
    files = {file.name for file in distribution("situated").files or []}
    assert {"LICENSE-MIT", "LICENSE-APACHE"} <= files


class Push(Action):
    """Pushes."""

    force: float


class Cart(PythonEnvironment):
    """A cart that is pushed."""

    driver = EntityType("Pushes the cart.", actions=[Push])

    def begin(self, place: float = 0.0) -> None:
        self.place = place
        self.add("ada", self.driver)

    def act(self, entity: str, action: Push) -> None:
        self.place += action.force


class Empty(PythonEnvironment):
    """An environment without methods."""


@pytest.mark.parametrize("use", [Environment, lambda made: situated.check_environment(made, seeds=1, steps=1)])
def test_a_missing_begin_is_named(use):
    with pytest.raises(TypeError, match=r"Empty has no method `begin`; define `def begin\(self\) -> None`"):
        use(Empty())


def test_suggests_an_instance_instead_of_a_class():
    with pytest.raises(TypeError, match=r"Cart is a class; pass an instance: Cart\(\)"):
        Environment(Cart)  # type: ignore[arg-type]
    with pytest.raises(TypeError, match=r"Cart is a class; pass an instance: Cart\(\)"):
        asyncio.run(situated.host(Cart, "tcp://127.0.0.1:1"))
    with pytest.raises(TypeError, match="3 is not an environment"):
        Environment(3)  # type: ignore[arg-type]


def test_a_field_without_a_type_is_named():
    for value, of in ((1.5, "float"), (None, "int"), (object(), "int"), (3, "int"), ({}, "int")):
        with pytest.raises(TypeError, match=rf"`speed` of Drive has no type; declare the field as `speed: {of}`"):
            type("Drive", (Action,), {"speed": value})

    class Steer(Action):
        """Steers, and has attributes that are not fields."""

        angle: float
        _precision = 3

        def doubled(self) -> "Steer":
            return Steer(2 * self.angle)

        @property
        def is_wide(self) -> bool:
            return self.angle > 2.5

    assert Steer(1.5).doubled().is_wide


def test_types_are_resolved_once(monkeypatch):
    resolved = []
    real = declaration.get_type_hints
    monkeypatch.setattr(
        declaration, "get_type_hints", lambda *args, **named: resolved.append(1) or real(*args, **named)
    )
    cart = Cart()
    environment = Environment(cart)
    agent = environment.register("a")
    agent.associate("ada")
    before = len(resolved)
    for _ in range(5):
        agent.act("push", 2)
    assert cart.place == 10.0 and isinstance(cart.place, float)
    assert before > 0 and len(resolved) == before


def test_two_windows_show_two_environments(monkeypatch):
    monkeypatch.setenv("MPLBACKEND", "agg")
    pyplot = pytest.importorskip("matplotlib.pyplot")
    pyplot.switch_backend("agg")
    pyplot.close("all")
    first, second = (situated.parallel_env("find-goals", render_mode="human") for _ in range(2))
    first.reset(seed=1)
    second.reset(seed=1)
    second.step({agent: second.actions.index("up") for agent in second.agents})
    assert len(pyplot.get_fignums()) == 2

    def shown(environment):
        return environment._window._image.get_array()

    np.testing.assert_array_equal(shown(first), first.scene().pixels())
    np.testing.assert_array_equal(shown(second), second.scene().pixels())
    assert (shown(first) != shown(second)).any()
    assert first._window._image.figure is not second._window._image.figure
    first.close()
    assert len(pyplot.get_fignums()) == 1
    second.step({agent: second.actions.index("wait") for agent in second.agents})
    np.testing.assert_array_equal(shown(second), second.scene().pixels())
    second.close()


def test_environments_are_shown_inline():
    for shown in (Environment("find-goals"), situated.parallel_env("find-goals"), situated.aec_env("find-goals")):
        shown.reset(seed=1)
        assert "<svg" in shown._repr_html_()


def test_a_film_plays_an_episode():
    environment = situated.parallel_env("find-goals", max_cycles=5)
    environment.reset(seed=1)
    film = situated.Film(seconds=0.2)
    film.add(environment)
    while environment.agents:
        environment.step(dict.fromkeys(environment.agents, environment.actions.index("up")))
        film.add(environment.scene())
    assert len(film) == 6
    shown = film._repr_mimebundle_()
    assert shown["text/plain"] == "<film of 6 scenes>"
    assert "<animate" in shown["image/svg+xml"] and shown["image/svg+xml"] == film.svg()
    assert shown["text/html"].startswith("<iframe") and "max=&quot;1.0&quot;" in shown["text/html"]
    with pytest.raises(ValueError, match="expected a time above 0 seconds, got 0"):
        situated.Film(0)


def test_a_notebook_shows_environments_and_films():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    lines = ["import situated", "environment = situated.Environment('find-goals')", "environment"]
    film = ["film = situated.Film()", "film.add(environment)", "film"]
    cells = [nbformat.v4.new_code_cell("\n".join(cell)) for cell in (lines, film)]
    notebook = nbformat.v4.new_notebook(cells=cells)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    inline, played = (cell.outputs[0]["data"] for cell in notebook.cells)
    assert "<svg" in inline["text/html"] and "<table" in inline["text/html"]
    assert "<iframe" in played["text/html"] and "<svg" in played["image/svg+xml"]
    json.dumps(notebook)
