"""Messages between agents."""

from __future__ import annotations

import asyncio

import pytest
from serving import Proxy, Server
from situated.remote import Message, Refused, connect

pytestmark = pytest.mark.asyncio


async def test_an_agent_whose_name_another_environment_has_is_reached_by_its_address(server: Server) -> None:
    async with (
        connect(server.url("tcp"), role="platform") as one,
        connect(server.url("tcp"), role="platform") as other,
    ):
        first, second = await one.create("find-goals"), await other.create("find-goals", environment="game-2")
        ada, namesake = await first.register("ada-twice"), await second.register("ada-twice")
        bob = await one.open_mailbox("bob-knows-both")
        to_ada, to_namesake, to_bob = ada.mail(), namesake.mail(), bob.mail()
        assert (ada.address, namesake.address, bob.address) == ("ada-twice", "ada-twice~game-2", "bob-knows-both")
        for address in (ada.address, namesake.address):
            await bob.send(Message("request", [address], f"to {address}"))
        for agent, mail in ((ada, to_ada), (namesake, to_namesake)):
            request = await mail.receive()
            assert request.content == f"to {agent.address}"
            await agent.send(request.reply("agree"))
            assert (await to_bob.receive()).sender == agent.address


async def test_agents_in_an_environment_and_in_none_write_to_each_other(server: Server) -> None:
    async with (
        connect(server.url("tcp"), role="platform") as one,
        connect(server.url("ws"), role="platform") as other,
    ):
        maze = await one.create("find-goals", start=True)
        ada, bob = await maze.register("ada-writes"), await other.open_mailbox("bob-writes")
        to_ada, to_bob = ada.mail(), bob.mail()
        question = Message(
            "query-if",
            ["bob-writes", {"name": "ada-writes", "addresses": ["http://a/acc"]}],
            b"\x00\xff",
            reply_to=["ada-writes"],
            language="fipa-sl",
            protocol="fipa-query",
            conversation_id={"number": "12"},
            reply_with="two words",
            reply_by="20300101T120000000Z",
            parameters={"X-level": {"list": ["high", {"number": "3"}]}},
        )
        await ada.send(question)
        received = await to_bob.receive()
        assert received == Message.read({**question.write(), "sender": "ada-writes"})
        assert await to_ada.receive() == received
        await bob.send(received.reply("inform", "yes"))
        answer = await to_ada.receive()
        assert (answer.sender, answer.content, answer.in_reply_to) == ("bob-writes", "yes", "two words")
        assert answer.conversation_id == {"number": "12"}

        with pytest.raises(Refused, match="claims to be from `ada-writes`"):
            await bob.send(Message("inform", ["ada-writes"], sender="ada-writes"))
        await bob.send(Message("request", ["nobody at all"], reply_with="r7"))
        failure = await to_bob.receive()
        assert (failure.performative, failure.sender, failure.in_reply_to) == ("failure", "ams", "r7")
        assert str(failure.content).endswith("not-registered)")
        await bob.close()
        with pytest.raises(Refused):
            await to_bob.receive()
        await maze.remove()


async def test_messages_wait_and_come_in_order(server: Server) -> None:
    async with connect(server.url("tcp"), role="platform") as client:
        ada, bob = await client.open_mailbox("ada-waits"), await client.open_mailbox("bob-waits")
        await asyncio.gather(*(ada.send(Message("inform", ["bob-waits"], str(number))) for number in range(500)))
        received: list[object] = []
        mail = bob.mail()
        async for message in mail:
            received.append(message.content)
            if len(received) == 100:
                mail.close()
        async for message in bob.mail():
            received.append(message.content)
            if len(received) == 500:
                break
        assert received == [str(number) for number in range(500)]


async def test_lost_connections_lose_and_repeat_no_message(server: Server) -> None:
    async with (
        Proxy(server) as proxy,
        connect(proxy.url("tcp"), role="platform", patience=5) as one,
        connect(proxy.url("ws"), role="platform", patience=5) as other,
    ):
        ada, bob = await one.open_mailbox("ada-is-cut"), await other.open_mailbox("bob-is-cut")

        proxy.swallow()
        sending = asyncio.gather(*(ada.send(Message("inform", ["bob-is-cut"], str(number))) for number in range(300)))
        await asyncio.sleep(0.05)
        # The server has got messages, and its answers are lost.
        proxy.cut()
        await sending
        received: list[object] = []
        async for message in bob.mail():
            received.append(message.content)
            if len(received) in (30, 100, 170, 240):
                # The server has sent messages that are not acknowledged.
                proxy.cut()
            if len(received) == 300:
                break
        assert received == [str(number) for number in range(300)]
        assert proxy.connections > 4


async def test_observers_see_messages_and_the_rules_that_they_break(server: Server) -> None:
    async with (
        connect(server.url("tcp"), role="platform") as traders,
        connect(server.url("ws"), role="observer") as observer,
    ):
        buyer, seller = await traders.open_mailbox("buyer-seen"), await traders.open_mailbox("seller-seen")
        conversations = observer.conversations(agent="buyer-seen", protocol="fipa-contract-net")
        call = Message("cfp", ["seller-seen"], "plums", protocol="fipa-contract-net", conversation_id="c1")
        await buyer.send(Message("inform", ["seller-seen"], "this names no protocol"))
        await buyer.send(call)
        # A seller that delivers before it has an order.
        await seller.send(Message("inform", ["buyer-seen"], "12", protocol=call.protocol, conversation_id="c1"))
        first, second = await conversations.receive(), await conversations.receive()
        assert (first.message, first.violations) == (Message.read({**call.write(), "sender": "buyer-seen"}), ())
        assert (second.message.performative, second.message.sender) == ("inform", "seller-seen")
        assert len(second.violations) == 1 and "CfpSent" in second.violations[0]
        assert first.number < second.number and first.time <= second.time
        conversations.close()
        assert [seen async for seen in conversations] == []
