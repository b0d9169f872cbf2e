"""Evaluates a scripted agent with verifiers, in a server that runs: verifiers_agent.py SITUATED

The agent is a model at an endpoint of the OpenAI kind, as for every evaluation; the model is a script.
"""

import json
import os
import re
import subprocess
import sys
import tempfile
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

# Red walks to its goal, which gives 100; each action costs 1.
WAY = ["up", "right", "right", "right", "right", "right"]

CONFIGURATION = """
model = "scripted"
push = false
output_dir = "runs"

[env.taskset]
id = "openenv"
base_url = "{environment}"
resets = [{resets}]

[env.player.harness]
id = "null"

[env.player.runtime]
type = "subprocess"

[client]
base_url = "{model}"
"""


class Model(BaseHTTPRequestHandler):
    """A model that knows the way."""

    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        last = json.loads(asked["messages"][-1]["content"])
        assert last["action_schema"]["required"] == ["action"]
        text = WAY[last["observation"]["step"]]
        head = {"id": "1", "created": 1, "model": "scripted"}
        usage = {"prompt_tokens": 1, "completion_tokens": 1, "total_tokens": 2}
        says = {"role": "assistant", "content": text}
        if asked.get("stream"):
            delta = {"index": 0, "delta": says, "finish_reason": None}
            last = {"index": 0, "delta": {}, "finish_reason": "stop"}
            chunks = [{"choices": [delta]}, {"choices": [last]}, {"choices": [], "usage": usage}]
            texts = [json.dumps({**head, "object": "chat.completion.chunk", **chunk}) for chunk in chunks]
            body = "".join(f"data: {chunk}\n\n" for chunk in [*texts, "[DONE]"])
        else:
            choice = {"index": 0, "message": says, "finish_reason": "stop"}
            body = json.dumps({**head, "object": "chat.completion", "choices": [choice], "usage": usage})
        self.send_response(200)
        self.send_header("Content-Type", "text/event-stream" if asked.get("stream") else "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body.encode())

    def log_message(self, *_):
        pass


def evaluate(folder, environment, model, steps):
    """Evaluates the agent in one episode for each number of steps. Returns the rewards by these numbers."""
    start = '"entity" = "red", "others" = "idle"'
    resets = ", ".join(f'{{ "seed" = 1, "max_steps" = {number}, {start} }}' for number in steps)
    file = Path(folder, "evaluation.toml")
    file.write_text(CONFIGURATION.format(environment=environment, model=model, resets=resets))
    programs = Path(sys.executable).parent
    # The agent is started by `uv`, from this environment and with a cache of its own.
    environ = {**os.environ, "PATH": f"{programs}:{os.environ['PATH']}", "HOME": folder, "PRIME_API_KEY": "none"}
    done = subprocess.run([programs / "vf-eval", "@", file], cwd=folder, env=environ, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr
    (runs,) = Path(folder, "runs").glob("*/traces.jsonl")
    traces = [trace for line in runs.read_text().splitlines() for trace in json.loads(line)["traces"]]
    assert not any(trace["errors"] for trace in traces), [trace["errors"] for trace in traces]
    return {trace["task"]["data"]["reset"]["max_steps"]: trace["rewards"] for trace in traces}


def main():
    model = ThreadingHTTPServer(("127.0.0.1", 0), Model)
    threading.Thread(target=model.serve_forever, daemon=True).start()
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder, "said")
        with said.open("w") as out:
            command = [sys.argv[1], "serve", "find-goals", "--port", "0", "--log-level", "warn"]
            server = subprocess.Popen(command, stdout=out, cwd=folder)
        try:
            while not (found := re.search(r"Page: +(http://\S+?)/\n", said.read_text())):
                assert server.poll() is None, said.read_text()
                time.sleep(0.05)
            at = f"http://127.0.0.1:{model.server_port}/v1"
            rewards = evaluate(folder, f"{found[1]}/openenv/find-goals", at, [6, 2])
        finally:
            server.terminate()
            server.wait()
    scores = {steps: reward["openenv_reward"]["score"] for steps, reward in rewards.items()}
    # All steps cost 1, and the sixth one reaches the goal.
    assert scores == {6: 94, 2: -2}, scores
    print("verifiers has evaluated a scripted agent.")


main()
