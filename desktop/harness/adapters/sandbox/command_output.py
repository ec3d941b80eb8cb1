"""What a command printed, kept within a cap while it is still printing.

The beginning and the end are what people and models look at, so the middle is
dropped as it comes; memory stays bounded whatever a command prints.
"""

import codecs

from desktop.harness.core.plaintext import whole_characters

_WIDE = (
    (codecs.BOM_UTF32_LE, "utf-32-le"),
    (codecs.BOM_UTF32_BE, "utf-32-be"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)


class CommandOutput:
    """A sink for bytes that keeps head and tail."""

    def __init__(self, cap_bytes: int) -> None:
        self._room_for_head = cap_bytes - cap_bytes // 2
        self._room_for_tail = cap_bytes // 2
        self._head = bytearray()
        self._tail = bytearray()
        self._total = 0

    def add(self, data: bytes) -> None:
        """Take the next bytes."""
        self._total += len(data)
        room = self._room_for_head - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * self._room_for_tail + 65_536:
            self._shorten_tail()

    @property
    def total_bytes(self) -> int:
        """How much came so far."""
        return self._total

    def newest(self, limit_bytes: int) -> bytes:
        """The last bytes so far."""
        if len(self._tail) >= limit_bytes:
            return bytes(self._tail[-limit_bytes:])
        return bytes(self._head + self._tail)[-limit_bytes:]

    def kept(self) -> tuple[bytes, int]:
        """Head and tail with a line in between that says what is missing, and how many bytes that is."""
        self._shorten_tail()
        head, tail = bytes(self._head), bytes(self._tail)
        if len(head) + len(tail) == self._total:
            return head + tail, 0
        head, tail = whole_characters(head, tail)
        dropped = self._total - len(head) - len(tail)
        codec = next((name for mark, name in _WIDE if head.startswith(mark)), "utf-8")
        return head + f"\n[{dropped:,} bytes left out here]\n".encode(codec) + tail, dropped

    def _shorten_tail(self) -> None:
        del self._tail[: max(0, len(self._tail) - self._room_for_tail)]
