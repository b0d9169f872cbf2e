"""The players of the tournament that are written in Python.

A player is a function: given what robots see, it returns the choice of each. Each robot decides for itself.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from behaviours import behaviours
from network import Weights, inputs, preferences
from sight import Seen
from tables import decide

SAVED = Path(__file__).parent
"""The folder with what was learned for the book."""

EXPLORATION = 0.05
"""The part of the behaviours of tables that is random."""

Player = Callable[[Seen], Any]


def script(seen: Seen) -> Any:
    """The robots take turns: one brings the first, third and fifth colour of the sequence, the other one the rest.

    Each looks into the nearest unknown rooms until it knows where its next colour is, and waits with it until its turn
    comes.
    """
    rooms = seen.known.shape[-2]
    is_turn = (seen.delivered + seen.robot) % 2 == 0
    in_drop_zone, in_room = seen.here[..., rooms], seen.here[..., :rooms].any(axis=-1)
    holds_own = np.where(is_turn, seen.held[..., 0], seen.held[..., 1])
    can = behaviours(seen)
    # The first rule that fits, and whose behaviour is possible, decides.
    rules = [
        (holds_own & is_turn & in_drop_zone, can.put_down),
        (holds_own & is_turn, can.bring),
        (holds_own & in_drop_zone, can.leave),
        (holds_own, can.wait),
        (seen.holds & in_room, can.put_down),
        (seen.holds, can.leave),
        (is_turn, can.pick_up_now),
        (~is_turn, can.pick_up_next),
        (is_turn, can.fetch_now),
        (~is_turn, can.fetch_next),
        (np.True_, can.explore),
        (in_drop_zone, can.leave),
    ]
    return np.select([fits & (choice >= 0) for fits, choice in rules], [choice for _, choice in rules], can.wait)


def guesser(seed: int) -> Player:
    """Returns a player that makes random choices."""
    random = np.random.default_rng(seed)
    return lambda seen: np.where(seen.open, random.random(seen.open.shape), -1).argmax(axis=-1)


def network(weights: Weights, seed: int = 0) -> Player:
    """Returns a player that makes each choice as often as a network prefers it.

    A robot that always made the best choice would do the same in vain for ever, for example in front of a door.
    """
    random = np.random.default_rng(seed)

    def choose(seen: Seen) -> Any:
        logits = preferences(weights, *inputs(seen), seen.open)
        # The greatest of logits with noise of Gumbel is a sample of their distribution.
        return (logits + random.gumbel(size=logits.shape)).argmax(axis=-1)

    return choose


def tables(values: np.ndarray, seed: int = 0) -> Player:
    """Returns a player that does what is best by the tables of the robots, apart from a few random behaviours, which
    are there for the same reason."""
    random = np.random.default_rng(seed)
    return lambda seen: decide(values, seen, EXPLORATION, random).choices


def load_network(folder: Path = SAVED) -> Player:
    """Returns the player that PPO has trained."""
    with np.load(folder / "ppo.npz") as weights:
        return network(dict(weights))


def load_tables(folder: Path = SAVED) -> Player:
    """Returns the player that independent learners have trained."""
    with np.load(folder / "q_learning.npz") as saved:
        return tables(saved["values"])
