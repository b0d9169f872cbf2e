"""The encoding of an environment: the numbers that learners exchange with it, and their meanings."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Encoding:
    """The encoding of the agents of an environment."""

    shape: tuple[int, ...]
    """The shape of an observation."""
    dtype: str
    """The type of its numbers, by its name in NumPy."""
    low: float
    """The smallest number."""
    high: float
    """The largest number."""
    actions: tuple[str, ...]
    """The meaning of each action, by its number."""
    meanings: tuple[str, ...]
    """The meaning of each number of an observation, in order; empty if the environment does not describe them."""

    def describe(self) -> str:
        """Returns the numbers of observations and actions with their meanings, one in each line."""
        shape = " x ".join(map(str, self.shape))
        lines = [f"observation: {shape} numbers of {self.dtype}, from {self.low:g} to {self.high:g}"]
        lines += _numbered(self.meanings) or ["  (the environment does not describe them)"]
        return "\n".join([*lines, "actions:", *_numbered(self.actions)])


def _numbered(meanings: tuple[str, ...]) -> list[str]:
    width = len(str(max(0, len(meanings) - 1)))
    return [f"  {number:{width}}  {meaning}" for number, meaning in enumerate(meanings)]
