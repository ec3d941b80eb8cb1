"""Origins and loopback."""

import pytest

from desktop.harness.adapters.providers import is_loopback, is_plain, origin_of
from desktop.harness.core.errors import UsageError


@pytest.mark.parametrize(
    ("base_url", "origin"),
    [
        ("https://API.Example.com/v1/", "https://api.example.com"),
        ("https://api.example.com:443", "https://api.example.com"),
        ("HTTP://api.example.com.:80/x?y#z", "http://api.example.com"),
        ("http://api.example.com:443", "http://api.example.com:443"),
        (" http://127.0.0.1:8080/v1 ", "http://127.0.0.1:8080"),
        ("http://[::1]:11434/v1", "http://[::1]:11434"),
        ("https://bücher.example/v1", "https://xn--bcher-kva.example"),
    ],
)
def test_an_origin_has_one_spelling(base_url: str, origin: str) -> None:
    """Case, default ports and paths make no difference."""
    assert origin_of(base_url) == origin
    assert origin_of(origin) == origin


@pytest.mark.parametrize(
    "base_url",
    [
        "",
        "api.example.com",
        "ftp://a",
        "http://",
        "http://a b/",
        "file:///etc/passwd",
        "http://a:99999",
        "http://[::1",
        "http://a\\b",
    ],
)
def test_what_is_no_web_address_is_said_so(base_url: str) -> None:
    """Anything else is one plain sentence."""
    with pytest.raises(UsageError, match="not the web address"):
        origin_of(base_url)


@pytest.mark.parametrize(
    "base_url", ["https://name:secret@a.example/v1", "http://secret@127.0.0.1/v1", "http://@a"]
)
def test_a_password_in_an_address_is_refused(base_url: str) -> None:
    """It would be kept with the address, so it is not taken, and not repeated."""
    with pytest.raises(UsageError, match="no place in the address") as caught:
        origin_of(base_url)
    assert "secret" not in str(caught.value)


def test_the_sentence_shows_no_password() -> None:
    """A password in a wrong address is not repeated."""
    with pytest.raises(UsageError) as caught:
        origin_of("ftp://name:secret@host")
    assert "secret" not in str(caught.value)


@pytest.mark.parametrize(
    "host", ["localhost", "LOCALHOST", "my.localhost", "127.0.0.1", "127.9.9.9", "[::1]"]
)
def test_loopback_is_this_computer(host: str) -> None:
    """The names and numbers of this computer, and plain http to them is private."""
    assert is_loopback(f"http://{host}:8080/v1") and not is_plain(f"http://{host}/v1")


@pytest.mark.parametrize(
    "host", ["example.com", "localhost.example.com", "128.0.0.1", "192.168.0.4", "0.0.0.0", "[::2]"]
)
def test_other_hosts_are_not_loopback(host: str) -> None:
    """Names that only look like this computer are others; plain http to them can be read on the way."""
    assert not is_loopback(f"http://{host}/v1") and is_plain(f"http://{host}/v1")
    assert not is_plain(f"https://{host}/v1")
