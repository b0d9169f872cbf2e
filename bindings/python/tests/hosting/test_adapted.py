"""Adapted environments without a server."""

from __future__ import annotations

from typing import Any, ClassVar

import gymnasium
import numpy as np
import pytest
import situated
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


def test_a_parallel_environment_acts_when_all_have_chosen() -> None:
    env = Race()
    adapted = adapt(env)
    (runner,) = adapted.ontology["entityTypes"]
    assert (adapted.ontology["name"], adapted.ontology["pace"], runner["name"]) == ("race", "lockstep", "runner")
    environment = situated.Environment(adapted, seed=(1 << 63) + 5)
    assert env.seeds == [5]
    assert environment.entities == {"runner_0": "runner", "runner_1": "runner"}
    first, second = (environment.register(name) for name in ("ada", "bob"))
    first.associate("runner_0")
    second.associate("runner_1")
    assert first.perceive()["runner_0"].add == second.perceive()["runner_1"].add == [Percept("observation", 0)]
    assert first.act("act", 1) == {"runner_0": []}
    assert first.perceive()["runner_0"].add == []
    environment.step()
    moved, stayed = first.perceive()["runner_0"], second.perceive()["runner_1"]
    assert (moved.delete, moved.add) == ([Percept("observation", 0)], [Percept("observation", 1)])
    assert (stayed.delete, stayed.add) == ([], [])
    assert moved.events == stayed.events == [Percept("reward", 0.0)]
    assert moved.moment.step == 1
    first.act("act", 1)
    environment.step()
    assert Percept("terminated") in first.perceive()["runner_0"].events
    assert environment.outcome()["ending"] is None
    with pytest.raises(situated.InterfaceError, match="over for `runner_0`"):
        first.act("act", 0)
    environment.step()
    environment.step()
    assert Percept("truncated") in second.perceive()["runner_1"].events
    assert environment.outcome()["ending"] == "terminated"
    environment.step()
    after = second.perceive()["runner_1"]
    assert (after.add, after.delete, after.events, after.moment.step) == ([], [], [], 5)
    with pytest.raises(situated.InterfaceError, match="the episode is over"):
        second.act("act", 0)
    environment.reset(seed=2)
    assert len(environment.entities) == 2 and environment.moment.step == 0
    assert environment.outcome()["ending"] is None


def test_reports_everything_to_a_server_with_another_state() -> None:
    provider = Provider(adapt(Race()))
    provider.begin(1, {})
    provider.begin_report(["runner_1", "somebody"])
    assert provider.news() == (["somebody"], [("runner_0", "runner")], [])
    assert provider.news() is None
    assert provider.outcome() is not None and provider.outcome() is None
    assert provider.percepts() == [(runner, [Percept("observation", 0)]) for runner in ("runner_0", "runner_1")]


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
