"""What an assistant does with `multihop mcp`: start it, ask, have the answer explained, and read on."""

from __future__ import annotations

import asyncio
import os
import sys
from typing import Any

from mcp import Client, StdioServerParameters, stdio_client

QUESTION = "Who drew the ship that Amundsen borrowed?"
SERVER = StdioServerParameters(command=sys.executable, args=["-m", "multihop", "mcp", "--demo"], env=dict(os.environ))


async def main() -> None:
    async with Client(stdio_client(SERVER)) as client:
        print("tools:", ", ".join(tool.name for tool in (await client.list_tools()).tools))
        found = await ask(client, "retrieve_evidence", question=QUESTION, k=3, full=True)
        for rank, item in enumerate(found["evidence"], 1):
            print(f"  {rank}. {item['title']}, hop {item['hop']}: {item['reason']}")
        told = await ask(client, "explain_evidence", question=QUESTION, k=3, passage="marie-tharp#0")
        print(f"and {told['passage']['id']}? {told['passage']['reason']}")
        document = await ask(client, "read", id=found["evidence"][-1]["document"])
        print(document["text"].partition(". ")[0] + ".")


async def ask(client: Client, tool: str, **arguments: Any) -> Any:
    result = await client.call_tool(tool, arguments)
    if result.is_error:
        raise SystemExit(f"{tool}: {result.content}")
    return result.structured_content


if __name__ == "__main__":
    asyncio.run(main())
