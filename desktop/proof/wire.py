"""HTTP/1.1 as far as a scripted server needs it: reading a request, playing a reply step by step.

No pipelining, no upgrades, no TLS, no chunked requests. Everything that leaves is written here, so that each
byte, and each byte left out, is the script's.
"""

import asyncio
import json
import socket
import struct
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

from desktop.proof.script import Answer, Break, Close, Comment, Done, Pause, Reply, Reset, Step, Until

_POLL_S = 0.002
_MAX_BODY_BYTES = 64_000_000


@dataclass(slots=True, kw_only=True)
class Exchange:
    """One request to the chat endpoint and how its reply went. Times are `time.monotonic()`, comparable
    between the processes of one machine.

    `arrived_s` is when its first line was read, `read_s` when its body was complete, `ended_s` when the last
    byte of the reply was handed to the socket; `hung_up_s` when the client was seen to have gone before that.
    """

    headers: Mapping[str, str]
    body: bytes
    size_bytes: int
    arrived_s: float
    read_s: float
    ended_s: float | None = None
    hung_up_s: float | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """One HTTP request. Header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    arrived_s: float


async def read_request(reader: asyncio.StreamReader) -> Asked | None:
    """The next request of a connection, or None when the client is done."""
    first = await reader.readline()
    arrived_s = time.monotonic()
    if not first.strip():
        return None
    method, path, *_ = first.decode("latin-1").split()
    headers: dict[str, str] = {}
    while line := (await reader.readline()).strip():
        name, _, value = line.decode("latin-1").partition(":")
        headers[name.strip().lower()] = value.strip()
    length = min(int(headers.get("content-length", "0")), _MAX_BODY_BYTES)
    body = await reader.readexactly(length)
    return Asked(method=method, path=path, headers=headers, body=body, arrived_s=arrived_s)


class Line:
    """One reply on its way out."""

    def __init__(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._reader = reader
        self._writer = writer
        self.exchange: Exchange | None = None

    async def play(self, reply: Reply) -> bool:
        """Send all steps; whether the connection may carry another request."""
        chunked = not any(isinstance(step, Close) for step in reply)
        started = False
        for step in reply:
            match step:
                case Answer():
                    self._writer.write(_whole(step))
                    await self._writer.drain()
                    return True
                case Pause() | Until():
                    if started:
                        await self._writer.drain()
                    if not await self._wait(step):
                        return False
                case Reset():
                    self._reset()
                    return False
                case Close() | Break():
                    if not started:
                        self._writer.write(_head(chunked))
                    return False
                case _:
                    if not started:
                        self._writer.write(_head(chunked))
                        started = True
                    self._writer.write(_framed(_encoded(step), chunked))
                    await self._writer.drain()
                    await asyncio.sleep(0)
        if not started:
            self._writer.write(_head(chunked))
        self._writer.write(b"0\r\n\r\n")
        await self._writer.drain()
        return True

    async def _wait(self, step: Pause | Until) -> bool:
        """Wait the pause out; False as soon as the client is gone."""
        end_s = time.monotonic() + step.seconds if isinstance(step, Pause) else float("inf")
        while time.monotonic() < end_s and not (isinstance(step, Until) and step.flag.is_set()):
            if self._reader.at_eof() or self._writer.transport.is_closing():
                if self.exchange is not None:
                    self.exchange.hung_up_s = time.monotonic()
                return False
            await asyncio.sleep(min(_POLL_S, max(0.0, end_s - time.monotonic())))
        return True

    def _reset(self) -> None:
        linger = struct.pack("ii", 1, 0)
        self._writer.get_extra_info("socket").setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger)
        self._writer.transport.abort()


def _head(chunked: bool) -> bytes:
    framing = "Transfer-Encoding: chunked" if chunked else "Connection: close"
    return f"HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\n{framing}\r\n\r\n".encode()


def _framed(data: bytes, chunked: bool) -> bytes:
    if not chunked:
        return data
    return b"%x\r\n%b\r\n" % (len(data), data) if data else b""


def _encoded(step: Step) -> bytes:
    match step:
        case bytes():
            return step
        case Comment():
            return f": {step.text}\n\n".encode()
        case Done():
            return b"data: [DONE]\n\n"
    return b"data: " + json.dumps(step, separators=(",", ":"), ensure_ascii=False).encode() + b"\n\n"


def _whole(answer: Answer) -> bytes:
    return b"".join([*_answer_head(answer), b"\r\n", answer.body])


def _answer_head(answer: Answer) -> Iterator[bytes]:
    yield f"HTTP/1.1 {answer.status} {_REASONS.get(answer.status, 'Answer')}\r\n".encode()
    for name, value in answer.headers.items():
        yield f"{name}: {value}\r\n".encode("latin-1")
    yield f"Content-Length: {len(answer.body)}\r\n".encode()


_REASONS = {
    200: "OK",
    307: "Temporary Redirect",
    400: "Bad Request",
    404: "Not Found",
    429: "Too Many Requests",
}
