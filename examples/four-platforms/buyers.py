"""The buyers of a market over four platforms.

They ask the broker who sells, buy by contract net, and bid at the auction.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import NamedTuple

from situated.remote import Client, Message


class Plans(NamedTuple):
    """The money of a buyer, what it pays for the lot of the auction at most, and what it buys before."""

    money: int
    limit: int
    orders: list[tuple[str, int]]


PLANS = {
    "anna": Plans(300, 60, [("plums", 10), ("peaches", 10), ("plums", 10)]),
    "boris": Plans(260, 45, [("peaches", 10), ("plums", 20)]),
    "clara": Plans(220, 30, [("plums", 10), ("peaches", 20)]),
}


def term(message: Message) -> tuple[str, list[str]]:
    """The name and the values of a content such as `offer(plums, 10, 40)` or `sellers(plums, [paula, peter])`."""
    found = re.fullmatch(r"(\w+)(?:\((.*)\))?", str(message.content).strip())
    if found is None:
        raise ValueError(f"{name_of(message.sender)} says what nobody understands: {message.content!r}")
    return found[1], [one.strip() for one in re.split(r"[\[\],]+", found[2] or "") if one.strip()]


def name_of(agent: object) -> str:
    """The name of an agent, which comes with or without its addresses."""
    name = agent["name"] if isinstance(agent, dict) else str(agent)
    return str(name).removesuffix("@market")


class Buyer:
    """A buyer with its books."""

    def __init__(self, client: Client, name: str) -> None:
        self.client, self.name = client, name
        self.money, self.limit, self.orders = PLANS[name]
        self.boxes: Counter[str] = Counter()
        self.sent = self.received = 0
        self.sellers: dict[str, list[str]] = {}
        self.leads = False
        self.is_open = True

    async def live(self) -> None:
        """Buys and bids until the clerk closes the market."""
        self.mailbox = await self.client.open_mailbox(self.name)
        self.mail = self.mailbox.mail()
        for product in ("plums", "peaches"):
            await self.ask_broker("subscribe", product)
        await self.until(lambda: all(self.sellers.get(product) for product in ("plums", "peaches")))
        for number, (product, boxes) in enumerate(self.orders):
            await self.buy(f"{self.name}-{number}", product, boxes)
        for product in ("plums", "peaches"):
            await self.ask_broker("cancel", product)
        await self.say(Message("inform", ["clerk"], "ready"))
        await self.until(lambda: not self.is_open)

    async def ask_broker(self, act: str, product: str) -> None:
        conversation = f"{self.name}-{product}"
        message = Message(act, ["broker@farm"], f"sellers({product})", protocol="fipa-subscribe")
        await self.say(replace(message, conversation_id=conversation, reply_with=f"{act}-{conversation}"))

    async def buy(self, conversation: str, product: str, boxes: int) -> None:
        """Calls for proposals and accepts the cheapest."""
        sellers = self.sellers[product]
        if not sellers:
            return
        call = f"buy({product}, {boxes})"
        await self.say(Message("cfp", sellers, call, protocol="fipa-contract-net", conversation_id=conversation))
        answers = [await self.answer_in(conversation) for _ in sellers]
        proposals = [answer for answer in answers if answer.performative == "propose"]
        offers = sorted((int(term(offer)[1][2]), name_of(offer.sender), offer) for offer in proposals)
        for price, seller, offer in offers:
            if seller != offers[0][1] or price > self.money:
                await self.say(offer.reply("reject-proposal", call))
        if not offers or offers[0][0] > self.money:
            return
        price, _, offer = offers[0]
        await self.say(offer.reply("accept-proposal", str(offer.content)))
        delivered = await self.answer_in(conversation)
        if delivered.performative == "inform":
            self.money -= price
            self.boxes[product] += boxes

    async def answer_in(self, conversation: str) -> Message:
        while (message := await self.hear()).conversation_id != conversation:
            await self.react(message)
        return message

    async def until(self, is_so: Callable[[], bool]) -> None:
        while not is_so():
            await self.react(await self.hear())

    async def react(self, message: Message) -> None:
        """Does what a message that belongs to no purchase asks for."""
        act, (name, values) = message.performative, term(message)
        if act == "inform" and name == "sellers":
            self.sellers[values[0]] = values[1:]
        elif act == "cfp":
            price = int(values[0])
            if not self.leads and price <= min(self.limit, self.money):
                await self.say(message.reply("propose", f"price({price})", reply_with=f"{self.name}-{price}"))
        elif act in ("accept-proposal", "reject-proposal"):
            self.leads = act == "accept-proposal"
        elif act == "request" and name == "pay":
            price, product, boxes = int(values[0]), values[1], int(values[2])
            self.money -= price
            self.boxes[product] += boxes
            await self.say(message.reply("inform", f"paid({price}, {product}, {boxes})"))
        elif act == "request" and name == "close":
            books = (self.money, self.boxes["plums"], self.boxes["peaches"], self.sent + 1, self.received)
            await self.say(message.reply("inform", f"books({', '.join(map(str, books))})"))
            self.is_open = False

    async def hear(self) -> Message:
        message = await self.mail.receive()
        self.received += 1
        return message

    async def say(self, message: Message) -> None:
        self.sent += 1
        await self.mailbox.send(message)
