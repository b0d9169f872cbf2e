"""Find the Goals as the class that its document describes (Shuo Jiang, Northeastern University, 2018).

The rules are those of the environment `find-goals` in this package, whose entities `red` and `blue` are the document's
agents 1 and 2. Where the document and its programs differ, `situated` follows the program of 25 October 2018.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from situated._native import Parallel
from situated.extras import extra

if TYPE_CHECKING:
    from matplotlib.animation import FuncAnimation
    from matplotlib.axes import Axes

Observation = npt.NDArray[np.float64]

WIDTH, HEIGHT = 10, 4
WAIT = 4

_OWN = 4
"""The value of an agent's own cell in its observation of the whole maze."""

_FREE = {(x, 2) for x in range(1, 9)} | {(3, 1), (6, 1)}


class EnvFindGoals:
    """Two agents in a maze, agent 1 from (3, 1) to (8, 2) and agent 2 from (6, 1) to (1, 2).

    Actions are 0 (up), 1 (down), 2 (left), 3 (right) and 4 (wait); any other value waits. Observations have the shape
    (1, 8): the neighbouring cells, row by row from the top; 0 is free, 1 a wall, 2 the other agent.
    """

    agent1_pos: list[int]
    agent2_pos: list[int]

    def __init__(self) -> None:
        self._environment = Parallel("find-goals", {"view": "global"}, seed=1)
        self._agents = self._environment.possible_agents()
        self._known: dict[bytes, tuple[tuple[int, int], Observation]] = {}
        self.reset()

    def get_agt1_obs(self) -> Observation:
        """Returns the observation of agent 1, of the shape (1, 8)."""
        return self._first.copy()

    def get_agt2_obs(self) -> Observation:
        """Returns the observation of agent 2, of the shape (1, 8)."""
        return self._second.copy()

    def step(self, action1: int, action2: int) -> tuple[int, Observation, Observation]:
        """Lets both agents act, agent 1 first. Returns the joint reward and both observations."""
        first, second = self._agents
        observations, rewards, *_ = self._environment.step({first: _action(action1), second: _action(action2)})
        self._look(observations)
        return int(rewards[first]), self.get_agt1_obs(), self.get_agt2_obs()

    def reset(self) -> None:
        """Puts both agents on their starts, (3, 1) and (6, 1)."""
        observations, _ = self._environment.reset()
        self._look(observations)

    def output_info(self) -> None:
        """Prints the positions of the agents."""
        print(f"agent 1 is at {self.agent1_pos}, agent 2 is at {self.agent2_pos}")

    def test(
        self, action1_list: Any, action2_list: Any, max_iter: int, interval: float, if_plot: bool
    ) -> FuncAnimation | None:
        """Plays the given actions, arrays of the shape (1, max_iter).

        With `if_plot`, shows and returns an animation (it needs matplotlib), with `interval` milliseconds between
        frames; otherwise, prints positions and observations.
        """
        actions = zip(*(np.ravel(actions)[:max_iter] for actions in (action1_list, action2_list)))
        if if_plot:
            return _animate(self._play(actions), max_iter + 1, interval)
        for step, (reward, *_) in enumerate(self._play(actions)):
            print(f"step {step}: joint reward {reward}")
            self.output_info()
            print(f"agent 1 sees {self.get_agt1_obs()}, agent 2 sees {self.get_agt2_obs()}")
        return None

    def _play(self, actions: Iterator[tuple[Any, Any]]) -> Iterator[tuple[int, list[int], list[int]]]:
        """Yields the reward and the positions, at the beginning and after each step."""
        yield 0, self.agent1_pos, self.agent2_pos
        for action1, action2 in actions:
            reward, *_ = self.step(int(action1), int(action2))
            yield reward, self.agent1_pos, self.agent2_pos

    def _look(self, observations: dict[str, npt.NDArray[Any]]) -> None:
        """Takes over the positions and views of both agents."""
        (self.agent1_pos, self._first), (self.agent2_pos, self._second) = (
            self._understand(observations[agent]) for agent in self._agents
        )

    def _understand(self, maze: npt.NDArray[Any]) -> tuple[list[int], Observation]:
        """Returns the position of the agent with this observation, and its neighbouring cells."""
        # There are few observations.
        key = maze.tobytes()
        known = self._known.get(key)
        if known is None:
            row, column = (int(index) for index in np.argwhere(maze == _OWN)[0])
            around = maze[row - 1 : row + 2, column - 1 : column + 2].ravel()
            known = (column, HEIGHT - 1 - row), np.delete(around, 4).astype(np.float64).reshape(1, 8)
            self._known[key] = known
        position, around = known
        return list(position), around

    def __repr__(self) -> str:
        return f"<Find the Goals: agent 1 is at {self.agent1_pos}, agent 2 is at {self.agent2_pos}>"


def _action(action: Any) -> int:
    """Returns the number of an action; any other value waits."""
    return int(action) if isinstance(action, (int, np.integer)) and 0 <= action < WAIT else WAIT


def _animate(play: Iterator[tuple[int, list[int], list[int]]], frames: int, interval: float) -> FuncAnimation:
    """Returns an animation of three panels, as in the document's figure 13: the maze, and the view of each agent."""
    with extra("window"):
        from matplotlib import pyplot
        from matplotlib.animation import FuncAnimation

    figure = pyplot.figure(figsize=(10, 5))
    whole = figure.add_subplot(1, 2, 1)
    views = [figure.add_subplot(2, 2, 2), figure.add_subplot(2, 2, 4)]

    def draw(frame: int) -> None:
        _, *positions = next(play)
        _draw_panel(whole, positions, None)
        whole.set_title(f"timestep {frame}")
        for view, viewer in zip(views, positions):
            _draw_panel(view, positions, viewer)

    animation = FuncAnimation(figure, draw, frames=frames, interval=interval, repeat=False, init_func=lambda: None)
    pyplot.show()
    return animation


def _draw_panel(axes: Axes, positions: list[list[int]], viewer: list[int] | None) -> None:
    """Draws the maze, as a whole or near this viewer."""
    from matplotlib.patches import Rectangle

    axes.clear()
    axes.set(xlim=(0, WIDTH), ylim=(0, HEIGHT), aspect="equal", xticks=[], yticks=[])
    colors = {tuple(position): color for position, color in zip(positions, ("red", "blue"))}
    for x in range(WIDTH):
        for y in range(HEIGHT):
            hidden = viewer is not None and max(abs(x - viewer[0]), abs(y - viewer[1])) > 1
            color = "lightgray" if hidden else colors.get((x, y), "white" if (x, y) in _FREE else "black")
            axes.add_patch(Rectangle((x, y), 1, 1, facecolor=color, edgecolor="gray", linewidth=0.5))
