"""Reading one answer: bytes to pieces, and the decision whether the reply is whole.

A reply is whole when the server gave a reason for its end, or said `[DONE]` after some content. Anything
else is cut off: a socket that just closes looks like success to the SDK. Silence is measured by events,
since comment lines keep a dead stream alive. A plain JSON completion is taken as a whole reply; a web page
or nothing at all is no model server.

Knows no HTTP library: an answer is a `Body`.
"""

import asyncio
import contextlib
import json
from collections.abc import AsyncGenerator, AsyncIterator, Mapping
from typing import Any, Protocol

from desktop.harness.adapters.providers.accumulator import Accumulator
from desktop.harness.adapters.providers.faults import Asked, in_band, no_model_server
from desktop.harness.adapters.providers.sse import EventStream
from desktop.harness.core.errors import ModelError, ModelFault
from desktop.harness.ports import ReasoningDelta, Reply, TextDelta

AFTER_FINISH_S = 2.0
"""How long usage and `[DONE]` may come after the reason for the end."""
AFTER_DONE_S = 0.1
"""How long the end of the body may come after `[DONE]`; without it the connection cannot be used again."""
MAX_WHOLE_BYTES = 16_000_000

Piece = TextDelta | ReasoningDelta | Reply


class Body(Protocol):
    """An open HTTP answer of status 200."""

    @property
    def headers(self) -> Mapping[str, str]:
        """The headers; names may be asked in any case."""
        ...

    def aiter_bytes(self) -> AsyncIterator[bytes]:
        """The body as it arrives."""
        ...

    async def aclose(self) -> None:
        """Close it; the connection too, when the body was not read to its end."""
        ...


class Reading:
    """What one answer is about and has given so far."""

    def __init__(self, asked: Asked) -> None:
        self.asked = asked
        self.reply = Accumulator()
        self.is_done = False
        self._chunks = 0
        self._events = EventStream()
        self._head = bytearray()

    def feed(self, received: bytes) -> list[TextDelta | ReasoningDelta] | None:
        """The new pieces, possibly none; None when no event was completed. Raises ModelError."""
        if not self._chunks:
            self._keep(received)
        return self._take(self._events.feed(received))

    def end(self) -> list[TextDelta | ReasoningDelta] | None:
        """The last pieces, when the body has ended. Raises ModelError."""
        last = self._take(self._events.end())
        if not self._chunks and not self.is_done:
            return self._add(self._whole())
        return last

    def finished(self) -> Reply:
        """The reply. Raises ModelError(CUT_OFF) when it is not whole."""
        if not self.reply.finish and not (self.is_done and self.reply.has_content):
            text = f"The reply from {self.asked.origin} broke off before its end."
            raise ModelError(text, ModelFault.CUT_OFF)
        return self.reply.reply()

    def _take(self, events: list[str]) -> list[TextDelta | ReasoningDelta] | None:
        found: list[TextDelta | ReasoningDelta] | None = None
        for event in events:
            if event.strip() == "[DONE]":
                self.is_done = True
                break
            try:
                chunk = json.loads(event)
            except (ValueError, RecursionError):
                raise self._not_understood() from None
            if isinstance(chunk, dict):
                new = self._add(chunk)
                found = new if found is None else found + new
        return found

    def _add(self, chunk: dict[str, Any]) -> list[TextDelta | ReasoningDelta]:
        if error := chunk.get("error"):
            raise in_band(error, self.asked)
        if not self._chunks:
            self._head.clear()
        self._chunks += 1
        try:
            return self.reply.add(chunk)
        except RecursionError:
            raise self._not_understood() from None

    def _not_understood(self) -> ModelError:
        if not self._chunks:
            return no_model_server(self.asked)
        text = f"The service at {self.asked.origin} sent something that is no part of a reply."
        return ModelError(text, ModelFault.SERVER)

    def _keep(self, received: bytes) -> None:
        """Keep what may be a whole reply in JSON."""
        self._head += received
        if len(self._head) > MAX_WHOLE_BYTES:
            raise no_model_server(self.asked)

    def _whole(self) -> dict[str, Any]:
        try:
            content = json.loads(self._head)
        except (ValueError, RecursionError):
            content = None
        if not isinstance(content, dict) or not (content.get("choices") or content.get("error")):
            raise no_model_server(self.asked)
        return content


def went_silent(asked: Asked) -> ModelError:
    """The error for a service that says nothing for too long."""
    return ModelError(f"The service at {asked.origin} went silent.", ModelFault.IDLE)


async def pieces(
    response: Body, reading: Reading, until_s: float, idle_s: float
) -> AsyncGenerator[Piece, None]:
    """The pieces of an answer, last the `Reply`; closes it in any case.

    `until_s` is the time of the loop's clock at which the first event must have come. Raises ModelError, and
    what the HTTP library raises while it reads.
    """
    clock = asyncio.get_running_loop().time
    body = response.aiter_bytes()
    try:
        if response.headers.get("content-type", "").lower().startswith("text/html"):
            raise no_model_server(reading.asked)
        received: bytes | None = b""
        while received is not None and not reading.is_done:
            received = await _next(body, reading, until_s)
            found = reading.end() if received is None else reading.feed(received)
            for piece in found or ():
                yield piece
            if found is not None:
                until_s = clock() + (AFTER_FINISH_S if reading.reply.finish else idle_s)
        if received is not None:
            await _drain(body)
        yield reading.finished()
    finally:
        await response.aclose()


async def _next(body: AsyncIterator[bytes], reading: Reading, until_s: float) -> bytes | None:
    """The next bytes, None at the end. After the reason for the end, any fault is an end."""
    try:
        async with asyncio.timeout_at(until_s):
            return await anext(body, None)
    except TimeoutError:
        if reading.reply.finish:
            return None
        raise went_silent(reading.asked) from None
    except Exception:
        if reading.reply.finish:
            return None
        raise


async def _drain(body: AsyncIterator[bytes]) -> None:
    """Read the end of the body, so that the connection can be used again."""
    with contextlib.suppress(Exception):  # the reply is whole; a broken connection ends with it
        async with asyncio.timeout(AFTER_DONE_S):
            while await anext(body, None) is not None:
                pass
