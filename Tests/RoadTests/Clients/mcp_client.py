"""Talks to `plumb mcp` with the reference client of the Model Context Protocol.

mcp_client.py MODE CALLS COMMAND ARGUMENT…: MODE is that of mcp.Client (legacy, auto or a revision), CALLS a JSON list of
[tool, arguments]. Prints what it saw as JSON.
"""

import asyncio
import json
import os
import sys

from mcp import Client, StdioServerParameters
from mcp.client.stdio import stdio_client


async def main(mode, calls, command, arguments):
    environment = {name: value for name, value in os.environ.items() if name.startswith("PLUMB_")}
    server = StdioServerParameters(command=command, args=arguments, env=environment)
    async with Client(stdio_client(server), mode=mode) as client:
        tools = (await client.list_tools()).tools
        answers = []
        for name, values in calls:
            result = await client.call_tool(name, values)
            answers.append({"isError": result.is_error, "text": "".join(part.text for part in result.content)})
        seen = {
            "version": client.protocol_version,
            "server": client.server_info.name,
            "tools": [tool.name for tool in tools],
            "answers": answers,
        }
    print(json.dumps(seen))


asyncio.run(main(sys.argv[1], json.loads(sys.argv[2]), sys.argv[3], sys.argv[4:]))
