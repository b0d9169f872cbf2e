"""The examples and the code in the book run."""

import re
import subprocess
import sys
from types import ModuleType

import pytest
from serving import REPOSITORY, Server

EXAMPLES = REPOSITORY / "examples" / "python"


@pytest.mark.parametrize("seed", [0, 1])
def test_two_learners_reach_what_is_possible(seed):
    sys.path.insert(0, str(EXAMPLES))
    from q_learning import play, train

    assert play(train(seed)) >= 90


@pytest.mark.parametrize(("page", "said"), [("python", "I am at 3 1"), ("python-environment", "at(0)\nat(1)\nat(2)")])
def test_the_code_in_the_book_runs(capsys, monkeypatch, page, said):
    book = (REPOSITORY / "docs" / "src" / "how-to" / f"{page}.md").read_text()
    blocks = re.findall(r"```python\n(.*?)```", book, re.DOTALL)
    assert len(blocks) >= 2
    # Annotations are looked up in the module of their class.
    module = ModuleType("book")
    monkeypatch.setitem(sys.modules, "book", module)
    for block in blocks:
        exec(block, vars(module))
    assert said in capsys.readouterr().out


def test_nothing_heavy_is_imported():
    heavy = ("gymnasium", "pettingzoo", "matplotlib")
    program = f"import sys, situated; print([name for name in {heavy} if name in sys.modules])"
    run = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert run.stdout.strip() == "[]"


def test_the_notebook_runs_and_shows_environments():
    nbformat = pytest.importorskip("nbformat")
    nbclient = pytest.importorskip("nbclient")
    notebook = nbformat.read(EXAMPLES / "find_goals.ipynb", as_version=4)
    nbclient.NotebookClient(notebook, timeout=120, kernel_name="python3").execute()
    shown = [output.get("data", {}) for cell in notebook.cells for output in cell.get("outputs", [])]
    assert sum("image/svg+xml" in data for data in shown) == 2
    assert any("<svg" in data.get("text/html", "") for data in shown)


def test_a_remote_agent_plays(server):
    # The fixture skips the test without a binary.
    server = Server("find-goals")
    try:
        command = [sys.executable, str(EXAMPLES / "remote_agent.py"), server.url("ws"), "blue", "50"]
        done = subprocess.run(command, capture_output=True, text=True, timeout=30)
        assert re.fullmatch(r"blue has seen both win -?\d+ points in 50 steps\.\n", done.stdout), done
    finally:
        server.stop()
