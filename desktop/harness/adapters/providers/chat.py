"""Model services over chat completions: one request out as bytes, the reply in as events.

`ChatCompletions` owns the connections (one client an origin, reused from turn to turn), the keys that go
with them, and the silence it tolerates: a minute between events, five before the first, since a local model
may have to load. It retries nothing, counts nothing and knows no log: the engine does. What makes a reply
whole is decided in `reading`. The openai package is imported at the first use, in a thread; `prepare`
begins with it before.
"""

import asyncio
import contextlib
import gc
import importlib
import json
import os
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterator
from types import ModuleType
from typing import TYPE_CHECKING, Any, TypeVar

from desktop.harness.adapters.providers.address import is_plain, origin_of
from desktop.harness.adapters.providers.faults import Asked, no_model_server
from desktop.harness.adapters.providers.late_types import late_types
from desktop.harness.adapters.providers.reading import Body, Piece, Reading, pieces, went_silent
from desktop.harness.core.errors import ModelError, ModelFault, UsageError
from desktop.harness.ports import ModelRequest

if TYPE_CHECKING:
    from openai import AsyncOpenAI

IDLE_S = 60.0
FIRST_EVENT_S = 300.0
_MODELS_S = 15.0
_MAX_MODELS_BYTES = 4_000_000

_T = TypeVar("_T")
KeyFor = Callable[[str], Awaitable[str | None]]


async def no_key(_origin: str) -> str | None:
    """For services that want none."""
    return None


class ChatCompletions:
    """Any OpenAI-compatible service.

    `key_for` gives the key of an origin. `allows_plain` says whether a person agreed to send the key of that
    origin over plain http. `idle_s` and `first_event_s` are the longest silences between events and before
    the first.
    """

    def __init__(
        self,
        key_for: KeyFor = no_key,
        *,
        allows_plain: Callable[[str], bool] = lambda _origin: False,
        idle_s: float = IDLE_S,
        first_event_s: float = FIRST_EVENT_S,
    ) -> None:
        self._key_for = key_for
        self._allows_plain = allows_plain
        self._idle_s = idle_s
        self._first_event_s = first_event_s
        self._wire: Any = None
        self._loading: asyncio.Future[ModuleType] | None = None
        self._clients: dict[str, AsyncOpenAI] = {}

    def prepare(self) -> None:
        """Begin to import the SDK, in a thread, because a request is likely to follow; returns at once."""
        if self._loading is None:
            self._loading = asyncio.ensure_future(asyncio.to_thread(_import_client))

    async def prewarm(self, base_url: str) -> None:
        """Import the SDK and build the client of an address."""
        await self._client(base_url)

    async def stream(self, request: ModelRequest) -> AsyncGenerator[Piece, None]:
        """Send once and yield pieces, last the `Reply`. Raises ModelError with the partial text.

        Read it inside `contextlib.aclosing`: a generator that is only dropped closes its connection when the
        loop gets to it, and under some loops never.
        """
        route = request.route
        reading = Reading(await self._asked(route.base_url, route.model))
        client = await self._client(route.base_url)
        url = f"{route.base_url.strip().rstrip('/')}/chat/completions"
        until_s = asyncio.get_running_loop().time() + self._first_event_s
        with self._explained(reading):
            sent = self._wire.post(client, url, request.body, reading.asked.key)
            response = await _within(until_s, sent, reading)
            async with contextlib.aclosing(pieces(response, reading, until_s, self._idle_s)) as arriving:
                async for piece in arriving:
                    yield piece

    async def models(self, base_url: str) -> list[str]:
        """The names of the models that a service offers, in its order. Raises ModelError."""
        reading = Reading(await self._asked(base_url, ""))
        client = await self._client(base_url)
        url = f"{base_url.strip().rstrip('/')}/models"
        until_s = asyncio.get_running_loop().time() + _MODELS_S
        with self._explained(reading):
            response = await _within(until_s, self._wire.get(client, url, reading.asked.key), reading)
            async with contextlib.aclosing(response):
                body = await _within(until_s, _small_body(response), reading)
        return _model_names(body, reading.asked)

    async def close(self) -> None:
        """Close all connections."""
        if self._loading is not None:
            await asyncio.wait([self._loading])
        clients = list(self._clients.values())
        self._clients.clear()
        for client in clients:
            await client.close()

    async def _load(self) -> None:
        if self._wire is None:
            self.prepare()
            assert self._loading is not None
            self._wire = await asyncio.shield(self._loading)

    async def _client(self, base_url: str) -> "AsyncOpenAI":
        origin = origin_of(base_url)
        if origin not in self._clients:
            await self._load()
            client = await asyncio.to_thread(self._wire.build, base_url)
            if self._clients.setdefault(origin, client) is not client:
                await client.close()
        return self._clients[origin]

    async def _asked(self, base_url: str, model: str) -> Asked:
        try:
            origin = origin_of(base_url)
        except UsageError as error:
            raise ModelError(str(error), ModelFault.UNREACHABLE) from None
        key = (await self._key_for(origin) or "").strip()
        if not (key.isascii() and key.isprintable()):
            text = f"The key for {origin} has characters that cannot be part of a key."
            raise ModelError(text, ModelFault.REFUSED_KEY)
        if key and is_plain(base_url) and not self._allows_plain(origin):
            text = f"The key for {origin} is not sent, because the connection is not encrypted (http)."
            raise ModelError(text, ModelFault.REFUSED_KEY)
        return Asked(origin=origin, model=model, key=key)

    @contextlib.contextmanager
    def _explained(self, reading: Reading) -> Iterator[None]:
        """Turn whatever goes wrong inside into a ModelError with the partial text."""
        try:
            yield
        except ModelError as error:
            error.partial = error.partial or reading.reply.text
            raise
        except Exception as error:
            known = self._wire.explain(error, reading.asked)
            if known is None:
                raise
            known.partial = reading.reply.text
            raise known from None


def _import_client() -> ModuleType:
    """Import the SDK; while it is imported it does not see the switch that makes it log to standard error.

    Nor is garbage looked for meanwhile: an import makes hundreds of thousands of objects that all stay, and
    looking through them again and again is a sixth of the time it takes (measured).
    """
    switch = os.environ.pop("OPENAI_LOG", None)
    with _uncollected(), late_types():
        try:
            return importlib.import_module("desktop.harness.adapters.providers.client")
        finally:
            if switch is not None:
                os.environ["OPENAI_LOG"] = switch


@contextlib.contextmanager
def _uncollected() -> Iterator[None]:
    """No search for garbage inside; what was made is left out of later ones."""
    if not gc.isenabled():
        yield
        return
    gc.disable()
    try:
        yield
    finally:
        gc.freeze()
        gc.enable()


async def _within(until_s: float, work: Awaitable[_T], reading: Reading) -> _T:
    """Wait for it until a time of the loop's clock. Raises ModelError after that."""
    try:
        async with asyncio.timeout_at(until_s):
            return await work
    except TimeoutError:
        raise went_silent(reading.asked) from None


async def _small_body(response: Body) -> bytes:
    """A body of at most 4 MB; what comes after that is left."""
    kept = bytearray()
    async for data in response.aiter_bytes():
        kept += data
        if len(kept) > _MAX_MODELS_BYTES:
            break
    return bytes(kept)


def _model_names(body: bytes, asked: Asked) -> list[str]:
    try:
        content = json.loads(body)
    except (ValueError, RecursionError):
        raise no_model_server(asked) from None
    listed = content.get("data") or content.get("models") if isinstance(content, dict) else content
    if not isinstance(listed, list):
        raise no_model_server(asked)
    names = [one.get("id") or one.get("name") if isinstance(one, dict) else one for one in listed]
    return list(dict.fromkeys(name for name in names if isinstance(name, str)))
