"""An agent that builds one tower in the blocks world of EIS, with the standard library alone.

    situated serve --eis blocksworld.jar --param gui=false & python3 examples/blocks_agent.py [ADDRESS:PORT]
"""
import json, os, socket, sys

address = (sys.argv[1:] or [os.environ.get("SITUATED_URL", "127.0.0.1:7467")])[0]
host, port = address.removeprefix("tcp://").rsplit(":", 1)
connection = socket.create_connection((host, int(port)))
lines, out = connection.makefile("r", encoding="utf-8"), connection.makefile("w", encoding="utf-8")


def call(method, **params):
    """Calls the server and waits for the response. The server sends nothing else without a subscription."""
    print(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), file=out, flush=True)
    line = lines.readline()
    if '"result"' not in line:
        sys.exit(f"{method}: {line or 'the server closed the connection'}")
    return json.loads(line)["result"]


def perceive():
    """Keeps on which block or table each block stands: `on(b1,table)`."""
    for perception in call("perceive", **me)["perceptions"]:
        stands_on.update(percept["args"] for percept in perception.get("add", []))


def move(block, target):
    """Moves a block, unless it stands there already."""
    if stands_on[block] != target:
        result = call("act", action={"name": "move", "args": [block, target]}, **me)["results"][0]
        if "error" in result:
            sys.exit(result["error"]["message"])
        perceive()


me = {"environment": "blocksworld", "agent": "builder"}
stands_on = {}
call("hello", protocol=2, role="agent")
call("register", **me)
call("associate", entity="gripper", **me)
perceive()
# First every block to the table, those on top first; then one on the other.
while any(place != "table" for place in stands_on.values()):
    on_top = (block for block, place in stands_on.items() if place != "table" and block not in stands_on.values())
    move(next(on_top), "table")
blocks = sorted(stands_on)
for lower, upper in zip(blocks, blocks[1:]):
    move(upper, lower)
print("The tower from the table:", ", ".join(blocks))
call("bye")
