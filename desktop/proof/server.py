"""A scripted OpenAI-compatible server on 127.0.0.1: plays replies, judges every request, keeps what it saw.

Answers `POST /v1/chat/completions`, `GET /v1/models`, and `GET /proof/report` for tests that run it as a
process. The bytes are written by `wire`.

A request that breaks a rule is answered with 400 and the letter of the rule, takes no reply out of the
script, and stays in `breaches`; so does a request that the script has no reply for (rule `script`).
"""

import asyncio
import contextlib
import json
import socket
import time
from types import TracebackType
from typing import Any, Self

from desktop.proof.referee import Breach, Prefixes, Profile, judge, overflow_text
from desktop.proof.script import ASKED_MODEL, Reply, Script, failure
from desktop.proof.wire import Asked, Exchange, Line, read_request


class ScriptedServer:
    """Plays a script to whoever asks, in order of arrival.

    `replies` is a list of replies, some of which may be functions of the parsed request, or one such
    function. With `repeat_last` the last reply never runs out. With `keep` false only the bytes of the newest
    request are kept, for long benches.
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
        task.add_done_callback(self._talks.discard)
        self.connections += 1
        writer.get_extra_info("socket").setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        try:
            while (asked := await read_request(reader)) is not None:
                if not await self._answer(asked, Line(reader, writer)):
                    break
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.CancelledError):
            pass
        finally:
            writer.close()
            with contextlib.suppress(ConnectionError, asyncio.CancelledError):
                await writer.wait_closed()

    async def _answer(self, asked: Asked, line: Line) -> bool:
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

    async def _chat(self, asked: Asked, line: Line) -> bool:
        exchange = Exchange(
            headers=asked.headers,
            body=asked.body,
            size_bytes=len(asked.body),
            arrived_s=asked.arrived_s,
            read_s=time.monotonic(),
        )
        number = self.seen
        self.seen += 1
        try:
            request = json.loads(asked.body)
        except ValueError:
            request = None
        if not self._keep and self.exchanges:
            self.exchanges[-1].body = b""
            self.requests.clear()
        self.exchanges.append(exchange)
        self.requests.append(request)
        line.exchange = exchange
        try:
            stays = await line.play(self._reply(request, asked.body, number))
        except ConnectionError:
            exchange.hung_up_s = time.monotonic()
            raise
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
        return _served_by(model, self._next_reply(request, number))

    def _next_reply(self, request: Any, number: int) -> Reply:
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
                    "bytes": one.size_bytes,
                    "arrived_s": one.arrived_s,
                    "read_s": one.read_s,
                    "ended_s": one.ended_s,
                }
                for one in self.exchanges
            ],
        }


def _served_by(model: str, reply: Reply) -> Reply:
    """The reply with the asked model's name in its chunks."""
    return [
        {**step, "model": model} if isinstance(step, dict) and step.get("model") == ASKED_MODEL else step
        for step in reply
    ]
