"""The language of replies: what the scripted server says, step by step.

A reply is a list of steps. Whole replies come from `text`, `call`, `calls`, `reasoning`, `completion`,
`page` and `failure`; odd ones are put together from the small parts (`words`, `tool_delta`, `finish`,
`usage`, `error`, `DONE` and the step classes). A plain dict is a chunk and plain bytes are sent as they are.
`replies_from_json` reads the same from a file.

It knows nothing of sockets. Chunks are ordinary dicts on purpose: a chunk that no sane server would
send must be as easy to write as a good one.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol


class Flag(Protocol):
    """Anything that can be set: an asyncio or a threading Event."""

    def is_set(self) -> bool:
        """Whether the flag is up."""
        ...


@dataclass(frozen=True, slots=True)
class Comment:
    """A server-sent comment line, as servers use to keep a connection alive."""

    text: str = "keep-alive"


@dataclass(frozen=True, slots=True)
class Pause:
    """Nothing for some seconds."""

    seconds: float


@dataclass(frozen=True, slots=True)
class Until:
    """Nothing until the flag is set."""

    flag: Flag


@dataclass(frozen=True, slots=True)
class Done:
    """The `[DONE]` line."""


@dataclass(frozen=True, slots=True)
class Reset:
    """The connection is torn down at once (RST)."""


@dataclass(frozen=True, slots=True)
class Close:
    """The body ends here, cleanly: the socket is closed after what was sent, no length was promised."""


@dataclass(frozen=True, slots=True)
class Break:
    """The socket is closed in the middle of a chunked body, which promised more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """A whole HTTP answer that is no event stream. Must be the only step but for pauses before it."""

    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""


Chunk = Mapping[str, Any]
Step = Chunk | bytes | Comment | Pause | Until | Done | Reset | Close | Break | Answer
Reply = Sequence[Step]
Script = Sequence[Reply | Callable[[dict[str, Any]], Reply]] | Callable[[dict[str, Any]], Reply]

DONE = Done()

ASKED_MODEL = "proof"
"""In a chunk this stands for the model that the request asks for; any other name is sent as it is."""


def delta(fields: Mapping[str, Any], *, finish: str | None = None, **extra: Any) -> dict[str, Any]:
    """One chunk with that delta; further keywords go to the top level of the chunk."""
    choice = {"index": 0, "delta": dict(fields), "finish_reason": finish}
    return {
        "id": "proof",
        "object": "chat.completion.chunk",
        "created": 0,
        "model": ASKED_MODEL,
        "choices": [choice],
        **extra,
    }


def finish(reason: str = "stop") -> dict[str, Any]:
    """The chunk that ends a reply."""
    return delta({}, finish=reason)


def usage(prompt: int = 10, completion: int = 5, cached: int | None = None) -> dict[str, Any]:
    """The chunk without choices that says what was used, in tokens."""
    used: dict[str, Any] = {
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }
    if cached is not None:
        used["prompt_tokens_details"] = {"cached_tokens": cached}
    return {**delta({}), "choices": [], "usage": used}


def error(message: str, **fields: Any) -> dict[str, Any]:
    """An error in the middle of a stream."""
    return {"error": {"message": message, **fields}}


def words(content: str) -> list[Step]:
    """The text as one chunk a word."""
    return [delta({"content": word}) for word in _split(content)]


def thoughts(content: str, *, name: str = "reasoning_content") -> list[Step]:
    """Thinking aloud as one chunk a word, under the field name of the chosen server."""
    return [delta({name: word}) for word in _split(content)]


def _split(content: str) -> list[str]:
    return [word for word in content.replace(" ", " \0").split("\0") if word]


def tool_delta(
    index: int | None, *, name: str | None = None, arguments: Any = "", id: str | None = None
) -> dict[str, Any]:
    """One entry of `tool_calls` in a delta; None leaves a field out."""
    entry: dict[str, Any] = {"type": "function", "function": {"arguments": arguments}}
    if index is not None:
        entry["index"] = index
    if id is not None:
        entry["id"] = id
    if name is not None:
        entry["function"]["name"] = name
    return entry


def text(content: str, *, reason: str = "stop", pause_s: float = 0.0) -> list[Step]:
    """A whole answer in words, with `pause_s` between them."""
    steps: list[Step] = []
    for word in words(content):
        steps += [word, Pause(pause_s)] if pause_s else [word]
    return [*steps, finish(reason), usage(), DONE]


def reasoning(thought: str, content: str = "") -> list[Step]:
    """A whole answer that thinks aloud first; without `content` it says nothing else."""
    return [*thoughts(thought), *words(content), finish(), usage(), DONE]


def call(tool: str, arguments: Mapping[str, Any] | str, *, id: str = "call_1", say: str = "") -> list[Step]:
    """A whole reply that asks for one tool. Arguments given as text are sent as they are."""
    return calls([(tool, arguments, id)], say=say)


def calls(asked: Sequence[tuple[Any, ...]], *, say: str = "", reason: str = "tool_calls") -> list[Step]:
    """A whole reply that asks for several tools, each `(tool, arguments)` or `(tool, arguments, id)`."""
    steps: list[Step] = list(words(say))
    for index, (tool, arguments, *rest) in enumerate(asked):
        raw = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
        label = rest[0] if rest else f"call_{index + 1}"
        middle = len(raw) // 2
        steps.append(delta({"tool_calls": [tool_delta(index, name=tool, arguments="", id=label)]}))
        halves = (raw[:middle], raw[middle:])
        steps += [delta({"tool_calls": [tool_delta(index, arguments=half)]}) for half in halves]
    return [*steps, finish(reason), usage(), DONE]


def completion(content: str, **message: Any) -> list[Step]:
    """A whole reply as plain JSON, from a server that does not stream."""
    choice = {
        "index": 0,
        "finish_reason": "stop",
        "message": {"role": "assistant", "content": content, **message},
    }
    return failure(200, {"id": "proof", "object": "chat.completion", "model": "proof", "choices": [choice]})


def page(html: str = "<!doctype html><title>Sign in</title>", *, status: int = 200) -> list[Step]:
    """An HTML page where a model server was expected."""
    return [Answer(status=status, headers={"content-type": "text/html; charset=utf-8"}, body=html.encode())]


def failure(status: int, body: Mapping[str, Any] | str, **headers: str) -> list[Step]:
    """An HTTP answer with a JSON body (text = the message of an error). `retry_after=3` sets Retry-After."""
    content = {"error": {"message": body}} if isinstance(body, str) else body
    named = {name.replace("_", "-"): str(value) for name, value in headers.items()}
    return [
        Answer(
            status=status,
            headers={"content-type": "application/json", **named},
            body=json.dumps(content).encode(),
        )
    ]


def replies_from_json(source: Any) -> list[Reply]:
    """The replies of a script file: a list of objects with `text`, `calls`, `steps` or `status`.

    Raises ValueError for anything else.
    """
    match source:
        case [*items]:
            return [_reply(item) for item in items]
    raise ValueError("A script is a list of replies.")


def _reply(item: Any) -> Reply:
    match item:
        case {"steps": [*steps]}:
            return [_step(step) for step in steps]
        case {"calls": [*asked]}:
            wanted = [(one["name"], one.get("arguments", {}), *_label(one)) for one in asked]
            return calls(wanted, say=item.get("text", ""))
        case {"text": str(content)}:
            return text(content, pause_s=float(item.get("pause_s", 0)))
        case {"status": int(status)}:
            return failure(status, item.get("body", ""), **item.get("headers", {}))
    raise ValueError(f"Not a reply: {json.dumps(item)[:200]}")


def _label(one: Mapping[str, Any]) -> tuple[str, ...]:
    return (one["id"],) if "id" in one else ()


def _step(item: Any) -> Step:
    match item:
        case {"chunk": dict(chunk)}:
            return chunk
        case {"raw": str(raw)}:
            return raw.encode()
        case {"comment": str(comment)}:
            return Comment(comment)
        case {"pause_s": int() | float() as seconds}:
            return Pause(float(seconds))
        case {"done": True}:
            return DONE
        case {"reset": True}:
            return Reset()
        case {"close": True}:
            return Close()
        case {"break": True}:
            return Break()
    raise ValueError(f"Not a step: {json.dumps(item)[:200]}")
