"""The baseline, `bare_loop.py BASE_URL FOLDER`: an agent loop as one writes it first.

The same client as Paddock's, `create()` with the whole history as Python objects each turn, no log, no
redaction, no walls, no approvals.
"""

import asyncio
import json
import sys
from pathlib import Path
from typing import Any

from openai import AsyncOpenAI

PARAMETERS = {"type": "object", "properties": {"path": {"type": "string"}}, "required": ["path"]}
TOOLS: Any = [{"type": "function", "function": {"name": "read_file", "parameters": PARAMETERS}}]


async def reply(client: AsyncOpenAI, messages: Any) -> dict[str, Any]:
    """Send everything, collect the reply."""
    text, calls = "", dict[int, dict[str, Any]]()
    stream = await client.chat.completions.create(model="proof", messages=messages, tools=TOOLS, stream=True)
    async for chunk in stream:
        for choice in chunk.choices:
            text += choice.delta.content or ""
            for part in choice.delta.tool_calls or ():
                call = calls.setdefault(part.index, {"id": part.id, "name": "", "arguments": ""})
                call["name"] += (part.function and part.function.name) or ""
                call["arguments"] += (part.function and part.function.arguments) or ""
    if not calls:
        return {"role": "assistant", "content": text}
    asked = [{"id": call.pop("id"), "type": "function", "function": call} for call in calls.values()]
    return {"role": "assistant", "content": text or None, "tool_calls": asked}


async def main(base_url: str, folder: Path) -> None:
    """Ask and read until there is nothing more to read."""
    client = AsyncOpenAI(base_url=base_url, api_key="none", max_retries=0)
    system = {"role": "system", "content": "You are a helpful agent that reads files with its tools."}
    messages: list[dict[str, Any]] = [system, {"role": "user", "content": "Read all files."}]
    while "tool_calls" in (message := await reply(client, messages)):
        messages.append(message)
        for call in message["tool_calls"]:
            content = (folder / json.loads(call["function"]["arguments"])["path"]).read_text()
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": content})
    print(message["content"])


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1], Path(sys.argv[2])))
