"""An agent on a server that walks at random through the maze: `situated serve find-goals & python remote_agent.py`.

python remote_agent.py [URL [ENTITY [STEPS]]]
"""

from __future__ import annotations

import asyncio
import random
import sys

from situated.iil import Percept
from situated.remote import connect


async def main(url: str, entity: str, steps: int) -> None:
    won = 0
    async with connect(url) as client:
        agent = await client.environment("find-goals").register(f"{entity}-in-python")
        await agent.associate(entity)
        await agent.perceive()
        for _ in range(steps):
            free = [place for percept in agent.beliefs(entity) for place in where_to_go(percept)]
            stepped = await agent.step(random.choice(free or ["wait"]))
            for event in stepped.told[entity].events:
                match event:
                    case Percept("reward", (reward,)):
                        won += int(reward)
    print(f"{entity} has seen both win {won} points in {steps} steps.")


def where_to_go(percept: Percept) -> list[str]:
    """Returns the action that leads to a cell that is free."""
    match percept:
        case Percept("see", (str(direction), "free")):
            ways = {"north": "up", "south": "down", "west": "left", "east": "right"}
            return [ways[direction]] if direction in ways else []
    return []


if __name__ == "__main__":
    given = dict(enumerate(sys.argv))
    asyncio.run(main(given.get(1, "ws://127.0.0.1:7467"), given.get(2, "red"), int(given.get(3, "100"))))
