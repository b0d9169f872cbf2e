"""An agent for Find the Goals, with the standard library alone; examples/find_goals_agent.mjs is its partner.

    situated serve find-goals & python3 examples/find_goals_agent.py ENTITY STEPS [ADDRESS:PORT]
"""
import json, os, random, socket, sys, time

entity, steps = sys.argv[1], int(sys.argv[2])
address = sys.argv[3] if len(sys.argv) > 3 else os.environ.get("SITUATED_URL", "127.0.0.1:7467")
host, port = address.removeprefix("tcp://").rsplit(":", 1)
connection = socket.create_connection((host, int(port)))
# Two file objects: a single one for both directions loses what it has read ahead when something is written to it.
lines, out = connection.makefile("r", encoding="utf-8"), connection.makefile("w", encoding="utf-8")


def call(method, **params):
    """Calls the server and waits for the response. The server sends nothing else without a subscription."""
    print(json.dumps({"jsonrpc": "2.0", "id": 1, "method": method, "params": params}), file=out, flush=True)
    line = lines.readline()
    failed = f"{method}: {line or 'the server closed the connection'}"
    return json.loads(line)["result"] if '"result"' in line else sys.exit(failed)


def decide(sees, waited):
    """Returns the next action, and the steps since the walker began to wait in its alcove for the other to pass."""
    ahead, behind = ("east", "northWest") if entity == "red" else ("west", "northEast")
    onwards, back = ("right", "left") if entity == "red" else ("left", "right")
    if sees["west"] == sees["east"] == "wall":
        has_passed = sees[behind] == "other"
        return ("up", 0) if has_passed or waited == 0 and entity == "red" else ("wait", (waited + 1) % 16)
    if sees[ahead] == "other":  # There is no room for two, so one of them makes way.
        return "down" if sees["south"] == "free" else random.choice([onwards, back]), 1
    return onwards, 1


me = {"environment": "find-goals", "agent": f"{entity}-in-python"}
call("hello", protocol=2, role="agent")
call("register", **me)
call("associate", entity=entity, **me)
while not all(one["agents"] for one in call("listEntities", environment=me["environment"])["entities"]):
    time.sleep(0.1)  # The partner has not come yet.
perceptions, sees, waited, won = call("perceive", **me)["perceptions"], {}, 0, 0
for _ in range(steps):
    sees.update(percept["args"] for percept in perceptions[0].get("add", []))
    action, waited = decide(sees, waited)
    turn = {"agent": me["agent"], "action": {"name": action}}
    perceptions = call("step", environment=me["environment"], agents=[turn])["agents"][0]["perceptions"]
    won += sum(event["args"][0] for event in perceptions[0].get("events", []))
print(f"{entity} has seen both win {won} points in {steps} steps.")
call("bye")
