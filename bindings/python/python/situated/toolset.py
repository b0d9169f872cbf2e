"""An entity of an environment in this process as tools for a language model."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from situated import _native
from situated._native import InterfaceError
from situated.environment import Environment

LONGEST_WAIT = 1000
"""The largest number of steps for which `wait_until` waits."""

_LOOK = {
    "name": "look",
    "description": "Returns what has changed since the last answer, and everything that you perceive now.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "about": {"type": "string", "description": "The name of a percept, to see all percepts of this name."}
        },
        "required": [],
        "additionalProperties": False,
    },
}
_WAIT_UNTIL = {
    "name": "wait_until",
    "description": "Lets time pass until you perceive something, and returns what has changed. Use it after an action "
    "that takes time.",
    "inputSchema": {
        "type": "object",
        "properties": {
            "percept": {
                "type": "string",
                "description": "What to wait for: the name of a percept, such as `at`, or a whole percept, such as "
                "`at(RoomC1)`. Without it, the tool waits until anything changes.",
            },
            "steps": {
                "type": "integer",
                "minimum": 1,
                "maximum": LONGEST_WAIT,
                "description": "The largest number of steps to wait. 100 if it is missing.",
            },
        },
        "required": [],
        "additionalProperties": False,
    },
}


@dataclass(frozen=True)
class Answer:
    """The answer of a tool: `text` for the model, the same as `data`, and whether the call failed."""

    text: str
    data: dict[str, Any]
    is_error: bool = False

    def __str__(self) -> str:
        return self.text


class Tools:
    """The tools of one entity: one for each action, `look` and `wait_until`.

    Calling it calls a tool: `tools("goTo", {"place": "RoomC1"})`. A wrong call is an answer with `is_error`, which
    tells the model what is possible. Each action advances time by `steps` steps.
    """

    def __init__(self, environment: Environment, entity: str | None = None, *, name: str = "model", steps: int = 1):
        free = environment.free_entities
        if entity is None and not free:
            raise ValueError(
                f"{environment.name} has no free entity; its entities are {', '.join(environment.entities)}"
            )
        self.environment = environment
        self.entity = entity or free[0]
        self.agent = environment.register(name)
        self.agent.associate(self.entity)
        self._steps = steps
        self._native = _native.Tools(environment._interface, name, environment.entities[self.entity])
        self._declared = [_LOOK, _WAIT_UNTIL, *json.loads(self._native.actions())]

    @property
    def instructions(self) -> str:
        """The rules of the environment, and what the entity is, perceives and can do: a system prompt."""
        you = f"You control `{self.entity}`. Call `look` first."
        return f"{self.environment.ontology.documentation}\n\n{you}\n{self._native.introduction()}"

    @property
    def mcp(self) -> list[dict[str, Any]]:
        """The tools as the Model Context Protocol declares them."""
        return [dict(tool) for tool in self._declared]

    @property
    def openai(self) -> list[dict[str, Any]]:
        """The tools for `tools=` of APIs like OpenAI's Chat Completions."""
        return [
            {
                "type": "function",
                "function": {
                    "name": tool["name"],
                    "description": tool["description"],
                    "parameters": tool["inputSchema"],
                },
            }
            for tool in self._declared
        ]

    @property
    def anthropic(self) -> list[dict[str, Any]]:
        """The tools for `tools=` of Anthropic's Messages API."""
        return [
            {"name": tool["name"], "description": tool["description"], "input_schema": tool["inputSchema"]}
            for tool in self._declared
        ]

    def __call__(self, name: str, arguments: Mapping[str, Any] | str | None = None) -> Answer:
        """Calls a tool, with arguments as a mapping or as JSON. Raises exceptions of the environment, which end it."""
        was_killed = self.environment.state == "killed"
        try:
            given = json.loads(arguments or "{}") if isinstance(arguments, str) else dict(arguments or {})
            if not isinstance(given, dict):
                raise ValueError("the arguments of a tool are an object")
            match name:
                case "look":
                    return self._look(**_fit(_LOOK, given))
                case "wait_until":
                    return self._wait_until(**_fit(_WAIT_UNTIL, given))
                case _:
                    self._native.act(name, json.dumps(given))
        except (InterfaceError, ValueError) as refused:
            if self.environment.state == "killed" and not was_killed:
                raise
            self._native.perceive()
            return self._answer(f"{refused}\n", is_error=True)
        self._pass(self._steps)
        return self._answer("Done. ")

    def _look(self, about: str | None = None) -> Answer:
        self._native.perceive()
        answer = self._answer()
        holding, holds = self._native.holding(about)
        return Answer(answer.text + holding, {**answer.data, "holds": json.loads(holds)})

    def _wait_until(self, percept: str | None = None, steps: int = 100) -> Answer:
        self._native.perceive()
        for _ in range(min(steps, LONGEST_WAIT)):
            if self._native.has(percept) or self._native.ended():
                break
            self._pass(1)
        met = self._native.has(percept)
        answer = self._answer("" if met else "It did not happen in this time. ")
        return Answer(answer.text, {**answer.data, "met": met})

    def _pass(self, steps: int) -> None:
        for _ in range(steps):
            if self._native.ended():
                break
            self.environment.step()
            self._native.perceive()

    def _answer(self, before: str = "", *, is_error: bool = False) -> Answer:
        news, data = self._native.news()
        return Answer(f"{before}{news}{self._native.ended() or ''}", json.loads(data), is_error)

    def __repr__(self) -> str:
        return f"<tools of {self.entity} in {self.environment.name}>"


def _fit(tool: dict[str, Any], given: dict[str, Any]) -> dict[str, Any]:
    kinds = {"string": str, "integer": int}
    properties = tool["inputSchema"]["properties"]
    for name, value in given.items():
        if name not in properties:
            raise ValueError(f"`{name}` is no argument of {tool['name']}; its arguments are {', '.join(properties)}")
        if not isinstance(value, kinds[properties[name]["type"]]):
            raise ValueError(f"`{name}` must be of type {properties[name]['type']}")
    return given


def tools(environment: Environment, entity: str | None = None, *, name: str = "model", steps: int = 1) -> Tools:
    """Returns the tools of an entity, or of the first free one, for a language model.

    `name` is that of the agent; each action advances time by `steps` steps.

    ```python
    environment = situated.Environment("wumpus")
    tools = situated.tools(environment)
    answer = tools("look")  # tools.openai, tools.anthropic and tools.mcp declare them for a model
    ```
    """
    return Tools(environment, entity, name=name, steps=steps)
