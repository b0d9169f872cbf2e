"""A seller registers a service with the directory. A buyer who does not know the seller finds it, and asks its price.

situated serve find-goals & python3 examples/python/directory.py [ADDRESS]
"""

import asyncio
import sys

from situated.remote import Description, Mailbox, Message, Service, connect


async def sell(seller: Mailbox) -> None:
    """Answers questions."""
    async for question in seller.mail():
        await seller.send(question.reply("inform", "3 euros"))


async def main(address: str) -> None:
    async with connect(address, role="platform") as client:
        seller = await client.open_mailbox("ada")
        # The directory forgets an agent that does not renew its lease.
        plums = Service("plums", "fruit", properties={"unit": "box"})
        await seller.directory.register(Description(services=[plums], lease=3600))
        selling = asyncio.create_task(sell(seller))

        buyer = await client.open_mailbox("bob")
        mail = buyer.mail()
        for found in await buyer.directory.search(Service(type="fruit")):
            print(f"found {found.agent}, who has {found.services[0].name}")
            await buyer.send(Message("query-ref", [found.agent], "the price", conversation_id="c1", reply_with="q1"))
            answer = await mail.receive()
            print(f"{answer.sender}: {answer.performative} {answer.content}")
        selling.cancel()


asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:7467"))
