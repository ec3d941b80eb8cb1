"""What a run is pinned to: the model and its service, the instructions, the tools.

The digest of all of it is kept with each run, so that a later look can tell
whether the agent that goes on is the agent that began.
"""

import hashlib
import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from desktop.harness.core.toolspec import ToolSpec


@dataclass(frozen=True, slots=True, kw_only=True)
class Route:
    """Which model at which service. An empty `base_url` is the offline helper."""

    model: str
    base_url: str

    @property
    def is_offline(self) -> bool:
        """Whether the offline helper answers."""
        return not self.base_url


@dataclass(frozen=True, slots=True, kw_only=True)
class AgentDefinition:
    """Instructions, tools and route of one request; `head()` is the part of its body before the messages."""

    instructions: str
    tools: tuple[ToolSpec, ...]
    route: Route

    def head(self) -> bytes:
        """The start of the request body, up to and with the system message.

        The same definition always gives the same bytes; messages are appended
        behind it, so each request of a session extends the one before it.
        """
        top: dict[str, Any] = {
            "model": self.route.model,
            "stream": True,
            "stream_options": {"include_usage": True},
            "tools": tool_schemas(self.tools),
        }
        if not self.tools:
            del top["tools"]
        text = json.dumps(top, ensure_ascii=False, separators=(",", ":"))
        system = json.dumps(
            {"role": "system", "content": self.instructions}, ensure_ascii=False, separators=(",", ":")
        )
        return f'{text[:-1]},"messages":[{system}'.encode()

    def digest(self) -> str:
        """One digest for all that the agent is."""
        return hashlib.sha256(self.head()).hexdigest()


def is_same_model(asked: str, served: str) -> bool:
    """Whether a server's name for its model is the asked one, perhaps more exact: a date or tag behind it."""
    one, two = (name.rsplit("/", 1)[-1].lower() for name in (asked, served))
    return not served or one.startswith(two) or two.startswith(one)


def tool_schemas(specs: Sequence[ToolSpec]) -> list[dict[str, Any]]:
    """The declarations as chat completions want them."""
    return [
        {
            "type": "function",
            "function": {
                "name": spec.name,
                "description": spec.description,
                "parameters": spec.parameters,
            },
        }
        for spec in specs
    ]
