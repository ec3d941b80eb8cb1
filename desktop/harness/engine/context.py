"""The exact next request, block by block, with the records behind each and what was left out."""

import json

from desktop.harness.core.views import ContextView, Message
from desktop.harness.engine.live import LiveSession
from desktop.harness.engine.parts import Hands, Parts

UNKNOWN_WINDOW_TOKENS = 8_192
"""Assumed for a model whose window nobody told us."""

BYTES_PER_TOKEN = 3.0
"""A cautious estimate; English prose has more bytes a token, base64 and other scripts fewer."""


def estimate_tokens(size_bytes: int) -> int:
    """About how many tokens that many bytes are."""
    return int(size_bytes / BYTES_PER_TOKEN) + 1


def context_view(parts: Parts, hands: Hands, live: LiveSession, window: int | None) -> ContextView:
    """What would be sent now."""
    state = live.state
    head = parts.definition(hands, state.mode, state.route).head()
    body = live.projection.body(head)
    messages = [
        Message(role="system", text=parts.instructions, sources=(), tokens=estimate_tokens(len(head)))
    ]
    for source in live.projection.sources:
        data = live.projection.message_bytes(source)
        messages.append(
            Message(
                role=source.role,
                text=_text(data),
                sources=source.records,
                tokens=estimate_tokens(len(data)),
            )
        )
    return ContextView(
        body=body,
        messages=tuple(messages),
        left_out=live.projection.left_out,
        tokens=estimate_tokens(len(body)),
        measured=False,
        window=window or UNKNOWN_WINDOW_TOKENS,
        window_known=window is not None,
    )


def _text(data: bytes) -> str:
    """What a person reads of one message."""
    message = json.loads(data)
    calls = [
        f"{call['function']['name']}({call['function']['arguments']})"
        for call in message.get("tool_calls", ())
    ]
    return "\n".join(part for part in (message.get("content") or "", *calls) if part)
