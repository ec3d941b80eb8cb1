"""One request to the model: project, stream, and the event that tells how it ended.

It commits nothing itself. A server knows the key it was sent, so known secrets are taken
out of what it says before that is kept; the arguments of calls stay as they came. Text that
had arrived when the task was cancelled stays with the live session, where whoever cancelled
finds it.
"""

from collections.abc import Callable
from contextlib import aclosing
from dataclasses import replace

from desktop.harness.core.commands import CallModel
from desktop.harness.core.errors import ModelError, ModelFault
from desktop.harness.core.events import AskedCall, AssistantMessage, ModelFailed
from desktop.harness.core.ids import call_id
from desktop.harness.core.retry import asks_to_wait
from desktop.harness.engine.live import LiveSession
from desktop.harness.engine.parts import Hands, Parts
from desktop.harness.ports import ModelRequest, Reply, TextDelta


async def call_model(
    parts: Parts, hands: Hands, live: LiveSession, command: CallModel
) -> AssistantMessage | ModelFailed:
    """Send the projection and give the event for what came back."""
    state = live.state
    head = parts.definition(hands, state.mode, state.route).head()
    digest = live.projection.digest(head)
    request = ModelRequest(route=state.route, body=live.projection.body(head))
    redact = parts.redaction.redact
    live.end_stream()
    try:
        reply = await _stream(parts, live, request)
    except ModelError as error:
        return ModelFailed(
            turn=command.turn,
            fault=str(error.fault),
            text=redact(f"{error}{asks_to_wait(error.retry_after_s)}"),
            request=digest,
            partial=redact(live.end_stream() or error.partial),
            retry_after_s=error.retry_after_s,
        )
    live.end_stream()
    registry = hands.registries[state.mode]
    reply = replace(reply, text=redact(reply.text), reasoning=redact(reply.reasoning))
    return _message(reply, command.turn, digest, lambda name: _is_effect(registry.get(name)))


async def _stream(parts: Parts, live: LiveSession, request: ModelRequest) -> Reply:
    reply: Reply | None = None
    async with aclosing(parts.model(request.route).stream(request)) as pieces:
        async for piece in pieces:
            if isinstance(piece, TextDelta):
                live.stream(piece.text)
            elif isinstance(piece, Reply):
                reply = piece
    if reply is None:
        raise ModelError("The answer broke off before it was complete.", ModelFault.CUT_OFF)
    return reply


def _is_effect(tool: object) -> bool:
    spec = getattr(tool, "spec", None)
    return spec is not None and spec.is_effect


def _message(reply: Reply, turn: int, digest: str, is_effect: Callable[[str], bool]) -> AssistantMessage:
    calls = tuple(
        AskedCall(
            call_id=call_id(turn, index),
            provider_id=call.provider_id,
            tool=call.tool,
            arguments=call.arguments,
            effect=is_effect(call.tool),
        )
        for index, call in enumerate(reply.calls)
    )
    return AssistantMessage(
        turn=turn,
        text=reply.text,
        request=digest,
        calls=calls,
        reasoning=reply.reasoning,
        finish=reply.finish,
        model=reply.model,
        input_tokens=reply.input_tokens,
        output_tokens=reply.output_tokens,
        cached_tokens=reply.cached_tokens,
    )
