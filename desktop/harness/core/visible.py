"""Text that cannot deceive the eye: every character that draws nothing, or reorders others, as a box.

Holds the one list of hidden characters and the ways to show and count them.
It does not judge letters that merely look alike, and it never changes what is
executed or written: it is for looking only. A character is hidden when a person
cannot see it or tell it from a plain space: controls, terminal sequences, marks
of writing direction, zero widths, tags, variation selectors, odd spaces, fillers,
halves of surrogate pairs and noncharacters. Line feed, tab and the pair CR LF are
plain in a text; in a name nothing but printable characters is.
"""

import re
from dataclasses import dataclass

_HIDDEN_RANGES = (
    "\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\xa0"  # controls but tab, LF and CR; no-break space
    "\xad\u034f\u061c"  # soft hyphen, grapheme joiner, Arabic letter mark
    "\u115f\u1160\u3164\uffa0\u17b4\u17b5\u2800"  # fillers and blanks
    "\u1680\u180b-\u180f"  # Ogham space, Mongolian selectors
    "\u2000-\u200f\u2028-\u202f\u205f-\u206f"  # spaces, zero widths, separators, directions
    "\u3000\ud800-\udfff\ufdd0-\ufdef\ufe00-\ufe0f\ufeff\ufff0-\ufffb\ufffe\uffff"
    "\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff"  # shorthand, music, tags, selectors
    + "".join(f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0x10000, 0x110000, 0x10000))
)
_HIDDEN = re.compile(f"[{_HIDDEN_RANGES}]|\r(?!\n)")
_HIDDEN_IN_NAME = re.compile(f"[{_HIDDEN_RANGES}\t\n\r]")


@dataclass(frozen=True, slots=True)
class Span:
    """A piece of a text as it is shown; `is_hidden` pieces are boxes."""

    text: str
    is_hidden: bool


def _box(match: re.Match[str]) -> str:
    return f"⟦U+{ord(match[0]):04X}⟧"


def hidden_count(text: str) -> int:
    """How many characters of a text cannot be seen."""
    if text.isascii() and text.isprintable():
        return 0
    return sum(1 for _ in _HIDDEN.finditer(text))


def hidden_count_in_name(name: str) -> int:
    """How many characters of a one-line name cannot be seen; line ends and tabs count."""
    return sum(1 for _ in _HIDDEN_IN_NAME.finditer(name))


def show_safe(text: str) -> str:
    """The text with each hidden character as a box such as ⟦U+202E⟧; plain text comes back unchanged."""
    return _HIDDEN.sub(_box, text)


def for_name(text: str) -> str:
    """A one-line name for showing: as `show_safe`, and line ends and tabs become boxes too."""
    return _HIDDEN_IN_NAME.sub(_box, text)


def spans(text: str) -> list[Span]:
    """The shown text in pieces, plain ones and boxes; joined they are `show_safe(text)`."""
    found: list[Span] = []
    end = 0
    for match in _HIDDEN.finditer(text):
        if match.start() > end:
            found.append(Span(text[end : match.start()], False))
        found.append(Span(_box(match), True))
        end = match.end()
    if end < len(text):
        found.append(Span(text[end:], False))
    return found
