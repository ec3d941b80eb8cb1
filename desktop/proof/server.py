"""A scripted OpenAI-compatible server on 127.0.0.1: plays replies, judges every request, keeps what it saw.

Plain asyncio streams, so that every byte (and every byte left out) is the script's. Answers `POST
/v1/chat/completions`, `GET /v1/models`, and `GET /proof/report` for tests that run it as a process. It
speaks only as much HTTP/1.1 as a client of model services needs: no pipelining, no upgrades, no TLS.

A request that breaks a rule is answered with 400 and the letter of the rule, takes no reply out of the
script, and stays in `breaches`; so does a request that the script has no reply for (rule `script`).
"""

import asyncio
import contextlib
import json
import socket
import struct
import time
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from types import TracebackType
from typing import Any, Self

from desktop.proof.referee import Breach, Prefixes, Profile, judge, overflow_text
from desktop.proof.script import (
    Answer,
    Break,
    Close,
    Comment,
    Done,
    Pause,
    Reply,
    Reset,
    Script,
    Step,
    Until,
    failure,
)

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
    arrived_s: float
    read_s: float
    ended_s: float | None = None
    hung_up_s: float | None = None


class ScriptedServer:
    """Plays a script to whoever asks, in order of arrival.

    `replies` is a list of replies, some of which may be functions of the parsed request, or one such
    function. With `repeat_last` the last reply never runs out. With `keep` false only the newest request is
    kept, for long benches.
    """

    def __init__(
        self,
        replies: Script = (),
        *,
        profile: Profile | None = None,
        repeat_last: bool = False,
        keep: bool = True,
        port: int = 0,
    ) -> None:
        self.profile = profile or Profile()
        self.exchanges: list[Exchange] = []
        self.requests: list[Any] = []
        self.breaches: list[Breach] = []
        self.overflows = 0
        self.connections = 0
        self.seen = 0
        self._replies = replies
        self._played = 0
        self._repeat_last = repeat_last
        self._keep = keep
        self._port = port
        self._prefixes = Prefixes()
        self._server: asyncio.Server | None = None
        self._talks: set[asyncio.Task[None]] = set()

    @property
    def origin(self) -> str:
        """Scheme, host and port."""
        return f"http://127.0.0.1:{self._port}"

    @property
    def base_url(self) -> str:
        """What a client is given."""
        return f"{self.origin}/v1"

    @property
    def bodies(self) -> list[bytes]:
        """The bodies of the chat requests as they came."""
        return [one.body for one in self.exchanges]

    def allow_new_prefix(self) -> None:
        """The next change of system text or tools is meant (rule j)."""
        self._prefixes.allow_new()

    async def __aenter__(self) -> Self:
        self._server = await asyncio.start_server(self._talk, "127.0.0.1", self._port)
        self._port = self._server.sockets[0].getsockname()[1]
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._server is not None:
            self._server.close()
        for talk in self._talks:
            talk.cancel()
        await asyncio.gather(*self._talks, return_exceptions=True)

    async def _talk(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        task = asyncio.current_task()
        assert task is not None
        self._talks.add(task)
        self.connections += 1
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while (asked := await _read_request(reader)) is not None:
                if not await self._answer(asked, _Line(reader, writer)):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            self._talks.discard(task)
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _answer(self, asked: "_Asked", line: "_Line") -> bool:
        """Answer one request; whether the connection stays open."""
        match asked.method, asked.path.partition("?")[0]:
            case "POST", "/v1/chat/completions":
                return await self._chat(asked, line)
            case "GET", "/v1/models":
                data = [{"id": name, "object": "model"} for name in self.profile.models]
                return await line.play(failure(200, {"object": "list", "data": data}))
            case "GET", "/proof/report":
                return await line.play(failure(200, self.report()))
        return await line.play(failure(404, f"There is nothing at {asked.path}."))

    async def _chat(self, asked: "_Asked", line: "_Line") -> bool:
        exchange = Exchange(
            headers=asked.headers, body=asked.body, arrived_s=asked.arrived_s, read_s=time.monotonic()
        )
        number = self.seen
        self.seen += 1
        try:
            request = json.loads(asked.body)
        except ValueError:
            request = None
        if not self._keep:
            self.exchanges.clear()
            self.requests.clear()
        self.exchanges.append(exchange)
        self.requests.append(request)
        line.exchange = exchange
        stays = await line.play(self._reply(request, asked.body, number))
        exchange.ended_s = time.monotonic()
        return stays

    def _reply(self, request: Any, body: bytes, number: int) -> Reply:
        if found := judge(body, self.profile, self._prefixes):
            return self._breach(number, *found)
        model = request.get("model", "")
        if self.profile.checks_model and model not in self.profile.models:
            text = f"The model `{model}` does not exist."
            return failure(404, {"error": {"message": text, "code": "model_not_found"}})
        too_long = overflow_text(body, self.profile)
        if too_long is not None:
            self.overflows += 1
            code = "context_length_exceeded" if self.profile.family == "openai" else 400
            return failure(400, {"error": {"message": too_long, "code": code}})
        if callable(self._replies):
            return self._replies(request)
        last = len(self._replies) - 1
        if self._played > last and not (self._repeat_last and self._replies):
            return self._breach(number, "script", "the script has no reply left")
        reply = self._replies[min(self._played, last)]
        self._played += 1
        return reply(request) if callable(reply) else reply

    def _breach(self, number: int, rule: str, detail: str) -> Reply:
        self.breaches.append(Breach(rule=rule, request=number, detail=detail))
        return failure(400, {"error": {"message": f"Rule {rule}: {detail}.", "code": f"rule_{rule}"}})

    def report(self) -> dict[str, Any]:
        """What was seen, without the bodies, as JSON."""
        return {
            "requests": self.seen,
            "connections": self.connections,
            "overflows": self.overflows,
            "breaches": [
                {"rule": one.rule, "request": one.request, "detail": one.detail} for one in self.breaches
            ],
            "exchanges": [
                {
                    "bytes": len(one.body),
                    "arrived_s": one.arrived_s,
                    "read_s": one.read_s,
                    "ended_s": one.ended_s,
                }
                for one in self.exchanges
            ],
        }


@dataclass(frozen=True, slots=True, kw_only=True)
class _Asked:
    """One HTTP request. Header names are in lower case."""

    method: str
    path: str
    headers: Mapping[str, str] = field(default_factory=dict)
    body: bytes = b""
    arrived_s: float


async def _read_request(reader: asyncio.StreamReader) -> _Asked | None:
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
    return _Asked(method=method, path=path, headers=headers, body=body, arrived_s=arrived_s)


class _Line:
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
