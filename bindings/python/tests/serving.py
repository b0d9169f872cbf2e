"""The real server for tests, and a proxy that cuts connections."""

from __future__ import annotations

import asyncio
import os
import re
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from situated.remote import Client, RemoteEnvironment

REPOSITORY = Path(__file__).resolve().parents[3]


def binary() -> Path:
    """Returns the command of `SITUATED_BINARY`, or that of the last build. Skips the test if there is none."""
    command = Path(os.environ.get("SITUATED_BINARY") or REPOSITORY / "target/debug/situated")
    if not command.exists():
        pytest.skip(f"there is no {command}; build it with `cargo build -p situated-cli`")
    return command


class Server:
    """`situated serve` at a free port."""

    def __init__(self, *arguments: str) -> None:
        command = [str(binary()), "serve", "--port", "0", "--log-level", "error", *arguments]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        assert self._process.stdout is not None
        for line in self._process.stdout:
            found = re.search(r"T(?:CP|LS) at ([\d.]+):(\d+)", line)
            if found:
                self.host, self.port = found[1], int(found[2])
                return
        raise RuntimeError(f"`{' '.join(command)}` does not print where agents connect")

    def url(self, scheme: str = "tcp") -> str:
        """Returns an address for agents."""
        return f"{scheme}://{self.host}:{self.port}"

    def kill(self) -> None:
        """Ends the process at once, as `kill -9` does."""
        self._process.kill()
        self._process.communicate(timeout=10)

    def stop(self) -> None:
        """Stops the server."""
        self._process.terminate()
        self._process.communicate(timeout=10)

    def __enter__(self) -> Server:
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()


async def running(client: Client, name: str) -> RemoteEnvironment:
    """Waits until there is an environment of this name that is running."""
    while not any(one["environment"] == name and one["state"] == "running" for one in await client.environments()):
        await asyncio.sleep(0.01)
    return client.environment(name)


class Proxy:
    """A proxy that can cut connections and drop messages of the server."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self._writers: set[asyncio.StreamWriter] = set()
        self._tasks: set[asyncio.Task[None]] = set()
        self._swallowed = 0
        self.open = True
        self.connections = 0
        self.passed = 0
        """Number of bytes that have come, in both directions."""

    async def __aenter__(self) -> Proxy:
        self._listening = await asyncio.start_server(self._connect, "127.0.0.1", 0)
        self.port: int = self._listening.sockets[0].getsockname()[1]
        return self

    async def __aexit__(self, *_: object) -> None:
        self._listening.close()
        self.cut()

    def url(self, scheme: str = "tcp") -> str:
        """Returns an address for agents."""
        return f"{scheme}://127.0.0.1:{self.port}"

    def swallow(self) -> None:
        """Drops the messages of the server on these connections."""
        self._swallowed = self.connections

    async def pass_on(self, count: int) -> None:
        """Waits until this many bytes more have come."""
        until = self.passed + count
        while self.passed < until:
            await asyncio.sleep(0.001)

    def cut(self) -> None:
        """Cuts all connections."""
        for writer in self._writers:
            writer.transport.abort()
        self._writers.clear()

    async def _connect(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        if not self.open:
            writer.transport.abort()
            return
        self.connections += 1
        number = self.connections
        self._writers.add(writer)
        try:
            there, back = await asyncio.open_connection(self.server.host, self.server.port)
        except OSError:
            writer.transport.abort()
            return
        self._writers.add(back)
        for task in (
            self._copy(reader, back, lambda: False),
            self._copy(there, writer, lambda: number <= self._swallowed),
        ):
            self._tasks.add(asyncio.create_task(task))

    async def _copy(
        self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter, is_swallowed: Callable[[], bool]
    ) -> None:
        try:
            while data := await reader.read(1 << 16):
                self.passed += len(data)
                if not is_swallowed():
                    writer.write(data)
                    await writer.drain()
        except OSError:
            pass
        writer.close()
