"""Behaviours of robots: to go to the nearest room that the robot has not seen, for example. In each situation, a
behaviour stands for one choice. The script and the tables of the tournament choose between behaviours."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from sight import AHEAD, Seen


class Behaviours(NamedTuple):
    """For each behaviour, the choice that it stands for, or -1 if the robot cannot follow it now."""

    explore: np.ndarray
    """Goes to the nearest room that it has not seen."""
    fetch_now: np.ndarray
    """Goes to the nearest room where it has seen a block of the colour that is needed now."""
    fetch_next: np.ndarray
    """The same for the colour that is needed after that."""
    leave: np.ndarray
    """Goes to the nearest room."""
    bring: np.ndarray
    """Goes to the drop zone."""
    pick_up_now: np.ndarray
    """Picks up a block of the colour that is needed now."""
    pick_up_next: np.ndarray
    """The same for the colour that is needed after that."""
    put_down: np.ndarray
    wait: np.ndarray


def behaviours(seen: Seen) -> Behaviours:
    """Returns the behaviours of each robot."""
    rooms = seen.known.shape[-2]
    can_go = seen.open[..., :rooms] & ~seen.occupied[..., :rooms]
    lengths = seen.distances[..., :rooms, :].sum(axis=-1)

    def nearest(which: np.ndarray) -> np.ndarray:
        found = np.where(which & can_go, lengths, np.inf)
        return np.where(np.isfinite(found).any(axis=-1), found.argmin(axis=-1), -1)

    def if_open(choice: int) -> np.ndarray:
        return np.where(seen.open[..., choice], choice, -1)

    return Behaviours(
        explore=nearest(~seen.visited),
        fetch_now=nearest(seen.known[..., 0] > 0),
        fetch_next=nearest(seen.known[..., 1] > 0),
        leave=nearest(np.ones_like(can_go)),
        bring=if_open(rooms),
        pick_up_now=if_open(rooms + 1),
        pick_up_next=if_open(rooms + 2),
        put_down=if_open(rooms + 1 + AHEAD),
        wait=np.full(seen.decides.shape, rooms + 2 + AHEAD),
    )
