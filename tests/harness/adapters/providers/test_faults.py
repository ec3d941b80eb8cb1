"""Sentences and classes for what a model service answers when it will not."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.adapters.providers.faults import Asked, in_band, refusal
from desktop.harness.adapters.providers.waits import retry_after_s
from desktop.harness.core.errors import ModelFault
from desktop.proof.referee import OVERFLOW_TEXTS

KEY = "sk-proof-1234567890"
ASKED = Asked(origin="https://api.example.com", model="small-1", key=KEY)


def told(status: int, message: str, **fields: Any) -> tuple[ModelFault, str]:
    """Class and sentence for an error body of the usual form."""
    body = json.dumps({"error": {"message": message, **fields}}).encode()
    error = refusal(status, body, ASKED)
    return error.fault, str(error)


@pytest.mark.parametrize(
    ("status", "message", "fault"),
    [
        (401, "bad key", ModelFault.REFUSED_KEY),
        (403, "no", ModelFault.REFUSED_KEY),
        (404, "model 'small-1' not found, try pulling it first", ModelFault.NO_SUCH_MODEL),
        (404, "The model `small-1` does not exist or is closed to you.", ModelFault.NO_SUCH_MODEL),
        (400, "Invalid model identifier \"small-1\"", ModelFault.NO_SUCH_MODEL),
        (404, "Not Found", ModelFault.NOT_A_MODEL_SERVER),
        (405, "Method Not Allowed", ModelFault.NOT_A_MODEL_SERVER),
        (307, "", ModelFault.NOT_A_MODEL_SERVER),
        (429, "too many tokens: maximum context length", ModelFault.RATE_LIMITED),
        (400, "Rule a: the call c1 is not answered.", ModelFault.BAD_REQUEST),
        (422, "bad field", ModelFault.BAD_REQUEST),
        (402, "pay first", ModelFault.BAD_REQUEST),
        (500, "oh", ModelFault.SERVER),
        (503, "loading model", ModelFault.OVERLOADED),
    ],
)  # fmt: skip
def test_a_status_has_a_class_and_a_sentence(status: int, message: str, fault: ModelFault) -> None:
    """Each refusal is classed as what it means, with the message of the server behind our sentence."""
    found, sentence = told(status, message)
    assert found is fault and sentence.endswith(f"It says: {message}" if message else ".")


@pytest.mark.parametrize("family", sorted(OVERFLOW_TEXTS))
@pytest.mark.parametrize("status", [400, 500])
def test_overflow_is_known_in_the_words_of_four_servers(family: str, status: int) -> None:
    """Each family's refusal of a long request is an overflow, but with 429 it is a rate limit."""
    text = OVERFLOW_TEXTS[family].format(size=9000, window=8000, over=1000)
    assert told(status, text)[0] is ModelFault.OVERFLOW
    assert told(429, text)[0] is ModelFault.RATE_LIMITED
    assert in_band({"message": text}, ASKED).fault is ModelFault.OVERFLOW


def test_overflow_is_known_by_its_code_alone() -> None:
    """The code counts when the words are new; ordinary talk of tokens does not."""
    assert told(400, "Too much.", code="context_length_exceeded")[0] is ModelFault.OVERFLOW
    assert told(400, "max_tokens must be positive")[0] is ModelFault.BAD_REQUEST


def test_a_missing_model_is_named() -> None:
    """The sentence names the model and the service."""
    _, sentence = told(404, "no", code="model_not_found")
    assert "“small-1”" in sentence and "https://api.example.com" in sentence


def test_the_key_is_never_shown() -> None:
    """Neither the key nor a masked form of it survives in a sentence."""
    _, sentence = told(401, f"Incorrect API key provided: {KEY}. Or sk-pr***7890?")
    assert KEY not in sentence and "7890" not in sentence and "[key]" in sentence


def test_a_message_is_one_short_clean_line() -> None:
    """Line ends, control and bidirectional characters are taken out, and long messages cut."""
    _, sentence = told(500, "a\n\tb\x1b[31m\u202ec" + "x" * 1000)
    message = sentence.partition("It says: ")[2]
    assert message.startswith("a b [31m c") and len(message) == 300 and message.isprintable()


@pytest.mark.parametrize(
    "body", [b"<html><h1>Bad gateway</h1>", b"", b"[]", b"null", b'{"error": null}', b"\xff"]
)
def test_pages_and_nonsense_bodies_add_no_message(body: bytes) -> None:
    """An error page is not read out to the person."""
    sentence = str(refusal(502, body, ASKED))
    assert "<" not in sentence and "error 502" in sentence


@pytest.mark.parametrize(
    ("headers", "wait_s"),
    [
        ({"retry-after": "3"}, 3.0),
        ({"retry-after": "0.5"}, 0.5),
        ({"retry-after": "3600"}, 3600.0),
        ({"retry-after": "-5"}, 0.0),
        ({"retry-after-ms": "1500", "retry-after": "9"}, 1.5),
        ({"retry-after": "Thu, 01 Jan 1970 00:01:40 GMT"}, 90.0),
        ({"retry-after": "Thu, 01 Jan 1970 00:00:00 GMT"}, 0.0),
        ({"retry-after": "soon"}, None),
        ({"retry-after": "nan"}, None),
        ({"retry-after": "inf"}, 30 * 86_400.0),
        ({}, None),
    ],
)
def test_retry_after_is_read_in_every_form(headers: dict[str, str], wait_s: float | None) -> None:
    """Seconds, milliseconds and dates are waits from now; nonsense is none."""
    assert retry_after_s(headers, now_s=10.0) == wait_s


def test_an_error_in_a_stream_is_classed_like_a_status() -> None:
    """An error inside a stream carries its message, and the status or code it names."""
    assert in_band({"message": "queue full"}, ASKED).fault is ModelFault.SERVER
    assert "queue full" in str(in_band({"message": "queue full"}, ASKED))
    assert "queue full" in str(in_band("queue full", ASKED))
    assert in_band({"message": "slow", "code": 429}, ASKED).fault is ModelFault.RATE_LIMITED
    assert in_band({"message": "slow", "type": "rate_limit_error"}, ASKED).fault is ModelFault.RATE_LIMITED
    assert in_band({"message": "key", "code": "401"}, ASKED).fault is ModelFault.REFUSED_KEY
    assert in_band(True, ASKED).fault is ModelFault.SERVER


@given(status=st.integers(201, 599), body=st.binary(max_size=300), header=st.text(max_size=30))
def test_no_answer_can_break_the_sentence(status: int, body: bytes, header: str) -> None:
    """Any status, body and Retry-After gives one printable sentence."""
    error = refusal(status, body, ASKED, retry_after_s=retry_after_s({"retry-after": header}, now_s=0))
    assert str(error).isprintable() and len(str(error)) < 500
