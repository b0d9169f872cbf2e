"""Python environments on a server: those written for `situated`, and those of Gymnasium and PettingZoo.

await situated.host(gymnasium.make("FrozenLake-v1"), "tcp://127.0.0.1:7467", name="lake")
"""

from .run import host

__all__ = ["host"]
