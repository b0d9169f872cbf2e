"""An environment written in Python in which a learner finds the best plan: a farmer crosses a river.

python ferry.py          learns with a table, and prints the plan
"""

from __future__ import annotations

from collections import defaultdict
from typing import Annotated, Literal

import numpy as np
import situated
from situated import Action, EntityType, Failure, Measure, Percept, PythonEnvironment, Scene, Shape

Thing = Literal["wolf", "goat", "cabbage"]
THINGS: tuple[Thing, ...] = ("wolf", "goat", "cabbage")


class Cross(Action):
    """Crosses the river."""

    load: Annotated[Literal["nothing", "wolf", "goat", "cabbage"], "What the boat carries besides the farmer."]


class Across(Percept, delivery="onChangeWithNegation"):
    """Something or the farmer has crossed the river."""

    who: Annotated[Literal["farmer", "wolf", "goat", "cabbage"], "Who has."]


class Ferry(PythonEnvironment):
    """A farmer wants to cross a river with a wolf, a goat and a cabbage, one at a time. Without the farmer, the wolf
    eats the goat, and the goat eats the cabbage."""

    farmer = EntityType("The farmer.", actions=[Cross], percepts=[Across])

    def begin(self) -> None:
        self.crossings = 0
        self.across = dict.fromkeys(("farmer", *THINGS), False)
        self.add("farmer", self.farmer)

    def act(self, entity: str, action: Cross) -> None:
        if not self.possible(entity, action):
            raise Failure(f"the {action.load} is on the other side")
        for one in {"farmer", action.load} & self.across.keys():
            self.across[one] = not self.across[one]
        self.crossings += 1

    def percepts(self, entity: str) -> list[Percept]:
        return [Across(one) for one, has_crossed in self.across.items() if has_crossed]

    def possible(self, entity: str, action: Cross) -> bool:
        return action.load == "nothing" or self.across[action.load] == self.across["farmer"]

    def reward(self, entity: str) -> float:
        return -1.0 + 10.0 * all(self.across.values()) - 10.0 * self.is_eaten

    def ending(self) -> Literal["terminated"] | None:
        return "terminated" if all(self.across.values()) or self.is_eaten else None

    def results(self) -> list[Measure]:
        return [Measure("farmer", "crossings", self.crossings), Measure("farmer", "done", all(self.across.values()))]

    def scene(self) -> Scene:
        banks = [Shape.rectangle(x, 0, 2, 4, "green") for x in (0, 4)]
        crossing = enumerate(self.across.items())
        all_of_them = [Shape.circle(5 if over else 1, y + 0.5, 0.4, "white", label=one) for y, (one, over) in crossing]
        return Scene(6, 4, banks + all_of_them)

    @property
    def is_eaten(self) -> bool:
        """Whether the goat was alone with the wolf or the cabbage."""
        goat, farmer = self.across["goat"], self.across["farmer"]
        return goat != farmer and goat in (self.across["wolf"], self.across["cabbage"])


def learn(seed: int = 1, episodes: int = 400) -> list[str]:
    """Learns with a table; returns the plan that follows from it."""
    ferry = situated.parallel_env(Ferry, max_cycles=30)
    random = np.random.default_rng(seed)
    values: dict[bytes, np.ndarray] = defaultdict(lambda: np.zeros(len(ferry.actions)))
    for episode in range(episodes + 1):
        exploring, plan = 0.3 if episode < episodes else 0.0, []
        observations, _ = ferry.reset(seed=seed)
        state = observations["agent_0"].tobytes()
        while ferry.agents:
            masked = np.where(ferry.action_masks("agent_0"), values[state], -np.inf)
            possible = np.flatnonzero(ferry.action_masks("agent_0"))
            action = int(random.choice(possible) if random.random() < exploring else masked.argmax())
            plan.append(ferry.actions[action])
            observations, rewards, terminations, _, _ = ferry.step({"agent_0": action})
            after = observations["agent_0"].tobytes()
            best = 0.0 if terminations["agent_0"] else values[after].max()
            values[state][action] += 0.5 * (rewards["agent_0"] + best - values[state][action])
            state = after
    return plan


if __name__ == "__main__":
    print(*learn(), sep="\n")
