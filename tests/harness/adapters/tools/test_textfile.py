"""Bytes become text only if the text gives the same bytes."""

import codecs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.adapters.tools.textfile import StrictText

TEXTS = StrictText()


@pytest.mark.parametrize(
    ("data", "encoding", "bom"),
    [
        (b"", "utf-8", b""),
        ("naïve\n".encode(), "utf-8", b""),
        (codecs.BOM_UTF8 + b"a", "utf-8", codecs.BOM_UTF8),
        (codecs.BOM_UTF16_LE + "ä".encode("utf-16-le"), "utf-16-le", codecs.BOM_UTF16_LE),
        (codecs.BOM_UTF16_BE + "ä".encode("utf-16-be"), "utf-16-be", codecs.BOM_UTF16_BE),
        (codecs.BOM_UTF32_LE + "ä".encode("utf-32-le"), "utf-32-le", codecs.BOM_UTF32_LE),
    ],
)
def test_marks_and_utf_8(data: bytes, encoding: str, bom: bytes) -> None:
    """The mark decides and is kept apart from the text; without one UTF-8 is tried."""
    text = TEXTS.decode(data)
    assert text is not None
    assert (text.encoding, text.bom) == (encoding, bom)
    assert not text.text.startswith("\ufeff")


@pytest.mark.parametrize(
    "data",
    [
        b"a\0b",
        bytes(range(1, 32)) * 50 + b"\xff",
        codecs.BOM_UTF8 + b"\xff",
        codecs.BOM_UTF16_LE + b"\x00\xd8",
        b"\x89PNG\r\n\x1a\n\xff\xfe\x00",
    ],
)
def test_what_is_no_text(data: bytes) -> None:
    """NUL bytes, control bytes, and a mark that the bytes behind it belie."""
    assert TEXTS.decode(data) is None


@given(st.binary(max_size=300) | st.text(max_size=100).map(lambda text: text.encode("cp1252", "ignore")))
def test_a_text_gives_its_bytes_back(data: bytes) -> None:
    """Whatever is taken as text encodes to the same bytes again."""
    text = TEXTS.decode(data)
    if text is not None:
        assert text.bom + text.text.encode(text.encoding) == data


@pytest.mark.parametrize(
    ("text", "encoding"),
    [
        ("café, garçon, déjà vu\n", "cp1252"),
        ("Smörgåsbord på svenska är gött\n", "cp1252"),
        ("naïve “quotes” and – dashes…\n", "cp1252"),
        ("x = 1  # é\n", "cp1252"),
        ("Příliš žluťoučký kůň úpěl ďábelské ódy, řeka teče\n" * 5, "cp1250"),
        ("Съешь ещё этих мягких французских булок\n" * 3, "cp1251"),
        ("日本語のテキストです。これは試験です。\n" * 4, "cp932"),
    ],
)
def test_guesses_read_well(text: str, encoding: str) -> None:
    """Common old encodings of several languages come out with the right letters."""
    found = TEXTS.decode(text.encode(encoding))
    assert found is not None
    assert found.text == text
