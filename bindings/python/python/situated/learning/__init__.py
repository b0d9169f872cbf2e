"""Environments written in Python or on a server, for learners: numbered actions, observations as arrays, rewards and
masks."""

from .episodes import Episodes
from .on_server import is_address
from .parallel import WrittenParallel
from .vector import WrittenVector

__all__ = ["Episodes", "WrittenParallel", "WrittenVector", "is_address"]
