"""Nothing that is printed can break the output or drive the terminal."""

import io
import json

from hypothesis import given
from hypothesis import strategies as st

from desktop.cli.output import Output, visible


@given(st.text(max_size=60))
def test_an_object_is_one_ascii_line_that_gives_the_text_back(text: str) -> None:
    """Any text, lone surrogates and control characters included, survives in one line."""
    out = io.StringIO()
    Output(is_json=True, out=out).item({"text": text})
    line = out.getvalue()
    assert line.isascii() and line.count("\n") == 1 and json.loads(line) == {"text": text}


@given(st.text(max_size=60))
def test_lines_for_people_hold_no_control_characters(text: str) -> None:
    """What a file or a model says cannot move the cursor, change colours or turn the direction of text."""
    shown = visible(text)
    assert not any(ord(char) < 32 and char not in "\t\n" for char in shown)
    assert not set(shown) & set("\x7f\x9b\u202e\u2066")


def test_a_reader_that_goes_away_ends_the_printing_only() -> None:
    """After a broken pipe nothing is raised and nothing more is written."""

    class Gone(io.StringIO):
        def flush(self) -> None:
            raise BrokenPipeError

        def fileno(self) -> int:
            raise io.UnsupportedOperation

    out = Output(is_json=True, out=Gone())
    out.item({"a": 1})
    out.item({"a": 2})


def test_a_complaint_is_one_line() -> None:
    """A sentence with line ends in it stays one line on standard error."""
    err = io.StringIO()
    Output(is_json=False, out=io.StringIO(), err=err).complain("one\ntwo\x1b[31m")
    assert err.getvalue() == "one two\\x1b[31m\n"
