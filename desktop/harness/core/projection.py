"""The log as the messages that a model service gets.

A fold that only ever appends: a message is encoded once, when nothing can change
it any more, so the body of each request is the one before it plus some bytes, also
after a restart. What cannot be encoded yet (calls whose results are missing) waits in
`_batch`. Words of ours (files that changed, an undo) ride on the next message that
is encoded, never in front of what was sent.

Every call is answered exactly once, directly behind its reply and in call order;
a call that will never get a result is closed with a sentence that says so.
"""

import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from desktop.harness.core.events import (
    AskedCall,
    AssistantMessage,
    Cancelled,
    Damaged,
    EffectSettled,
    EffectUnresolved,
    Interrupted,
    Killed,
    ModelFailed,
    ModelRequested,
    Record,
    ReplyProgress,
    SessionForked,
    Settlement,
    Steered,
    ToolResulted,
    ToolStarted,
    Undone,
    UserMessage,
    WorkspaceChanged,
)
from desktop.harness.core.ids import CallId, Seq
from desktop.harness.core.schema import valid_text
from desktop.harness.core.visible import for_name

CUT_MARK = "[This answer was cut off here.]"

_NOT_RUN = "Not run: the person went on to something else."
_NO_RECORD = "No result of this call is on record."
_NOT_RUN_BRANCH = "Not run in this branch."
_NOT_RUN_STOPPED = "Not run: the person stopped the work."
_UNKNOWN = (
    "The outcome is unknown: this was started, and no record says whether it happened. "
    "Look before repeating it."
)

_JSON = json.JSONEncoder(ensure_ascii=False, separators=(",", ":")).encode
_FORBIDDEN = re.compile("[\x00\x1b\ud800-\udfff]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Source:
    """One encoded message: its role, where its bytes lie, and the records behind it."""

    role: str
    start: int
    end: int
    records: tuple[Seq, ...]


@dataclass(slots=True)
class _Batch:
    """A reply with calls, waiting for its results."""

    message: dict[str, Any]
    seq: Seq
    calls: tuple[AskedCall, ...]
    results: dict[CallId, tuple[str, Seq]] = field(default_factory=dict)
    started: set[CallId] = field(default_factory=set)
    lost: dict[CallId, int] = field(default_factory=dict)


def _encoded(message: dict[str, Any]) -> bytes:
    """The JSON of a message. Its content is cleaned only if the encoding shows that it has to be."""
    try:
        data = _JSON(message).encode()
        if b"\\u00" not in data or not message.get("content"):
            return data
    except UnicodeEncodeError:
        pass
    message = {**message, "content": clean(message["content"])}
    return _JSON(message).encode()


def clean(text: str) -> str:
    """The text without what no server accepts: NUL, ESC and lone surrogates."""
    return _FORBIDDEN.sub("\ufffd", text)


class Projection:
    """The messages so far, as bytes that only grow."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self._sources: list[Source] = []
        self._batch: _Batch | None = None
        self._notes: list[tuple[str, Seq]] = []
        self._turn = 0
        self._partial: tuple[str, Seq] | None = None
        self._is_asked = False
        self._steers: list[tuple[str, Seq]] = []
        self._left_out: list[tuple[Seq, str]] = []
        self._hashed: tuple[bytes, int, Any] | None = None

    @property
    def sources(self) -> tuple[Source, ...]:
        """The messages behind the head, in order."""
        return tuple(self._sources)

    @property
    def left_out(self) -> tuple[tuple[Seq, str], ...]:
        """Records that are not sent although they hold words, each with the reason."""
        return tuple(self._left_out)

    @property
    def has_open_calls(self) -> bool:
        """Whether results are missing, so that no request can be made."""
        return self._batch is not None

    def body(self, head: bytes) -> bytes:
        """The whole request behind `head` (see `AgentDefinition.head`)."""
        return b"".join((head, self._bytes, b"]}"))

    def message_bytes(self, source: Source) -> bytes:
        """The JSON of one message."""
        return bytes(self._bytes[source.start : source.end])

    def digest(self, head: bytes) -> str:
        """The digest of `body(head)` without its closing brackets; costs only the new bytes."""
        if self._hashed is None or self._hashed[0] != head:
            self._hashed = (head, 0, hashlib.sha256(head))
        _, done, running = self._hashed
        running.update(memoryview(self._bytes)[done:])
        self._hashed = (head, len(self._bytes), running)
        return str(running.hexdigest())

    def feed(self, record: Record) -> None:
        """Take in the next record."""
        on_event = _ON.get(record.event.kind)
        if on_event is not None:
            on_event(self, record.event, record.seq)

    # --- one small method an event ---

    def _on_user_message(self, message: UserMessage, seq: Seq) -> None:
        self._close_batch(_NOT_RUN)
        self._close_partial()
        self._is_asked = False
        self._say_steers()
        self._say(message.text, seq)

    def _on_steered(self, steered: Steered, seq: Seq) -> None:
        """Goes behind the reply that is coming in and the results that are missing."""
        self._steers.append((steered.text, seq))
        if not self._is_asked and self._batch is None:
            self._say_steers()

    def _say_steers(self) -> None:
        steers, self._steers = self._steers, []
        for text, seq in steers:
            self._say(text, seq)

    def _say(self, said: str, seq: Seq) -> None:
        text, sources = self._with_notes(said, seq, in_front=True)
        self._append({"role": "user", "content": text}, sources)

    def _on_assistant_message(self, message: AssistantMessage, seq: Seq) -> None:
        if message.turn <= self._turn:
            self._left_out.append((seq, "a second reply to a request that was already answered"))
            return
        self._turn = message.turn
        self._partial = None
        self._is_asked = False
        if message.reasoning:
            self._left_out.append((seq, "what the model thought aloud is not sent back"))
        self._close_batch(_NO_RECORD)
        if not message.calls:
            if message.text:
                self._append({"role": "assistant", "content": message.text}, (seq,))
            self._say_steers()
            return
        encoded = [
            {
                "id": call.call_id,
                "type": "function",
                "function": {"name": _tool_name(call.tool), "arguments": _arguments(call.arguments)},
            }
            for call in message.calls
        ]
        body: dict[str, Any] = {"role": "assistant", "content": message.text or None, "tool_calls": encoded}
        self._batch = _Batch(body, seq, message.calls)

    def _on_tool_started(self, started: ToolStarted, seq: Seq) -> None:
        if self._batch is not None:
            self._batch.started.add(started.call_id)

    def _on_tool_result(self, result: ToolResulted, seq: Seq) -> None:
        batch = self._batch
        if batch is not None and 0 < result.attempt <= batch.lost.get(result.call_id, 0):
            self._left_out.append((seq, "a result that came after its attempt was given up for lost"))
            return
        self._take_result(result.call_id, result.text, seq)

    def _on_effect_unresolved(self, unresolved: EffectUnresolved, seq: Seq) -> None:
        if self._batch is not None:
            self._batch.started.add(unresolved.call_id)
            self._batch.lost[unresolved.call_id] = unresolved.attempt

    def _on_effect_settled(self, settled: EffectSettled, seq: Seq) -> None:
        """A call that is tried again has a result of its own still to come."""
        if settled.outcome == Settlement.RETRY:
            if self._batch is not None:
                self._batch.lost[settled.call_id] = settled.attempt
            return
        who = "The person" if settled.by == "person" else "Paddock"
        happened = settled.outcome == Settlement.HAPPENED
        text = f"{who} looked after a crash: this did {'' if happened else 'not '}happen."
        self._take_result(settled.call_id, text, seq)

    def _on_model_requested(self, requested: ModelRequested, seq: Seq) -> None:
        self._partial = None
        self._say_steers()
        self._is_asked = True

    def _on_reply_progress(self, progress: ReplyProgress, seq: Seq) -> None:
        before = self._partial[0] if self._partial is not None else ""
        self._keep_partial(before + progress.text, seq)

    def _on_model_failed(self, failed: ModelFailed, seq: Seq) -> None:
        self._keep_partial(failed.partial, seq)

    def _on_interrupted(self, interrupted: Interrupted, seq: Seq) -> None:
        self._keep_partial(interrupted.text, seq)

    def _on_cancelled(self, cancelled: Cancelled, seq: Seq) -> None:
        self._close_batch(_NOT_RUN_STOPPED)
        self._keep_partial(cancelled.text, seq)
        self._close_partial()

    def _on_killed(self, killed: Killed, seq: Seq) -> None:
        self._close_batch(_NOT_RUN_STOPPED)
        self._close_partial()

    def _on_session_forked(self, forked: SessionForked, seq: Seq) -> None:
        self._close_batch(_NOT_RUN_BRANCH)
        self._close_partial()

    def _on_workspace_changed(self, changed: WorkspaceChanged, seq: Seq) -> None:
        more = f" and {changed.more} more" if changed.more else ""
        names = ", ".join(map(for_name, changed.paths))
        self._notes.append(
            (f"[Changed outside Paddock since: {names}{more}. Read again before changing.]", seq)
        )

    def _on_undone(self, undone: Undone, seq: Seq) -> None:
        names = ", ".join(for_name(str(change.get("path", ""))) for change in undone.restored)
        if names:
            self._notes.append((f"[The person undid earlier changes; put back as before: {names}.]", seq))

    def _on_damaged(self, damaged: Damaged, seq: Seq) -> None:
        self._left_out.append((seq, f"this record is damaged: {damaged.problem}"))

    # --- the parts ---

    def _take_result(self, call_id: CallId, text: str, seq: Seq) -> None:
        """Keep a result until its batch is complete; a late or second one is evidence only."""
        batch = self._batch
        known = batch is not None and any(call.call_id == call_id for call in batch.calls)
        if batch is None or not known or call_id in batch.results:
            self._left_out.append((seq, "a late or second result for a call that was already answered"))
            return
        batch.results[call_id] = (text, seq)
        if len(batch.results) == len(batch.calls):
            self._flush(batch)

    def _close_batch(self, text: str) -> None:
        """Answer the calls that will never get a result."""
        if (batch := self._batch) is None:
            return
        for call in batch.calls:
            closing = _UNKNOWN if call.call_id in batch.started else text
            batch.results.setdefault(call.call_id, (closing, batch.seq))
        self._flush(batch)

    def _flush(self, batch: _Batch) -> None:
        self._batch = None
        self._append(batch.message, (batch.seq,))
        for call in batch.calls:
            text, seq = batch.results[call.call_id]
            content, sources = self._with_notes(text, seq, in_front=False)
            self._append({"role": "tool", "tool_call_id": call.call_id, "content": content}, sources)
        self._say_steers()

    def _keep_partial(self, text: str, seq: Seq) -> None:
        """Text of a reply that broke off; sent only once it is sure that no whole reply follows."""
        if text:
            self._partial = (text, seq)

    def _close_partial(self) -> None:
        if self._partial is None:
            return
        text, seq = self._partial
        self._partial = None
        self._append({"role": "assistant", "content": f"{text}\n{CUT_MARK}"}, (seq,))

    def _with_notes(self, text: str, seq: Seq, *, in_front: bool) -> tuple[str, tuple[Seq, ...]]:
        if not self._notes:
            return text, (seq,)
        notes = "\n".join(note for note, _ in self._notes)
        sources = (*(source for _, source in self._notes), seq)
        self._notes.clear()
        return (f"{notes}\n\n{text}" if in_front else f"{text}\n\n{notes}"), sources

    def _append(self, message: dict[str, Any], sources: tuple[Seq, ...]) -> None:
        data = _encoded(message)
        self._bytes += b","
        start = len(self._bytes)
        self._bytes += data
        self._sources.append(Source(role=message["role"], start=start, end=len(self._bytes), records=sources))


_ESCAPES = re.compile(r"\\u(?:00[01]|[dD][89a-fA-F])")


def _arguments(raw: str) -> str:
    """The arguments of a call as text that every server accepts."""
    text = clean(valid_text(raw))
    if _ESCAPES.search(text) is None:
        return text
    return json.dumps(_cleaned(json.loads(text)), ensure_ascii=False)


def _cleaned(value: Any) -> Any:
    if isinstance(value, str):
        return clean(value)
    if isinstance(value, list):
        return [_cleaned(item) for item in value]
    if isinstance(value, dict):
        return {clean(name): _cleaned(item) for name, item in value.items()}
    return value


def _tool_name(name: str) -> str:
    """A name that servers accept: letters, digits, `_` and `-`, at most 64."""
    return re.sub(r"[^A-Za-z0-9_-]", "_", name)[:64] or "unnamed"


_ON: dict[str, Callable[[Projection, Any, Seq], None]] = {
    "user_message": Projection._on_user_message,
    "assistant_message": Projection._on_assistant_message,
    "tool_started": Projection._on_tool_started,
    "tool_result": Projection._on_tool_result,
    "effect_unresolved": Projection._on_effect_unresolved,
    "effect_settled": Projection._on_effect_settled,
    "model_requested": Projection._on_model_requested,
    "reply_progress": Projection._on_reply_progress,
    "model_failed": Projection._on_model_failed,
    "interrupted": Projection._on_interrupted,
    "cancelled": Projection._on_cancelled,
    "killed": Projection._on_killed,
    "steered": Projection._on_steered,
    "session_forked": Projection._on_session_forked,
    "workspace_changed": Projection._on_workspace_changed,
    "undone": Projection._on_undone,
    "damaged": Projection._on_damaged,
}
