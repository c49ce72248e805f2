"""An agent that answers a three-hop question with the tools of `multihop mcp`, counting calls and tokens.

`decide` stands for any model that calls tools: it gets the conversation so far and the tools, and gives the next call
or the answer. Here it follows a fixed plan, so that the example needs no model; `decide_by_openai` shows a real one.
"""

from __future__ import annotations

import asyncio
import json
import re
import tempfile
from collections.abc import Callable
from typing import Any

from mcp import Client

from multihop import Engine
from multihop.adapters.mcp import server
from multihop.rendering.tokens import estimate_tokens
from multihop.testing import sample_documents

QUESTION = (
    "In which town was the naval architect born who drew the ship that Roald Amundsen borrowed for his voyage towards "
    "the South Pole?"
)
BIRTH = re.compile(r"(?:born|came into the world) in (\w+)")
MOST_CALLS, MOST_TOKENS = 4, 2500
Messages = list[dict[str, Any]]
Decide = Callable[[Messages, list[dict[str, Any]]], dict[str, Any]]
"""From messages and tools to {"tool": name, "arguments": {…}} or {"answer": text}."""


def decide(messages: Messages, _tools: list[dict[str, Any]]) -> dict[str, Any]:
    """Retrieve, ask what is missing, read the passage on a birth in full, and answer with the town it names."""
    said = [m["content"] for m in messages if m["role"] == "tool"]
    if not said:
        return {"tool": "retrieve_evidence", "arguments": {"question": QUESTION, "k": 4, "tokens": 300}}
    passages = dict(re.findall(r"^\[(.+?)\] (.*)$", said[0], re.MULTILINE))
    if len(said) == 1:
        return {"tool": "missing", "arguments": {"question": QUESTION, "passages": list(passages)}}
    id = next(id for id, text in passages.items() if BIRTH.search(text))
    if len(said) == 2:
        return {"tool": "read", "arguments": {"id": id, "tokens": 200}}
    found = BIRTH.search(said[2])
    return {"answer": f"{found[1]} ({found[0]}) [{id}]" if found else "unknown"}


def decide_by_openai(messages: Messages, tools: list[dict[str, Any]]) -> dict[str, Any]:
    """The same by a model that calls tools; needs `pip install openai` and a key in the environment."""
    import openai

    given = [{"type": "function", "function": tool} for tool in tools]
    chosen = openai.OpenAI().chat.completions.create(model="gpt-4.1-mini", messages=messages, tools=given)
    message = chosen.choices[0].message
    if not message.tool_calls:
        return {"answer": message.content}
    call = message.tool_calls[0].function
    return {"tool": call.name, "arguments": json.loads(call.arguments)}


async def solve(client: Client, decide: Decide) -> tuple[str, int, int]:
    """Let a model call tools until it answers; give the answer, the number of calls and the tokens of their output."""
    listed = (await client.list_tools()).tools
    tools = [{"name": t.name, "description": t.description or "", "parameters": t.input_schema} for t in listed]
    messages: Messages = [{"role": "user", "content": QUESTION}]
    calls = tokens = 0
    while "answer" not in (step := decide(messages, tools)):
        result = await client.call_tool(step["tool"], step["arguments"])
        text = "".join(getattr(block, "text", "") for block in result.content)
        calls, tokens = calls + 1, tokens + estimate_tokens(text)
        print(f"{step['tool']}: {estimate_tokens(text)} tokens")
        messages.append({"role": "assistant", "content": json.dumps(step)})
        messages.append({"role": "tool", "content": text})
    return step["answer"], calls, tokens


async def main() -> None:
    with tempfile.TemporaryDirectory() as folder, Engine.open(f"{folder}/sample.mh", create=True) as engine:
        engine.add(sample_documents())
        async with Client(server({"sample": engine})) as client:
            answer, calls, tokens = await solve(client, decide)
    print(answer)
    print(f"{calls} calls of at most {MOST_CALLS}, {tokens} tokens of at most {MOST_TOKENS}")
    if calls > MOST_CALLS or tokens > MOST_TOKENS:
        raise SystemExit("the agent spent more than it may")


if __name__ == "__main__":
    asyncio.run(main())
