"""Runs an environment or a team with many seeds on the machines of a Ray cluster: `python -m situated.sweep`.

python -m situated.sweep team.toml --repeat 100 --format csv
python -m situated.sweep team.toml --repeat 1000 --ray auto

It takes the options of `situated run --repeat`, and prints the same table. Without `--ray`, it uses the processors of
this machine.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Sequence
from contextlib import redirect_stdout
from pathlib import Path
from typing import Any

from situated._native import __version__, join_results

from .extras import extra

TASKS_PER_PROCESSOR = 8
"""Number of tasks for each processor of the cluster. With more, the processors end at the same time; with fewer, less
time is spent on starting."""

PATIENCE = 10
"""Seconds to wait for the end of a machine on which a run was killed."""


def main(words: Sequence[str] | None = None) -> int:
    """Runs the command with these arguments, by default those of this process; returns its exit code."""
    parser = argparse.ArgumentParser(
        prog="python -m situated.sweep",
        description="Runs many seeds on the machines of a Ray cluster and prints a table of the results.",
        epilog="All other options are those of `situated run`, such as --param, --agents and --steps.",
        allow_abbrev=False,
    )
    parser.add_argument("target", metavar="ENVIRONMENT|FILE", help="an environment, or the file of a team (*.toml)")
    parser.add_argument("--repeat", metavar="N", type=int, required=True, help="number of seeds")
    parser.add_argument("--seed", metavar="S", help="the first seed [default: as in the team file, or 1]")
    parser.add_argument("--steps", metavar="N", help="maximum number of steps of a run [default: as in the team file]")
    parser.add_argument("--format", choices=["text", "csv", "json"], default="text", help="format of the table")
    parser.add_argument("--ray", metavar="ADDRESS", help="address of a cluster [default: start one on this machine]")
    given, options = parser.parse_known_args(words)
    if given.repeat < 1:
        parser.error("--repeat is a number from 1")
    seed = [] if given.seed is None else ["--seed", given.seed]
    # The machines get the folder of a team file, so that they have the files that it names.
    file = Path(given.target).resolve()
    folder = str(file.parent) if file.suffix == ".toml" else None
    plan = [given.target if folder is None else file.name, *options]
    # A run without steps finds wrong options, and the first seed.
    trial = _command(*plan, *seed, "--steps", "0", "--repeat", "1")
    tried = subprocess.run(trial, capture_output=True, text=True, cwd=folder)
    if tried.returncode != 0:
        sys.stderr.write(tried.stderr)
        return tried.returncode
    first = int(json.loads(tried.stdout)["seeds"]["first"])
    plan += [] if given.steps is None else ["--steps", given.steps]
    with extra("train"):
        import ray
    environment = {} if folder is None else {"working_dir": folder}
    # Ray reports lost machines on the standard output, which is for the table.
    with redirect_stdout(sys.stderr):
        ray.init(given.ray or "local", runtime_env=environment, include_dashboard=False, log_to_driver=False)
        try:
            code, parts = _sweep(ray, plan, first, given.repeat)
        finally:
            ray.shutdown()
    if code == 0:
        sys.stdout.write(join_results(parts, given.format))
    return code


def _sweep(ray: Any, plan: list[str], first: int, count: int) -> tuple[int, list[str]]:
    """Runs the seeds; returns the exit code and the results."""
    processors = max(1, int(ray.cluster_resources().get("CPU", 1)))
    size = max(1, count // (TASKS_PER_PROCESSOR * processors))
    # A run depends only on its seed, so Ray may repeat the tasks of a machine that is lost.
    task = ray.remote(num_cpus=1, max_retries=-1)(_run)
    ends = first + count
    waiting = {
        task.remote(__version__, plan, begin, min(size, ends - begin)): min(size, ends - begin)
        for begin in range(first, ends, size)
    }
    parts: list[str] = []
    finished = 0
    while waiting:
        (ready,), _ = ray.wait([*waiting], num_returns=1)
        code, output, errors = ray.get(ready)
        if code != 0:
            sys.stderr.write(errors)
            return int(code), []
        parts.append(output)
        finished += waiting.pop(ready)
        print(f"{finished} of {count} runs", file=sys.stderr, flush=True)
    return 0, parts


def _run(version: str, plan: list[str], first: int, count: int) -> tuple[int, str, str]:
    """Runs some seeds on a machine of the cluster; returns the exit code, the output, and the errors."""
    from situated._native import __version__

    if version != __version__:
        return 1, "", f"a machine has situated {__version__}; install {version} there, as on this machine\n"
    command = _command(*plan, "--repeat", str(count), "--seed", str(first))
    done = subprocess.run(command, stdin=subprocess.DEVNULL, capture_output=True, text=True)
    if done.returncode < 0:
        # A machine that is lost kills this process, too, and Ray then repeats the task.
        time.sleep(PATIENCE)
    return done.returncode, done.stdout, done.stderr


def _command(*words: str) -> list[str]:
    """Returns the command that runs seeds one after another and prints their results as JSON."""
    return [sys.executable, "-m", "situated", "run", *words, "--jobs", "1", "--format", "json"]


if __name__ == "__main__":
    sys.exit(main())
