"""Draws the learning curves of the examples into one picture: `python learning_curves.py FILE.svg CURVE.csv...`

Each file has a line for each point, `steps,percent`, as the examples write with `--curve`, and is named in the legend
without its ending. The same curves make the same picture to the byte, whenever it is drawn.
"""

import sys
from pathlib import Path

import matplotlib
import matplotlib.pyplot as plt
import numpy as np

COLORS = ["#0072b2", "#d55e00", "#009e73", "#cc79a7"]
"""Those of Okabe and Ito (2008), which the colour-blind can tell apart."""


def draw(picture, curves):
    """One line for each curve, over the steps of the environment."""
    # Text stays text, which is smaller than its outlines; the salt makes the names inside the file the same each time.
    matplotlib.rcParams.update({"svg.fonttype": "none", "svg.hashsalt": "situated", "font.family": "sans-serif"})
    figure, axes = plt.subplots(figsize=(7.5, 4), layout="constrained")
    for color, curve in zip(COLORS, curves):
        steps, percent = np.loadtxt(curve, delimiter=",", skiprows=1, ndmin=2).T
        axes.plot(steps, percent, color=color, label=Path(curve).stem)
    axes.set(xscale="log", xlabel="steps of the environment", ylabel="percent of the best possible", ylim=(-15, 105))
    axes.xaxis.set_major_formatter("{x:,.0f}")
    axes.axhline(0, color="0.6", linewidth=0.8)
    axes.grid(color="0.9")
    axes.spines[["top", "right"]].set_visible(False)
    axes.legend(frameon=False)
    # A page may be dark: the picture brings its own ground.
    figure.savefig(picture, facecolor="white", metadata={"Date": None})


if __name__ == "__main__":
    draw(sys.argv[1], sys.argv[2:])
