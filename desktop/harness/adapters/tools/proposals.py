"""From a file's content to the change that is proposed for it.

All editing happens on UTF-8 bytes; a file in another encoding is taken there and back
strictly, or refused. What a person is asked about is always bytes before and after.
"""

import re
from dataclasses import dataclass

from desktop.harness.adapters.tools.targets import Target
from desktop.harness.adapters.tools.textfile import Encoding, StrictText
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.ids import digest_of
from desktop.harness.core.names import shown
from desktop.harness.core.toolspec import Change, ChangeKind

_PLACEHOLDER = re.compile(r"\[secret-\d+\]")


@dataclass(frozen=True, slots=True, kw_only=True)
class Content:
    """A file's bytes, how they are text, and that text as UTF-8."""

    data: bytes
    encoding: Encoding
    utf8: bytes

    @classmethod
    def of(cls, texts: StrictText, data: bytes, found: Target) -> "Content":
        """Raises ToolError(ENCODING) when the bytes are no text that can be given back exactly."""
        encoding = texts.encoding(data)
        if encoding is None:
            raise ToolError(
                Refusal.ENCODING,
                f"{shown(found.asked)} is no text in a known encoding, so it is left alone.",
            )
        if encoding.name == "utf-8":
            return cls(data=data, encoding=encoding, utf8=data[len(encoding.bom) :])
        return cls(data=data, encoding=encoding, utf8=encoding.decode(data).encode())

    def with_utf8(self, utf8: bytes, found: Target) -> bytes:
        """New text in the file's own encoding. Raises ToolError(ENCODING) before a wrong letter."""
        if self.encoding.name == "utf-8":
            return self.encoding.bom + utf8
        text = utf8.decode()
        foreign = set(text) - set(self.utf8.decode()) if self.encoding.is_guess else set()
        if char := next((char for char in sorted(foreign) if not char.isascii()), ""):
            raise self._unfit(char, found)
        try:
            return self.encoding.encode(text)
        except UnicodeEncodeError as error:
            raise self._unfit(text[error.start], found) from error

    def _unfit(self, char: str, found: Target) -> ToolError:
        return ToolError(
            Refusal.ENCODING,
            f"{shown(found.asked)} is written in {self.encoding.name}, where U+{ord(char):04X} "
            " has no sure place; use plain letters.",
        )


def edited(content: Content, utf8: bytes, found: Target) -> Change:
    """The change from a file's content to new text. Raises ToolError(NO_CHANGE, ENCODING)."""
    after = content.with_utf8(utf8, found)
    if after == content.data:
        raise ToolError(Refusal.NO_CHANGE, f"{shown(found.asked)} would be the same, so nothing changes.")
    return Change(
        kind=ChangeKind.EDIT,
        path=found.path,
        before=digest_of(content.data),
        after=digest_of(after),
        reason=found.reason,
        before_bytes=content.data,
        after_bytes=after,
    )


def refuse_placeholders(new: str, old: bytes) -> None:
    """A placeholder stands for a secret that the model never saw; written down it would destroy it.

    Raises ToolError(PLACEHOLDER) unless the file itself holds that very text.
    """
    for mark in sorted(set(_PLACEHOLDER.findall(new))):
        if mark.encode() not in old:
            raise ToolError(
                Refusal.PLACEHOLDER,
                f"{mark} stands for a secret that you do not see, so it can't be written; edit around it.",
            )
