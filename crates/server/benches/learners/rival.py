"""Find the Goals on the server of the package `openenv`: rival.py PORT

The world is the one in Rust, from the package `situated`, and its methods are asynchronous, which saves that server a thread.
"""

import sys

import uvicorn
from openenv.core.env_server.http_server import create_fastapi_app
from openenv.core.env_server.interfaces import Environment
from openenv.core.env_server.types import Action, Observation, State
from situated.pettingzoo import parallel_env

WAIT = 4


class Move(Action):
    """An action of red."""

    action: int


class Sight(Observation):
    """What red sees."""

    step: int
    numbers: list[int]
    mask: list[bool]


class Walk(Environment[Move, Sight, State]):
    """An episode in which red walks and blue waits."""

    SUPPORTS_CONCURRENT_SESSIONS = True

    def __init__(self):
        super().__init__()
        self.walkers = parallel_env("find-goals")
        self.steps = 0

    def _see(self, seen, reward):
        return Sight(step=self.steps, numbers=seen["agent_0"].tolist(), mask=[True] * 5, reward=reward)

    async def reset_async(self, seed=None, episode_id=None, **_):
        seen, _ = self.walkers.reset(seed=seed)
        self.steps = 0
        return self._see(seen, None)

    async def step_async(self, action, timeout_s=None, **_):
        seen, rewards, *_ = self.walkers.step({"agent_0": action.action, "agent_1": WAIT})
        self.steps += 1
        return self._see(seen, rewards["agent_0"])

    def reset(self, seed=None, episode_id=None, **_):
        raise NotImplementedError

    def step(self, action, timeout_s=None, **_):
        raise NotImplementedError

    @property
    def state(self):
        return State(step_count=self.steps)


app = create_fastapi_app(Walk, Move, Sight, max_concurrent_envs=256)
uvicorn.run(app, host="127.0.0.1", port=int(sys.argv[1]), log_level="error")
