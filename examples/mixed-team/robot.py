"""A robot of Blocks World for Teams in a team with players of any kind, with the standard library alone.

It brings one colour of the sequence, and says what it does in the language of the environment; robots/robot.asl says
what the messages mean. team.toml starts it, with these variables: SITUATED_URL, SITUATED_ENVIRONMENT, SITUATED_ENTITY,
SITUATED_AGENT, SITUATED_TOKEN and SITUATED_OPTIONS (`{"index": 1}`: the colour, counted from 0).
"""

import itertools
import json
import os
import random
import socket
import sys
import time

host, port = os.environ["SITUATED_URL"].removeprefix("tcp://").rsplit(":", 1)
connection = socket.create_connection((host, int(port)))
lines, out = connection.makefile("r", encoding="utf-8"), connection.makefile("w", encoding="utf-8")
environment, robot = os.environ["SITUATED_ENVIRONMENT"], os.environ["SITUATED_ENTITY"]
me = {"environment": environment, "agent": os.environ["SITUATED_AGENT"]}
index = json.loads(os.environ["SITUATED_OPTIONS"])["index"]
numbers = itertools.count(1)
beliefs = set()  # (name, arguments) of each percept, as JSON
there_is, checked, visited_by = set(), set(), {}  # what the others have said


def call(method, **params):
    """Calls the server and waits for the result. The program ends with the server."""
    print(json.dumps({"jsonrpc": "2.0", "id": next(numbers), "method": method, "params": params}), file=out, flush=True)
    answer = json.loads(lines.readline() or "{}")
    return answer["result"] if "result" in answer else sys.exit(answer.get("error", {}).get("message"))


def act(name, *args):
    """Acts, and perceives what has changed. Returns whether it was possible."""
    turn = {"agent": me["agent"], "action": {"name": name, "args": args}}
    answered = call("step", environment=environment, agents=[turn])["agents"][0]
    take(answered["perceptions"])
    return not answered.get("error") and not any(result.get("error") for result in answered.get("results", []))


def take(perceptions):
    for perception in perceptions:
        if perception.get("resync"):
            beliefs.clear()
        beliefs.difference_update(map(json.dumps, perception.get("delete", [])))
        beliefs.update(map(json.dumps, perception.get("add", [])))
        for event in perception.get("events", []):
            if event["name"] == "message":
                hear(*event["args"])


def hear(sender, content):
    match content:
        case {"name": "at", "args": [*_, color, room]}:
            there_is.add((color, room))
        case {"name": "checked", "args": [*_, room]} | {"name": "empty", "args": [room]}:
            checked.add(room)
        case {"name": "imp", "args": [{"name": "in", "args": [player, room]}]} if player == sender:
            visited_by[sender] = room
        case {"name": "pickedUpFrom", "args": [player, color, room]} if player == sender:
            there_is.discard((color, room))


def say(name, *args):
    act("sendMessage", "all", {"name": name, "args": args})


def percepts(name):
    """Returns the arguments of the percepts with this name that hold."""
    return [one.get("args", []) for one in map(json.loads, beliefs) if one["name"] == name]


def wait_until(holds):
    while not holds():
        time.sleep(0.02)
        take(call("perceive", **me)["perceptions"])


def go(action, place):
    """Goes somewhere, and waits until the robot stands."""
    act(action, place)
    wait_until(lambda: ["traveling"] not in percepts("state"))


def enter(room):
    """Only one robot at a time fits into a room. If the door is closed, it tries again."""
    while [room] not in percepts("in"):
        go("goTo", room)


def announce(color):
    say("imp", {"name": "pickedUpFrom", "args": [robot, color, "unknown"]})


def look(room, color):
    """Looks into a room, and tells the others what is there."""
    say("imp", {"name": "in", "args": [robot, room]})
    enter(room)
    for _, seen in percepts("color"):
        there_is.add((seen, room))
        say("at", seen, room)
    checked.add(room)
    say("checked", room)
    announce(color)  # The last message about a plan counts.


def fetch(color):
    """Looks into rooms until a block of this colour is known, and picks it up."""
    # A room has one door, so it has one neighbour. The drop zone looks like a room.
    rooms = [name for _, name, _, _, neighbours in percepts("zone") if len(neighbours) == 1 and name != "DropZone"]
    while True:
        known = [room for one, room in there_is if one == color]
        unknown = [room for room in rooms if room not in checked and room not in visited_by.values()]
        if not known and not unknown:
            visited_by.clear()
            time.sleep(0.1)
            take(call("perceive", **me)["perceptions"])
        elif not known:
            look(random.choice(unknown), color)
        else:
            enter(known[0])
            for block, seen in percepts("color"):
                if seen == color:
                    go("goToBlock", block)
                    if act("pickUp", block):
                        return known[0]
            there_is.discard((color, known[0]))  # Somebody else has taken it.


call("hello", protocol=2, role="agent", token=os.environ.get("SITUATED_TOKEN"))
call("register", **me)
call("associate", entity=robot, **me)
while call("status", environment=environment)["status"]["state"] != "running":
    time.sleep(0.1)
take(call("perceive", **me)["perceptions"])
wait_until(lambda: percepts("sequence"))
color = percepts("sequence")[0][0][index]
announce(color)
room = fetch(color)
say("pickedUpFrom", robot, color, room)
go("goTo", "FrontDropZone")
wait_until(lambda: [index] in percepts("sequenceIndex"))
enter("DropZone")
act("putDown")
say("putDown", robot, color)
go("goTo", "FrontDropZone")
wait_until(lambda: False)  # It stays in the team until the server ends it.
