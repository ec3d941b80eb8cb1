"""The offline helper: answers in the place of a model, with fixed rules, no network and no key.

It is no language model and says so. A reply is a pure function of the messages: the request is understood
anew each time, its plan is replayed over the results that are there, and the first step without a result is
the reply. So it holds no state, and a restart, a branch or a second window get the same answers. It reaches
files only by asking for the tools in the request, through the same approvals and the same log as any model.
"""

import json
import re
from collections.abc import AsyncGenerator, Iterator

from desktop.harness.adapters.providers.offline_conversation import Conversation, read_body
from desktop.harness.adapters.providers.offline_plans import Act, Plan, plan_for
from desktop.harness.adapters.providers.offline_requests import Agree, Request, Unclear
from desktop.harness.adapters.providers.offline_results import Result
from desktop.harness.adapters.providers.offline_understanding import understand
from desktop.harness.adapters.providers.offline_words import SAY, cannot, unclear
from desktop.harness.ports import ModelRequest, ReasoningDelta, Reply, ReplyCall, TextDelta

MODEL_NAME = "offline helper"

_PIECE = re.compile(r"\S*\s*(?:\S+\s*){0,11}", re.DOTALL)
_SUGGESTION = re.compile(rf"^{re.escape(SAY)}`(.+)`$", re.MULTILINE)


class OfflineHelper:
    """A `Model` that needs nothing but the request."""

    async def stream(self, request: ModelRequest) -> AsyncGenerator[TextDelta | ReasoningDelta | Reply, None]:
        """The answer in pieces of a dozen words, last the reply."""
        reply = answer(read_body(request.body))
        for piece in pieces(reply.text):
            yield TextDelta(text=piece)
        yield reply

    async def models(self, base_url: str) -> list[str]:
        """The one name."""
        return [MODEL_NAME]

    async def close(self) -> None:
        """Nothing is open."""


def pieces(text: str) -> Iterator[str]:
    """The text cut between words; put together again they are the text."""
    for match in _PIECE.finditer(text):
        if match.group():
            yield match.group()


def answer(conversation: Conversation) -> Reply:
    """The next reply in a conversation."""
    act = _next_step(conversation)
    if isinstance(act, str):
        return Reply(text=act, finish="stop", model=MODEL_NAME)
    missing = sorted({tool for tool, _ in act.calls} - conversation.tools)
    if missing:
        return Reply(text=cannot(missing[0], conversation.tools), finish="stop", model=MODEL_NAME)
    turn = len(conversation.steps) + 1
    calls = tuple(
        ReplyCall(
            provider_id=f"call-{turn}-{index}", tool=tool, arguments=json.dumps(arguments, ensure_ascii=True)
        )
        for index, (tool, arguments) in enumerate(act.calls, 1)
    )
    return Reply(text=act.text, calls=calls, finish="tool_calls", model=MODEL_NAME)


def _next_step(conversation: Conversation) -> Act | str:
    """Replay the plan over the results that are there."""
    plan: Plan = plan_for(_request(conversation), conversation.tools)
    try:
        act = next(plan)
        for step in conversation.steps:
            if [call.tool for call in step] == [tool for tool, _ in act.calls]:
                act = plan.send([Result.of(call) for call in step])
    except StopIteration as end:
        return str(end.value)
    return act


def _request(conversation: Conversation) -> Request:
    """What is asked; a yes means what the last answer offered."""
    request = understand(conversation.words)
    if not isinstance(request, Agree):
        return request
    offered = _SUGGESTION.findall(conversation.answer_before)
    if len(offered) != 1:
        return Unclear(question=unclear())
    return understand(offered[0])
