"""Server-sent events out of bytes, however these were cut on the way.

`EventStream.feed` takes bytes and gives the data of the events that are complete. It is as forgiving as
servers are careless: any line ending, several data lines, a missing blank line between events, a byte order
mark, `error:` lines (llama.cpp). It judges no content; broken UTF-8 becomes U+FFFD.

The SDK's own decoder is not used: it costs about eight times as much per chunk and lets comment lines pass
for signs of life.
"""

import json

from desktop.harness.core.errors import ModelError, ModelFault

MAX_LINE_BYTES = 8_000_000
_BOM = b"\xef\xbb\xbf"


class EventStream:
    """Cuts a stream of bytes into events."""

    def __init__(self) -> None:
        self._tail: list[bytes] = []
        self._tail_bytes = 0
        self._data: list[bytes] = []
        self._data_bytes = 0
        self._is_error = False
        self._is_first_line = True
        self._skips_newline = False

    def feed(self, received: bytes) -> list[str]:
        """The data of each event that these bytes complete. Raises ModelError for an event over 8 MB."""
        if not received:
            return []
        events: list[str] = []
        for line in self._cut(received):
            self._take(line, events)
        return events

    def end(self) -> list[str]:
        """What the stream left unfinished, as far as it is whole: servers forget the last line ending."""
        events: list[str] = []
        line = b"".join(self._tail)
        self._tail.clear()
        if line:
            self._take(line, events)
        if self._data and _is_whole(b"\n".join(self._data)):
            self._emit(events)
        return events

    def _cut(self, received: bytes) -> list[bytes]:
        """The lines that are complete now; the rest waits in `_tail`."""
        if self._skips_newline and received.startswith(b"\n"):
            received = received[1:]
        self._skips_newline = received.endswith(b"\r") if received else False
        if b"\r" in received:
            received = received.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
        first, *rest = received.split(b"\n")
        if rest and not self._tail_bytes:
            self._tail_bytes = len(rest[-1])
            self._tail = [rest.pop()]
            return [first, *rest]
        self._tail.append(first)
        self._tail_bytes += len(first)
        self._check(self._tail_bytes)
        if not rest:
            return []
        whole = [b"".join(self._tail), *rest[:-1]]
        self._tail = [rest[-1]]
        self._tail_bytes = len(rest[-1])
        return whole

    def _take(self, line: bytes, events: list[str]) -> None:
        if self._is_first_line:
            self._is_first_line = False
            line = line.removeprefix(_BOM)
        if not line:
            if self._data:
                self._emit(events)
            self._is_error = False
            return
        name, _, value = line.partition(b":")
        value = value.removeprefix(b" ")
        if name == b"data":
            if self._data and _is_whole(b"\n".join(self._data)):
                self._emit(events)
            self._keep(value)
        elif name == b"error":
            self._is_error = True
            self._keep(value)
        elif name == b"event":
            self._is_error = value.strip() == b"error"

    def _keep(self, value: bytes) -> None:
        self._data.append(value)
        self._data_bytes += len(value)
        self._check(self._data_bytes)

    def _emit(self, events: list[str]) -> None:
        data = b"\n".join(self._data).decode("utf-8", "replace")
        self._data.clear()
        self._data_bytes = 0
        if not data.strip():
            return
        wraps = self._is_error and '"error"' not in data
        events.append(f'{{"error": {data}}}' if wraps else data)

    @staticmethod
    def _check(size: int) -> None:
        if size > MAX_LINE_BYTES:
            raise ModelError("The model service sent too long a line.", ModelFault.SERVER)


def _is_whole(data: bytes) -> bool:
    """Whether data lines make up a value by themselves."""
    text = data.strip()
    if text == b"[DONE]":
        return True
    try:
        json.loads(text)
    except (ValueError, RecursionError):
        return False
    return True
