"""An entity as tools for language models."""

import json

import pytest
import situated


def test_a_model_walks_and_reads_what_happens():
    environment = situated.Environment("find-goals")
    tools = situated.tools(environment, "red")
    assert "You control `red`" in tools.instructions and "What you can do: " in tools.instructions
    assert "see(north,free)" in tools("look").data["holds"]
    answer = tools("up", "{}")
    assert not answer.is_error and str(answer).startswith("Done. Step 1."), answer
    assert "see(south,free)" in answer.data["new"] and "see(north,free)" in answer.data["noLonger"]
    for _ in range(5):
        tools("right")
    [goals] = [one["value"] for one in environment.outcome()["results"] if (one["of"], one["name"]) == ("red", "goals")]
    assert goals == 1


def test_the_declarations_are_those_of_each_convention():
    tools = situated.tools(situated.Environment("bw4t"))
    names = [tool["name"] for tool in tools.mcp]
    assert names[:2] == ["look", "wait_until"] and "goTo" in names and "seat" not in json.dumps(tools.mcp)
    assert [tool["function"]["name"] for tool in tools.openai] == names
    assert [tool["name"] for tool in tools.anthropic] == names
    go = names.index("goTo")
    schema = tools.mcp[go]["inputSchema"]
    assert schema["properties"].keys() >= {"x", "y"} and schema["required"] == []
    assert tools.openai[go]["function"]["parameters"] == tools.anthropic[go]["input_schema"] == schema


def test_time_passes_until_something_is_perceived():
    environment = situated.Environment("bw4t")
    tools = situated.tools(environment, steps=1)
    tools("goTo", {"place": "RoomA1"})
    arrived = tools("wait_until", {"percept": "in(RoomA1)", "steps": 1000})
    assert arrived.data["met"] and "in('RoomA1')" in tools("look", {"about": "in"}).data["holds"]
    assert environment.moment.step > 10
    before = environment.moment.step
    assert not tools("wait_until", {"percept": "in(RoomB2)", "steps": 7}).data["met"]
    assert environment.moment.step == before + 7


@pytest.mark.parametrize(
    ("tool", "arguments", "told"),
    [
        ("fly", {}, "a bot cannot do this; it can do: "),
        ("goTo", {"planet": "Mars"}, "goTo("),
        ("goTo", {"place": "RoomZ9"}, "RoomZ9"),
        ("goTo", '{"place": ', "Expecting value"),
        ("goTo", "[]", "an object"),
        ("look", {"at": "x"}, "`at` is no argument of look; its arguments are about"),
        ("wait_until", {"steps": "many"}, "`steps` must be of type integer"),
        ("wait_until", {"percept": "at("}, "`percept` is not a percept"),
    ],
)
def test_wrong_calls_tell_the_model_what_is_possible(tool, arguments, told):
    environment = situated.Environment("bw4t")
    tools = situated.tools(environment)
    answer = tools(tool, arguments)
    assert answer.is_error and told in answer.text, answer.text
    assert environment.moment.step == 0


def test_without_a_free_entity_it_says_which_there_are():
    environment = situated.Environment("find-goals")
    situated.tools(environment, name="one")
    situated.tools(environment, name="two")
    with pytest.raises(ValueError, match="no free entity; its entities are red, blue"):
        situated.tools(environment, name="three")


class Knock(situated.Action):
    """Knocks."""


class Door(situated.PythonEnvironment):
    """A door with a mistake."""

    guest = situated.EntityType("A guest.", actions=[Knock])

    def begin(self):
        self.add("ada", self.guest)

    def act(self, entity, action):
        raise ValueError("a mistake of the author")


def test_an_exception_of_the_environment_is_raised():
    tools = situated.tools(situated.Environment(Door()))
    assert tools("knock", "{").is_error
    with pytest.raises(ValueError, match="a mistake of the author"):
        tools("knock")
