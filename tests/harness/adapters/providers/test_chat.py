"""Chat completions against the scripted server: whole replies, cut replies, refusals, connections."""

import asyncio
import contextlib
import json
import socket
import time
from collections.abc import AsyncIterator
from typing import Any

import pytest

from desktop.harness.adapters.providers import ChatCompletions
from desktop.harness.core.definition import Route
from desktop.harness.core.errors import ModelError, ModelFault
from desktop.harness.ports import Model, ModelRequest, ReasoningDelta, Reply, TextDelta
from desktop.proof import Profile, ScriptedServer
from desktop.proof.script import (
    DONE,
    Answer,
    Break,
    Close,
    Comment,
    Pause,
    Reset,
    Script,
    calls,
    completion,
    delta,
    error,
    failure,
    finish,
    page,
    reasoning,
    text,
    tool_delta,
    usage,
    words,
)

KEY = "sk-proof-1234567890"
BODY = json.dumps(
    {"model": "proof", "stream": True, "messages": [{"role": "user", "content": "hi"}]}
).encode()


def request(base_url: str, body: bytes = BODY) -> ModelRequest:
    """A request for the scripted model."""
    return ModelRequest(route=Route(model="proof", base_url=base_url), body=body)


@contextlib.asynccontextmanager
async def service(**options: Any) -> AsyncIterator[ChatCompletions]:
    """A provider that is closed again."""
    model = ChatCompletions(**options)
    try:
        yield model
    finally:
        await model.close()


async def ask(model: Model, base_url: str) -> tuple[str, Reply]:
    """The text as it was streamed, and the reply."""
    pieces = [piece async for piece in model.stream(request(base_url))]
    streamed = "".join(piece.text for piece in pieces if isinstance(piece, TextDelta))
    assert isinstance(pieces[-1], Reply) and sum(isinstance(piece, Reply) for piece in pieces) == 1
    return streamed, pieces[-1]


async def reply_to(script: Any, **options: Any) -> Reply:
    """The reply that one scripted answer gives."""
    async with ScriptedServer([script]) as server, service(**options) as model:
        streamed, reply = await ask(model, server.base_url)
        assert streamed == reply.text
        assert not server.breaches
        return reply


async def fault_of(script: Any, **options: Any) -> ModelError:
    """The error that one scripted answer gives."""
    async with ScriptedServer([script]) as server, service(**options) as model:
        with pytest.raises(ModelError) as caught:
            await ask(model, server.base_url)
        assert len(server.exchanges) == 1
        return caught.value


async def test_a_reply_arrives_in_pieces_and_whole() -> None:
    """Text and thoughts come as deltas and again in the reply, with usage and calls."""
    script = [*reasoning("let me see", "Done. Bye.")[:-3], finish(), usage(7, 3, 2), DONE]
    reply = await reply_to(script)
    assert (reply.text, reply.reasoning, reply.finish) == ("Done. Bye.", "let me see", "stop")
    assert (reply.input_tokens, reply.output_tokens, reply.cached_tokens) == (7, 3, 2)
    reply = await reply_to(calls([("f", {"x": "中😀"}), ("g", {})], say="Reading."))
    assert [(one.tool, one.arguments) for one in reply.calls] == [("f", '{"x": "中😀"}'), ("g", "{}")]
    assert reply.text == "Reading." and reply.finish == "tool_calls"


async def test_thoughts_are_streamed_under_either_name() -> None:
    """`reasoning_content` and `reasoning` are both thoughts, never text."""
    for name in ("reasoning_content", "reasoning"):
        async with ScriptedServer([[delta({name: "hm"}), *text("Yes.")]]) as server, service() as model:
            pieces = [piece async for piece in model.stream(request(server.base_url))]
        assert pieces[:2] == [ReasoningDelta(text="hm"), TextDelta(text="Yes.")]


async def test_the_request_leaves_as_the_bytes_it_is() -> None:
    """The server gets exactly the body, and no header beyond what a request needs."""
    body = b'{"model":"proof",  "messages":[{"role":"user","content":"\xc3\xa4 \\u00e4"}]}'
    async with ScriptedServer([text("a")]) as server, service() as model:
        _ = [piece async for piece in model.stream(request(server.base_url, body))]
        assert server.bodies == [body]
        assert set(server.exchanges[0].headers) == {
            "host", "connection", "content-length", "content-type", "accept", "accept-encoding",
            "authorization",
            "user-agent",
        }  # fmt: skip
        assert server.exchanges[0].headers["content-type"] == "application/json"


async def test_thirty_turns_use_one_connection() -> None:
    """The connection is kept from turn to turn, with and without `[DONE]`."""
    replies: Script = [text("a"), [*words("b"), finish()]] * 15
    async with ScriptedServer(replies) as server, service() as model:
        for _ in range(30):
            await ask(model, server.base_url)
        assert server.connections == 1 and server.seen == 30


@pytest.mark.parametrize(
    "script",
    [
        [*words("all of it"), finish(), Close()],
        [*words("all of"), delta({"content": " it"}, finish="stop")],
        [*words("all of it"), finish(), Pause(0.01), Break()],
        [*words("all of it"), finish(), Pause(0.01), Reset()],
        [*words("all of it"), DONE],
        [
            {"choices": [], "prompt_filter_results": []},
            *words("all of it"),
            {"choices": None},
            finish(),
            usage(),
            DONE,
        ],
        [Comment(), *words("all of it"), Comment(), finish(), DONE],
        [b'data: {"choices":[{"delta":{"content":"all of it"},"finish_reason":"stop"}]}'],
        completion("all of it"),
        [
            Answer(
                body=json.dumps(
                    {"choices": [{"message": {"content": "all of it"}, "finish_reason": "stop"}]}
                ).encode()
            )
        ],
    ],
    ids=str,
)
async def test_whole_replies_are_taken(script: Any) -> None:
    """A reason for the end or `[DONE]`, one without the other, odd chunks and plain JSON are complete."""
    reply = await reply_to(script)
    assert reply.text == "all of it" and not reply.calls


@pytest.mark.parametrize(
    ("script", "fault", "partial"),
    [
        ([*words("half a"), Close()], ModelFault.CUT_OFF, "half a"),
        ([*words("half a")], ModelFault.CUT_OFF, "half a"),
        ([*words("half a"), Pause(0.01), Break()], ModelFault.CUT_OFF, "half a"),
        ([*words("half a"), Pause(0.01), Reset()], ModelFault.CUT_OFF, "half a"),
        ([*words("half a"), b'data: {"choices":[{"delta":{"cont', Close()], ModelFault.CUT_OFF, "half a"),
        ([DONE], ModelFault.CUT_OFF, ""),
        ([delta({}), DONE], ModelFault.CUT_OFF, ""),
        ([*words("par"), error("queue full"), DONE], ModelFault.SERVER, "par"),
        ([error("queue full")], ModelFault.SERVER, ""),
        ([*words("par"), finish(), error("queue full"), DONE], ModelFault.SERVER, "par"),
        ([*words("par"), b'error: {"code":500,"message":"queue full"}\n\n'], ModelFault.SERVER, "par"),
        ([*words("par"), b"data: oops\n\n", DONE], ModelFault.SERVER, "par"),
        ([b"data: oops\n\n"], ModelFault.NOT_A_MODEL_SERVER, ""),
        (page(), ModelFault.NOT_A_MODEL_SERVER, ""),
        ([Answer(body=b"<!doctype html><title>Sign in</title>")], ModelFault.NOT_A_MODEL_SERVER, ""),
        ([Answer()], ModelFault.NOT_A_MODEL_SERVER, ""),
        ([], ModelFault.NOT_A_MODEL_SERVER, ""),
        (failure(200, {"hello": 1}), ModelFault.NOT_A_MODEL_SERVER, ""),
        (failure(200, "queue full"), ModelFault.SERVER, ""),
        ([Pause(0.01), Reset()], ModelFault.CUT_OFF, ""),
        ([Pause(0.01), Break()], ModelFault.CUT_OFF, ""),
    ],
    ids=str,
)  # fmt: skip
async def test_cut_and_foreign_answers_are_errors_with_the_partial_text(
    script: Any, fault: ModelFault, partial: str
) -> None:
    """Nothing but a whole reply passes for one, and what had arrived is kept."""
    caught = await fault_of(script)
    assert (caught.fault, caught.partial) == (fault, partial)
    if fault is ModelFault.SERVER and b"data: oops\n\n" not in script:
        assert "queue full" in str(caught)


async def test_a_cut_call_is_no_call_but_a_finished_one_keeps_its_text() -> None:
    """A connection lost inside a call is an error; arguments that a server ended early stay as they came."""
    start = delta({"tool_calls": [tool_delta(0, name="f", arguments='{"x": "a', id="c")]})
    assert (await fault_of([*words("Hm."), start, Close()])).partial == "Hm."
    reply = await reply_to([start, finish("tool_calls"), DONE])
    assert reply.calls[0].arguments == '{"x": "a'


async def test_a_finish_reason_may_contradict_the_calls() -> None:
    """`stop` with a call keeps the call; `tool_calls` without one has none."""
    both = delta({"tool_calls": [tool_delta(0, name="f", arguments="{}", id="c")]}, finish="stop")
    reply = await reply_to([both, DONE])
    assert reply.finish == "stop" and reply.calls[0].tool == "f"
    reply = await reply_to([*words("Hm."), finish("tool_calls"), DONE])
    assert reply.finish == "tool_calls" and not reply.calls


async def test_comments_do_not_count_as_signs_of_life() -> None:
    """A stream that only sends keep-alive comments ends by the idle limit, with the partial text."""
    script = [*words("one"), *[Comment(), Pause(0.05)] * 100]
    begun = time.monotonic()
    caught = await fault_of(script, idle_s=0.3)
    assert (caught.fault, caught.partial) == (ModelFault.IDLE, "one")
    assert 0.25 < time.monotonic() - begun < 2


async def test_the_first_event_has_a_limit_of_its_own() -> None:
    """Before the first event the longer limit holds, for headers too; after it the idle limit."""
    reply = await reply_to([Pause(0.3), *text("late")], idle_s=0.1, first_event_s=5)
    assert reply.text == "late"
    for silence in ([Pause(5)], [Comment(), Pause(5)]):
        assert (await fault_of(silence, idle_s=5, first_event_s=0.2)).fault is ModelFault.IDLE


async def test_a_slow_consumer_does_not_count_as_silence() -> None:
    """Time that the caller takes between pieces is not the server's."""
    async with (
        ScriptedServer([[*words("a b"), Pause(0.05), *text("c")]]) as server,
        service(idle_s=0.2) as model,
    ):
        pieces = []
        async for piece in model.stream(request(server.base_url)):
            await asyncio.sleep(0.3)
            pieces.append(piece)
    assert isinstance(pieces[-1], Reply) and pieces[-1].text == "a bc"


@pytest.mark.parametrize("after", [[], [Comment(), Pause(0.01)] * 400, [DONE, Pause(4)]])
async def test_a_server_that_keeps_the_line_after_the_end_holds_nobody_up(after: list[Any]) -> None:
    """After the reason for the end only a short wait follows, whatever else is sent."""
    begun = time.monotonic()
    reply = await reply_to([*words("x"), finish(), *after, Pause(4)])
    assert reply.text == "x" and time.monotonic() - begun < 3


async def _wait_for_more(stream: AsyncIterator[Any]) -> None:
    """Wait for a piece that does not come."""
    await anext(stream)


@pytest.mark.parametrize("leave", ["cancel", "aclose"])
async def test_leaving_closes_the_connection_at_once(leave: str) -> None:
    """Cancelling the task, or closing the iterator, is seen by the server within 50 ms."""
    async with ScriptedServer([[*words("one"), Pause(30)]]) as server, service() as model:
        stream = model.stream(request(server.base_url))
        assert await anext(stream) == TextDelta(text="one")
        task = asyncio.create_task(_wait_for_more(stream)) if leave == "cancel" else None
        await asyncio.sleep(0.05)
        left_s = time.monotonic()
        if task is not None:
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
        else:
            await stream.aclose()
        while server.exchanges[0].hung_up_s is None:
            await asyncio.sleep(0.002)
        assert server.exchanges[0].hung_up_s - left_s < 0.05


async def test_stopping_works_before_the_headers() -> None:
    """A request that gets no answer can be cancelled, and the service still works."""
    async with ScriptedServer([[Pause(30)], text("again")]) as server, service() as model:
        task = asyncio.create_task(ask(model, server.base_url))
        while not server.seen:
            await asyncio.sleep(0.005)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        assert (await ask(model, server.base_url))[1].text == "again"


async def test_a_connection_that_the_server_closed_is_replaced() -> None:
    """A server that ends each connection after its reply is asked on a new one, without an error."""
    once = [*text("a"), Close()]
    async with ScriptedServer([once, once, text("c")]) as server, service() as model:
        for _ in range(3):
            await ask(model, server.base_url)
            await asyncio.sleep(0.02)
        assert server.connections == 3


async def test_refusals_are_classed_and_never_retried() -> None:
    """One request each; Retry-After and the model's name reach the caller."""
    limited = await fault_of(failure(429, "slow down", retry_after="3"))
    assert (limited.fault, limited.retry_after_s) == (ModelFault.RATE_LIMITED, 3.0)
    assert (await fault_of(failure(500, "oh"))).fault is ModelFault.SERVER
    missing = await fault_of(failure(404, {"error": {"message": "no", "code": "model_not_found"}}))
    assert missing.fault is ModelFault.NO_SUCH_MODEL and "proof" in str(missing)


async def test_too_long_a_request_is_an_overflow() -> None:
    """The server's own words for a full window are understood end to end."""
    async with (
        ScriptedServer([], profile=Profile(window_tokens=5, family="llama.cpp")) as server,
        service() as model,
    ):
        with pytest.raises(ModelError) as caught:
            await ask(model, server.base_url)
    assert caught.value.fault is ModelFault.OVERFLOW


async def test_a_huge_error_page_is_not_read_to_its_end() -> None:
    """An error body of fifty megabytes is cut and costs no time."""
    begun = time.monotonic()
    caught = await fault_of([Answer(status=502, body=b"<p>" + b"x" * 50_000_000)])
    assert caught.fault is ModelFault.OVERLOADED and time.monotonic() - begun < 2


async def test_an_address_where_nobody_listens_is_named() -> None:
    """A refused connection is one sentence with the origin; so is an address that is none."""
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        base_url = f"http://127.0.0.1:{taken.getsockname()[1]}/v1"
        async with service() as model:
            for work in (ask(model, base_url), model.models(base_url)):
                with pytest.raises(
                    ModelError, match=r"Nothing answers at http://127\.0\.0\.1:\d+\."
                ) as caught:
                    await work
                assert caught.value.fault is ModelFault.UNREACHABLE
            with pytest.raises(ModelError, match="not the web address"):
                await ask(model, "nonsense")


async def keyed(_origin: str) -> str | None:
    """A key for every origin."""
    return f" {KEY}\n"


async def test_the_key_goes_to_its_origin_and_no_further() -> None:
    """The key of the origin is sent, a redirect is not followed, and no sentence shows the key."""
    async with ScriptedServer([text("a")]) as other, service(key_for=keyed) as model:
        away = [Answer(status=307, headers={"location": f"{other.base_url}/chat/completions"})]
        refused = failure(401, f"Incorrect API key provided: {KEY}")
        async with ScriptedServer([text("a"), away, refused]) as server:
            await ask(model, server.base_url)
            assert server.exchanges[0].headers["authorization"] == f"Bearer {KEY}"
            with pytest.raises(ModelError, match="sends elsewhere") as caught:
                await ask(model, server.base_url)
            assert caught.value.fault is ModelFault.NOT_A_MODEL_SERVER
            with pytest.raises(ModelError) as caught:
                await ask(model, server.base_url)
            assert caught.value.fault is ModelFault.REFUSED_KEY and KEY not in str(caught.value)
        assert other.seen == 0


async def test_a_key_is_not_sent_in_the_clear() -> None:
    """Plain http to another computer is refused before anything is sent, unless a person agreed."""
    asked: list[str] = []
    async with service(key_for=keyed, allows_plain=lambda origin: bool(asked.append(origin))) as model:
        with pytest.raises(ModelError, match="not encrypted") as caught:
            await ask(model, "http://model.example:8080/v1")
    assert caught.value.fault is ModelFault.REFUSED_KEY and asked == ["http://model.example:8080"]


async def test_a_key_with_foreign_characters_is_refused() -> None:
    """A key that no header can carry is one sentence, without the key."""

    async def pasted(_origin: str) -> str | None:
        return "sk-“quoted”"

    async with service(key_for=pasted) as model:
        with pytest.raises(ModelError, match="characters") as caught:
            await ask(model, "http://127.0.0.1:9/v1")
    assert "quoted" not in str(caught.value)


async def test_models_are_listed() -> None:
    """The names come in the order of the server; what is no list of models is said so."""
    async with ScriptedServer([], profile=Profile(models=("m1", "m2"))) as server, service() as model:
        assert await model.models(server.base_url) == ["m1", "m2"]
        assert await model.models(f"{server.base_url}/") == ["m1", "m2"]
        with pytest.raises(ModelError) as caught:
            await model.models(server.origin)
        assert caught.value.fault is ModelFault.NOT_A_MODEL_SERVER


async def test_nothing_is_left_open_and_a_closed_service_opens_again() -> None:
    """After `close` the server sees the connection end; the next request makes a new one."""
    async with ScriptedServer([text("a"), text("b")]) as server, service() as model:
        await ask(model, server.base_url)
        await model.close()
        await ask(model, server.base_url)
        assert server.connections == 2
