"""Two agents without an environment: a buyer asks a seller for its price.

situated serve find-goals & python3 examples/python/messages.py [ADDRESS]
"""

import asyncio
import sys

from situated.remote import Mailbox, Message, connect


async def sell(seller: Mailbox) -> None:
    """Answers questions."""
    async for question in seller.mail():
        await seller.send(question.reply("inform", "3 euros"))


async def main(address: str) -> None:
    async with connect(address, role="platform") as client:
        selling = asyncio.create_task(sell(await client.open_mailbox("seller")))
        buyer = await client.open_mailbox("buyer")
        question = Message("query-ref", ["seller", "nobody"], "the price of plums", reply_with="q1")
        await buyer.send(question)
        mail = buyer.mail()
        for _ in range(2):
            answer = await mail.receive()
            print(f"{answer.sender}: {answer.performative} {answer.content}")
        selling.cancel()


asyncio.run(main(sys.argv[1] if len(sys.argv) > 1 else "ws://127.0.0.1:7467"))
