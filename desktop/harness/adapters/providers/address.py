"""Addresses of model services: their origin, and whether they are on this computer.

An origin is what a key belongs to: scheme, host and port, in one spelling. Nothing here resolves a name; a
host is loopback by its spelling alone, so that no name server can make it so.
"""

import ipaddress
from urllib.parse import SplitResult, urlsplit

from desktop.harness.core.errors import UsageError

_DEFAULT_PORTS = {"http": 80, "https": 443}


def origin_of(base_url: str) -> str:
    """The origin in lower case, without a default port: `https://api.example.com`, `http://[::1]:8080`.

    Raises UsageError for anything that is no http or https address.
    """
    parts, host = _split(base_url)
    try:
        port = parts.port
    except ValueError:
        raise _no_address(base_url) from None
    shown = f"[{host}]" if ":" in host else host
    suffix = "" if port in {None, _DEFAULT_PORTS[parts.scheme]} else f":{port}"
    return f"{parts.scheme}://{shown}{suffix}"


def host_of(base_url: str) -> str:
    """The host in lower case, without brackets. Raises UsageError."""
    return _split(base_url)[1]


def is_loopback(base_url: str) -> bool:
    """Whether it is on this computer: `localhost`, `*.localhost`, 127.0.0.0/8 or ::1. Raises UsageError."""
    host = host_of(base_url)
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def is_plain(base_url: str) -> bool:
    """Whether others could read what is sent: plain http to another computer. Raises UsageError."""
    return _split(base_url)[0].scheme == "http" and not is_loopback(base_url)


def _split(base_url: str) -> tuple[SplitResult, str]:
    try:
        parts = urlsplit(base_url.strip())
        host = (parts.hostname or "").rstrip(".")
        if not host.isascii():
            host = host.encode("idna").decode("ascii")
    except ValueError:
        raise _no_address(base_url) from None
    if parts.scheme in _DEFAULT_PORTS and "@" in parts.netloc:
        raise UsageError("A key or password has no place in the address of a model service.")
    if parts.scheme not in _DEFAULT_PORTS or not host or any(mark in host for mark in " \t\r\n%\\"):
        raise _no_address(base_url)
    return parts, host


def _no_address(base_url: str) -> UsageError:
    shown = "".join(mark if mark.isprintable() else "?" for mark in base_url.rpartition("@")[2][:80])
    return UsageError(f"“{shown}” is not the web address of a model service.")
