"""Hosting over a connection: the calls of the server are done one after another, in a thread of their own."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ..authoring import Failure, PythonEnvironment
from ..authoring.provider import Provider
from ..iil import Parameter, parameter_to_data
from ..remote import PATIENCE, HostCall, Hosted, Uncertain, connect

# How long an environment may think about the beginning of an episode, and about anything else, in milliseconds: they
# load models and engines, and are slower than worlds that are written for the server.
_BEGIN_MS, _ANSWER_MS = 60_000, 10_000

_Said = TypeVar("_Said")


async def host(
    env: Any,
    url: str,
    name: str | None = None,
    *,
    token: str | None = None,
    trust: str | Path | None = None,
    patience: float = PATIENCE,
    seed: int = 1,
    start: bool = True,
    large: bool = False,
    **parameters: Parameter,
) -> None:
    """Hosts a `PythonEnvironment`, or an environment of Gymnasium or PettingZoo, on a server, until it is killed there
    or this is cancelled.

    `name` is what it is called there, by default as it calls itself; `seed` and `parameters` are those of its first
    episode; `start` says whether time runs as soon as that has begun; `large` is as in `adapt`, the rest as in
    `situated.remote.connect`. The environment is not closed. A lost connection is made again, and everything is told
    anew then.

    Raises what `connect` raises; `Ended` when the session has ended; and what the environment raises, which is over
    then.
    """
    world = env if isinstance(env, PythonEnvironment) else _adapt(env, large)
    announced = {"ontology": world.ontology, "start": start, "seed": seed}
    announced |= {"parameters": {name: parameter_to_data(value) for name, value in parameters.items()}}
    announced |= {"beginTimeoutMs": _BEGIN_MS, "answerTimeoutMs": _ANSWER_MS} | (
        {} if name is None else {"environment": name}
    )
    async with connect(url, role="host", token=token, trust=trust, patience=patience) as client:
        # Some environments can be used by one thread alone.
        thread = ThreadPoolExecutor(1, "situated host")
        try:
            await _Run(await client.host(**announced), Provider(world), thread).run()
        finally:
            # What it is doing is of no account any more, and nobody waits for it.
            thread.shutdown(wait=False)


class _Run:
    """A world that is hosted."""

    def __init__(self, hosted: Hosted, provider: Provider, thread: ThreadPoolExecutor) -> None:
        self._hosted = hosted
        self._provider = provider
        self._thread = thread

    async def run(self) -> None:
        """Does what the server calls for, until the world is over."""
        try:
            while True:
                heard = await self._hosted.receive()
                if isinstance(heard, HostCall):
                    await self._do(heard)
                    if heard.method == "kill":
                        return
                elif not await self._tell_anew():
                    return
        finally:
            self._hosted.let_go()

    async def _do(self, call: HostCall) -> None:
        try:
            answer = await self._in_thread(partial(self._provider.answer, call.method, call.params))
        except Failure as failure:
            await self._hosted.fail(call, str(failure))
        except NotImplementedError as error:
            await self._hosted.fail(call, str(error), tried=False)
        except Exception as error:
            await self._hosted.fail(call, f"the world has broken down: {error!r}")
            raise
        else:
            await self._hosted.answer(call, answer)

    async def _tell_anew(self) -> bool:
        """What was said has perhaps not been heard, or could not be taken over: all is told anew. Whether the world
        goes on."""
        while (standing := await self._hosted.standing()) is not None:
            state, entities = standing
            if state == "initializing":
                return True
            known = [one["entity"] for one in entities]
            update = await self._in_thread(partial(self._provider.tell_anew, known))
            try:
                await self._hosted.tell(update)
                return True
            except Uncertain:
                # The connection was lost once more.
                pass
        return False

    async def _in_thread(self, work: Callable[[], _Said]) -> _Said:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def _adapt(env: Any, large: bool) -> PythonEnvironment:
    # It needs Gymnasium, which an environment written in Python does not.
    from .adapting import adapt

    return adapt(env, large)
