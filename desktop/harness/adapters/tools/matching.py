"""Where a passage stands in a text: exactly, or as a reader would find it.

Works on UTF-8 bytes, so that a match of a big file costs no second copy of it. A line
end in the passage matches LF and CR LF; a lone CR is an ordinary character. Only if
that finds nothing, the text is compared as it reads: composed or decomposed letters
and all kinds of spaces alike. Nothing here decides what becomes of a match.
"""

import re
import unicodedata
from dataclasses import dataclass
from itertools import islice

MAX_LOOSE_BYTES = 4_000_000
_SPACES = dict.fromkeys([0xA0, 0x1680, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000], " ")
_CLUSTER = re.compile(r"\r\n|.[\u0300-\u036f\u1dc0-\u1dff\u20d0-\u20ff\u3099\u309a]*", re.DOTALL)
MAX_MATCHES = 100_000


@dataclass(frozen=True, slots=True)
class Match:
    """A found passage, as positions in the bytes.

    `is_loose`: it only reads the same. `lacks_end`: it is the last line, asked for with the
    line end that it lacks.
    """

    start: int
    end: int
    is_loose: bool = False
    lacks_end: bool = False


def find(data: bytes, passage: str) -> list[Match]:
    """The places of a passage that do not overlap, in order; at most one more than `MAX_MATCHES`."""
    if not passage:
        return []
    found = _by_pattern(data, _pattern(passage))
    if not found and passage.endswith("\n"):
        found = _at_end(data, passage)
    if not found and len(data) <= MAX_LOOSE_BYTES:
        found = _as_read(data, passage)
    return found


def _pattern(passage: str) -> re.Pattern[bytes]:
    """A passage that holds a CR is meant letter for letter."""
    if "\r" in passage:
        return re.compile(re.escape(passage.encode()))
    return re.compile(rb"(?:\r\n|\n)".join(re.escape(line.encode()) for line in passage.split("\n")))


def _by_pattern(data: bytes, pattern: re.Pattern[bytes]) -> list[Match]:
    return [Match(*found.span()) for found in islice(pattern.finditer(data), MAX_MATCHES + 1)]


def _at_end(data: bytes, passage: str) -> list[Match]:
    """A last line that is asked for with its line end, where the file has none."""
    body = passage.removesuffix("\n").removesuffix("\r")
    if not body:
        return []
    tail = re.compile(_pattern(body).pattern + rb"\Z")
    return [Match(found.start, found.end, lacks_end=True) for found in _by_pattern(data, tail)]


def clusters(text: str) -> list[str]:
    """A text in the pieces that are compared as one: a letter with its marks, a line end."""
    return _CLUSTER.findall(text)


def as_read(cluster: str) -> str:
    """What a reader sees of one piece: composed, with a plain space and a plain line end."""
    if cluster == "\r\n":
        return "\n"
    return cluster if cluster.isascii() else unicodedata.normalize("NFC", cluster).translate(_SPACES)


def _as_read(data: bytes, passage: str) -> list[Match]:
    wanted = "".join(map(as_read, clusters(passage)))
    if not wanted.strip():
        return []
    pieces = clusters(data.decode())
    read = [as_read(piece) for piece in pieces]
    text = "".join(read)
    spans: list[tuple[int, int]] = []
    at = text.find(wanted)
    while at >= 0 and len(spans) <= MAX_MATCHES:
        spans.append((at, at + len(wanted)))
        at = text.find(wanted, at + len(wanted))
    return _located(spans, pieces, read) if spans else []


def _located(spans: list[tuple[int, int]], pieces: list[str], read: list[str]) -> list[Match]:
    """Positions in the read text as positions in the bytes; those that cut a piece fall away."""
    edges = {edge: -1 for span in spans for edge in span}
    shown = written = 0
    for piece, seen in zip(pieces, read, strict=True):
        if shown in edges:
            edges[shown] = written
        shown += len(seen)
        written += len(piece.encode())
    if shown in edges:
        edges[shown] = written
    found = [Match(edges[start], edges[end], is_loose=True) for start, end in spans]
    return [match for match in found if match.start >= 0 and match.end >= 0]
