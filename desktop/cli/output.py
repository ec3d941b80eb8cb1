"""What a verb prints: lines for people or objects for programs, never broken by what is in them.

Objects are ASCII JSON, one a line, flushed at once so that a reader sees a record when it is committed. In
lines for people, control characters of files, models and commands are made visible: nothing that was read
can drive the terminal. A reader that goes away (`| head`) ends the printing, not the work.
"""

import json
import os
import re
import sys
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TextIO

_CONTROL = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]")


def visible(text: str) -> str:
    """The text with control and direction characters as escapes; line ends and tabs stay."""
    return _CONTROL.sub(_escape, text.replace("\r\n", "\n"))


def _escape(match: re.Match[str]) -> str:
    code = ord(match.group())
    return f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}"


class Output:
    """Standard output and standard error of one verb."""

    def __init__(self, *, is_json: bool, out: TextIO | None = None, err: TextIO | None = None) -> None:
        self.is_json = is_json
        self._out: TextIO | None = out or sys.stdout  # Python has none where the stream is closed
        self._err: TextIO | None = err or sys.stderr

    def item(self, item: Mapping[str, Any]) -> None:
        """One object for a program."""
        self._write(json.dumps(item, ensure_ascii=True, separators=(",", ":")))

    def line(self, text: str = "") -> None:
        """One line (or several) for a person; nothing with `--json`."""
        if not self.is_json:
            self._write(visible(text))

    def both(self, item: Mapping[str, Any], text: str) -> None:
        """The object with `--json`, else the line."""
        if self.is_json:
            self.item(item)
        else:
            self.line(text)

    def complain(self, sentence: str) -> None:
        """One plain sentence on standard error."""
        if self._err is None:
            return
        with suppress(OSError):  # nobody listens there either
            print(visible(" ".join(sentence.split())), file=self._err, flush=True)

    def _write(self, text: str) -> None:
        if self._out is None:
            return
        try:
            self._out.write(text + "\n")
            self._out.flush()
        except BrokenPipeError:
            _forget(self._out)
            self._out = None


def _forget(stream: TextIO) -> None:
    """Point a stream whose reader is gone at nothing, so that the flush at exit is quiet."""
    with suppress(OSError), Path(os.devnull).open("wb") as nothing:  # a stream in memory has no number
        os.dup2(nothing.fileno(), stream.fileno())


def ready_streams() -> None:
    """Let both streams take any text, whatever the locale says, and keep the numbers of closed ones.

    Without that the next file that is opened, the log say, would be what others call standard output.
    """
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest free number, which is this one
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(encoding="utf-8", errors="backslashreplace")
