"""A checker for environments, as Gymnasium has `check_env` and PettingZoo `api_test`."""

from __future__ import annotations

import json
from collections.abc import Mapping
from typing import Any

from situated._native import check, check_written
from situated.authoring import PythonEnvironment, as_environment
from situated.authoring.provider import Provider
from situated.iil import Parameter
from situated.registry import find
from situated.settings import read_count, read_number, read_parameters


def check_environment(
    environment: str | PythonEnvironment | type[PythonEnvironment],
    *,
    first_seed: int = 1,
    seeds: int = 10,
    steps: int = 100,
    parameters: Mapping[str, Parameter | None] | None = None,
    **named: Parameter | None,
) -> str:
    """Plays an environment at random, and raises `AssertionError` with a report if it breaks a rule on which
    agents, learners, recordings and servers rely. Otherwise returns the report.

    The environment is one that ships with this package or that another package registers, by its name, or one that is
    written in Python. `seeds` episodes of at most `steps` steps are played, from `first_seed` on, with these
    parameters. Those whose names are arguments here, such as `steps`, are given in the dictionary `parameters`. The
    same arguments give the same report.
    """
    first, count = read_number("first_seed", first_seed), read_count("seeds", seeds)
    steps, chosen = read_count("steps", steps), (first, first + count - 1)
    given: Mapping[str, Any] = read_parameters(parameters, named)
    if isinstance(environment, str) and (registered := find(environment)) is not None:
        environment, given = registered.make_environment(given)
    if isinstance(environment, str):
        passed, report = check(environment, dict(given), chosen, steps)
    else:
        written = as_environment(environment() if isinstance(environment, type) else environment)
        ontology = json.dumps(written.ontology)
        passed, report = check_written(ontology, lambda: Provider(written), dict(given), chosen, steps)
    if not passed:
        raise AssertionError(report)
    return report
