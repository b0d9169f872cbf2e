"""Many episodes of an environment written in Python or on a server, stepped together on arrays."""

from __future__ import annotations

import copy
import multiprocessing
import pickle
import signal
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, wait
from contextlib import suppress
from functools import partial
from multiprocessing.util import Finalize
from threading import Lock
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from situated._native import Scene
from situated.authoring import PythonEnvironment
from situated.encoding import Encoding

from .episodes import Episodes, Learnable
from .on_server import OnServer

Array: TypeAlias = npt.NDArray[Any]

SEEDS = 1 << 64

_FAREWELL = 10.0
"""Seconds in which a process ends by itself. Its sessions with a server need less."""


class WrittenVector:
    """Version of `situated._native.Vector` for environments written in Python or on a server.

    The envs are divided among threads of this process, or among other processes.
    """

    def __init__(
        self,
        environment: Learnable,
        envs: int,
        parameters: Mapping[str, Any],
        *,
        seed: int,
        threads: int = 1,
        processes: int | None = None,
        autoreset: str = "next_step",
        max_steps: int | None = None,
    ) -> None:
        environment = environment() if isinstance(environment, type) else environment
        count = min(envs, threads if processes is None else processes)
        ends = [envs * (place + 1) // count for place in range(count)]
        self._ranges = list(zip([0, *ends], ends))
        # In a thread, a call to another process is not interrupted by Ctrl-C, and takes its answer from the pipe.
        has_threads = count > 1 or processes is not None
        self._threads = ThreadPoolExecutor(count, "situated vector") if has_threads else None
        self._parts: list[Any] = []
        # At the end of the interpreter, this comes before the system ends the processes.
        self._end = Finalize(self, _end, (self._parts, self._threads), exitpriority=0)
        for begin, end in self._ranges:
            make = _Part if processes is None else _Elsewhere
            self._parts.append(make(environment, parameters, max_steps, autoreset, seed + begin, end - begin))
        self._locks = [Lock() for _ in range(count)]
        self._envs, self._autoreset = envs, autoreset
        self.name: str
        self._encoding: Encoding
        self.name, self._entities, self._encoding = self._parts[0].describe()
        for part in self._parts[1:]:
            _check_equal(self.name, self._entities, part.describe()[1])
        self._with_finals = autoreset == "same_step"
        # Nothing has happened yet, so a reset without a seed keeps the first episodes.
        self._fresh = True
        self._actions: Array | None = None
        self.renew()

    def agents(self) -> list[str]:
        return list(self._entities)

    def encoding(self) -> Encoding:
        return self._encoding

    def states(self) -> int | None:
        return None

    def arrays(self) -> tuple[Any, ...]:
        return self._arrays

    def renew(self) -> None:
        rows, encoding = (self._envs, len(self._entities)), self._encoding
        observations = np.zeros((*rows, *encoding.shape), encoding.dtype)
        self._arrays: tuple[Any, ...] = (
            observations,
            np.zeros(rows, np.float32),
            np.zeros(rows, np.bool_),
            np.zeros(rows, np.bool_),
            np.ones((*rows, len(encoding.actions)), np.bool_),
            np.zeros_like(observations) if self._with_finals else None,
            np.zeros(self._envs, np.bool_) if self._with_finals else None,
        )

    def bind(
        self,
        *,
        actions: Array,
        observations: Array,
        rewards: Array,
        terminated: Array,
        truncated: Array,
        masks: Array | None = None,
    ) -> None:
        given = (observations, rewards, terminated, truncated, masks)
        for array, of in zip(given, self._arrays):
            if array is not None and (array.shape != of.shape or array.dtype != of.dtype):
                expected = f"{of.dtype} of shape {list(of.shape)}"
                raise ValueError(f"expected an array of {expected}, not {array.dtype} of shape {list(array.shape)}")
        self.renew()
        bound = [own if array is None else array for array, own in zip(given, self._arrays)]
        self._arrays = (*bound, *self._arrays[5:])
        self._actions = actions

    def reset(self, seed: int | None = None, mask: npt.NDArray[np.bool_] | None = None) -> None:
        if mask is not None and (mask.dtype != np.bool_ or mask.shape != (self._envs,)):
            raise ValueError(f"mask must be an array of bool of shape [{self._envs}]")
        keep, self._fresh = self._fresh and seed is None, False
        if keep:
            self._write(lambda part, *_: part.look())
            return

        def reset(part: Any, begin: int, end: int) -> Any:
            first = None if seed is None else (seed + begin) % SEEDS
            return part.reset(first, None if mask is None else mask[begin:end])

        self._write(reset)

    def step(self, actions: Any) -> None:
        rows, choices = (self._envs, len(self._entities)), len(self._encoding.actions)
        given = np.asarray(actions)
        if given.dtype not in (np.uint8, np.int32, np.int64) or given.shape != rows:
            raise ValueError(
                f"actions must be uint8, int32 or int64 of shape {list(rows)}, not {given.dtype} of shape "
                f"{list(given.shape)}"
            )
        if given.size and not (0 <= given.min() and given.max() < choices):
            env, agent = np.argwhere((given < 0) | (given >= choices))[0]
            raise ValueError(
                f"{given[env, agent]} is not an action of agent {agent} in env {env}; use 0 to {choices - 1}"
            )
        if self._autoreset == "disabled":
            for (begin, _), over in zip(self._ranges, self._each(lambda part, *_: part.first_over())):
                if over is not None:
                    raise ValueError(f"the episode of env {begin + over} is over; reset it before the next step")
        self._fresh = False
        self._write(lambda part, begin, end: part.step(given[begin:end]))

    def run(self) -> None:
        if self._actions is None:
            raise RuntimeError("call `bind` with arrays first")
        self.step(self._actions)

    def seed(self, env: int) -> int | None:
        return int(self.seeds()[env])

    def seeds(self) -> npt.NDArray[np.uint64]:
        return np.concatenate([np.array(seeds, np.uint64) for seeds in self._each(lambda part, *_: part.seeds())])

    def outcome(self, env: int) -> tuple[str | None, dict[str, dict[str, Any]]]:
        part, place = self._find(env)
        outcome: tuple[str | None, dict[str, dict[str, Any]]] = part.outcome(place)
        return outcome

    def save(self, env: int | None = None) -> bytes:
        if env is None:
            return pickle.dumps([state for states in self._each(lambda part, *_: part.save_all()) for state in states])
        part, place = self._find(env)
        state: bytes = part.save(place)
        return state

    def is_fresh(self) -> bool:
        return self._fresh

    def load(self, state: bytes, env: int | None = None, fresh: bool = False) -> None:
        if env is not None:
            part, place = self._find(env)
            part.load(place, state)
        else:
            states = pickle.loads(state)
            if not isinstance(states, list) or len(states) != self._envs:
                raise ValueError(f"this is not a saved state of {self._envs} envs of {self.name}")
            self._each(lambda part, begin, end: part.load_all(states[begin:end]))
        self._fresh = fresh
        self._write(lambda part, *_: part.look())

    def scene(self, env: int, viewer: int | None = None) -> Scene:
        part, place = self._find(env)
        scene: Scene = part.scene(place)
        return scene

    def close(self) -> None:
        """Ends the other processes and threads, and the sessions with a server."""
        self._end()
        if self._threads is not None:
            self._threads.shutdown()

    def _find(self, env: int) -> tuple[Any, int]:
        for part, (begin, end) in zip(self._parts, self._ranges):
            if begin <= env < end:
                return part, env - begin
        raise ValueError(f"env {env} is out of range; there are envs 0 to {self._envs - 1}")

    def _each(self, do: Callable[..., Any]) -> list[Any]:
        """Calls this for each part with the range of its envs."""
        parts = [(part, *of) for part, of in zip(self._parts, self._ranges)]
        if self._threads is None:
            return [do(*of) for of in parts]
        calls = [self._threads.submit(_locked, lock, do, *of) for lock, of in zip(self._locks, parts)]
        # The others go on after an error.
        wait(calls)
        return [call.result() for call in calls]

    def _write(self, do: Callable[..., Any]) -> None:
        for rows, (begin, end) in zip(self._each(do), self._ranges):
            for array, part in zip(self._arrays, rows):
                if array is not None:
                    array[begin:end] = part


class _Part:
    """Some of the envs of a vector, and the arrays of their results."""

    def __init__(
        self,
        environment: PythonEnvironment | partial[OnServer],
        parameters: Mapping[str, Any],
        max_steps: int | None,
        autoreset: str,
        seed: int,
        envs: int,
    ) -> None:
        self._autoreset = autoreset
        self._envs = [
            Episodes(copy.deepcopy(environment), parameters, seed=(seed + env) % SEEDS, max_steps=max_steps)
            for env in range(envs)
        ]
        learners = self._envs[0].learners
        self._encoding = learners[0].encoding
        for one in learners:
            if one.encoding != self._encoding:
                raise ValueError(
                    f"{learners[0].entity} and {one.entity} of {self._envs[0].name} have different actions or "
                    "observations, and the agents of a vector have equal ones; use parallel_env"
                )
        self._entities = [one.entity for one in learners]
        for env in self._envs[1:]:
            _check_equal(env.name, self._entities, [one.entity for one in env.learners])
        self._outcomes: list[Any] = [None] * envs

    def describe(self) -> tuple[str, list[str], Encoding]:
        return self._envs[0].name, self._entities, self._encoding

    def reset(self, seed: int | None, mask: npt.NDArray[np.bool_] | None) -> list[Array]:
        for place, env in enumerate(self._envs):
            if mask is None or mask[place]:
                env.begin(None if seed is None else (seed + place) % SEEDS)
        return self.look()

    def step(self, actions: Array) -> list[Array]:
        observations, rewards, terminated, truncated, masks, finals, with_finals = rows = self._rows()
        for place, env in enumerate(self._envs):
            if env.is_over:
                env.begin()
            else:
                env.act(actions[place].tolist())
                rewards[place], terminated[place], truncated[place] = env.rewards, env.terminated, env.truncated
                if env.is_over:
                    self._outcomes[place] = env.ending, env.results()
                    if self._autoreset == "same_step":
                        finals[place], with_finals[place] = env.observations, True
                        env.begin()
            self._look_at(place, observations, masks)
        return rows

    def look(self) -> list[Array]:
        rows = self._rows()
        for place in range(len(self._envs)):
            self._look_at(place, rows[0], rows[4])
        return rows

    def first_over(self) -> int | None:
        """Returns the first env whose episode is over."""
        return next((place for place, env in enumerate(self._envs) if env.is_over), None)

    def seeds(self) -> list[int]:
        return [env.seed for env in self._envs]

    def outcome(self, env: int) -> Any:
        return self._outcomes[env] or (self._envs[env].ending, self._envs[env].results())

    def save(self, env: int) -> bytes:
        return self._envs[env].save()

    def save_all(self) -> list[bytes]:
        return [env.save() for env in self._envs]

    def load(self, env: int, state: bytes) -> None:
        self._envs[env].load(state)

    def load_all(self, states: list[bytes]) -> None:
        for env, state in enumerate(states):
            self.load(env, state)

    def scene(self, env: int) -> Scene:
        return self._envs[env].scene()

    def leave(self) -> None:
        """Begins to close."""
        for env in self._envs:
            env.leave()

    def close(self) -> None:
        for env in self._envs:
            env.close()

    def _rows(self) -> list[Any]:
        rows, encoding = (len(self._envs), len(self._entities)), self._encoding
        observations = np.zeros((*rows, *encoding.shape), encoding.dtype)
        flags = [np.zeros(rows, np.bool_) for _ in range(2)]
        masks = np.ones((*rows, len(encoding.actions)), np.bool_)
        finals = [np.zeros_like(observations), np.zeros(len(self._envs), np.bool_)]
        return [observations, np.zeros(rows, np.float32), *flags, masks, *finals]

    def _look_at(self, place: int, observations: Array, masks: Array) -> None:
        env = self._envs[place]
        for learner, observation in enumerate(env.observations):
            observations[place, learner] = observation
            masks[place, learner] = env.mask(learner)


def _end(parts: list[Any], threads: ThreadPoolExecutor | None) -> None:
    """Closes the parts of a vector, all at the same time, and ends its threads when they have nothing more to do."""
    for part in parts:
        part.leave()
    for part in parts:
        part.close()
    if threads is not None:
        threads.shutdown(wait=False)


def _check_equal(name: str, learners: list[str], others: list[str]) -> None:
    if others != learners:
        raise ValueError(
            f"one episode of {name} begins with the learners {', '.join(learners)}, and another one with "
            f"{', '.join(others)}; the envs of a vector need the same ones"
        )


def _locked(lock: Lock, do: Callable[..., Any], *of: Any) -> Any:
    """Waits until the part is free, and calls this. A call continues after its caller was interrupted."""
    with lock:
        return do(*of)


class _Elsewhere:
    """A `_Part` in another process."""

    def __init__(self, *settings: Any) -> None:
        context = multiprocessing.get_context()
        self._pipe, there = context.Pipe()
        self._process = context.Process(target=_serve, args=(there, self._pipe, settings), daemon=True)
        self._process.start()
        there.close()

    def __getattr__(self, method: str) -> Callable[..., Any]:
        if method.startswith("_"):
            raise AttributeError(method)

        def call(*args: Any) -> Any:
            try:
                self._pipe.send((method, args))
                error, answer = self._pipe.recv()
            except (EOFError, OSError):
                self._process.join()
                raise RuntimeError(
                    f"a process of the vector has ended with exit code {self._process.exitcode}; create the vector "
                    "again"
                ) from None
            if error is not None:
                raise error
            return answer

        return call

    def leave(self) -> None:
        """Begins to close."""
        with suppress(OSError):
            self._pipe.send(None)

    def close(self) -> None:
        self._process.join(_FAREWELL)
        # It may be in a step that does not end.
        self._process.terminate()
        self._process.join()
        self._pipe.close()


def _serve(pipe: Any, other_end: Any, settings: tuple[Any, ...]) -> None:
    """Answers the calls of an `_Elsewhere` until it closes, or its process ends."""
    # Ctrl-C is for the process that waits for answers.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    # While this process has the other end, too, it would not learn that nobody is there any more.
    other_end.close()
    part: _Part | None = None
    with suppress(EOFError, OSError):
        while (call := pipe.recv()) is not None:
            method, args = call
            answer: tuple[Exception | None, Any]
            try:
                part = part or _Part(*settings)
                answer = None, getattr(part, method)(*args)
            except Exception as error:
                answer = _sendable(error), None
            pipe.send(answer)
    if part is not None:
        part.leave()
        part.close()


def _sendable(error: Exception) -> Exception:
    """Returns the error, or one with its text if processes cannot exchange it."""
    try:
        pickle.loads(pickle.dumps(error))
    except Exception:
        return RuntimeError(f"{type(error).__name__}: {error}")
    return error
