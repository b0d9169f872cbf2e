"""The examples and the code in the book run."""

import asyncio
import re
import subprocess
import sys
from select import select
from types import ModuleType

import pytest
from serving import REPOSITORY, running
from situated.iil import Percept
from situated.remote import Message, connect

EXAMPLES = REPOSITORY / "examples" / "python"


@pytest.mark.parametrize("seed", [0, 1])
def test_two_learners_reach_the_best_return(seed):
    sys.path.insert(0, str(EXAMPLES))
    from q_learning import play, train

    assert play(train(seed)) >= 90


def code(page):
    """The blocks of Python on a page."""
    return re.findall(r"```python\n(.*?)```", (REPOSITORY / page).read_text(), re.DOTALL)


@pytest.fixture
def book(monkeypatch):
    """A module for the code of a page: annotations are looked up in the module of their class, and blocks import from
    the file `corridor.py` of a block before."""
    module = ModuleType("book")
    monkeypatch.setitem(sys.modules, "book", module)
    monkeypatch.setitem(sys.modules, "corridor", module)
    return vars(module)


@pytest.mark.parametrize(
    ("page", "blocks", "said"),
    [
        ("README.md", 1, ""),
        ("docs/src/quick-start/learn.md", 2, "mean reward per step:"),
        ("docs/src/how-to/python.md", 5, "I am at 3 1"),
        ("docs/src/how-to/models.md", 2, "New:\n- Somebody is in RoomA1."),
        ("docs/src/how-to/python-environment.md", 3, "at(0)\nat(1)\nat(2)"),
        ("docs/src/how-to/python-accelerator.md", 2, "mean reward per step: "),
        (
            "docs/src/how-to/python-learning.md",
            3,
            "  3  score: score\nactions:\n  0  press(left)\n  1  press(right)\n100.0",
        ),
    ],
)
def test_the_code_in_the_book_runs(capsys, book, page, blocks, said):
    assert len(code(page)) == blocks
    for block in code(page):
        # These need a server.
        if not block.startswith(("# host.py", '"""An agent that acts through tools')) and "tcp://" not in block:
            exec(block, book)
    assert said in capsys.readouterr().out


def blocks_that_take_names_from_elsewhere():
    """The blocks of Python in the book with names that they neither define nor import, each with the paragraph before
    it."""
    for page in [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs/src").rglob("*.md"))]:
        text = page.read_text()
        for block in re.finditer(r"```python\n(.*?)```", text, re.DOTALL):
            command = [sys.executable, "-m", "ruff", "check", "--isolated", "--select=F821", "-"]
            if subprocess.run(command, input=block[1], capture_output=True, text=True).returncode:
                yield page.name, block[1], text[: block.start()].rstrip().split("\n\n")[-1]


def test_a_block_is_complete_or_the_text_says_what_it_continues():
    pytest.importorskip("ruff")
    blocks = list(blocks_that_take_names_from_elsewhere())
    for page, block, before in blocks:
        assert re.search(r"\b(above|continues)\b", before), f"{page}: {before}\n\n{block}"
    assert blocks


def test_the_environment_in_the_book_is_hosted(serve, tmp_path):
    server = serve()
    environment, _, host = code("docs/src/how-to/python-environment.md")
    (tmp_path / "corridor.py").write_text(environment)
    (tmp_path / "host.py").write_text(host)
    hosting = subprocess.Popen([sys.executable, "host.py", server.url("ws")], cwd=tmp_path)
    try:
        asyncio.run(asyncio.wait_for(walk_to_the_end(server.url("ws")), timeout=20))
        learned = {}
        exec(code("docs/src/how-to/python-learning.md")[2].replace("tcp://127.0.0.1:7467", server.url()), learned)
        assert learned["observations"]["agent_0"].tolist() == [1.0, learned["observations"]["agent_0"][1]]
        assert not learned["corridor"].agents
    finally:
        hosting.terminate()
        hosting.wait(timeout=10)


def test_the_programs_about_messages_run(serve):
    url = serve("find-goals").url()
    register, subscribe = (at(url, block) for block in code("docs/src/how-to/messages.md"))
    with subprocess.Popen([sys.executable, "-uc", subscribe], stdout=subprocess.PIPE, text=True) as subscriber:
        try:
            # It may not have subscribed yet at the first time.
            while not select([subscriber.stdout], [], [], 1)[0]:
                done = subprocess.run([sys.executable, "-c", register], capture_output=True, text=True, timeout=20)
                assert done.stdout == "ada plums\n", done
            assert subscriber.stdout.readline() == "ada sells\n"
        finally:
            subscriber.terminate()


def test_the_seller_in_the_book_answers(serve):
    url = serve("find-goals").url()
    _, _, sell, *_ = code("docs/src/how-to/connect.md")
    with subprocess.Popen([sys.executable, "-c", at(url, sell)]) as seller:
        try:
            assert asyncio.run(asyncio.wait_for(price(url), timeout=20)) == "3 euros"
        finally:
            seller.terminate()


def at(url, block):
    """A program that connects to this server instead of the one in the book."""
    return re.sub(r"(tcp|ws)://127\.0\.0\.1:7467", url, block)


async def price(url):
    """The answer of the seller, as soon as there is one."""
    async with connect(url, role="platform") as client:
        buyer = await client.open_mailbox("buyer")
        mail = buyer.mail()
        while True:
            await buyer.send(Message("query-ref", ["seller"], "the price of plums"))
            answer = await mail.receive()
            if answer.sender == "seller":
                return answer.content


async def walk_to_the_end(url):
    """Walks through the corridor of the book as soon as it is there."""
    async with connect(url) as client:
        corridor = await running(client, "corridor")
        agent = await corridor.register("walker")
        await agent.associate("ada")
        await agent.perceive()
        while Percept("at", 5) not in agent.beliefs("ada"):
            await agent.step("walk", "right")


def test_an_agent_continues_its_session_after_a_crash(serve, book, monkeypatch, tmp_path):
    monkeypatch.chdir(tmp_path)
    for block in code("docs/src/how-to/connect.md"):
        if "\ndef " in f"\n{block}" and "while" not in block and "decide" not in block:
            exec(block, book)
    server = serve("find-goals")
    address, me = (server.host, server.port), {"environment": "find-goals", "agent": "anna"}
    call, resumed = book["connect"](address)
    assert not resumed
    call("register", **me)
    assert "result" in call("associate", entity="red", **me)
    # The program ends without `bye`, and starts again.
    call, resumed = book["connect"](address)
    assert resumed
    seen = call("perceive", form="snapshot", **me)["result"]["perceptions"][0]["add"]
    assert any(percept["name"] == "see" for percept in seen)
    call("bye")
    assert book["connect"](address)[1] is False


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


# A buyer asks a seller, and one whom it finds in the directory; an agent plays.
@pytest.mark.parametrize(
    ("example", "scheme", "arguments", "said"),
    [
        (
            "messages.py",
            "ws",
            [],
            r"ams: failure \(\(action \(agent-identifier :name buyer\) \(query-ref .*\nseller: inform 3 euros\n",
        ),
        ("directory.py", "tcp", [], r"found ada, who has plums\nada: inform 3 euros\n"),
        ("remote_agent.py", "ws", ["blue", "50"], r"blue has seen both win -?\d+ points in 50 steps\.\n"),
    ],
)
def test_an_example_runs_on_a_server(serve, example, scheme, arguments, said):
    command = [sys.executable, str(EXAMPLES / example), serve("find-goals").url(scheme), *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert re.fullmatch(said, done.stdout), done
