"""The directory of a server."""

from __future__ import annotations

import pytest
from serving import Server
from situated.remote import Declined, Description, Message, Service, changes, connect

pytestmark = pytest.mark.asyncio


async def test_agents_register_services_and_find_them(server: Server) -> None:
    async with connect(server.url("tcp"), role="platform") as client:
        maze = await client.create("find-goals", start=True)
        ada, bob = await maze.register("ada-offers"), await client.open_mailbox("bob-looks")
        mail, look = bob.mail(), bob.directory
        assert {"ada-offers", "bob-looks"} <= set(await look.agents())

        plums = Service("plums", "trade", languages=("two words",), properties={"price": 3, "rate": 0.5, "unit": "box"})
        await ada.directory.register(plums)
        await look.subscribe("traders", Service(type="trade"))
        of_ada = Description("ada-offers", (plums,))
        assert changes(await mail.receive()) == [of_ada]
        assert await look.search(Service(type="trade", properties={"price": 3})) == [of_ada]
        assert await look.search(Service(type="trade", properties={"price": 4})) == []
        assert await look.search(Service(type="trade"), max_depth=1) == [of_ada]

        # The last registration counts.
        peaches = Description(services=(Service("peaches", "trade"),), protocols=("fipa-request",), lease=60.5)
        await ada.directory.register(peaches)
        of_ada = Description("ada-offers", peaches.services, protocols=("fipa-request",), lease=60.5)
        told = await mail.receive()
        assert (told.conversation_id, changes(told)) == ("traders", [of_ada])
        assert of_ada in await look.search()
        for _ in range(2):
            await ada.directory.deregister()
        assert changes(await mail.receive()) == [Description("ada-offers")]

        await look.cancel("traders")
        with pytest.raises(Declined, match="there is no such subscription") as declined:
            await look.cancel("traders")
        assert declined.value.act == "failure"
        assert changes(Message("inform", ["bob-looks"], "plums", sender="ada-offers")) is None
        await bob.close()
        await maze.remove()
