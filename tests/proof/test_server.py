"""The scripted server, spoken to over plain sockets."""

import asyncio
import http.client
import json
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from typing import Any

import pytest

from desktop.proof import Profile, ScriptedServer, server_thread
from desktop.proof.script import (
    DONE,
    Break,
    Close,
    Comment,
    Pause,
    Reply,
    Reset,
    call,
    failure,
    page,
    replies_from_json,
    text,
    words,
)

BODY = {"model": "proof", "messages": [{"role": "user", "content": "hi"}]}


def post(server: ScriptedServer, body: Any = BODY) -> tuple[int, bytes]:
    """Send a request; status and body of the answer."""
    connection = http.client.HTTPConnection("127.0.0.1", int(server.origin.rpartition(":")[2]), timeout=5)
    try:
        connection.request(
            "POST", "/v1/chat/completions", json.dumps(body), {"content-type": "application/json"}
        )
        answer = connection.getresponse()
        return answer.status, answer.read()
    finally:
        connection.close()


def test_replies_are_played_in_order_and_requests_are_kept() -> None:
    """Each request takes the next reply; body and parsed request are there to look at."""
    with server_thread([text("one two"), call("read_file", {"path": "a"}, id="x7")]) as server:
        first, second = post(server), post(server)
    assert first[0] == 200 and b'"content":"one "' in first[1] and first[1].endswith(b"data: [DONE]\n\n")
    assert b'"id":"x7"' in second[1] and b'"finish_reason":"tool_calls"' in second[1]
    assert server.requests == [BODY, BODY] and server.bodies == [json.dumps(BODY).encode()] * 2
    assert server.connections == 2 and not server.breaches


def test_a_breach_is_answered_with_400_and_takes_no_reply() -> None:
    """A bad request names its rule and is remembered; the next good one gets the first reply."""
    with server_thread([text("fine")]) as server:
        status, body = post(server, {**BODY, "surprise": 1})
        assert status == 400 and b"Rule i" in body
        assert b"fine" in post(server)[1]
    assert [(one.rule, one.request) for one in server.breaches] == [("i", 0)]


def test_a_request_without_a_reply_is_a_breach_unless_the_last_one_repeats() -> None:
    """Nothing may be asked that the script does not expect."""
    with server_thread([text("a")]) as server:
        assert [post(server)[0], post(server)[0]] == [200, 400]
    assert server.breaches[0].rule == "script"
    with server_thread([text("a")], repeat_last=True) as server:
        assert [post(server)[0] for _ in range(3)] == [200] * 3


def test_a_reply_may_depend_on_the_request() -> None:
    """A function, in the list or in its place, gets the parsed request."""

    def echo(request: dict[str, Any]) -> Reply:
        return text(request["messages"][-1]["content"])

    with server_thread([echo]) as server:
        assert b'"hi"' in post(server)[1]
    with server_thread(echo) as server:
        assert b'"hi"' in post(server)[1]


def test_window_and_model_are_checked_by_the_profile() -> None:
    """Too long a request is refused in the words of the family and is no breach; so is an unknown model."""
    with server_thread([text("a")], profile=Profile(window_tokens=5, family="vllm")) as server:
        status, body = post(server)
    assert status == 400 and b"maximum context length is 5" in body
    assert server.overflows == 1 and not server.breaches
    with server_thread([text("a")], profile=Profile(checks_model=True)) as server:
        status, body = post(server, {**BODY, "model": "other"})
    assert status == 404 and b"`other` does not exist" in body


def test_whole_answers_keep_status_headers_and_body() -> None:
    """An HTTP failure and an HTML page come out as written."""
    with server_thread([failure(429, "slow down", retry_after="3"), page()]) as server:
        with pytest.raises(urllib.error.HTTPError) as caught:
            urllib.request.urlopen(f"{server.base_url}/chat/completions", json.dumps(BODY).encode())
        assert caught.value.headers["retry-after"] == "3" and b"slow down" in caught.value.read()
        assert post(server)[1].startswith(b"<!doctype html>")


def test_models_and_report_are_served() -> None:
    """The list of models comes from the profile; the report tells what was seen."""
    with server_thread([text("a")], profile=Profile(models=("m1", "m2"))) as server:
        with urllib.request.urlopen(f"{server.base_url}/models") as answer:
            assert [one["id"] for one in json.load(answer)["data"]] == ["m1", "m2"]
        post(server)
        with urllib.request.urlopen(f"{server.origin}/proof/report") as answer:
            report = json.load(answer)
    assert report["requests"] == 1 and report["exchanges"][0]["bytes"] == len(json.dumps(BODY))
    with pytest.raises(urllib.error.URLError):
        urllib.request.urlopen(f"{server.base_url}/models")


@pytest.mark.parametrize(
    ("end", "fault"),
    [(Close(), None), (Break(), http.client.IncompleteRead), (Reset(), ConnectionError)],
)
def test_the_three_bad_ends_look_different_to_a_client(end: Any, fault: type[Exception] | None) -> None:
    """A clean close is silent, a broken body and a reset are errors."""
    with server_thread([[*words("half a"), Pause(0.02), end]]) as server:
        if fault is None:
            assert post(server)[1].endswith(b"}\n\n")
        else:
            with pytest.raises(fault):
                post(server)


def test_pauses_and_comments_are_sent_as_scripted() -> None:
    """A comment line appears in the stream and a pause takes its time."""
    with server_thread([[Comment(), Pause(0.1), *words("x"), DONE]]) as server:
        begun = time.monotonic()
        assert post(server)[1].startswith(b": keep-alive\n\n")
        assert time.monotonic() - begun >= 0.1


def test_a_long_bench_keeps_times_but_not_bodies() -> None:
    """Without `keep` only the newest body stays in memory; when each request came and ended is all there."""
    with server_thread([text("a")], repeat_last=True, keep=False) as server:
        for _ in range(3):
            post(server)
    assert [bool(one.body) for one in server.exchanges] == [False, False, True] and len(server.requests) == 1
    assert all(one.ended_s and one.ended_s >= one.read_s >= one.arrived_s for one in server.exchanges)


async def test_a_client_that_hangs_up_is_noticed() -> None:
    """When the client leaves during a pause, the exchange says when."""
    async with ScriptedServer([[*words("x"), Pause(30)]]) as server:
        reader, writer = await asyncio.open_connection("127.0.0.1", int(server.origin.rpartition(":")[2]))
        body = json.dumps(BODY).encode()
        writer.write(
            b"POST /v1/chat/completions HTTP/1.1\r\ncontent-length: %d\r\n\r\n%b" % (len(body), body)
        )
        await reader.readuntil(b"}\n\n")
        writer.close()
        left_s = time.monotonic()
        while server.exchanges[0].hung_up_s is None:
            await asyncio.sleep(0.001)
        assert server.exchanges[0].hung_up_s - left_s < 0.05


def test_the_server_runs_as_a_process(tmp_path: Path) -> None:
    """`python -m desktop.proof` prints its base URL, plays a script file and ends with its input."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"text": "hello"}, {"calls": [{"name": "list_files"}]}]))
    with subprocess.Popen(
        [sys.executable, "-m", "desktop.proof", str(script)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        assert process.stdin is not None and process.stdout is not None
        base_url = process.stdout.readline().strip()
        with urllib.request.urlopen(f"{base_url}/chat/completions", json.dumps(BODY).encode()) as answer:
            assert b"hello" in answer.read()
        process.stdin.close()
        assert process.wait(5) == 0


def test_a_script_file_can_say_every_kind_of_step() -> None:
    """All step words of a script file are understood, and a wrong one is named."""
    steps = [{"chunk": {"choices": []}}, {"raw": "x"}, {"comment": "c"}, {"pause_s": 1}, {"done": True}]
    ends = [{"reset": True}, {"close": True}, {"break": True}]
    replies = replies_from_json(
        [{"steps": [*steps, *ends]}, {"status": 500, "body": "no"}, {"text": "t", "pause_s": 0.1}]
    )
    assert replies[0] == [{"choices": []}, b"x", Comment("c"), Pause(1.0), DONE, Reset(), Close(), Break()]
    assert Pause(0.1) in replies[2]
    for wrong in [{"replies": []}, [{"texts": "a"}], [{"steps": [{"pauses": 1}]}]]:
        with pytest.raises(ValueError, match=r"reply|step|list"):
            replies_from_json(wrong)
