"""Known secret values, taken out of text before it is kept (ports.Redaction).

Only values that are *known* are hidden: keys, environment variables with
secret-like names, values of `.env` files. Guessing by shape is left out on
purpose: it hides harmless text and still misses most secrets. This is hygiene,
not a wall; a compressed or ciphered copy passes.

Each value is looked for as it is and as JSON, a URL, base64 (at all three
offsets), base64url, hex and reversed. One `in` test for each form and then
`replace` is about a hundred times faster than one big alternation.
"""

import base64
import json
import re
import threading
from collections.abc import Iterable, Mapping
from urllib.parse import quote, quote_plus, unquote

MIN_LENGTH = 8
"""Shorter values would hide ordinary words."""
_MIN_LINE = 20
_MIN_CODED = 10

_SECRET_WORDS = frozenset(
    "key keys token tokens secret secrets password passwords passwd passphrase pass credential credentials "
    "auth apikey pat jwt bearer signature salt".split()
)
_SECRET_ENDINGS = ("token", "secret", "password", "passwd", "apikey", "credential", "credentials")
_HARMLESS_LAST_WORDS = frozenset("sock socket file path dir home url uri name user id type method".split())
_COMMON = frozenset(
    "changeme changeit password password1 passw0rd undefined disabled enabled default localhost development "
    "production staging testing postgres postgresql mysql root admin administrator username example "
    "123456789 12345678 1234567890 00000000 11111111 your-api-key your_api_key yourpassword placeholder "
    "truetrue xxxxxxxx ".split()
)
_WORDS = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_PLACEHOLDER = re.compile(r"\[?secret-\d+\]?")
_ENV_LINE = re.compile(r"^\s*(?:export\s+)?([A-Za-z_][\w.-]*)\s*[=:]\s?(.*)$")
_LOGIN_IN_URL = re.compile(r"\w[\w+.-]*://[^\s/@:]*:([^\s/@]+)@")
_PLAIN_URL = re.compile(r"\w[\w+.-]*://[^\s@?]*")
_PLAIN_WORDS = re.compile(
    r"[A-Za-z]+(?:[ ._,-][A-Za-z]+)*|[\d.,:]+|[\w.+-]+@[\w-]+(?:\.[\w-]+)+|\.{0,2}/[\w./ -]*"
)


class KnownSecrets:
    """Secret values and their placeholders. May be used from any thread."""

    def __init__(self, values: Mapping[str, str] | None = None) -> None:
        self._numbers: dict[str, int] = {}
        self._forms: tuple[tuple[str, str], ...] = ()
        self._lock = threading.Lock()
        self.learn(values or {})

    def redact(self, text: str) -> str:
        """The text with each known value replaced by its placeholder `[secret-n]`."""
        for form, placeholder in self._forms:
            if form in text:
                text = text.replace(form, placeholder)
        return text

    def learn(self, values: Mapping[str, str]) -> None:
        """Know more values. A value keeps its number for as long as this object lives."""
        with self._lock:
            fresh = [
                value for value in values.values() if value not in self._numbers and is_worth_hiding(value)
            ]
            for value in fresh:
                self._numbers.setdefault(value, len(self._numbers) + 1)
            if not fresh:
                return
            forms: dict[str, str] = {}
            for value, number in self._numbers.items():
                for form in _forms_of(value):
                    forms.setdefault(form, f"[secret-{number}]")
            self._forms = tuple(sorted(forms.items(), key=lambda pair: -len(pair[0])))


def is_worth_hiding(value: str) -> bool:
    """Whether a value is long and odd enough that hiding it everywhere hurts nobody."""
    bare = value.strip()
    return (
        len(bare) >= MIN_LENGTH
        and len(set(bare)) > 2
        and bare.casefold() not in _COMMON
        and _PLACEHOLDER.fullmatch(bare) is None
    )


def is_secret_name(name: str) -> bool:
    """Whether a variable of this name is likely to hold a secret: `OPENAI_API_KEY`, not `GIT_AUTHOR_NAME`."""
    words = [word.lower() for word in _WORDS.findall(name)]
    if not words or words[-1] in _HARMLESS_LAST_WORDS:
        return False
    return any(word in _SECRET_WORDS or word.endswith(_SECRET_ENDINGS) for word in words)


def secrets_of_environment(environment: Mapping[str, str]) -> dict[str, str]:
    """Values of variables with secret-like names, and passwords inside addresses, by variable name."""
    found = {name: value for name, value in environment.items() if is_secret_name(name)}
    for name, value in environment.items():
        found |= _passwords_in(name, value)
    return found


def values_of_env_file(text: str) -> dict[str, str]:
    """The values of a `.env` file that are worth hiding, by variable name.

    With a secret-like name any value counts; otherwise plain words, numbers, paths, mail
    addresses and addresses without a password are left readable.
    """
    found: dict[str, str] = {}
    for name, value in _env_pairs(text):
        if inner := _passwords_in(name, value):
            found |= inner
        elif is_secret_name(name) or not _is_plain(value):
            found[name] = value
    return found


def is_env_file(name: str) -> bool:
    """Whether a file of this name holds variables: `.env`, `.env.local`, `.envrc`, `prod.env`."""
    base = name.rsplit("/", 1)[-1].casefold()
    return base.startswith(".env") or base.endswith(".env")


def _env_pairs(text: str) -> Iterable[tuple[str, str]]:
    for line in text.splitlines():
        if line.lstrip().startswith("#") or (match := _ENV_LINE.match(line)) is None:
            continue
        value = match[2].strip()
        if value[:1] in {"'", '"'}:
            value = value[1:].split(value[0])[0]
        else:
            value = re.split(r"\s#", value, maxsplit=1)[0].rstrip()
        if value:
            yield match[1], value


def _is_plain(value: str) -> bool:
    return _PLAIN_WORDS.fullmatch(value) is not None or _PLAIN_URL.fullmatch(value) is not None


def _passwords_in(name: str, value: str) -> dict[str, str]:
    found: dict[str, str] = {}
    for index, password in enumerate(_LOGIN_IN_URL.findall(value)):
        found[f"{name}#{index}"] = password
        found[f"{name}#{index}%"] = unquote(password)
    return found


def _forms_of(value: str) -> set[str]:
    forms = set(_text_forms(value))
    for line in value.splitlines():
        if len(line.strip()) >= _MIN_LINE:
            forms.add(line.strip())
    data = value.encode("utf-8", "surrogatepass")
    forms |= {data.hex(), data.hex().upper(), value[::-1]}
    forms |= {form for form in _base64_forms(data) if len(form) >= _MIN_CODED}
    return forms


def _text_forms(value: str) -> Iterable[str]:
    bare = value.strip()
    yield bare
    yield json.dumps(bare)[1:-1]
    yield json.dumps(bare, ensure_ascii=False)[1:-1]
    yield json.dumps(bare)[1:-1].replace("/", "\\/")
    for quoted in (
        quote(bare, "", errors="replace"),
        quote(bare, errors="replace"),
        quote_plus(bare, errors="replace"),
    ):
        yield quoted
        yield re.sub(r"%[0-9A-F]{2}", lambda match: match[0].lower(), quoted)


def _base64_forms(data: bytes) -> Iterable[str]:
    """The part of the coded text that depends on the value alone, at each place in a group of three bytes."""
    for offset in range(3):
        coded = base64.b64encode(bytes(offset) + data).decode()
        part = coded[(0, 2, 3)[offset] : (offset + len(data)) * 8 // 6]
        yield part
        yield part.translate(str.maketrans("+/", "-_"))
