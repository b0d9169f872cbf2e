"""Hosting over a connection. A thread of its own performs the tasks of the server one after another."""

from __future__ import annotations

import asyncio
import atexit
from collections.abc import Mapping
from concurrent.futures import Future
from pathlib import Path
from threading import Thread
from typing import Any

from .. import _native
from ..authoring import PythonEnvironment, as_environment
from ..authoring.provider import Provider
from ..iil import Parameter, parameters_to_data
from ..remote import PATIENCE
from ..remote.session import write
from ..settings import read_parameters

# Timeouts for the beginning of an episode and for any other task, in milliseconds. They are longer than the defaults of
# the server, since these environments load models and engines.
_BEGIN_MS, _ANSWER_MS = 60_000, 10_000

# How long the end of the process waits for the task that an environment performs.
_STOP_S = 5

# The threads that perform tasks. They end before the interpreter does.
_performing: dict[Thread, _native.Hosting] = {}


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
    parameters: Mapping[str, Parameter | None] | None = None,
    **named: Parameter | None,
) -> None:
    """Hosts a `PythonEnvironment`, or an environment of Gymnasium or PettingZoo, on a server, until it is killed there
    or this task is cancelled.

    `name` is its name on the server, by default that of its ontology. `seed` and the parameters are those of its first
    episode, which runs at once if `start` is true. Parameters whose names are arguments here, such as `seed`, are given
    in the dictionary `parameters`. `large` also sends the numbers of each Box with more than 256 of
    them. The other arguments are those of `situated.remote.connect`. The environment is not closed. After a lost
    connection, the whole state is sent again.

    Raises the errors of `connect`, `Ended` when the session ends, `Refused` if the environment reports something
    invalid, and any exception of the environment, all of which end it. If `start` is true, it also raises what prevents
    the first episode.
    """
    if not isinstance(env, (PythonEnvironment, type)):
        # It needs Gymnasium, which an environment written in Python does not.
        from .adapted import adapt

        env = adapt(env, large)
    environment = as_environment(env)
    announced = {"ontology": environment.ontology, "start": start, "seed": seed}
    announced |= {"parameters": parameters_to_data(read_parameters(parameters, named))}
    announced |= {"beginTimeoutMs": _BEGIN_MS, "answerTimeoutMs": _ANSWER_MS, "stepsWithActions": True}
    announced |= {} if name is None else {"environment": name}
    hosting = _native.Hosting(_native.Connecting(url, "host", token, trust, patience), write(announced))
    try:
        await asyncio.wrap_future(_perform(hosting, environment))
    finally:
        # The result of the task that it is performing is not needed any more.
        (await hosting.close())()


def _perform(hosting: _native.Hosting, environment: PythonEnvironment) -> Future[None]:
    """Performs the tasks of the server in one thread, since some environments only work in one."""
    provider = Provider(environment)
    provider.keep()
    performed: Future[None] = Future()
    # From now on, who waits for it can no longer cancel it.
    performed.set_running_or_notify_cancel()

    def perform() -> None:
        try:
            hosting.perform(provider)
            performed.set_result(None)
        except StopIteration as stop:
            # A future of asyncio cannot carry it.
            error = RuntimeError("the environment has raised StopIteration")
            error.__cause__ = stop
            performed.set_exception(error)
        except BaseException as raised:
            performed.set_exception(raised)
        finally:
            provider.release()
            del _performing[thread]

    thread = Thread(target=perform, name="situated host", daemon=True)
    _performing[thread] = hosting
    thread.start()
    return performed


@atexit.register
def _stop() -> None:
    """Ends the environments that other threads still host: the interpreter is about to end."""
    for thread, hosting in list(_performing.items()):
        hosting.stop()
        thread.join(_STOP_S)
