"""The one place that touches the openai package: building a client, sending bytes, naming what failed.

Imported late (it costs half a second), by `chat` and in a thread. What the SDK would do by itself is taken
from it: it retries nothing, follows no redirect, reads nothing from the environment (an address, a key, an
organisation, headers, certificates), and never sees a message: the request is bytes, posted raw. What it
adds to the headers in spite of that is taken off again before they leave.

Proxies named by the environment are a person's network settings and are honoured, but never for this
computer. A certificate file named by the environment is used when it can be read, else the system's.
"""

import contextlib
import logging
import os
import ssl
import time
import urllib.request
from collections.abc import AsyncIterator

import httpx2
from openai import APIConnectionError, APIStatusError, APITimeoutError, AsyncOpenAI, DefaultAsyncHttpx2Client

from desktop.harness.adapters.providers.address import host_of, is_loopback
from desktop.harness.adapters.providers.faults import Asked, refusal
from desktop.harness.adapters.providers.waits import retry_after_s
from desktop.harness.core.errors import ModelError, ModelFault

CONNECT_S = 5.0
_WRITE_S = 60.0
_KEEP_ALIVE_S = 60.0
_MAX_ERROR_BYTES = 64_000
_NO_KEY = "none"
"""Servers on this computer want some key and do not look at it."""
_HEADERS = frozenset({
    "host", "connection", "content-length", "content-type", "accept", "accept-encoding", "authorization",
})  # fmt: skip
_log = logging.getLogger(__name__)


def build(base_url: str) -> AsyncOpenAI:
    """A client for the origin of `base_url`. Raises ModelError when the environment's proxy is no good."""
    client = AsyncOpenAI(
        base_url=base_url,
        api_key=_NO_KEY,
        admin_api_key="",
        organization="",
        project="",
        webhook_secret="",
        max_retries=0,
        timeout=_timeout(),
        default_headers={"Authorization": f"Bearer {_NO_KEY}"},
        http_client=_http_client(base_url),
    )
    client.organization = client.project = client.webhook_secret = None
    client._platform = "Unknown"  # else the first request runs `uname` to name it in a header we drop
    return client


async def post(client: AsyncOpenAI, url: str, body: bytes, key: str) -> httpx2.Response:
    """Send a chat request as it is; the open response. Raises what `explain` explains."""
    headers = {"Content-Type": "application/json", "Accept": "text/event-stream", **_bearer(key)}
    return await client.post(
        url, cast_to=httpx2.Response, content=body, options={"headers": headers}, stream=_streams()
    )


async def get(client: AsyncOpenAI, url: str, key: str) -> httpx2.Response:
    """Fetch something small; the open response. Raises what `explain` explains."""
    headers = {"Accept": "application/json", **_bearer(key)}
    return await client.get(url, cast_to=httpx2.Response, options={"headers": headers}, stream=_streams())


def _streams() -> bool:
    """True, as a plain bool: the overload for the literal wants a stream class of the SDK."""
    return True


def _bearer(key: str) -> dict[str, str]:
    return {"Authorization": f"Bearer {key or _NO_KEY}"}


def _timeout() -> httpx2.Timeout:
    """Reading has no limit here: `chat` measures silence by events, not by bytes."""
    return httpx2.Timeout(connect=CONNECT_S, read=None, write=_WRITE_S, pool=CONNECT_S)


def _http_client(base_url: str) -> httpx2.AsyncClient:
    try:
        return DefaultAsyncHttpx2Client(
            trust_env=False,
            proxy=_proxy_for(base_url),
            verify=_tls(base_url),
            follow_redirects=False,
            timeout=_timeout(),
            limits=httpx2.Limits(max_connections=100, keepalive_expiry=_KEEP_ALIVE_S),
            event_hooks={"request": [_strip], "response": [_cap_error]},
        )
    except (ValueError, ImportError, httpx2.InvalidURL):
        text = "The proxy that the system settings name cannot be used."
        raise ModelError(text, ModelFault.UNREACHABLE) from None


def _proxy_for(base_url: str) -> str | None:
    """The proxy that the environment names for this address, as `urllib` reads it."""
    host = host_of(base_url)
    if is_loopback(base_url) or urllib.request.proxy_bypass(host):
        return None
    named = urllib.request.getproxies()
    proxy = named.get(base_url.strip().partition(":")[0].lower()) or named.get("all")
    return proxy if not proxy or "://" in proxy else f"http://{proxy}"


def _tls(base_url: str) -> ssl.SSLContext | bool:
    """Certificates: none are loaded for plain http, which saves reading them."""
    if base_url.strip().lower().startswith("http:") and _proxy_for(base_url) is None:
        return ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
    file, folder = os.environ.get("SSL_CERT_FILE"), os.environ.get("SSL_CERT_DIR")
    if file or folder:
        try:
            return ssl.create_default_context(cafile=file or None, capath=None if file else folder)
        except (OSError, ValueError):
            _log.info("the certificate file named by the environment cannot be read; using the system's")
    return True


async def _strip(request: httpx2.Request) -> None:
    """Only our own headers leave: the SDK adds facts about this computer and what the environment says."""
    for name in [name for name in request.headers if name.lower() not in _HEADERS]:
        del request.headers[name]
    request.headers["Accept-Encoding"] = "identity"
    request.headers["User-Agent"] = "Paddock"


async def _cap_error(response: httpx2.Response) -> None:
    """The SDK reads the body of an error to its end, so it gets an end."""
    if response.status_code >= 300 and isinstance(response.stream, httpx2.AsyncByteStream):
        response.stream = _Capped(response.stream)


class _Capped(httpx2.AsyncByteStream):
    """The first 64 KB of a body."""

    def __init__(self, stream: httpx2.AsyncByteStream) -> None:
        self._stream = stream

    async def __aiter__(self) -> AsyncIterator[bytes]:
        left = _MAX_ERROR_BYTES
        async for data in self._stream:
            yield data[:left]
            left -= len(data)
            if left <= 0:
                break

    async def aclose(self) -> None:
        await self._stream.aclose()


def explain(error: Exception, asked: Asked) -> ModelError | None:
    """The sentence for a refusal or a connection that failed; None for an error that is neither."""
    if isinstance(error, APIStatusError):
        return _refusal(error.response, asked)
    cause = error.__cause__ if isinstance(error, APIConnectionError) else error
    match cause:
        case httpx2.ConnectTimeout() | httpx2.ConnectError() if "CERTIFICATE_VERIFY" in str(cause):
            text = f"The certificate of {asked.origin} is not trusted by this computer."
        case httpx2.ConnectTimeout() | httpx2.ConnectError() | httpx2.PoolTimeout():
            text = f"Nothing answers at {asked.origin}."
        case httpx2.ProxyError():
            text = f"The proxy of the system settings does not let Paddock reach {asked.origin}."
        case httpx2.TimeoutException():
            return ModelError(f"The service at {asked.origin} went silent.", ModelFault.IDLE)
        case httpx2.HTTPError() | httpx2.StreamError():
            return ModelError(f"The connection to {asked.origin} broke.", ModelFault.CUT_OFF)
        case httpx2.InvalidURL():
            text = f"{asked.origin} is not an address that can be reached."
        case _ if isinstance(error, APIConnectionError | APITimeoutError):
            text = f"{asked.origin} cannot be reached."
        case _:
            return None
    return ModelError(text, ModelFault.UNREACHABLE)


def _refusal(response: httpx2.Response, asked: Asked) -> ModelError:
    body = b""
    with contextlib.suppress(httpx2.HTTPError, httpx2.StreamError):
        body = response.content
    wait_s = retry_after_s(response.headers, now_s=time.time())
    return refusal(response.status_code, body, asked, retry_after_s=wait_s)
