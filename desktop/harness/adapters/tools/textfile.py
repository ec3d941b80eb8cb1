"""Bytes to text and back, without loss (ports.TextFiles).

A byte-order mark decides, then strict UTF-8. Only for what is neither is a guess
made, and a guess counts only if encoding the text again gives the same bytes; its
letters may still be the wrong ones, so a guess is good for reading and for leaving
alone, not for writing letters that the file does not hold yet. Bytes with NUL and
without a mark are no text. Nothing is ever replaced by a stand-in character.
"""

import codecs
import re
from dataclasses import dataclass

from desktop.harness.ports import Text

_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),  # before UTF-16, whose mark it begins with
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_SAMPLE_BYTES = 64_000
_CHUNK_BYTES = 1 << 20
_MAX_GUESSED_BYTES = 32_000_000
_WESTERN = "cp1252"
_CENTRAL = frozenset(("cp1250", "iso8859_2", "iso8859_16", "mac_latin2", "cp852"))
_LANGUAGES = frozenset("Czech Polish Slovak Slovene Croatian Hungarian Romanian Turkish".split())
_NEIGHBOURS = re.compile(rb"[\x80-\xff]{2}")
"""Scripts of many letters have bytes above ASCII side by side; a lone one is a Western letter."""
_NO_TEXT = re.compile(rb"[\x00-\x06\x0e-\x1a\x1c-\x1f]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Encoding:
    """How bytes are text: a Python codec's name, the mark in front, and whether it is only a guess."""

    name: str
    bom: bytes = b""
    is_guess: bool = False

    def decode(self, data: bytes) -> str:
        """The text behind the mark. Raises UnicodeError."""
        return data[len(self.bom) :].decode(self.name)

    def encode(self, text: str) -> bytes:
        """Mark and text. Raises UnicodeError when a character has no form in this encoding."""
        return self.bom + text.encode(self.name)


UTF_8 = Encoding(name="utf-8")


class StrictText:
    """Decodes what gives the same bytes when it is encoded again."""

    def encoding(self, data: bytes) -> Encoding | None:
        """How these bytes are text, without keeping the text; None when they are none."""
        for bom, name in _MARKS:
            if data.startswith(bom):
                marked = Encoding(name=name, bom=bom)
                return marked if _is_valid(data, marked) else None
        if b"\0" in data:
            return None
        return UTF_8 if _is_valid(data, UTF_8) else _guessed(data)

    def decode(self, data: bytes) -> Text | None:
        """The text, or None when the bytes are no text in a known encoding that gives them back exactly."""
        found = self.encoding(data)
        if found is None:
            return None
        return Text(text=found.decode(data), encoding=found.name, bom=found.bom)


def _is_valid(data: bytes, encoding: Encoding) -> bool:
    """Decodes piece by piece, so that a big file never stands in memory twice.

    UTF-8, UTF-16 and UTF-32 give back what they strictly decode.
    """
    if encoding.name == "utf-8" and data.isascii():
        return True
    decoder = codecs.getincrementaldecoder(encoding.name)()
    view = memoryview(data)[len(encoding.bom) :]
    try:
        for start in range(0, len(view), _CHUNK_BYTES):
            decoder.decode(view[start : start + _CHUNK_BYTES])
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return False
    return True


def _guessed(data: bytes) -> Encoding | None:
    if len(data) > _MAX_GUESSED_BYTES or _looks_binary(data):
        return None
    for name in _candidates(_sample(data)):
        guess = Encoding(name=name, is_guess=True)
        if _gives_back(data, guess):
            return guess
    return None


def _candidates(sample: bytes) -> list[str]:
    """The library's guess, and Western European: before it where the guess is known to be hasty."""
    from charset_normalizer import from_bytes  # late: 20 ms that most files never need

    best = from_bytes(sample).best()
    if best is None:
        return [_WESTERN]
    is_doubtful = best.encoding in _CENTRAL or not _NEIGHBOURS.search(sample)
    is_hasty = is_doubtful and best.language not in _LANGUAGES
    return [_WESTERN, best.encoding] if is_hasty else [best.encoding, _WESTERN]


def _looks_binary(data: bytes) -> bool:
    sample = data[:_SAMPLE_BYTES]
    return len(_NO_TEXT.findall(sample)) * 100 > len(sample)


def _sample(data: bytes) -> bytes:
    """The lines that are not ASCII tell the encoding; the first of them are enough."""
    if len(data) <= _SAMPLE_BYTES:
        return data
    lines = [line for line in data.splitlines(keepends=True) if not line.isascii()]
    return b"".join(lines)[:_SAMPLE_BYTES]


def _gives_back(data: bytes, encoding: Encoding) -> bool:
    try:
        return encoding.encode(encoding.decode(data)) == data
    except (UnicodeError, LookupError):
        return False
