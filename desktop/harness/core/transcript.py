"""The log as rows for a screen, and the patches that keep a screen up to date.

A pure fold: records (and streamed pieces) in, splices out. It knows no widget
and no words of a language beyond what tools and people wrote; titles of
tool calls are short plain English made from the arguments.
"""

from dataclasses import dataclass
from enum import StrEnum

from desktop.harness.core.ids import CallId, RunNumber, Seq


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
    empty or one of: streaming, cut (an answer that broke off), running, waiting, ok, failed,
    refused, cancelled, unresolved, damaged. A tool row has `title` ("Read notes.txt") and `detail` (what came back).
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
