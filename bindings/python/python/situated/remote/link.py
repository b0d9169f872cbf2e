"""The link: the task that has the connection. It sends what is asked, hands out what the server says, and makes the
connection anew when it is lost."""

from __future__ import annotations

import asyncio
import random
import time
from collections.abc import Callable
from typing import Any

from .calls import CALLS_WAITING, Call, Calls, is_repeatable
from .door import Door, call_line
from .ear import Ear, Lost, Over
from .errors import Busy, ConnectError, Ended, Misunderstood, Refused, TooLong
from .messages import Greeting
from .transport import Transport

SILENCE = 4.0
"""How many seconds the server may say nothing before it is asked whether it is there, and how long it may then take to
answer before the connection counts as lost."""

# How long it may take to say goodbye.
_FAREWELL = 1.0

# How long it is waited at the least, and at the most, before one more attempt to connect; half as long again with bad
# luck.
_PAUSES = (0.05, 2.0)


class Link:
    """A session. Everything here happens in one event loop."""

    def __init__(self, door: Door, greeting: Greeting, patience: float) -> None:
        self.greeting = greeting
        self._door = door
        self._patience = patience
        self._calls = Calls()
        self.ear = Ear(self._calls, self._send)
        self._next_number = 1
        # Frames that wait to be sent, and whether they are sent now.
        self._frames: list[str] = []
        self._connected = True
        self._more = asyncio.Event()
        self._room = asyncio.Event()
        self._leave = asyncio.Event()
        self._silences = 0
        self._pause = 0.0
        self._end: tuple[str, Refused | None] | None = None

    def ask(
        self,
        method: str,
        params: dict[str, Any],
        before: list[str] | None = None,
        taker: Callable[[Any], None] | None = None,
    ) -> asyncio.Future[Any]:
        """Asks something, after these frames. It is sent in this order whether or not the answer is awaited.

        Raises `Busy`, `TooLong`, `Ended`, and `ValueError` for what cannot be written.
        """
        number = self._next_number
        frame = call_line(number, method, params)
        length, limit = len(frame.encode()), self.greeting["limits"]["frameBytes"]
        if length > limit:
            raise TooLong(method, length, limit)
        if len(self._calls.waiting) >= CALLS_WAITING:
            raise Busy(method, CALLS_WAITING)
        frames = [*(before or []), frame]
        self._put(method, frames)
        self._next_number += 1
        answer: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        asked = 1 if self._connected else 0
        self._calls.waiting[number] = Call(method, is_repeatable(method, params), frames, taker, answer, asked)
        return answer

    def say(self, method: str, params: dict[str, Any]) -> None:
        """Says something to which no answer is wanted. Raises as `ask`."""
        self._put(method, [call_line(None, method, params)])

    async def deliver(self, frames: list[str]) -> None:
        """Says this as soon as there is room for it. Raises `Ended`."""
        while len(self._frames) >= CALLS_WAITING and self._end is None:
            self._room.clear()
            await self._room.wait()
        self._put("answer", frames)

    def ended(self) -> Ended:
        """Why nothing is heard any more."""
        return Ended(*(self._end or ("its event loop is no more", None)))

    async def run(self, transport: Transport) -> None:
        """Serves connections until the session ends."""
        try:
            while True:
                reason = await self._serve(transport)
                self._calls.interrupt(reason)
                transport = await self._return_to_session()
                self._frames = self._calls.ask_again() + self._frames
                self._connected = True
                self._more.set()
                self.ear.resumed()
        except Over as over:
            self._end = over.end
        finally:
            self._end = self._end or ("its task was stopped", None)
            self._calls.end(self.ended)
            self.ear.end()
            self._room.set()

    def leave(self) -> None:
        """The session is to end."""
        self._leave.set()

    @property
    def is_left(self) -> bool:
        """Whether this side has ended the session."""
        return self._leave.is_set()

    def _put(self, method: str, frames: list[str]) -> None:
        if self._end is not None:
            raise self.ended()
        if len(self._frames) >= CALLS_WAITING:
            raise Busy(method, CALLS_WAITING)
        self._send(frames)

    def _send(self, frames: list[str]) -> None:
        self._frames += frames
        self._more.set()

    async def _serve(self, transport: Transport) -> str:
        """Serves a connection until it is lost; returns why."""
        self._more.set()
        self._silences = 0
        ways = [self._read(transport), self._write(transport), self._watch(), self._leave.wait()]
        tasks = [asyncio.ensure_future(way) for way in ways]
        try:
            done, _ = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
            reading, leaving = tasks[0], tasks[-1]
            if leaving in done:
                # What was still to be said goes before it, and the server closes the connection when it is done.
                self._send([call_line(0, "bye", {})])
                await asyncio.wait([reading], timeout=_FAREWELL)
                raise Over("you have closed it")
            return str(next(task for task in tasks if task in done).result())
        finally:
            # What is asked from here on waits for the next connection.
            self._connected = False
            self._frames.clear()
            for task in tasks:
                task.cancel()
            await asyncio.gather(*tasks, return_exceptions=True)
            await transport.close()

    async def _read(self, transport: Transport) -> str:
        try:
            while (frame := await transport.receive()) is not None:
                self._silences = 0
                if self.ear.hear(frame):
                    # A connection that is good for something is soon made again.
                    self._pause = 0.0
        except (OSError, Lost) as error:
            return str(error)
        return "the server has closed the connection"

    async def _write(self, transport: Transport) -> str:
        try:
            while True:
                await self._more.wait()
                self._more.clear()
                frames, self._frames = self._frames, []
                self._room.set()
                await transport.send(frames)
        except OSError as error:
            return str(error)

    async def _watch(self) -> str:
        while True:
            await asyncio.sleep(SILENCE)
            self._silences += 1
            if self._silences > 1:
                return f"the server has not answered for {SILENCE:g} s"
            self._send([call_line(0, "ping", {})])

    async def _return_to_session(self) -> Transport:
        """Makes a connection again on which the session goes on."""
        begin = time.monotonic()
        while True:
            try:
                return await self._attempt()
            except Refused as refusal:
                raise Over(str(refusal), refusal) from refusal
            except (ConnectError, Misunderstood) as error:
                if time.monotonic() - begin > self._patience:
                    lost = f"the connection was lost, and could not be made again within {self._patience:g} s"
                    raise Over(f"{lost}: {error}") from error
            self._pause = min(max(2 * self._pause, _PAUSES[0]), _PAUSES[1])

    async def _attempt(self) -> Transport:
        # Those who lost their connections together do not all come back together.
        pause = self._pause * random.uniform(1.0, 1.5)
        entering = asyncio.ensure_future(self._enter_after(pause))
        leaving = asyncio.ensure_future(self._leave.wait())
        try:
            await asyncio.wait([entering, leaving], return_when=asyncio.FIRST_COMPLETED)
            if not entering.done():
                raise Over("you have closed it")
            return entering.result()
        finally:
            entering.cancel()
            leaving.cancel()

    async def _enter_after(self, pause: float) -> Transport:
        await asyncio.sleep(pause)
        transport, _ = await self._door.enter(self.greeting["resume"])
        return transport
