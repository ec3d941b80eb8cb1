"""What went wrong, as one plain sentence and a class: HTTP refusals and errors inside a stream.

Pure: it sees statuses and bodies, never a connection. The server's own message is put behind our
sentence on one line, shortened, without control characters, and without the key.
"""

import json
import re
from dataclasses import dataclass
from typing import Any

from desktop.harness.core.errors import ModelError, ModelFault

_MESSAGE_CHARACTERS = 300

OVERFLOW = re.compile(
    r"context_length_exceeded|exceed_context_size|exceeds? the (available |model'?s? )?(maximum )?context"
    r"|maximum context length|max context length|longer than the maximum model length|prompt is too long"
    r"|exceeds the maximum number of tokens|context (the )?(window )?overflow"
    r"|reduce the length of the messages",
    re.IGNORECASE,
)
"""llama.cpp, Ollama, vLLM, OpenAI, and those who copied their words (LM Studio, Anthropic, Gemini)."""

_NO_MODEL = re.compile(
    r"model_not_found|model\b.{0,80}(not found|not exist|not available|unknown)|(invalid|unknown) model"
    r"|no such model",
    re.IGNORECASE | re.DOTALL,
)
_OVERLOADED = frozenset({502, 503, 504, 529})
_MASKED_KEY = re.compile(r"\S*\*{3,}\S*")


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a sentence may name: the origin and the model, and the key that it must not."""

    origin: str
    model: str = ""
    key: str = ""


def refusal(status: int, body: bytes, asked: Asked, *, retry_after_s: float | None = None) -> ModelError:
    """The error for an HTTP answer that is no success."""
    told, code = _message(body)
    fault, sentence = _classify(status, f"{told} {code}", asked)
    return ModelError(_with_message(sentence, told, asked.key), fault, retry_after_s=retry_after_s)


def in_band(error: Any, asked: Asked) -> ModelError:
    """The error for `{"error": ...}` in a stream or in a 200 answer. A status it names counts as one."""
    told, code = _parts(error)
    status = int(code) if code.isascii() and code.isdecimal() and len(code) == 3 else 500
    if code in {"rate_limit_exceeded", "rate_limit_error"}:
        status = 429
    fault, sentence = _classify(status, f"{told} {code}", asked)
    if fault is ModelFault.SERVER:
        sentence = "The model service broke off with an error."
    return ModelError(_with_message(sentence, told, asked.key), fault)


def no_model_server(asked: Asked) -> ModelError:
    """The error for an answer that no model server gives: a web page, nothing at all."""
    text = f"The address {asked.origin} did not answer like a model server."
    return ModelError(text, ModelFault.NOT_A_MODEL_SERVER)


def _classify(status: int, told: str, asked: Asked) -> tuple[ModelFault, str]:
    origin = asked.origin
    if status in {401, 403}:
        return ModelFault.REFUSED_KEY, f"The service at {origin} did not accept the key."
    if status == 429:
        return ModelFault.RATE_LIMITED, f"The service at {origin} asks to wait before the next request."
    if OVERFLOW.search(told):
        return ModelFault.OVERFLOW, "The chat is too long for this model."
    if status in {400, 404} and _NO_MODEL.search(told):
        return ModelFault.NO_SUCH_MODEL, f"The service at {origin} has no model named “{asked.model}”."
    if status in {404, 405, 410}:
        return ModelFault.NOT_A_MODEL_SERVER, f"There is no model service at this address of {origin}."
    if 300 <= status < 400:
        text = f"The address {origin} sends elsewhere, and Paddock does not follow."
        return ModelFault.NOT_A_MODEL_SERVER, text
    if status >= 500:
        fault = ModelFault.OVERLOADED if status in _OVERLOADED else ModelFault.SERVER
        return fault, f"The service at {origin} has a problem (error {status})."
    return ModelFault.BAD_REQUEST, f"The service at {origin} did not accept the request (error {status})."


def _message(body: bytes) -> tuple[str, str]:
    """The message and code of an error body; nothing when it is a page."""
    text = body.decode("utf-8", "replace").strip()
    try:
        content = json.loads(text)
    except (ValueError, RecursionError):
        return ("" if text.startswith("<") else text), ""
    if isinstance(content, dict):
        content = content.get("error") or content
    return _parts(content)


def _parts(error: Any) -> tuple[str, str]:
    if not isinstance(error, dict):
        return (error if isinstance(error, str) else ""), ""
    told = next((error[name] for name in ("message", "detail") if isinstance(error.get(name), str)), "")
    code = error.get("code") or error.get("type")
    return told, str(code) if isinstance(code, str | int) else ""


def _with_message(sentence: str, told: str, key: str) -> str:
    clean = one_line(told, key)
    return f"{sentence} It says: {clean}" if clean else sentence


def one_line(told: str, key: str) -> str:
    """A foreign message on one line of at most 300 characters, without the key or a masked form of it."""
    if key:
        told = told.replace(key, "[key]")
    line = " ".join("".join(mark if mark.isprintable() else " " for mark in told[:20_000]).split())
    line = _MASKED_KEY.sub("[key]", line)
    return line if len(line) <= _MESSAGE_CHARACTERS else f"{line[: _MESSAGE_CHARACTERS - 1]}…"
