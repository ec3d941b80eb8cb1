"""What a program printed, as text that can be kept, shown and sent.

Pure functions from bytes to clean text: the encoding is guessed line by line,
terminal control is taken out, progress bars shrink to their last state. It does
not mark what a person cannot see (that is for whoever shows the text) and it
hides no secrets.

Lines are judged one at a time because one file name in an old encoding must not
turn a whole listing into question marks.
"""

import codecs
import re
from dataclasses import dataclass

_WIDE_MARKS = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_TERMINAL = re.compile(
    r"(?:\x1b\[|\x9b)[0-?]*[ -/]*[@-~]"  # cursor, colour
    r"|(?:\x1b[\]PX^_]|[\x9d\x90\x98\x9e\x9f])[^\x07\x1b\x9c\n]*(?:\x07|\x1b\\|\x9c)?"  # titles, strings
    r"|\x1b[ -/]*[0-~]"  # two-character escapes
)
_COLOUR = re.compile(r"\x1b\[[0-9;:]*[mK]")
_OVERSTRUCK = re.compile(r"[^\n\x08]\x08")
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f]")
_SURROGATE = re.compile(r"[\ud800-\udfff]")
_MAX_BACKSPACES = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class PlainText:
    """Clean text. `note` says in a sentence how it had to be read, empty for UTF-8.

    `noisy` is true when more than colours and line ends was taken out, so that the
    bytes as they came may be worth keeping.
    """

    text: str
    note: str = ""
    noisy: bool = False


def clean_text(raw: bytes | str) -> str:
    """The clean text of what a program printed."""
    return plain(raw).text


def plain(raw: bytes | str) -> PlainText:
    """The clean text, and how it came about."""
    text, note = (raw, "") if isinstance(raw, str) else _decoded(raw)
    return PlainText(text=without_control(text), note=note, noisy=_is_noisy(text))


def without_control(text: str) -> str:
    """Text without terminal control: only line feeds and tabs are left, each line in its last state."""
    if text.isprintable():
        return text
    text = _SURROGATE.sub("\N{REPLACEMENT CHARACTER}", text)
    if _CONTROL.search(text) is None:
        return text
    text = _TERMINAL.sub("", text).replace("\r\n", "\n")
    if "\r" in text:
        text = "\n".join(_last_state(line) for line in text.split("\n"))
    for _ in range(_MAX_BACKSPACES):
        if "\x08" not in text:
            break
        text = _OVERSTRUCK.sub("", text)
    return _CONTROL.sub("", text)


def whole_characters(head: bytes, tail: bytes) -> tuple[bytes, bytes]:
    """Both sides of a cut, without the parts of a character that the cut went through.

    `head` is the beginning of the stream; its byte order mark decides how wide a
    character is.
    """
    for mark, name in _WIDE_MARKS:
        if head.startswith(mark):
            width = 4 if name.startswith("utf-32") else 2
            return head[: len(head) - len(head) % width], tail[len(tail) % width :]
    return _without_begun_character(head), _without_rest_of_character(tail)


def _without_begun_character(head: bytes) -> bytes:
    for back in range(1, min(4, len(head)) + 1):
        byte = head[-back]
        if byte & 0xC0 == 0x80:
            continue
        length = 4 if byte >= 0xF0 else 3 if byte >= 0xE0 else 2 if byte >= 0xC0 else 1
        return head[:-back] if length > back else head
    return head


def _without_rest_of_character(tail: bytes) -> bytes:
    start = 0
    while start < min(3, len(tail)) and tail[start] & 0xC0 == 0x80:
        start += 1
    return tail[start:]


def _decoded(raw: bytes) -> tuple[str, str]:
    for mark, name in _WIDE_MARKS:
        if raw.startswith(mark):
            return raw[len(mark) :].decode(name, "replace"), f"The output was {name[:6].upper()}."
    raw = raw.removeprefix(codecs.BOM_UTF8)
    try:
        return raw.decode(), ""
    except UnicodeDecodeError:
        pass
    notes: set[str] = set()
    return "\n".join(_decoded_line(line, notes) for line in raw.split(b"\n")), " ".join(sorted(notes))


def _decoded_line(line: bytes, notes: set[str]) -> str:
    try:
        return line.decode()
    except UnicodeDecodeError:
        pass
    if _looks_like_windows_text(line):
        notes.add("Parts were not UTF-8 and were read as Windows-1252.")
        return line.decode("cp1252")
    notes.add("Parts were no text in a known encoding.")
    return line.decode("utf-8", "replace")


def _looks_like_windows_text(line: bytes) -> bool:
    """Whether the line is text in cp1252: no control bytes, no sequence of UTF-8, mostly ASCII letters."""
    try:
        text = line.decode("cp1252")
    except UnicodeDecodeError:
        return False
    controls = sum(character < " " and character not in "\t\r\x1b" for character in text)
    unusual = sum(byte >= 0x80 for byte in line)
    is_surrogate = re.search(rb"\xed[\xa0-\xbf][\x80-\xbf]", line) is not None
    return controls == 0 and not is_surrogate and unusual * 2 <= len(line)


def _last_state(line: str) -> str:
    """What a terminal would still show of a line that was written over again and again."""
    return next((part for part in reversed(line.split("\r")) if part), "") if "\r" in line else line


def _is_noisy(text: str) -> bool:
    bare = _COLOUR.sub("", text).replace("\r", "")
    return _CONTROL.search(bare) is not None or _SURROGATE.search(text) is not None
