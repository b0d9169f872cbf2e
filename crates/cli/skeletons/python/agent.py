"""An agent that takes all parcels. Start `situated serve my_world.py` first."""

from __future__ import annotations

import asyncio
import sys

from situated.iil import Action, Percept
from situated.remote import connect

from my_world import Parcel, Take, Walk


def decide(beliefs: list[Percept]) -> Action:
    """Returns the action in a cell, by what holds there."""
    for percept in beliefs:
        match percept:
            case Percept("at", (int(cell),)):
                return Take() if Parcel(cell) in beliefs else Walk("right")
    raise ValueError("the robot is nowhere")


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
