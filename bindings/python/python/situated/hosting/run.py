"""Hosting over a connection. A thread of its own performs the tasks of the server one after another."""

from __future__ import annotations

import asyncio
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from .. import _native
from ..authoring import PythonEnvironment, as_environment
from ..authoring.provider import Provider
from ..iil import Parameter, parameter_to_data
from ..remote import PATIENCE
from ..remote.session import write

# Timeouts for the beginning of an episode and for any other task, in milliseconds. They are longer than the defaults of
# the server, since these environments load models and engines.
_BEGIN_MS, _ANSWER_MS = 60_000, 10_000


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
    if not isinstance(env, (PythonEnvironment, type)):
        # It needs Gymnasium, which an environment written in Python does not.
        from .adapted import adapt

        env = adapt(env, large)
    environment = as_environment(env)
    announced = {"ontology": environment.ontology, "start": start, "seed": seed}
    announced |= {"parameters": {name: parameter_to_data(value) for name, value in parameters.items()}}
    announced |= {"beginTimeoutMs": _BEGIN_MS, "answerTimeoutMs": _ANSWER_MS}
    announced |= {} if name is None else {"environment": name}
    # Some environments only work in one thread.
    thread = ThreadPoolExecutor(1, "situated host")
    hosting = _native.Hosting(_native.Connecting(url, "host", token, trust, patience), write(announced))

    def perform() -> None:
        try:
            hosting.perform(Provider(environment))
        except StopIteration as stop:
            # A future cannot carry it.
            raise RuntimeError("the environment has raised StopIteration") from stop

    try:
        await asyncio.get_running_loop().run_in_executor(thread, perform)
    finally:
        # The result of the task that it is performing is not needed any more.
        thread.shutdown(wait=False)
        (await hosting.close())()
