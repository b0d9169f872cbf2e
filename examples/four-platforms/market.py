"""A market over four platforms: buyers in Python, sellers in Rust, a broker in JADE and an auctioneer in Jason.

    python examples/four-platforms/market.py --jade jade.jar:commons-codec.jar --jason 'situated-jason.jar:lib/*'

It starts all of them and a server, watches every message, and shows the books at the end. It fails if a coin, a box or
a message is lost or doubled, or if a message breaks the rules of its interaction protocol.
"""

from __future__ import annotations

import argparse
import asyncio
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import ExitStack
from pathlib import Path

from buyers import PLANS, Buyer, name_of, term
from situated.remote import Client, Message, SeenMessage, connect

HERE = Path(__file__).parent
SELLERS = {"paula": (0, 40, 0), "peter": (0, 30, 20), "olga": (0, 0, 30)}
"""Money, boxes of plums and boxes of peaches of each seller in the morning."""

MORNING = {
    **{name: (plans.money, 0, 0) for name, plans in PLANS.items()},
    **SELLERS,
    "broker@farm": (0, 0, 0),
    "auctioneer": (0, 0, 10),
}
PATIENCE = 60.0
"""Time in seconds in which each part of the day must end."""


class Clerk:
    """Says when the parts of the day begin, and reads the books at the end."""

    def __init__(self, client: Client) -> None:
        self.client = client
        self.ready: set[str] = set()
        self.books: dict[str, tuple[int, ...]] = {}
        self.result: str | None = None

    async def open(self) -> None:
        self.mailbox = await self.client.open_mailbox("clerk")
        self.mail = self.mailbox.mail()

    async def wait_for(self, *names: str) -> None:
        """Waits until these agents are ready."""
        while not self.ready.issuperset(names):
            await self.hear()

    async def request(self, name: str, content: str) -> None:
        conversation = f"{content.partition('(')[0]}-{name}"
        message = Message("request", [name], content, protocol="fipa-request", conversation_id=conversation)
        await self.mailbox.send(message)

    async def hold_auction(self) -> str:
        await self.request("auctioneer", f"auction(20, [{', '.join(PLANS)}])")
        while self.result is None:
            await self.hear()
        return self.result

    async def close(self) -> None:
        """Closes the market."""
        for name in MORNING:
            await self.request(name, "close")
        while self.books.keys() != MORNING.keys():
            await self.hear()

    async def hear(self) -> None:
        message = await asyncio.wait_for(self.mail.receive(), PATIENCE)
        name, values = term(message)
        if name == "ready":
            self.ready.add(name_of(message.sender))
        elif name == "books":
            self.books[name_of(message.sender)] = tuple(int(value) for value in values)
        elif message.performative == "inform":
            self.result = str(message.content)


def free_port() -> int:
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return int(listener.getsockname()[1])


class Processes:
    """The other programs of the day. They end with this one."""

    def __init__(self, folder: str) -> None:
        self.folder = folder
        self.stack = ExitStack()

    def start(self, name: str, command: Sequence[str], **environment: str) -> None:
        log = self.stack.enter_context(open(f"{self.folder}/{name}.log", "wb"))
        process = subprocess.Popen(command, cwd=self.folder, stdout=log, stderr=log, env={**os.environ, **environment})
        self.stack.callback(process.wait)
        self.stack.callback(process.kill)

    def logs(self) -> str:
        return "".join(f"--- {path.name}\n{path.read_text()[-4000:]}" for path in Path(self.folder).glob("*.log"))


async def hold_market(options: argparse.Namespace, processes: Processes) -> tuple[Clerk, list[SeenMessage]]:
    """A day at the market."""
    folder, port, jade, transport = processes.folder, free_port(), free_port(), free_port()
    peer = f"farm=http://127.0.0.1:{transport}/acc,jade"
    serve = [options.situated, "serve", "find-goals", "--port", str(port), "--platform", "market", "--peer", peer]
    # JADE sends no secret.
    processes.start("server", [*serve, "--peer-by-address", "farm"])
    url = f"tcp://127.0.0.1:{port}"
    while True:
        try:
            observer = await connect(url, role="observer")
            break
        except OSError:
            await asyncio.sleep(0.05)
    client = await connect(url, role="platform")
    conversations = observer.conversations()
    clerk = Clerk(client)
    await clerk.open()

    subprocess.run(["javac", "-nowarn", "-cp", options.jade, "-d", folder, str(HERE / "Broker.java")], check=True)
    # JADE reads envelopes by a class that newer versions of Java hide.
    export = ["--add-exports", "java.xml/com.sun.org.apache.xerces.internal.jaxp=ALL-UNNAMED"]
    boot = [
        "java",
        *export,
        "-cp",
        f"{options.jade}:{folder}",
        "jade.Boot",
        "-name",
        "farm",
        "-local-host",
        "127.0.0.1",
    ]
    transport_option = f"jade.mtp.http.MessageTransportProtocol(http://127.0.0.1:{transport}/acc)"
    agents = f"broker:Broker(http://127.0.0.1:{port}/acc)"
    processes.start(
        "jade",
        [*boot, "-local-host", "127.0.0.1", "-local-port", str(jade), "-mtps", transport_option, "-agents", agents],
    )
    processes.start("sellers", [*options.sellers, url])
    for file in ("auction.mas2j", "auctioneer.asl", "logging.properties"):
        Path(folder, file).write_text((HERE / file).read_text().replace("SERVER", url))
    run = ["java", "-Djava.awt.headless=true", "-cp", options.jason, "jason.infra.local.RunLocalMAS"]
    processes.start("jason", [*run, "auction.mas2j", "--no-net"])

    await clerk.wait_for("broker@farm", "auctioneer", *SELLERS)
    print("The market is open. Buyers call for proposals.")
    buyers = [asyncio.create_task(Buyer(client, name).live()) for name in PLANS]
    await clerk.wait_for(*PLANS)
    print("The auction begins.")
    print(f"The auctioneer says: {await clerk.hold_auction()}")
    await clerk.close()
    await asyncio.gather(*buyers)
    seen = []
    reports = set(MORNING)
    while reports:
        one = await asyncio.wait_for(conversations.receive(), PATIENCE)
        seen.append(one)
        if str(one.message.content).startswith("books("):
            reports.discard(name_of(one.message.sender))
    await client.close()
    await observer.close()
    return clerk, seen


def books_of(seen: Sequence[SeenMessage]) -> dict[str, tuple[int, ...]]:
    """What the books must say, by the messages alone: money, boxes, and the messages sent and received."""
    money = Counter({name: morning[0] for name, morning in MORNING.items()})
    boxes = Counter({(name, "plums"): morning[1] for name, morning in MORNING.items()})
    boxes.update({(name, "peaches"): morning[2] for name, morning in MORNING.items()})
    sent: Counter[str] = Counter()
    received: Counter[str] = Counter()

    def trade(seller: str, buyer: str, product: str, number: int, price: int) -> None:
        money.update({seller: price, buyer: -price})
        boxes.update({(seller, product): -number, (buyer, product): number})

    for one in seen:
        message = one.message
        sender, receivers = name_of(message.sender), [name_of(receiver) for receiver in message.receivers]
        if "df" in (sender, *receivers) and SELLERS.keys() & {sender, *receivers}:
            # Sellers call the directory; they do not write to it.
            continue
        sent[sender] += 1
        received.update(receivers)
        if message.performative != "inform" or message.protocol is None or sender not in MORNING:
            continue
        what, values = term(message)
        if what == "sold" and message.protocol == "fipa-contract-net":
            trade(sender, receivers[0], values[0], int(values[1]), int(values[2]))
        elif what == "paid":
            trade(receivers[0], sender, values[1], int(values[2]), int(values[0]))
    return {
        name: (money[name], boxes[name, "plums"], boxes[name, "peaches"], sent[name], received[name])
        for name in MORNING
    }


def faults(clerk: Clerk, seen: Sequence[SeenMessage]) -> list[str]:
    """What went wrong."""
    wanted = books_of(seen)
    found = [f"{one.message}: {violation}" for one in seen for violation in one.violations]
    found += [f"undelivered: {one.message}" for one in seen if name_of(one.message.sender).startswith("ams")]
    found += [
        f"{name} has {clerk.books[name]} in its books, and by the messages {wanted[name]}"
        for name in MORNING
        if clerk.books[name] != wanted[name]
    ]
    totals = [tuple(map(sum, zip(*(books[:3] for books in table.values())))) for table in (MORNING, clerk.books)]
    if totals[0] != totals[1]:
        found.append(f"money, plums and peaches were {totals[0]} in the morning, and are {totals[1]} now")
    if min(value for books in clerk.books.values() for value in books) < 0:
        found.append("somebody has less than nothing")
    if not clerk.result or not clerk.result.startswith("sold("):
        found.append(f"the auction ended with {clerk.result}")
    return found


def show(clerk: Clerk, seen: Sequence[SeenMessage]) -> None:
    """Prints the books."""
    print(f"\n{'':12} {'MONEY':>13} {'PLUMS':>9} {'PEACHES':>9} {'SENT':>5} {'RECEIVED':>9}")
    for name, (money, plums, peaches, sent, received) in clerk.books.items():
        cells = [
            f"{before} → {after}" if before != after else f"{after}"
            for before, after in zip(MORNING[name], (money, plums, peaches))
        ]
        print(f"{name:12} {cells[0]:>13} {cells[1]:>9} {cells[2]:>9} {sent:>5} {received:>9}")
    acts = Counter(one.message.protocol or "without a protocol" for one in seen)
    print(f"\n{len(seen)} messages: " + ", ".join(f"{count} {protocol}" for protocol, count in acts.most_common()))


def absolute(classpath: str) -> str:
    return os.pathsep.join(os.path.abspath(entry) for entry in classpath.split(os.pathsep))


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--jade", required=True, help="the class path of JADE 4.3")
    parser.add_argument("--jason", required=True, help="the class path of situated-jason and Jason")
    parser.add_argument("--situated", default="situated", help="the command (default: %(default)s)")
    build = f"cargo run --quiet --manifest-path {HERE.parent.parent}/Cargo.toml -p situated-client --example sellers --"
    parser.add_argument(
        "--sellers", default=build, type=str.split, help="the command of the sellers (default: %(default)s)"
    )
    options = parser.parse_args()
    options.situated = shutil.which(options.situated) or parser.error(f"there is no command {options.situated}")
    options.jade, options.jason = (absolute(classpath) for classpath in (options.jade, options.jason))
    with tempfile.TemporaryDirectory() as folder:
        processes = Processes(folder)
        with processes.stack:
            try:
                clerk, seen = asyncio.run(hold_market(options, processes))
            except BaseException:
                print(processes.logs(), file=sys.stderr)
                raise
    show(clerk, seen)
    found = faults(clerk, seen)
    print("Every coin, every box and every message is accounted for." if not found else "\n".join(found))
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
