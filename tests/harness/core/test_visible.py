"""What a person looks at holds no character that they cannot see."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.core.visible import (
    for_name,
    hidden_count,
    hidden_count_in_name,
    show_safe,
    spans,
)

ANY_TEXT = st.text(alphabet=st.characters(codec=None, exclude_categories=()))
PLAIN = st.text(alphabet=st.sampled_from("abc XYZ 0189 ~!äöüßéñ中文字кот⟦⟧…\n\t"))


@pytest.mark.parametrize(
    "char",
    [
        "\x00",
        "\x1b",
        "\x7f",
        "\x85",
        "\x9b",
        "\r",
        "\xa0",
        "\xad",
        "\u061c",
        "\u200b",
        "\u200c",
        "\u200d",
        "\u200e",
        "\u202a",
        "\u202e",
        "\u2028",
        "\u2066",
        "\u2069",
        "\u2060",
        "\u3000",
        "\u3164",
        "\ufe0f",
        "\ufeff",
        "\ud800",
        "\U000e0041",
        "\U000e0100",
        "\U0001ffff",
    ],
)
def test_each_kind_becomes_a_box(char: str) -> None:
    """A control, direction mark, zero width, tag, selector, odd space or half pair is shown by its number."""
    assert show_safe(f"a{char}b") == f"a⟦U+{ord(char):04X}⟧b"
    assert hidden_count(f"a{char}b") == 1


def test_line_ends_and_tabs_are_plain_in_a_text_but_not_in_a_name() -> None:
    """CR LF is a line end, a lone CR is not, and a name has one line."""
    assert show_safe("a\r\nb\tc\n") == "a\r\nb\tc\n"
    assert show_safe("a\r\r\n") == "a⟦U+000D⟧\r\n"
    assert for_name("a\nb\tc\r\n") == "a⟦U+000A⟧b⟦U+0009⟧c⟦U+000D⟧⟦U+000A⟧"
    assert hidden_count_in_name("a\nb\tc") == 2


@given(ANY_TEXT)
def test_what_is_shown_holds_nothing_hidden(text: str) -> None:
    """Whatever comes in, the shown text has no hidden character left and can be encoded."""
    assert hidden_count(show_safe(text)) == 0
    assert hidden_count_in_name(for_name(text)) == 0
    show_safe(text).encode()


@given(PLAIN)
def test_plain_text_is_unchanged(text: str) -> None:
    """Ordinary writing, in any script, is shown as it is."""
    assert show_safe(text) == text
    assert hidden_count(text) == 0


@given(ANY_TEXT)
def test_spans_join_to_the_shown_text(text: str) -> None:
    """The pieces are the shown text, and one box stands for each hidden character."""
    pieces = spans(text)
    assert "".join(piece.text for piece in pieces) == show_safe(text)
    assert sum(piece.is_hidden for piece in pieces) == hidden_count(text)
