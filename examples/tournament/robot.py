"""The trained network as a robot on a server, beside people and programs of any kind. team.toml starts it:

situated serve examples/tournament/team.toml

It gets SITUATED_URL, SITUATED_ENVIRONMENT, SITUATED_ENTITY, SITUATED_AGENT and SITUATED_TOKEN.
"""

from __future__ import annotations

import asyncio
import os

from situated.remote import NotDone, connect

from observer import Observer
from players import load_network
from sight import AHEAD, Plan, see

PAUSE = 0.1
"""Seconds between two looks."""


async def main() -> None:
    plan, player, entity = Plan(), load_network(), os.environ["SITUATED_ENTITY"]
    async with connect(os.environ["SITUATED_URL"], token=os.environ.get("SITUATED_TOKEN")) as client:
        environment = client.environment(os.environ["SITUATED_ENVIRONMENT"])
        agent = await environment.register(os.environ["SITUATED_AGENT"])
        await agent.associate(entity)
        while True:
            told = await agent.perceive()
            if any(percept.name == "sequence" for percept in told[entity].add):
                # A new episode has begun.
                observer = Observer(plan, entity)
            seen = see(plan, *observer.observe(agent.beliefs(entity)))
            action = observer.act(int(seen.choose(player(seen))))
            if action is not None and seen.delivered < AHEAD:
                try:
                    await agent.act(action)
                except NotDone:
                    # Another robot was faster; the next look shows what has changed.
                    pass
            await asyncio.sleep(PAUSE)


if __name__ == "__main__":
    asyncio.run(main())
