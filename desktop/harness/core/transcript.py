"""The log as rows for a screen, and the patches that keep a screen up to date.

A pure fold: records (and streamed pieces) in, splices out. It knows no widget
and no words of a language beyond what tools and people wrote; titles of
tool calls are short plain English made from the arguments.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from desktop.harness.core.events import (
    ApprovalDenied,
    ApprovalGranted,
    ApprovalRequest,
    AssistantMessage,
    Cancelled,
    Damaged,
    EffectSettled,
    EffectUnresolved,
    Interrupted,
    Killed,
    ModeChanged,
    ModelChanged,
    ModelFailed,
    Paused,
    Record,
    ReplyProgress,
    RetryScheduled,
    SessionForked,
    Settlement,
    Steered,
    ToolResulted,
    ToolStarted,
    Undone,
    UserMessage,
    WorkspaceChanged,
)
from desktop.harness.core.ids import CallId, RunNumber, Seq
from desktop.harness.core.titles import title_of
from desktop.harness.core.visible import for_name


class RowKind(StrEnum):
    """What a row is; each kind is painted in its own way."""

    USER = "user"
    ASSISTANT = "assistant"
    TOOL = "tool"
    NOTICE = "notice"


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """One row of the chat.

    `key` is stable over the row's life. `seq` is the newest record behind it (what *Branch from here*
    names). `text` is Markdown for an answer, plain text for all else. `status` is
    empty or one of: streaming, cut (an answer that broke off), running, waiting, allowed (but not
    begun: other parts of the change are still asked about), ok, failed, refused, cancelled,
    unresolved, damaged. A tool row has `title` ("Read notes.txt") and
    `detail` (what came back).
    """

    key: str
    kind: RowKind
    seq: Seq
    at_ms: int
    run: RunNumber = RunNumber(0)
    text: str = ""
    title: str = ""
    detail: str = ""
    status: str = ""
    call_id: CallId | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Patch:
    """One splice: from `index` on, `removed` rows are replaced by `rows`."""

    index: int
    removed: int
    rows: tuple[Row, ...]


class Transcript:
    """The rows so far. `feed` and `stream` answer with the splices that a screen needs."""

    def __init__(self) -> None:
        self._rows: list[Row] = []
        self._index: dict[str, int] = {}
        self._turn = 0
        self._ended: set[CallId] = set()
        self._lost: dict[CallId, int] = {}

    @property
    def rows(self) -> tuple[Row, ...]:
        """All rows, oldest first."""
        return tuple(self._rows)

    def feed(self, record: Record) -> tuple[Patch, ...]:
        """Take in the next record."""
        on_event = _ON.get(record.event.kind)
        return tuple(on_event(self, record.event, record)) if on_event is not None else ()

    def stream(self, text: str, at_ms: int, run: RunNumber, seq: Seq) -> tuple[Patch, ...]:
        """Show the whole text of the reply so far."""
        key = f"a{self._turn + 1}"
        row = Row(
            key=key, kind=RowKind.ASSISTANT, seq=seq, at_ms=at_ms, run=run, text=text, status="streaming"
        )
        return (self._put(row),)

    # --- one small method an event ---

    def _on_user_message(self, message: UserMessage, record: Record) -> Iterator[Patch]:
        yield from self._end_open("cancelled")
        yield self._put(self._row(record, RowKind.USER, f"u{record.seq}", text=message.text))

    def _on_reply_progress(self, progress: ReplyProgress, record: Record) -> Iterator[Patch]:
        """What was kept of a reply against a crash; what is being streamed shows more than that already."""
        index = self._index.get(f"a{progress.turn}")
        shown = self._rows[index] if index is not None else None
        if shown is None or shown.status != "streaming":
            text = (shown.text if shown is not None else "") + progress.text
            key = f"a{progress.turn}"
            yield self._put(self._row(record, RowKind.ASSISTANT, key, text=text, status="cut"))

    def _on_assistant_message(self, message: AssistantMessage, record: Record) -> Iterator[Patch]:
        key = f"a{message.turn}"
        self._turn = message.turn
        if message.text or key in self._index:
            status = "cut" if message.finish == "length" else ""
            yield self._put(
                self._row(record, RowKind.ASSISTANT, key, text=message.text or "…", status=status)
            )
        elif not message.calls:
            yield self._notice(record, "The model gave no answer.")
        for call in message.calls:
            title = title_of(call.tool, call.arguments)
            yield self._put(
                self._row(
                    record, RowKind.TOOL, call.call_id, title=title, status="running", call_id=call.call_id
                )
            )

    def _on_approval_request(self, request: ApprovalRequest, record: Record) -> Iterator[Patch]:
        yield from self._tool(request.call_id, record, status="waiting", title=request.title)

    def _on_approval_granted(self, granted: ApprovalGranted, record: Record) -> Iterator[Patch]:
        if self._status(granted.call_id) == "waiting":
            yield from self._tool(granted.call_id, record, status="allowed")

    def _on_approval_denied(self, denied: ApprovalDenied, record: Record) -> Iterator[Patch]:
        if self._status(denied.call_id) == "waiting":
            yield from self._tool(denied.call_id, record, status="refused")

    def _on_tool_started(self, started: ToolStarted, record: Record) -> Iterator[Patch]:
        yield from self._tool(started.call_id, record, status="running")

    def _on_tool_result(self, result: ToolResulted, record: Record) -> Iterator[Patch]:
        """A call ends once; what comes later is shown as late and changes nothing."""
        name = result.call_id
        if name in self._ended or 0 < result.attempt <= self._lost.get(name, 0):
            yield from self._late(name, record)
            return
        self._ended.add(name)
        yield from self._tool(name, record, status=result.status, detail=result.text)

    def _late(self, call_id: CallId, record: Record) -> Iterator[Patch]:
        index = self._index.get(call_id)
        if index is not None:
            title = self._rows[index].title
            yield self._notice(record, f"A late result came for this step and changes nothing: {title}.")

    def _on_effect_unresolved(self, unresolved: EffectUnresolved, record: Record) -> Iterator[Patch]:
        if unresolved.call_id in self._ended:
            return
        self._lost[unresolved.call_id] = unresolved.attempt
        yield from self._tool(unresolved.call_id, record, status="unresolved", detail=unresolved.text)

    def _on_effect_settled(self, settled: EffectSettled, record: Record) -> Iterator[Patch]:
        ends = {Settlement.HAPPENED: "ok", Settlement.DID_NOT_HAPPEN: "failed"}
        if settled.call_id in self._ended:
            return
        self._lost[settled.call_id] = settled.attempt
        if settled.outcome in ends:
            self._ended.add(settled.call_id)
        status = ends.get(Settlement(settled.outcome), "running")
        yield from self._tool(settled.call_id, record, status=status)

    def _on_model_failed(self, failed: ModelFailed, record: Record) -> Iterator[Patch]:
        yield from self._cut(failed.partial, record)
        yield self._notice(record, failed.text, status="failed")

    def _on_retry_scheduled(self, retry: RetryScheduled, record: Record) -> Iterator[Patch]:
        """The failure is not the last word: say that it is tried again."""
        index = len(self._rows) - 1
        if index < 0 or self._rows[index].status != "failed":
            return
        notice = self._rows[index]
        yield self._put(replace(notice, text=f"{notice.text} Trying again.", status=""))

    def _on_interrupted(self, interrupted: Interrupted, record: Record) -> Iterator[Patch]:
        yield from self._cut(interrupted.text, record)
        yield self._notice(record, "Paddock was closed while working. Nothing was run twice.")

    def _on_cancelled(self, cancelled: Cancelled, record: Record) -> Iterator[Patch]:
        yield from self._cut(cancelled.text, record)
        yield from self._end_open("cancelled")
        yield self._notice(record, "Stopped.")

    def _on_killed(self, killed: Killed, record: Record) -> Iterator[Patch]:
        index = self._index.get(f"a{self._turn + 1}")
        if index is not None:
            yield self._put(replace(self._rows[index], status="cut"))
        yield from self._end_open("cancelled", is_final=False)
        yield self._notice(record, "Stopped at once.")

    def _on_steered(self, steered: Steered, record: Record) -> Iterator[Patch]:
        yield self._put(self._row(record, RowKind.USER, f"u{record.seq}", text=steered.text))

    def _on_paused(self, paused: Paused, record: Record) -> Iterator[Patch]:
        yield self._notice(record, paused.reason)

    def _on_session_forked(self, forked: SessionForked, record: Record) -> Iterator[Patch]:
        yield from self._end_open("cancelled")
        yield self._notice(
            record, "This chat branched off here. Files on disk are shared with the first chat."
        )

    def _on_mode_changed(self, changed: ModeChanged, record: Record) -> Iterator[Patch]:
        words = {"read-only": "Look only from here on.", "write": "Paddock can change files from here on."}
        yield self._notice(record, words.get(changed.mode, changed.mode))

    def _on_model_changed(self, changed: ModelChanged, record: Record) -> Iterator[Patch]:
        yield self._notice(record, f"From here on {for_name(changed.model)} answers.")

    def _on_workspace_changed(self, changed: WorkspaceChanged, record: Record) -> Iterator[Patch]:
        more = f" and {changed.more} more" if changed.more else ""
        names = ", ".join(for_name(path) for path in changed.paths)
        yield self._notice(record, f"Changed outside: {names}{more}.")

    def _on_undone(self, undone: Undone, record: Record) -> Iterator[Patch]:
        names = ", ".join(for_name(str(change.get("path", ""))) for change in undone.restored)
        kept = "".join(f" {for_name(str(item.get('path', '')))} was left alone." for item in undone.kept)
        yield self._notice(
            record, f"Put back as before: {names}.{kept}" if names else f"Nothing was put back.{kept}"
        )

    def _on_damaged(self, damaged: Damaged, record: Record) -> Iterator[Patch]:
        yield self._notice(record, "One entry here is damaged and could not be read.", status="damaged")

    # --- the parts ---

    def _row(self, record: Record, kind: RowKind, key: str, **fields: Any) -> Row:
        return Row(key=key, kind=kind, seq=record.seq, at_ms=record.at_ms, run=record.run, **fields)

    def _put(self, row: Row) -> Patch:
        index = self._index.get(row.key)
        if index is None:
            self._index[row.key] = len(self._rows)
            self._rows.append(row)
            return Patch(index=len(self._rows) - 1, removed=0, rows=(row,))
        self._rows[index] = row
        return Patch(index=index, removed=1, rows=(row,))

    def _notice(self, record: Record, text: str, *, status: str = "") -> Patch:
        return self._put(self._row(record, RowKind.NOTICE, f"n{record.seq}", text=text, status=status))

    def _status(self, call_id: CallId) -> str:
        index = self._index.get(call_id)
        return self._rows[index].status if index is not None else ""

    def _tool(self, call_id: CallId, record: Record, **changes: Any) -> Iterator[Patch]:
        index = self._index.get(call_id)
        if index is not None:
            yield self._put(replace(self._rows[index], seq=record.seq, **changes))

    def _cut(self, text: str, record: Record) -> Iterator[Patch]:
        """The text of a reply that broke off; a streamed row without text goes away."""
        key = f"a{self._turn + 1}"
        if text:
            yield self._put(self._row(record, RowKind.ASSISTANT, f"p{record.seq}", text=text, status="cut"))
        index = self._index.get(key)
        if index is not None:
            yield self._remove(key, index)

    def _remove(self, key: str, index: int) -> Patch:
        del self._rows[index], self._index[key]
        for name, place in self._index.items():
            if place > index:
                self._index[name] = place - 1
        return Patch(index=index, removed=1, rows=())

    def _end_open(self, status: str, *, is_final: bool = True) -> Iterator[Patch]:
        """What still seemed to run or wait will not go on; `is_final`: nor will it be told how it ended."""
        for index in range(len(self._rows) - 1, -1, -1):
            row = self._rows[index]
            if row.kind is RowKind.USER:
                break
            if row.kind is RowKind.TOOL and row.status in ("running", "waiting", "allowed"):
                if is_final and row.call_id is not None:
                    self._ended.add(row.call_id)
                yield self._put(replace(row, status=status))


_ON: dict[str, Callable[[Transcript, Any, Record], Iterator[Patch]]] = {
    "user_message": Transcript._on_user_message,
    "reply_progress": Transcript._on_reply_progress,
    "assistant_message": Transcript._on_assistant_message,
    "approval_request": Transcript._on_approval_request,
    "approval_granted": Transcript._on_approval_granted,
    "approval_denied": Transcript._on_approval_denied,
    "tool_started": Transcript._on_tool_started,
    "tool_result": Transcript._on_tool_result,
    "effect_unresolved": Transcript._on_effect_unresolved,
    "effect_settled": Transcript._on_effect_settled,
    "model_failed": Transcript._on_model_failed,
    "retry_scheduled": Transcript._on_retry_scheduled,
    "interrupted": Transcript._on_interrupted,
    "cancelled": Transcript._on_cancelled,
    "killed": Transcript._on_killed,
    "steered": Transcript._on_steered,
    "paused": Transcript._on_paused,
    "session_forked": Transcript._on_session_forked,
    "mode_changed": Transcript._on_mode_changed,
    "model_changed": Transcript._on_model_changed,
    "workspace_changed": Transcript._on_workspace_changed,
    "undone": Transcript._on_undone,
    "damaged": Transcript._on_damaged,
}
