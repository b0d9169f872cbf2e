"""Adapted environments without a server: answers and updates of their provider."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
from gymnasium import spaces
from pettingzoo import ParallelEnv
from pettingzoo.classic import tictactoe_v3
from situated import Failure
from situated.authoring.provider import Provider
from situated.hosting.adapted import adapt
from situated.iil import Action, Percept


class Race(ParallelEnv):
    """The action 1 moves a runner by one cell. The episode ends for a runner on cell 2, and for all after 4 steps."""

    metadata: ClassVar[dict[str, Any]] = {"name": "race"}

    def __init__(self) -> None:
        self.possible_agents = ["runner_0", "runner_1"]
        self.seeds: list[int] = []

    def observation_space(self, agent: str) -> spaces.Space[Any]:
        return spaces.Discrete(3)

    def action_space(self, agent: str) -> spaces.Space[Any]:
        return spaces.Discrete(2)

    def reset(self, seed: int | None = None, options: Any = None) -> Any:
        assert seed is not None
        self.seeds.append(seed)
        self.agents, self.time, self.cells = list(self.possible_agents), 0, dict.fromkeys(self.possible_agents, 0)
        return dict(self.cells), {agent: {} for agent in self.agents}

    def step(self, actions: dict[str, int]) -> Any:
        self.time += 1
        for agent in self.agents:
            self.cells[agent] += actions[agent]
        there = {agent: self.cells[agent] == 2 for agent in self.agents}
        late = dict.fromkeys(self.agents, self.time == 4)
        told = {agent: self.cells[agent] for agent in self.agents}, there, there, late, {a: {} for a in self.agents}
        self.agents = [agent for agent in self.agents if not (there[agent] or late[agent])]
        return told


def act(entity: str, action: object) -> dict[str, Any]:
    return {"agent": "ada", "entity": entity, "action": Action("act", action).to_data()}


def test_a_parallel_environment_acts_when_all_have_chosen() -> None:
    env = Race()
    environment = adapt(env)
    provider = Provider(environment)
    (runner,) = environment.ontology["entityTypes"]
    assert (environment.ontology["name"], environment.ontology["pace"], runner["name"]) == (
        "race",
        "lockstep",
        "runner",
    )
    update = provider.answer("init", {"parameters": {}, "seed": (1 << 63) + 5})["update"]
    assert env.seeds == [5]
    assert [new["entity"] for new in update["new"]] == ["runner_0", "runner_1"]
    assert provider.answer("act", act("runner_0", 1)) == {}
    update = provider.answer("step", {})["update"]
    assert update["step"] == 1
    assert update["percepts"] == [
        {
            "entity": "runner_0",
            "delete": [Percept("observation", 0).to_data()],
            "add": [Percept("observation", 1).to_data()],
        }
    ]
    assert [event["percept"] for event in update["events"]] == [Percept("reward", 0.0).to_data()] * 2
    provider.answer("act", act("runner_0", 1))
    update = provider.answer("step", {})["update"]
    assert {"entity": "runner_0", "percept": Percept("terminated").to_data()} in update["events"]
    assert "ending" not in update["outcome"]
    with pytest.raises(Failure, match="over for `runner_0`"):
        provider.answer("act", act("runner_0", 0))
    provider.answer("step", {})
    update = provider.answer("step", {})["update"]
    assert {"entity": "runner_1", "percept": Percept("truncated").to_data()} in update["events"]
    assert update["outcome"]["ending"] == "terminated"
    assert provider.answer("step", {}) == {"update": {"step": 5}}
    with pytest.raises(Failure, match="the episode is over"):
        provider.answer("act", act("runner_1", 0))
    update = provider.answer("reset", {"parameters": {}, "seed": 2})["update"]
    assert len(update["new"]) == 2 and update["step"] == 0 and "ending" not in update["outcome"]


def test_sends_everything_to_a_server_with_another_state() -> None:
    provider = Provider(adapt(Race()))
    provider.answer("init", {"parameters": {}, "seed": 1})
    update = provider.report_all(["runner_1", "somebody"])
    assert update["deleted"] == ["somebody"]
    assert [new["entity"] for new in update["new"]] == ["runner_0"]
    assert all(told["resync"] for told in update["percepts"]) and len(update["percepts"]) == 2
    assert provider.take_update() == {}
    (told,) = provider.answer("perceive", {"entity": "runner_1"})["update"]["percepts"]
    assert told == {"entity": "runner_1", "resync": True, "add": [Percept("observation", 0).to_data()]}


def test_only_one_agent_can_act_in_turns() -> None:
    environment = adapt(tictactoe_v3.env())
    environment.begin_episode(1, {})
    assert environment.ontology["pace"] == "reactive"
    assert environment.entities == {"player_1": "player", "player_2": "player"}
    with pytest.raises(Failure, match="it is the turn of `player_1`, not of `player_2`"):
        environment.act("player_2", Action("act", 0))
    for place, player in enumerate(["player_1", "player_2", "player_1"]):
        assert Percept("turn", player) in environment.percepts("player_2")
        environment.act(player, Action("act", place))
    with pytest.raises(Failure, match="not legal now; legal are 3, 4, 5, 6, 7, 8"):
        environment.act("player_2", Action("act", 1))


def test_an_environment_of_gymnasium_has_one_entity() -> None:
    environment = adapt(gymnasium.make("CartPole-v1"))
    environment.begin_episode(1, {})
    assert environment.ontology["name"] == "CartPole-v1"
    (before,) = environment.percepts("agent")
    environment.act("agent", Action("act", 1))
    assert environment.percepts("agent") != [before]
    assert environment.take_events() == [("agent", Percept("reward", 1.0))] and environment.take_events() == []
    assert environment.results() == [("agent", "return", 1.0)]


def test_a_mask_in_the_info_determines_legal_actions() -> None:
    environment = adapt(gymnasium.make("Taxi-v3" if "Taxi-v3" in gymnasium.registry else "Taxi-v4"))
    environment.begin_episode(1, {})
    legal = [percept for percept in environment.percepts("agent") if percept.name == "legal"]
    assert 0 < len(legal) < 6


def test_rejects_other_objects() -> None:
    with pytest.raises(TypeError, match="is not an environment of Gymnasium or PettingZoo"):
        adapt(np.zeros(3))
