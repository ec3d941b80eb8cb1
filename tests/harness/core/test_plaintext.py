"""Clean text from what programs print."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.core.plaintext import clean_text, plain, whole_characters


def test_terminal_control_and_nul_are_taken_out() -> None:
    """Colours, window titles and NUL bytes never reach the log or a model."""
    shown = plain(b"a\x00b\x1b[31mred\x1b[0m\x1b]0;title\x07end \x1b(B\x1bM.\n")
    assert shown.text == "abredend .\n"
    assert shown.noisy


def test_a_surrogate_written_as_json_stays_text() -> None:
    """An escaped lone surrogate is six harmless characters; a real one is replaced."""
    assert clean_text(rb'{"x": "\ud800"}') == r'{"x": "\ud800"}'
    assert clean_text("a\ud800b") == "a\N{REPLACEMENT CHARACTER}b"
    clean_text(b"a\xed\xa0\x80b").encode()


def test_wide_text_is_known_by_its_mark() -> None:
    """UTF-16 and UTF-32 output with a byte order mark is readable, and said."""
    for codec in ("utf-16", "utf-32"):
        shown = plain("größe 中\r\n".encode(codec))
        assert shown.text == "größe 中\n"
        assert codec[:6].upper() in shown.note


def test_old_windows_text_is_read_and_marked() -> None:
    """A line in Windows-1252 is read as such and does not spoil the UTF-8 lines around it."""
    shown = plain("中文\n".encode() + "Größe – fünf\n".encode("cp1252") + b"end")
    assert shown.text == "中文\nGröße – fünf\nend"
    assert "Windows-1252" in shown.note


def test_a_progress_bar_shrinks_to_its_last_state() -> None:
    """Five thousand carriage returns leave one line."""
    bar = b"".join(b"\r%d %%" % step for step in range(5000))
    assert clean_text(b"start\n" + bar + b"\r\nend\r\n") == "start\n4999 %\nend\n"
    assert clean_text(b"50 %\r") == "50 %"


def test_backspaces_wipe_what_stood_before() -> None:
    """A spinner and struck-over bold text leave what a terminal would show."""
    assert clean_text(b"|\x08/\x08-\x08 done") == " done"
    assert clean_text(b"N\x08NA\x08AME") == "NAME"
    assert clean_text(b"abc\x08\x08\x08xyz") == "xyz"


@given(st.text(alphabet="a中é😀", min_size=1, max_size=40), st.integers(0, 160), st.integers(0, 160))
def test_a_cut_leaves_no_broken_character(text: str, first: int, last: int) -> None:
    """Wherever a cap falls inside UTF-8, both sides still decode strictly."""
    data = text.encode()
    head, tail = whole_characters(data[:first], data[last:])
    assert data.startswith(head) and data.endswith(tail)
    head.decode()
    tail.decode()


@given(st.binary(max_size=200))
def test_any_bytes_give_text_that_can_be_sent(data: bytes) -> None:
    """Whatever a program prints, the text encodes to UTF-8 and holds no control but line feed and tab."""
    text = clean_text(data)
    text.encode()
    assert all(character >= " " or character in "\n\t" for character in text)
    assert clean_text(text) == text
