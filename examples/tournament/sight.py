"""The view that players of the tournament have of Blocks World for Teams, and their choices.

The environment's encoding lists blocks by colour. To a robot it matters only when a colour is needed, so here each
colour is replaced by its places in the rest of the sequence: the first one is needed now. What a learner finds out
with one sequence then holds for every other one.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import situated

SETTING = {"map": "Random", "robots": 2, "steps": "decision"}
"""The setting of the tournament: each seed has a sequence of six colours, and 28 blocks in nine rooms."""

AHEAD, ABOUT_ITSELF, ABOUT_PLACE, ABOUT_VISIT = 6, 15, 3, 2
"""How many numbers an observation has: colours of the sequence, and numbers about the robot, a place and a visit."""
X, Y, TRAVELS, COLLIDED, START, DELIVERED = 0, 1, 3, 4, 11, 13
"""Some of the numbers about the robot."""
HERE, OCCUPIED, VISITED, CONTENTS = 0, 2, 3, 5
"""Some of the numbers about a place and, if it is a room, about the last visit; the contents are at the end."""
TICKS = 50
"""The number of ticks in a simulated second."""
STARTS = 3
"""The number of starting points on the map; the first robot begins at the first one."""


class Plan:
    """The map: what does not differ between episodes."""

    def __init__(self) -> None:
        vector = situated.make_vec("bw4t", 1, **SETTING)
        self.numbers, self.actions = vector.observation_shape[0], vector.actions
        self.places = [action.removeprefix("goTo ") for action in self.actions if action.startswith("goTo ")]
        """The rooms and, at the end, the drop zone."""
        self.colors = [action.removeprefix("pickUp ") for action in self.actions if action.startswith("pickUp ")]
        environment = situated.Environment("bw4t", seed=0, **SETTING)
        robot = environment.register("surveyor")
        robot.associate("Bot_1")
        percepts = robot.perceive()["Bot_1"].add
        (location,) = (percept.args for percept in percepts if percept.name == "location")
        self.size = np.array(location, np.float32) / vector.reset(seed=0)[0][0, 0, [X, Y]]
        """The size of the map: percepts have positions in units, and the encoding has them from 0 to 1."""
        zones = {percept.args[1]: percept.args[2:4] for percept in percepts if percept.name == "zone"}
        self.centres = np.array([zones[place] for place in self.places], np.float32) / self.size
        """The centre of each place, relative to the size of the map."""


class Rows:
    """The parts of observations, with any number of robots in their leading axes. The parts can be written."""

    def __init__(self, plan: Plan, observations: np.ndarray) -> None:
        colors, rooms, leading = len(plan.colors), len(plan.places) - 1, observations.shape[:-1]
        of_rooms = rooms * (ABOUT_PLACE + ABOUT_VISIT + colors)
        lengths = [ABOUT_ITSELF, colors, colors, AHEAD * colors, of_rooms, ABOUT_PLACE]
        parts = np.split(observations, np.cumsum(lengths)[:-1], axis=-1)
        self.itself, self.held, _, needed, all_rooms, self.drop_zone = parts
        self.needed = needed.reshape(*leading, AHEAD, colors)
        """The colour that is needed now, and the next ones, each as flags."""
        self.rooms = all_rooms.reshape(*leading, rooms, -1)


@dataclass(frozen=True)
class Seen:
    """What robots see, and their choices, with any number of robots in the leading axes.

    The choices are, in this order: to go to each place, to pick up a block of each colour ahead, to put a block down,
    and to wait.
    """

    robot: np.ndarray
    """The number of the robot, from 0."""
    position: np.ndarray
    """Its position, from 0 to 1 on both axes."""
    collided: np.ndarray
    """Whether it could not continue on its way, for example at the door of a room with another robot."""
    delivered: np.ndarray
    """The number of delivered colours."""
    needed: np.ndarray
    """Whether there is a first, second, ... colour that is needed: [..., AHEAD]."""
    held: np.ndarray
    """Whether the block that it holds has each of these colours: [..., AHEAD]."""
    holds: np.ndarray
    """Whether it holds a block."""
    here: np.ndarray
    """Whether it is at each place: [..., place]."""
    occupied: np.ndarray
    """Whether some robot is at each place: [..., place]."""
    visited: np.ndarray
    """Whether it has seen the contents of each room: [..., room]."""
    known: np.ndarray
    """The number of blocks of each needed colour that it has seen in each room: [..., room, AHEAD]."""
    blocks: np.ndarray
    """The number of all blocks that it has seen in each room: [..., room]."""
    distances: np.ndarray
    """Its distance from each place on both axes: [..., place, 2]."""
    open: np.ndarray
    """Whether each choice is open: [..., choice]."""
    actions: np.ndarray
    """The number of each choice in the encoding: [..., choice]."""
    decides: np.ndarray
    """Whether it stands. A robot on its way has no choice but to wait."""

    def choose(self, choices: np.ndarray) -> np.ndarray:
        """Returns the actions for these choices."""
        return np.take_along_axis(self.actions, choices[..., None], axis=-1)[..., 0]


def see(plan: Plan, observations: np.ndarray, masks: np.ndarray) -> Seen:
    """Returns what robots see, given their observations and action masks as the environment encodes them."""
    rows = Rows(plan, observations)
    needed = rows.needed > 0
    here = np.concatenate((rows.rooms[..., HERE], rows.drop_zone[..., [HERE]]), axis=-1) > 0
    decides = rows.itself[..., TRAVELS] == 0
    return Seen(
        robot=np.rint(rows.itself[..., START] * STARTS - 1).astype(np.int64),
        position=rows.itself[..., [X, Y]],
        collided=rows.itself[..., COLLIDED] > 0,
        delivered=np.rint(rows.itself[..., DELIVERED] * AHEAD).astype(np.int64),
        needed=needed.any(axis=-1),
        held=(rows.held[..., None, :] * rows.needed).any(axis=-1),
        holds=rows.held.any(axis=-1),
        here=here,
        occupied=np.concatenate((rows.rooms[..., OCCUPIED], rows.drop_zone[..., [OCCUPIED]]), axis=-1) > 0,
        visited=rows.rooms[..., VISITED] > 0,
        known=10 * rows.rooms[..., CONTENTS:] @ np.swapaxes(rows.needed, -1, -2),
        blocks=10 * rows.rooms[..., CONTENTS:].sum(axis=-1),
        distances=np.abs(plan.centres - rows.itself[..., None, [X, Y]]),
        open=_open(plan, rows, masks, here),
        actions=_actions(plan, needed),
        decides=decides,
    )


def _open(plan: Plan, rows: Rows, masks: np.ndarray, here: np.ndarray) -> np.ndarray:
    """Returns which choices are open.

    Robots put no block down where it would be lost: in a hall, or in the drop zone before its turn. And only with the
    colour that is needed now do they enter the drop zone, which holds one robot.
    """
    places, colors = len(plan.places), len(plan.colors)
    wait, go, pick_up, put_down = np.split(masks, [1, 1 + places, 1 + places + colors], axis=-1)
    can_pick_up = ((rows.needed > 0) & pick_up[..., None, :]).any(axis=-1)
    holds_now = (rows.held * rows.needed[..., 0, :]).any(axis=-1)
    is_kept = here[..., :-1].any(axis=-1) | (here[..., -1] & holds_now)
    can_go = np.concatenate((go[..., :-1], go[..., -1:] & holds_now[..., None]), axis=-1) & ~here
    moves = np.concatenate((can_go, can_pick_up, put_down & is_kept[..., None]), axis=-1)
    return np.concatenate((moves & (rows.itself[..., [TRAVELS]] == 0), wait), axis=-1)


def _actions(plan: Plan, needed: np.ndarray) -> np.ndarray:
    places, colors = len(plan.places), len(plan.colors)
    actions = np.zeros((*needed.shape[:-2], places + AHEAD + 2), np.int64)
    actions[..., :places] = 1 + np.arange(places)
    actions[..., places : places + AHEAD] = 1 + places + needed.argmax(axis=-1)
    actions[..., -2] = 1 + places + colors
    return actions


def make_vector(envs: int, seed: int) -> situated.VectorEnv:
    """Returns many episodes for learners, of at most 300 steps. The rewards also tell a robot that it is of use to hold
    a block, and to be in the drop zone with it."""
    return situated.make_vec(
        "bw4t", envs, threads=2, seed=seed, autoreset="same_step", max_cycles=300, reward="shaped", **SETTING
    )


def hurry(rewards: np.ndarray, factor: float) -> np.ndarray:
    """Returns the rewards of a step, in which time costs more by a factor; it is cheap beside a delivery.

    The environment's rewards are multiples of 0.25, less 0.01 for each second; a step lasts at most 10 seconds.
    """
    whole = np.ceil(4 * rewards) / 4
    return whole - factor * (whole - rewards)
