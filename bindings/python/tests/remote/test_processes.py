"""Sessions and the processes that have them: a process ends whatever its sessions do, and one that was forked has its
own."""

from __future__ import annotations

import subprocess
import sys
import textwrap

import pytest
from serving import Server


def run(server: Server, program: str) -> str:
    """Returns the output of a program that knows the address of the server as `URL`."""
    text = (
        f"import asyncio, os\nfrom situated.remote import connect\nURL = {server.url()!r}\n{textwrap.dedent(program)}"
    )
    # Python 3.12 and later warn of `fork` in a process with several threads.
    command = [sys.executable, "-W", "ignore:This process:DeprecationWarning", "-c", text]
    done = subprocess.run(command, capture_output=True, text=True, timeout=30)
    assert (done.returncode, done.stderr) == (0, "")
    return done.stdout


@pytest.mark.parametrize("attempt", range(3))
def test_a_process_ends_while_answers_come_in(server: Server, attempt: int) -> None:
    program = """
        async def begin():
            global client, asking
            client = await connect(URL)
            asking = [asyncio.ensure_future(client.environments()) for _ in range(500)]
            await asking[0]

        loop = asyncio.new_event_loop()
        loop.run_until_complete(begin())
        print("begun")
        for one in asking:
            one.cancel()
        loop.run_until_complete(asyncio.gather(*asking, return_exceptions=True))
        loop.close()
    """
    assert run(server, program) == "begun\n"


def test_a_session_outlives_an_event_loop(server: Server) -> None:
    program = """
        async def begin():
            return await connect(URL)

        async def go_on(client):
            print(type(await client.environments()).__name__)
            await client.close()

        client = asyncio.run(begin())
        asyncio.run(go_on(client))
    """
    assert run(server, program) == "list\n"


def test_event_loops_share_a_session_also_when_one_of_them_is_busy(server: Server) -> None:
    program = """
        import threading, time

        async def ask_thrice():
            for _ in range(3):
                await client.environments()

        def other():
            asyncio.run(ask_thrice())
            answered.set()

        async def begin():
            global client
            async with connect(URL) as client:
                await ask_thrice()
                thread = threading.Thread(target=other)
                thread.start()
                # This event loop does nothing meanwhile.
                print(answered.wait(10))
                thread.join()
                asking = asyncio.ensure_future(client.environments())
                await asyncio.sleep(0)
                time.sleep(0.1)
                await asking
                await ask_thrice()

        answered = threading.Event()
        asyncio.run(begin())
    """
    assert run(server, program) == "True\n"


def test_an_event_loop_needs_no_readers(server: Server) -> None:
    program = """
        class Proactor(asyncio.SelectorEventLoop):
            def add_reader(self, *_):
                raise NotImplementedError  # As on Windows.

        async def begin():
            async with connect(URL) as client:
                for _ in range(3):
                    print(type(await client.environments()).__name__)

        loop = Proactor()
        loop.run_until_complete(begin())
        loop.close()
    """
    assert run(server, program) == "list\n" * 3


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux lists the files of a process")
def test_sessions_that_have_ended_leave_no_file_open(server: Server) -> None:
    program = """
        async def come_and_go():
            for _ in range(20):
                async with connect(URL) as client:
                    await client.environments()
            await asyncio.sleep(0.1)
            return len(os.listdir("/proc/self/fd"))

        async def begin():
            first = await come_and_go()
            print(await come_and_go() - first)

        asyncio.run(begin())
    """
    assert run(server, program) == "0\n"


@pytest.mark.skipif(sys.platform == "win32", reason="there is no fork")
def test_a_forked_process_has_sessions_of_its_own(server: Server) -> None:
    program = """
        async def ask(name):
            async with connect(URL) as client:
                await client.environments()
            print(name, flush=True)

        asyncio.run(ask("parent"))
        if child := os.fork():
            assert os.waitpid(child, 0)[1] == 0
            asyncio.run(ask("parent"))
        else:
            asyncio.run(ask("child"))
    """
    assert run(server, program) == "parent\nchild\nparent\n"
