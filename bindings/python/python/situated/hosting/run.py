"""Hosting over a connection. A thread of its own performs the tasks of the server one after another."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

from ..authoring import Failure, PythonEnvironment, as_environment
from ..authoring.provider import Provider
from ..iil import Parameter, parameter_to_data
from ..remote import PATIENCE, HostCall, Hosted, Uncertain, connect

# Timeouts for the beginning of an episode and for any other task, in milliseconds. They are longer than the defaults of
# the server, since these environments load models and engines.
_BEGIN_MS, _ANSWER_MS = 60_000, 10_000

_Result = TypeVar("_Result")


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
    or this task is cancelled.

    `name` is its name on the server, by default that of its ontology. `seed` and `parameters` are those of its first
    episode, which runs at once if `start` is true. `large` also sends the numbers of each Box with more than 256 of
    them. The other arguments are those of `situated.remote.connect`. The environment is not closed. After a lost
    connection, the whole state is sent again.

    Raises the errors of `connect`, `Ended` when the session ends, and any exception of the environment, which ends it.
    """
    is_written = isinstance(env, (PythonEnvironment, type))
    environment = as_environment(env if is_written else _adapt(env, large))
    announced = {"ontology": environment.ontology, "start": start, "seed": seed}
    announced |= {"parameters": {name: parameter_to_data(value) for name, value in parameters.items()}}
    announced |= {"beginTimeoutMs": _BEGIN_MS, "answerTimeoutMs": _ANSWER_MS}
    announced |= {} if name is None else {"environment": name}
    async with connect(url, role="host", token=token, trust=trust, patience=patience) as client:
        # Some environments only work in one thread.
        thread = ThreadPoolExecutor(1, "situated host")
        try:
            await _Run(await client.host(**announced), Provider(environment), thread).run()
        finally:
            # The result of the task that it is performing is not needed any more.
            thread.shutdown(wait=False)


class _Run:
    """A hosted environment that runs."""

    def __init__(self, hosted: Hosted, provider: Provider, thread: ThreadPoolExecutor) -> None:
        self._hosted = hosted
        self._provider = provider
        self._thread = thread

    async def run(self) -> None:
        """Performs the tasks of the server until the environment has ended."""
        try:
            while True:
                received = await self._hosted.receive()
                if isinstance(received, HostCall):
                    await self._perform(received)
                    if received.method == "kill":
                        return
                elif not await self._send_all():
                    return
        finally:
            self._hosted.let_go()

    async def _perform(self, call: HostCall) -> None:
        try:
            answer = await self._in_thread(partial(self._provider.answer, call.method, call.params))
        except Failure as failure:
            await self._hosted.fail(call, str(failure))
        except NotImplementedError as error:
            await self._hosted.fail(call, str(error), tried=False)
        except Exception as error:
            await self._hosted.fail(call, f"the environment has failed: {error!r}")
            raise
        else:
            await self._hosted.answer(call, answer)

    async def _send_all(self) -> bool:
        """Sends the whole state, since the server may have missed or refused an update. Returns whether the environment
        still exists on the server."""
        while (standing := await self._hosted.standing()) is not None:
            state, entities = standing
            if state == "initializing":
                return True
            known = [one["entity"] for one in entities]
            update = await self._in_thread(partial(self._provider.report_all, known))
            try:
                await self._hosted.tell(update)
                return True
            except Uncertain:
                # The connection was lost again.
                pass
        return False

    async def _in_thread(self, work: Callable[[], _Result]) -> _Result:
        return await asyncio.get_running_loop().run_in_executor(self._thread, work)


def _adapt(env: Any, large: bool) -> PythonEnvironment:
    # It needs Gymnasium, which an environment written in Python does not.
    from .adapted import adapt

    return adapt(env, large)
