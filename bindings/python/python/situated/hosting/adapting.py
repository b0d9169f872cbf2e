"""Which environment written in Python an environment of Gymnasium or PettingZoo is."""

from __future__ import annotations

from typing import Any

import gymnasium

from ..authoring import PythonEnvironment
from .single import SingleWorld
from .together import TogetherWorld
from .turns import TurnsWorld


def adapt(env: Any, large: bool = False) -> PythonEnvironment:
    """The environment that one of Gymnasium or PettingZoo is. Raises `TypeError` for anything else.

    `large` asks for the numbers of Boxes with more than 256 of them, which are told as their shapes otherwise; all that
    changes in a step must then fit into a frame of the server.
    """
    if isinstance(env, gymnasium.Env):
        return SingleWorld(env, large)
    try:
        from pettingzoo import AECEnv, ParallelEnv
    except ImportError:
        pass
    else:
        if isinstance(env, ParallelEnv):
            return TogetherWorld(env, large)
        if isinstance(env, AECEnv):
            return TurnsWorld(env, large)
    raise TypeError(f"{env!r} is no environment of Gymnasium or PettingZoo")
