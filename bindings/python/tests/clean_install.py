"""Uses the package with only Python and the wheel installed, as people without a tool chain do.

`./test` runs it with an empty PATH: python clean_install.py FOLDER, where FOLDER contains the script `situated`.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import signal
import subprocess
import sys
import time
import urllib.request
from pathlib import Path

import situated
from situated import Percept


def run(*words: str) -> str:
    """The output of the command `situated`."""
    return subprocess.run([SITUATED, *words], check=True, capture_output=True, text=True, timeout=120).stdout


def help_is_quick() -> None:
    """The command does not import NumPy, which alone takes longer than the command."""
    program = "import sys, situated.__main__; print('numpy' in sys.modules)"
    imported = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout
    assert imported == "False\n", imported
    begin = time.monotonic()
    assert "Usage: situated" in run("--help")
    print(f"situated --help: {time.monotonic() - begin:.2f} s")


def a_team_finishes() -> None:
    steps = [json.loads(line) for line in run("run", "bw4t", "--agents", "team", "--robots", "3").splitlines()]
    results = {result["name"]: result["value"] for result in steps[-1]["outcome"]["results"] if result["of"] == "team"}
    assert results["completed"], results
    print(f"situated run bw4t: all {results['delivered']} blocks in {results['steps']} steps")


def the_page_lets_an_agent_play() -> None:
    """The server of the wheel serves its page, and an agent walks over the socket that the page uses."""
    words = [SITUATED, "serve", "find-goals", "--port", "0", "--log-level", "warn"]
    with subprocess.Popen(words, stdout=subprocess.PIPE, text=True) as server:
        assert server.stdout is not None
        url = next(found[1] for line in server.stdout if (found := re.match(r"Page: *(http://\S+?)/?$", line)))
        for file in ("", "main.js", "design.css"):
            with urllib.request.urlopen(f"{url}/{file}") as answer:
                assert len(answer.read()) > 100, file
        asyncio.run(walk(url.replace("http://", "ws://") + "/ws"))
        server.send_signal(signal.SIGINT)
        assert server.wait(timeout=20) in (0, 130), server.returncode


async def walk(socket: str) -> None:
    async with situated.connect(socket) as client:
        agent = await client.environment("find-goals").register("ada")
        await agent.associate("red")
        await agent.perceive()
        await agent.act("up")
        seen = (await agent.perceive())["red"].add
        assert Percept("see", "south", "free") in seen, f"it came from the south: {seen}"
        print("situated serve: an agent walked over the socket of the page")


def a_learner_steps() -> None:
    env = situated.parallel_env("find-goals")
    env.reset(seed=7)
    _, rewards, *_ = env.step({agent: env.action_space(agent).sample() for agent in env.agents})
    assert set(rewards) == set(env.possible_agents), rewards


if __name__ == "__main__":
    assert not os.environ.get("PATH"), "PATH must be empty"
    SITUATED = str(Path(sys.argv[1]) / "situated")
    help_is_quick()
    a_team_finishes()
    the_page_lets_an_agent_play()
    a_learner_steps()
    print("The wheel works by itself.")
