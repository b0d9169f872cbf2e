"""The games of the tournament: every player plays those with the same seeds."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import situated

from observer import Observer
from players import SAVED, Player, guesser, load_network, load_tables, script
from sight import AHEAD, SETTING, TICKS, Plan, see

LONGEST, DECISIONS = 120.0, 300
"""Simulated seconds and decisions after which a game ends. Robots that only wait use up decisions, but hardly time."""
HELD_OUT = 1_000_000
"""The seed of the first game, and the others follow. Learners begin with other seeds."""

TEAM, TEAM_BY_DECISIONS = "built-in team", "built-in team, by decisions"


@dataclass(frozen=True)
class Game:
    """How a game went."""

    delivered: int
    """The number of delivered colours, of six."""
    seconds: float
    """The simulated seconds until the last one; `LONGEST` if the game is not complete."""

    @property
    def rate(self) -> float:
        """Deliveries in a simulated minute."""
        return 60 * self.delivered / self.seconds


def play(player: Player, plan: Plan, seed: int, watch: Callable[[Any], object] = lambda environment: None) -> Game:
    """Plays a game in which every robot has an agent, which perceives and acts by terms."""
    environment = situated.Environment("bw4t", seed=seed, **SETTING)
    agents = {entity: environment.register(entity.lower()) for entity in environment.entities}
    observers = {entity: Observer(plan, entity) for entity in agents}
    for entity, agent in agents.items():
        agent.associate(entity)
    for _ in range(DECISIONS):
        for agent in agents.values():
            # All robots look before one of them acts.
            agent.perceive()
        for entity, agent in agents.items():
            seen = see(plan, *observers[entity].observe(agent.beliefs(entity)))
            action = observers[entity].act(int(seen.choose(player(seen))))
            if action is not None:
                agent.act(action)
        environment.step()
        watch(environment)
        results = team_results(environment.outcome())
        if results["completed"] or results["simulated seconds"] >= LONGEST:
            break
    return game_of(results)


def play_builtin(seeds: range, steps: str) -> list[Game]:
    """Plays games of the team that ships with the environment, whose steps are ticks or decisions."""
    command = [sys.executable, "-m", "situated", "run", "bw4t", "--agents", "team", "--format", "json"]
    command += ["--seed", str(seeds[0]), "--repeat", str(len(seeds)), "--steps", str(round(TICKS * LONGEST))]
    command += [f"--param={name}={value}" for name, value in {**SETTING, "steps": steps}.items()]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return [game_of(team_results(run)) for run in json.loads(done.stdout)["runs"]]


def team_results(outcome: dict[str, Any]) -> dict[str, Any]:
    """Returns the results of the team, by their names."""
    return {result["name"]: result["value"] for result in outcome["results"] if result["of"] == "team"}


def game_of(results: dict[str, Any]) -> Game:
    """Returns the game with these results of the team."""
    return Game(results["delivered"], results["simulated seconds"] if results["completed"] else LONGEST)


def compete(games: int, folder: Path = SAVED) -> dict[str, list[Game]]:
    """Returns the games of each player. The learners play as they are saved in the folder."""
    plan, seeds = Plan(), range(HELD_OUT, HELD_OUT + games)
    played = {
        TEAM: play_builtin(seeds, "tick"),
        TEAM_BY_DECISIONS: play_builtin(seeds, "decision"),
    }
    players = {
        "script": script,
        "PPO": load_network(folder),
        "independent learners": load_tables(folder),
        "random choices": guesser(seed=0),
    }
    return played | {name: [play(player, plan, seed) for seed in seeds] for name, player in players.items()}


def table(played: dict[str, list[Game]]) -> str:
    """Returns a table of the players in Markdown, with 95 % confidence intervals."""
    full, by_decisions = (np.mean([game.rate for game in played[team]]) for team in (TEAM, TEAM_BY_DECISIONS))
    lines = [
        "| player | delivered of 6 | complete | seconds | deliveries per minute | of the team | of it by decisions |",
        "| --- | ---: | ---: | ---: | ---: | ---: | ---: |",
    ]
    for name, games in played.items():
        delivered, seconds = (np.mean([getattr(game, of) for game in games]) for of in ("delivered", "seconds"))
        complete = np.mean([game.delivered == AHEAD for game in games])
        rates = np.array([game.rate for game in games])
        around = 1.96 * rates.std(ddof=1) / np.sqrt(len(rates))
        lines.append(
            f"| {name} | {delivered:.2f} | {complete:.0%} | {seconds:.1f} | {rates.mean():.2f} ± {around:.2f} "
            f"| {rates.mean() / full:.0%} | {rates.mean() / by_decisions:.0%} |".replace("%", " %")
        )
    return "\n".join(lines)
