"""An environment in a process of its own, with the standard library alone: two walkers in a corridor.

    situated serve & python3 examples/corridor_host.py [ADDRESS:PORT]
"""
import json, os, socket, sys

ontology = {
    "name": "corridor", "version": "1.0", "documentation": "Two walkers in a corridor of ten cells.",
    "pace": "reactive", "relation": {"oneAgentPerEntity": False, "oneEntityPerAgent": False},
    "parameters": [], "types": {},
    "entityTypes": [{
        "name": "walker", "documentation": "Somebody who walks.",
        "actions": [{"name": "walk", "documentation": "Walks a number of cells.", "parameters": [
            {"name": "cells", "documentation": "To the right.", "type": {"integer": {"minimum": -9, "maximum": 9}}}]}],
        "percepts": [{"name": "at", "documentation": "Where it is.", "delivery": "onChange", "parameters": [
            {"name": "cell", "documentation": "From 0 on the left.",
             "type": {"integer": {"minimum": 0, "maximum": 9}}}]}],
    }],
}
cells, step = {}, 0


def at(walker):
    return {"entity": walker, "resync": True, "add": [{"name": "at", "args": [cells[walker]]}]}


def answer(kind, params):
    """Handles a call of the server and returns what changed."""
    global step
    if kind in ("init", "reset"):
        cells.update(ann=0, bob=9)
        step = 0
        new = [{"entity": walker, "entityType": "walker"} for walker in cells]
        return {"update": {"step": step, "new": new, "percepts": [at(walker) for walker in cells]}}
    if kind == "step":
        step += 1
        return {"update": {"step": step}}
    if kind == "act":
        walker, target = params["entity"], cells[params["entity"]] + params["action"]["args"][0]
        if target not in range(10) or target in cells.values():
            raise ValueError(f"cell {target} is taken or outside")
        cells[walker] = target
        return {"update": {"percepts": [at(walker)]}}
    return {}


address = (sys.argv[1:] or [os.environ.get("SITUATED_URL", "127.0.0.1:7467")])[0]
host, port = address.rstrip("/").rpartition("/")[2].rsplit(":", 1)
connection = socket.create_connection((host, int(port)))
hears, says = connection.makefile("r", encoding="utf-8"), connection.makefile("w", encoding="utf-8")


def say(**message):
    says.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    says.flush()


say(id=0, method="hello", params={"protocol": 2, "role": "host", "token": os.environ.get("SITUATED_TOKEN")})
say(id=1, method="host", params={"ontology": ontology, "start": True})
for message in map(json.loads, hears):
    if "method" not in message or "id" not in message:
        print(message.get("result") or message.get("error") or message["params"], flush=True)
        continue
    try:
        say(id=message["id"], result=answer(message["method"], message["params"]))
    except ValueError as reason:
        say(id=message["id"], error={"code": 1, "message": str(reason)})
