"""An agent that takes all parcels. Start `situated serve my_world.py` first."""

from __future__ import annotations

import asyncio
import sys

from my_world import At, Parcel, Take, Walk
from situated.iil import Action
from situated.remote import connect


def decide(beliefs: list) -> Action:
    """Returns the action in a cell, by what holds there."""
    here = next(cell for at in beliefs if at.name == "at" for cell in at.parameters)
    return Take() if Parcel(here) in beliefs else Walk("right")


async def main(url: str) -> None:
    async with connect(url) as client:
        agent = await client.environment("my-world").register("ada")
        await agent.associate("robot")
        await agent.perceive()
        while any(percept.name == "parcel" for percept in agent.beliefs("robot")):
            action = decide(agent.beliefs("robot"))
            await agent.step(action)
            print(action)


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:7467"))
