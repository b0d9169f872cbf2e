"""Worlds of Python on a server: environments of Gymnasium and PettingZoo, and whatever else is a `World`.

await situated.hosting.host(gymnasium.make("FrozenLake-v1"), "tcp://127.0.0.1:7467", name="lake")
"""

from .provider import Provider
from .run import adapt, host
from .single import SingleWorld
from .together import TogetherWorld
from .turns import TurnsWorld
from .world import Failure, World

__all__ = ["Failure", "Provider", "SingleWorld", "TogetherWorld", "TurnsWorld", "World", "adapt", "host"]
