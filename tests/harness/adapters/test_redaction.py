"""Known secret values never pass."""

import base64
import json
import time
from urllib.parse import quote, quote_plus

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.adapters.redaction import (
    KnownSecrets,
    is_env_file,
    is_secret_name,
    is_worth_hiding,
    secrets_of_environment,
    values_of_env_file,
)

VALUE = 'pk-live/9"Tz+4 qW%ü&x'
secret_text = st.text(
    st.characters(min_codepoint=33, max_codepoint=0x2FF, exclude_categories=("Cs", "Zs", "Cc")),
    min_size=9,
    max_size=60,
).filter(is_worth_hiding)


@pytest.mark.parametrize(
    "coded",
    [
        VALUE,
        json.dumps(VALUE),
        json.dumps(VALUE, ensure_ascii=False),
        quote(VALUE, safe=""),
        quote_plus(VALUE),
        VALUE.encode().hex(),
        VALUE.encode().hex().upper(),
        VALUE[::-1],
    ],
)
def test_each_form_of_a_value_is_replaced(coded: str) -> None:
    """A value is found as it is, in JSON, in a URL, in hex and reversed."""
    assert KnownSecrets({"KEY": VALUE}).redact(f"a {coded} b").replace('"', "") == "a [secret-1] b"


@given(secret_text, st.binary(max_size=7), st.binary(max_size=7))
def test_base64_is_found_at_every_offset(value: str, before: bytes, after: bytes) -> None:
    """Whatever stands around a value, its base64 and base64url hide it down to a few edge characters."""
    redact = KnownSecrets({"KEY": value}).redact
    for encode in (base64.b64encode, base64.urlsafe_b64encode):
        coded = encode(before + value.encode() + after).decode()
        assert "[secret-1]" in redact(coded)


@given(secret_text, st.text(max_size=30), st.text(max_size=30))
def test_a_value_never_survives(value: str, before: str, after: str) -> None:
    """Whatever stands around it, a known value is not in the result."""
    assert value.strip() not in KnownSecrets({"KEY": value}).redact(before + value + after)


def test_placeholders_are_stable_and_named_in_order() -> None:
    """A value keeps its number when more is learned, and a longer value wins over one inside it."""
    known = KnownSecrets({"A": "first-secret-value"})
    known.learn({"B": "first-secret-value-and-more", "again": "first-secret-value"})
    assert known.redact("first-secret-value first-secret-value-and-more") == "[secret-1] [secret-2]"


@pytest.mark.parametrize(
    "value", ["short", "password", "localhost", "aaaaaaaaaa", "secret-1", "[secret-12]", ""]
)
def test_common_values_are_left_alone(value: str) -> None:
    """Short values, common words and our own placeholders are not hidden."""
    assert KnownSecrets({"KEY": value}).redact(f"x {value} y") == f"x {value} y"


def test_names_that_hold_secrets() -> None:
    """Names are judged word by word, so that an author or a keyboard is no secret."""
    for name in ("OPENAI_API_KEY", "githubToken", "DB_PASSWORD", "npm_config__auth", "AWS_SECRET_ACCESS_KEY"):
        assert is_secret_name(name), name
    for name in (
        "GIT_AUTHOR_NAME",
        "KEYBOARD_LAYOUT",
        "SSH_AUTH_SOCK",
        "PATH",
        "TOKENIZERS_PARALLELISM",
        "XAUTHORITY",
    ):
        assert not is_secret_name(name), name


def test_the_environment_gives_keys_and_passwords_in_addresses() -> None:
    """Secret-like names count, and so does a password inside any address."""
    found = secrets_of_environment(
        {
            "MY_TOKEN": "tok-123456789",
            "DATABASE_URL": "postgres://me:p%40ssword99@host/db",
            "HOME": "/home/me",
        }
    )
    redact = KnownSecrets(found).redact
    assert (
        redact("tok-123456789 p%40ssword99 p@ssword99 /home/me")
        == "[secret-1] [secret-2] [secret-3] /home/me"
    )


def test_values_of_an_env_file() -> None:
    """Values are read with quotes, comments and `export`; plain settings stay readable."""
    found = values_of_env_file(
        "# comment KEY=not-this-one-12\n"
        "export API_KEY='quoted secret #1'\n"
        "CANARY=canary-8f3a91c2 # why\n"
        "DB_PASSWORD=correcthorsebattery\n"
        "NODE_ENV=development\nSITE=https://example.com/start\nPORT=8080\nMAIL=me@example.com\nWHERE=/var/lib/data\n"
    )
    assert found == {
        "API_KEY": "quoted secret #1",
        "CANARY": "canary-8f3a91c2",
        "DB_PASSWORD": "correcthorsebattery",
    }
    assert is_env_file("a/.env.local") and is_env_file("prod.env") and not is_env_file("environment.py")


def test_each_line_of_a_long_key_is_hidden() -> None:
    """A key of several lines is found line by line, as a tool shows it with line numbers."""
    key = "---- BEGIN KEY ----\nMIIEvAIBADANBgkqhkiG9w0B\nQEFAASCBKYwggSiAgEAAoIB\n---- END KEY ----"
    assert "MIIEvAIBADANBgkqhkiG9w0B" not in KnownSecrets({"K": key}).redact("2: MIIEvAIBADANBgkqhkiG9w0B")


def test_ten_megabytes_are_no_matter() -> None:
    """Without a secret the text is given back as it is; with a few, ten megabytes end in seconds."""
    text = "an ordinary line of a program's output, number 12\n" * 200_000
    assert KnownSecrets().redact(text) is text
    known = KnownSecrets({str(n): f"some-secret-{n:04}" for n in range(5)})
    started = time.perf_counter()
    known.redact(text)
    assert time.perf_counter() - started < 15
