"""An agent that acts through tools of the Model Context Protocol, as a language model does: mcp_agent.py URL"""

import asyncio
import random
import sys

from mcp import Client


async def play(url):
    async with Client(url) as environment:
        joined = await environment.call_tool("join", {})
        print(joined.content[0].text)
        seat = {"seat": joined.structured_content["seat"]}
        tools = {tool.name: tool for tool in (await environment.list_tools()).tools}
        names = joined.structured_content["tools"]
        simple = [name for name in names if tools[name].input_schema["required"] == ["seat"]]
        for _ in range(10):
            action = random.choice(simple)
            answer = await environment.call_tool(action, seat)
            print(f"> {action}\n{answer.content[0].text}")
        await environment.call_tool("leave", seat)


asyncio.run(play(sys.argv[1]))
