"""One reply put together from whatever chunks a server sends.

`Accumulator.add` takes a decoded chunk and gives the new pieces of text; `reply` gives the whole. Pure, and
made to survive: a missing or wrong field counts as absent, never as a reason to fail. What is one call and
what is another is decided here, in this order:

1. An index names a call; without one an id does.
2. A name that arrives for such a call begins another call when the known one cannot go on: its arguments are
   a whole object and more come, or it has another id (servers that number every call 0, or repeat one id).
   The very same arguments again are a repetition and change nothing.
3. Without index and id, a name begins a call unless it repeats the name of a call still open; anything else
   goes on with the newest call or, when several entries come together, with the one at the same position.

Ids are kept as labels and nothing else depends on them. A call that never got a name is dropped when it has
no arguments either, else it is kept as `unnamed_tool`, so that the model hears that there is no such tool.
"""

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from desktop.harness.core.errors import ModelError, ModelFault
from desktop.harness.ports import ReasoningDelta, Reply, ReplyCall, TextDelta

MAX_REPLY_CHARACTERS = 16_000_000
UNNAMED = "unnamed_tool"
_CALL_COST = 1_000
"""What a call counts in characters, so that endless empty calls end too."""
_SURROGATE = re.compile("[\ud800-\udfff]")


class Accumulator:
    """The reply so far. `has_content` says whether a server gave anything that makes a reply."""

    def __init__(self) -> None:
        self._text = _Pieces()
        self._reasoning = _Pieces()
        self._calls: list[_Call] = []
        self._by_index: dict[int, _Call] = {}
        self._usage: Mapping[str, Any] = {}
        self._model = ""
        self._size = 0
        self.finish = ""

    @property
    def text(self) -> str:
        """The text so far."""
        return self._text.whole()

    @property
    def has_content(self) -> bool:
        """Whether there is any text, thought or call."""
        return bool(self._calls) or not (self._text.is_empty and self._reasoning.is_empty)

    def add(self, chunk: Mapping[str, Any]) -> list[TextDelta | ReasoningDelta]:
        """Take one chunk; the new pieces to show. Raises ModelError when the reply grows past its limit."""
        if isinstance(usage := chunk.get("usage"), dict):
            self._usage = usage
        if not self._model and isinstance(model := chunk.get("model"), str):
            self._model = model
        deltas: list[TextDelta | ReasoningDelta] = []
        for choice in _first_choice(chunk):
            if isinstance(finish := choice.get("finish_reason"), str) and finish:
                self.finish = finish
            delta = choice.get("delta")
            if not isinstance(delta, dict):
                delta = choice.get("message")
            if isinstance(delta, dict):
                self._add_delta(delta, deltas)
        return deltas

    def _add_delta(self, delta: Mapping[str, Any], deltas: list[TextDelta | ReasoningDelta]) -> None:
        if thought := _text_of(delta.get("reasoning_content")) or _text_of(delta.get("reasoning")):
            self._grow(len(thought))
            if shown := self._reasoning.add(thought):
                deltas.append(ReasoningDelta(text=shown))
        if said := _text_of(delta.get("content")) or _text_of(delta.get("refusal")):
            self._grow(len(said))
            if shown := self._text.add(said):
                deltas.append(TextDelta(text=shown))
        entries = delta.get("tool_calls")
        if isinstance(entries, list):
            for position, entry in enumerate(entries):
                if isinstance(entry, dict):
                    self._add_call(entry, position if len(entries) > 1 else None)
        if isinstance(old := delta.get("function_call"), dict):
            self._add_call({"index": 0, "function": old}, None)

    def _add_call(self, entry: Mapping[str, Any], position: int | None) -> None:
        function = entry.get("function")
        piece = _CallPiece(entry, function if isinstance(function, dict) else {})
        call = self._call_for(piece, position)
        if piece.name and call.is_repeated_by(piece):
            return
        self._grow(len(piece.name) + len(piece.arguments))
        call.add(piece)

    def _call_for(self, piece: "_CallPiece", position: int | None) -> "_Call":
        if piece.index is not None:
            known = self._by_index.get(piece.index)
        elif piece.label:
            known = next((one for one in reversed(self._calls) if one.label == piece.label), None)
        elif position is not None:
            known = self._calls[position] if position < len(self._calls) else None
        else:
            known = self._calls[-1] if self._calls else None
        if known is None or (piece.name and known.is_closed_to(piece)):
            return self._begin(piece.index)
        return known

    def _begin(self, index: int | None) -> "_Call":
        self._grow(_CALL_COST)
        call = _Call()
        self._calls.append(call)
        if index is not None:
            self._by_index[index] = call
        return call

    def _grow(self, size: int) -> None:
        self._size += size
        if self._size > MAX_REPLY_CHARACTERS:
            raise ModelError("The reply of the model service is too long.", ModelFault.SERVER)

    def reply(self) -> Reply:
        """The whole reply."""
        details = self._usage.get("prompt_tokens_details")
        cached = details.get("cached_tokens") if isinstance(details, dict) else None
        return Reply(
            text=self._text.whole(),
            reasoning=self._reasoning.whole(),
            calls=tuple(call.finished() for call in self._calls if not call.is_nothing),
            finish=_mended(self.finish),
            model=_mended(self._model),
            input_tokens=_count(self._usage.get("prompt_tokens")),
            output_tokens=_count(self._usage.get("completion_tokens")),
            cached_tokens=_count(cached),
        )


class _CallPiece:
    """What one entry of `tool_calls` says, whatever is missing."""

    __slots__ = ("arguments", "index", "label", "name")

    def __init__(self, entry: Mapping[str, Any], function: Mapping[str, Any]) -> None:
        label, name = entry.get("id"), function.get("name")
        self.index = _index_of(entry.get("index"))
        self.label = label if isinstance(label, str) else ""
        self.name = name if isinstance(name, str) else ""
        self.arguments = _arguments_of(function.get("arguments"))

    @property
    def is_anonymous(self) -> bool:
        return self.index is None and not self.label


class _Call:
    """One call while it arrives."""

    def __init__(self) -> None:
        self.label = ""
        self.name = ""
        self._arguments: list[str] = []

    def add(self, piece: _CallPiece) -> None:
        """Take a piece. A name comes whole, again and again, growing, or in parts."""
        self.label = self.label or piece.label
        if piece.name.startswith(self.name):
            self.name = piece.name
        elif not self.name.endswith(piece.name):
            self.name += piece.name
        if piece.arguments:
            self._arguments.append(piece.arguments)

    def is_closed_to(self, piece: _CallPiece) -> bool:
        """Whether a piece with a name must belong to another call."""
        if not self.name or self.is_repeated_by(piece):
            return False
        is_whole = self._is_whole()
        has_other_label = bool(piece.label and self.label and piece.label != self.label)
        if piece.is_anonymous and piece.name != self.name:
            return True
        return (is_whole and bool(piece.arguments.strip())) or (
            has_other_label and (is_whole or not self._arguments)
        )

    def is_repeated_by(self, piece: _CallPiece) -> bool:
        """Whether the piece says what is known already."""
        if piece.name != self.name or piece.label not in {"", self.label} or not piece.arguments:
            return False
        return self._is_whole() and piece.arguments == "".join(self._arguments)

    def _is_whole(self) -> bool:
        if not self._arguments or not self._arguments[-1].rstrip().endswith("}"):
            return False
        try:
            return isinstance(json.loads("".join(self._arguments)), dict)
        except (ValueError, RecursionError):
            return False

    @property
    def is_nothing(self) -> bool:
        return not self.name and not self._arguments

    def finished(self) -> ReplyCall:
        return ReplyCall(
            provider_id=_mended(self.label),
            tool=_mended(self.name) or UNNAMED,
            arguments=_mended("".join(self._arguments)),
        )


class _Pieces:
    """Text in pieces, without lone surrogates: a pair cut in two is joined, half a pair becomes U+FFFD."""

    def __init__(self) -> None:
        self._kept: list[str] = []
        self._half = ""

    @property
    def is_empty(self) -> bool:
        return not self._kept and not self._half

    def add(self, piece: str) -> str:
        """Keep a piece; what of it can be shown now."""
        if self._half or _SURROGATE.search(piece):
            piece = self._half + piece
            self._half = piece[-1] if "\ud800" <= piece[-1] <= "\udbff" else ""
            piece = _mended(piece.removesuffix(self._half) if self._half else piece)
        if piece:
            self._kept.append(piece)
        return piece

    def whole(self) -> str:
        return "".join(self._kept) + ("\ufffd" if self._half else "")


def _mended(text: str) -> str:
    if not _SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def _first_choice(chunk: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """The choice that counts: others are answers nobody asked for."""
    choices = chunk.get("choices")
    for choice in choices if isinstance(choices, list) else []:
        if isinstance(choice, dict) and choice.get("index", 0) in (0, None):
            yield choice


def _text_of(content: Any) -> str:
    """Text given as text or as a list of parts."""
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    parts = [one.get("text") if isinstance(one, dict) else one for one in content]
    return "".join(part for part in parts if isinstance(part, str))


def _arguments_of(arguments: Any) -> str:
    """Arguments as text: an object is encoded, nothing is empty."""
    if isinstance(arguments, str):
        return arguments
    return "" if arguments is None else json.dumps(arguments, ensure_ascii=False)


def _index_of(index: Any) -> int | None:
    if isinstance(index, str) and index.isdecimal() and index.isascii():
        index = int(index[:9])
    return index if isinstance(index, int) and not isinstance(index, bool) else None


def _count(tokens: Any) -> int | None:
    is_count = isinstance(tokens, int) and not isinstance(tokens, bool) and tokens >= 0
    return tokens if is_count else None
