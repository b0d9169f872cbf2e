"""Environments written in Python for learners: numbered actions, observations as arrays, rewards and masks."""

from .episodes import Episodes
from .parallel import WrittenParallel
from .vector import WrittenVector

__all__ = ["Episodes", "WrittenParallel", "WrittenVector"]
