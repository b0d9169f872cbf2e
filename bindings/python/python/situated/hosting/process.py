"""The process in which the command `situated` runs the environment of a Python file.

Tasks come from its standard input, and their reports go to its standard output, as lines of JSON. What the environment
prints goes to the standard error.
"""

from __future__ import annotations

import argparse
import json
import os
import time
from collections.abc import Iterable, Mapping
from pathlib import Path
from threading import Thread
from typing import Any, TextIO

from .. import _native
from ..authoring import PythonEnvironment
from ..authoring.provider import Provider
from .addition import added
from .file import EnvironmentFile, Unusable

_LOOK_S = 1
"""Time between two looks whether the command still runs. Usually, the end of the tasks says that it does not."""


def main() -> None:
    """Loads the file that the arguments name, and performs tasks until the input ends."""
    parser = argparse.ArgumentParser()
    parser.add_argument("file", type=Path)
    parser.add_argument("--name")
    parser.add_argument("--reload", action="store_true")
    given = parser.parse_args()
    tasks, reports = _streams()
    _end_with(os.getppid())
    worker = _Worker(EnvironmentFile(given.file, given.name), given.reload, reports)
    if worker.begin():
        worker.work(tasks)


class _Worker:
    """Performs tasks with the environment of a file."""

    def __init__(self, file: EnvironmentFile, reloads: bool, reports: TextIO) -> None:
        self._file = file
        self._reloads = reloads
        self._reports = reports
        self._declared: Mapping[str, Any]

    def begin(self) -> bool:
        """Loads the file, and tells the command what its environment declares. Returns whether that is possible."""
        try:
            environment = self._load()
        except Unusable as error:
            self._say({"unusable": str(error)})
            return False
        self._declared = environment.ontology
        self._performer = _performer(environment)
        self._say({"ready": self._declared})
        return True

    def work(self, tasks: Iterable[str]) -> None:
        """Performs tasks, until one ends the environment."""
        for request in tasks:
            read = json.loads(request)
            task = read["call"]
            kind = task if isinstance(task, str) else next(iter(task))
            if kind == "kill":
                return
            try:
                if kind == "reset" and self._reloads and self._file.was_saved():
                    report = self._begin_again(request)
                else:
                    report = self._performer.perform(request)
            except Unusable as error:
                self._fail(read["number"], str(error), {})
            except Exception as error:
                self._file.print(error)
                words = self._file.in_words(error)
                if not self._reloads or kind == "init":
                    self._say({"failed": words})
                    return
                if kind != "reset":
                    print("The environment is paused until its file is saved.", flush=True)
                self._fail(read["number"], words, {} if kind == "reset" else {"state": "paused"})
            else:
                self._reports.write(f'{{"report":{report}}}\n')
                self._reports.flush()

    def _load(self) -> PythonEnvironment:
        try:
            return self._file.load()
        finally:
            self._say({"loaded": self._file.sources})

    def _begin_again(self, request: str) -> str:
        """Begins an episode with the file as it is now. If that is impossible, the last environment continues."""
        environment = self._load()
        addition = added(self._declared, environment.ontology)
        performer = _performer(environment)
        report = performer.perform(request, json.dumps(addition))
        if json.loads(report)["answer"]["answer"] == "done":
            self._performer, self._declared = performer, environment.ontology
        return report

    def _fail(self, number: int, reason: str, update: dict[str, Any]) -> None:
        answer = {"failed": {"reason": reason, "tried": True}}
        self._say({"report": {"answer": {"number": number, "answer": answer, "update": update}}})

    def _say(self, message: dict[str, Any]) -> None:
        self._reports.write(json.dumps(message) + "\n")
        self._reports.flush()


def _performer(environment: PythonEnvironment) -> _native.Performer:
    return _native.Performer(Provider(environment), json.dumps(environment.ontology))


def _streams() -> tuple[TextIO, TextIO]:
    """Returns the streams of tasks and reports, which the environment cannot use."""
    tasks = open(os.dup(0), encoding="utf-8")
    reports = open(os.dup(1), "w", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    return tasks, reports


def _end_with(command: int) -> None:
    """Ends this process after that of the command, also during a task."""

    def watch() -> None:
        while os.getppid() == command:
            time.sleep(_LOOK_S)
        os._exit(1)

    Thread(target=watch, name="situated command", daemon=True).start()
