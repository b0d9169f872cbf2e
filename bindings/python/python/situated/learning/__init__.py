"""Environments written in Python or on a server, for learners: numbered actions, observations as arrays, rewards and
masks."""

from .episodes import Episodes, Learnable
from .on_server import is_address, on_server
from .parallel import WrittenParallel
from .vector import WrittenVector

__all__ = ["Episodes", "Learnable", "WrittenParallel", "WrittenVector", "is_address", "on_server"]
