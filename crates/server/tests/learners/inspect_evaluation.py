"""Evaluates a scripted agent with Inspect, through the tools of an environment: inspect_evaluation.py SITUATED

The model is a script, and acts with nothing but the tools. The score is what an observer of the server reads.
"""

import json
import re
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from inspect_ai import Task, eval as evaluate
from inspect_ai.dataset import Sample
from inspect_ai.model import ModelOutput, ModelUsage, get_model
from inspect_ai.scorer import Score, accuracy, scorer
from inspect_ai.solver import generate, use_tools
from inspect_ai.tool import mcp_server_http, mcp_tools

# Red walks from its start to its goal.
WAY = ["up", "right", "right", "right", "right", "right"]


def act(messages, tools, *_):
    """Joins as red, walks the way, and leaves."""
    assert {"join", "up", "right", "leave"} <= {tool.name for tool in tools}
    answers = [message.text for message in messages if message.role == "tool"]
    if not answers:
        output = ModelOutput.for_tool_call("mockllm", "join", {"entity": "red"})
    elif len(answers) <= len(WAY) + 1:
        seat = re.search(r"Your seat is (\S+?)\.", answers[0])[1]
        output = ModelOutput.for_tool_call("mockllm", [*WAY, "leave"][len(answers) - 1], {"seat": seat})
    else:
        output = ModelOutput.from_content("mockllm", "I have reached the goal.")
    # Otherwise Inspect counts the tokens, for which it would fetch a table.
    output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
    return output


def goals(address):
    """Returns how often red has reached its goal, by the wire protocol."""
    host, port = address.rsplit(":", 1)
    with socket.create_connection((host, int(port))) as connection, connection.makefile("rw") as lines:

        def call(method, **params):
            print(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), file=lines, flush=True)
            return json.loads(lines.readline())["result"]

        call("hello", protocol=2, role="observer")
        results = call("outcome", environment="find-goals")["outcome"]["results"]
    return next(one["value"] for one in results if (one["of"], one["name"]) == ("red", "goals"))


def main():
    with tempfile.TemporaryDirectory() as folder:
        said = Path(folder, "said")
        with said.open("w") as out:
            command = [sys.argv[1], "serve", "find-goals", "--port", "0", "--log-level", "warn"]
            server = subprocess.Popen(command, stdout=out, cwd=folder)
        try:
            while not (found := re.search(r"Page: +http://(\S+?)/\n", said.read_text())):
                assert server.poll() is None, said.read_text()
                time.sleep(0.05)
            address = found[1]

            @scorer(metrics=[accuracy()])
            def reached_the_goal():
                async def score(state, target):
                    return Score(value=goals(address) == int(target.text), answer=state.output.completion)

                return score

            task = Task(
                dataset=[Sample(input="Walk to your goal.", target="1")],
                solver=[use_tools(mcp_tools(mcp_server_http(url=f"http://{address}/mcp/find-goals"))), generate()],
                scorer=reached_the_goal(),
            )
            model = get_model("mockllm/model", custom_outputs=act)
            (log,) = evaluate(task, model=model, log_dir=folder, display="none")
        finally:
            server.terminate()
            server.wait()
        assert log.status == "success", log.error and log.error.message
        (sample,) = log.samples
        assert sample.scores["reached_the_goal"].value is True, sample.scores
        results = [message.text for message in sample.messages if message.role == "tool"]
        assert len(results) == len(WAY) + 2 and "The joint reward is 99" in results[len(WAY)], results
    print("Inspect has evaluated a scripted agent.")


main()
