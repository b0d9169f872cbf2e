"""The class of the Find the Goals document."""

import subprocess
import sys

import numpy as np
import pytest
from env_FindGoals import EnvFindGoals

PLAY = """
from env_FindGoals import EnvFindGoals
import random
import numpy as np

env = EnvFindGoals()
max_iter = 100
for i in range(max_iter):
    print("iter= ", i)
    env.step(random.randint(0, 4), random.randint(0, 4))
    print("agent 1 is at ", env.agent1_pos)
    print("agent 1 observation= ", env.get_agt1_obs())
    print("agent 2 is at ", env.agent2_pos)
    print("agent 2 observation= ", env.get_agt2_obs())
"""

SHOW = """
from env_FindGoals import EnvFindGoals
import random
import numpy as np

env = EnvFindGoals()
max_iter = 1000
action1_list = np.random.randint(0, 4, size=[1, max_iter])
action2_list = np.random.randint(0, 4, size=[1, max_iter])
env.test(action1_list, action2_list, max_iter, 200, {plot})
"""


@pytest.mark.parametrize("program", [PLAY, SHOW.format(plot=False), SHOW.format(plot=True)])
def test_the_programs_of_the_document_run(program, tmp_path):
    environment = {"MPLBACKEND": "agg", "MPLCONFIGDIR": str(tmp_path), "PATH": ""}
    run = subprocess.run([sys.executable, "-c", program], env=environment, capture_output=True, text=True, timeout=120)
    assert run.returncode == 0, run.stderr


def test_begins_as_in_the_document():
    env = EnvFindGoals()
    assert (env.agent1_pos, env.agent2_pos) == ([3, 1], [6, 1])
    for observation in (env.get_agt1_obs(), env.get_agt2_obs()):
        assert observation.shape == (1, 8) and observation.dtype == np.float64
        assert observation.tolist() == [[0, 0, 0, 1, 1, 1, 1, 1]]


def test_the_view_of_figure_11():
    env = EnvFindGoals()
    for action in (0, 2, 2):
        env.step(4, action)
    assert env.agent2_pos == [4, 2]
    assert env.get_agt1_obs().tolist() == [[0, 0, 2, 1, 1, 1, 1, 1]]


def test_a_goal_is_rewarded_and_left_again_and_again():
    env = EnvFindGoals()
    for _ in range(3):
        rewards = [env.step(action, 4)[0] for action in (0, 3, 3, 3, 3, 3)]
        assert rewards == [-1, -1, -1, -1, -1, 99]
        assert env.agent1_pos == [3, 1]
    env.step(0, 0)
    env.reset()
    assert (env.agent1_pos, env.agent2_pos) == ([3, 1], [6, 1])


def test_invalid_actions_wait():
    env = EnvFindGoals()
    for action in (5, -1, None, "0", 1.5):
        assert env.step(action, 4)[0] == 0
    assert env.step(np.int32(0), np.uint8(0))[0] == -2


def test_observations_do_not_change_later():
    env = EnvFindGoals()
    before = env.get_agt1_obs()
    env.step(0, 4)
    assert before.tolist() == [[0, 0, 0, 1, 1, 1, 1, 1]]


def test_positions_and_observations_are_printed(capsys):
    env = EnvFindGoals()
    env.output_info()
    assert "[3, 1]" in capsys.readouterr().out
    env.test([[0, 3]], [[4, 4]], 2, 10, False)
    assert "[4, 2]" in capsys.readouterr().out


def test_the_animation_draws_every_step(monkeypatch):
    pytest.importorskip("matplotlib").use("agg")
    animation = EnvFindGoals().test([[0, 3, 3]], [[4, 4, 4]], 3, 10, True)
    animation._init_draw()
    for frame in range(3):
        animation._draw_frame(frame)
    assert animation._fig.axes[0].get_title() == "timestep 2"
