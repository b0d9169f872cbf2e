"""A tournament in Blocks World for Teams, of two robots by decisions: `python tournament.py`

All players play the same games, and a table says how much they deliver. The learners play as they were saved. With
--train, they learn anew first, are saved, and their learning curves are drawn; this needs JAX and Matplotlib.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

import q_learning
from games import compete, play, play_builtin, table
from players import SAVED, Player, network, tables
from sight import Plan

SEED = 0
ITERATIONS, ROUNDS = 120, 60
"""How long PPO and the independent learners learn."""
POINTS, GAMES, FIRST_GAME = 20, 12, 2_000_000
"""The points of a learning curve, and the games for each of them, with the seed of the first one."""

Curve = list[tuple[int, float]]
"""Steps of the environment, and deliveries as a percentage of those of the built-in team."""


def follow(
    name: str, learning: Iterator[Any], player: Callable[[Any], Player], count: int, steps: int
) -> tuple[Any, Curve]:
    """Returns what was learned at the end, and the curve. The learning has `count` parts, each of `steps` steps."""
    plan, seeds = Plan(), range(FIRST_GAME, FIRST_GAME + GAMES)
    full = np.mean([game.rate for game in play_builtin(seeds, "tick")])
    curve, spent, begin = Curve(), 0.0, time.process_time()
    for number, learned in enumerate(learning, 1):
        if number % max(1, count // POINTS) == 0 or number == count:
            spent += time.process_time() - begin
            percent = 100 * float(np.mean([play(player(learned), plan, seed).rate for seed in seeds]) / full)
            curve.append((number * steps, percent))
            print(f"{name}: {number * steps:9,} steps, {spent:5.0f} s of a processor: {percent:5.1f} %", flush=True)
            begin = time.process_time()
    return learned, curve


def train(part: float, folder: Path) -> None:
    """Trains the learners for a part of their time, and saves them and their curves in a folder."""
    import ppo

    iterations, rounds = (max(1, round(part * all)) for all in (ITERATIONS, ROUNDS))
    values, by_tables = follow(
        "independent learners", q_learning.train(SEED, rounds), tables, rounds, q_learning.ENVS * q_learning.STEPS
    )
    np.savez_compressed(folder / "q_learning.npz", values=values.astype(np.float32))
    weights, by_ppo = follow("PPO", ppo.train(SEED, iterations), network, iterations, ppo.ENVS * ppo.STEPS)
    np.savez_compressed(folder / "ppo.npz", **weights)
    draw(folder / "curves.svg", {"PPO": by_ppo, "independent learners": by_tables})


def draw(picture: Path, curves: dict[str, Curve]) -> None:
    """Draws learning curves. The same curves make the same picture, whenever it is drawn."""
    import matplotlib
    import matplotlib.pyplot as plt

    # Text stays text, which is smaller than its outlines; the salt makes the names inside the file the same each time.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "situated", "font.family": "sans-serif"})
    figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
    # These colours (Okabe and Ito 2008) look different to the colour-blind, too.
    for color, (name, curve) in zip(("#d55e00", "#0072b2"), curves.items()):
        axes.plot(*np.transpose(curve), color=color, label=name)
    axes.axhline(100, color="0.4", linewidth=0.8, linestyle="--", label="built-in team")
    axes.set(xlabel="steps of the environment", ylabel="deliveries per minute, in percent", ylim=(0, 105))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.grid(color="0.9")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False, loc="lower right")
    # A page may be dark: the picture brings its own ground.
    figure.savefig(picture, facecolor="white", metadata={"Date": None})


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--games", type=int, default=100, help="games of each player")
    parser.add_argument("--train", action="store_true", help="let the learners learn first")
    parser.add_argument("--part", type=float, default=1.0, help="the part of the training to make, such as 0.01")
    parser.add_argument("--folder", type=Path, default=SAVED, help="where the learners are saved")
    options = parser.parse_args()
    if options.train:
        train(options.part, options.folder)
    print(table(compete(options.games, options.folder)))


if __name__ == "__main__":
    main()
