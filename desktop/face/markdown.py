"""Markdown of an answer as tokens, and which of its links may be one.

GitHub's flavour with three differences, so that no word of an answer is ever
lost: HTML is text, link definitions are text, and a link that cannot be followed
is text. As no block can refer to another, each top-level block can be read alone;
that is what makes streaming cheap. Nothing is fetched here or anywhere else for
an answer.
"""

import re
from collections.abc import Sequence
from functools import cache
from urllib.parse import urlsplit

from markdown_it import MarkdownIt
from markdown_it.rules_core import StateCore
from markdown_it.token import Token

from desktop.harness.api import show_safe

FOLLOWED = ("http", "https", "mailto")
"""Schemes of links that a person may follow."""

LONGEST_PARAGRAPH = 4_000
"""Characters; reading links in a paragraph costs by the square of its length."""

UNREAD = "unread"
"""The type of a token with the whole of a paragraph that was too long; no rule looks into it."""

_SCHEME = re.compile(r"\s*([a-zA-Z][a-zA-Z0-9+.\-]*):")
_UNREADABLE = re.compile("\x00|\r(?!\n)")
_PROSE_SPACES = {0xA0: " ", 0x202F: " "}
_EMOJI_LOOK = re.compile("(?<=[\u203c-\u3299\U0001f000-\U0001faff])\ufe0f")


@cache
def _reader() -> MarkdownIt:
    reader = MarkdownIt("gfm-like", {"html": False, "linkify": True, "breaks": True, "maxNesting": 40})
    reader.disable("reference")
    reader.core.ruler.at("inline", _inline)
    reader.validateLink = _may_be_written  # type: ignore[method-assign,assignment]  # documented as replaceable
    if reader.linkify is not None:
        reader.linkify.set({"fuzzy_link": False, "fuzzy_email": False, "fuzzy_ip": False})
    return reader


def _inline(state: StateCore) -> None:
    """Read the inside of paragraphs; one of monstrous length stays as it is written."""
    for token in state.tokens:
        if token.type != "inline" or token.children is None:
            continue
        if len(token.content) <= LONGEST_PARAGRAPH:
            state.md.inline.parse(token.content, state.md, state.env, token.children)
        else:
            token.children.append(Token(UNREAD, "", 0, content=token.content))


def _may_be_written(address: str) -> bool:
    """Whether `[text](address)` reads as a link; what does not stays on the screen as it was written."""
    scheme = _SCHEME.match(address)
    return scheme is None or scheme[1].lower() in FOLLOWED


def is_followed(address: str) -> bool:
    """Whether a click on this address may be offered at all."""
    try:
        return urlsplit(address).scheme.lower() in FOLLOWED
    except ValueError:
        return False


def is_disguised(words: str, address: str) -> bool:
    """Whether the words of a link name another host than its address."""
    if "." not in words or " " in words.strip():
        return False
    try:
        shown = urlsplit(words if "//" in words else f"//{words}").hostname
        real = urlsplit(address).hostname
    except ValueError:
        return True
    return real is not None and shown is not None and shown.lower() != real.lower()


def clean(source: str) -> str:
    """The text that is parsed: line ends as LF, and what Markdown would swallow as boxes."""
    return _UNREADABLE.sub(lambda found: show_safe(found[0]), source).replace("\r\n", "\n")


def prose(text: str) -> str:
    """Words outside code, safe to show.

    No-break spaces of good typography and the selector that gives a sign its coloured look are
    not worth a box here, where nothing is decided by them.
    """
    if text.isascii() and text.isprintable():
        return text
    return show_safe(_EMOJI_LOOK.sub("", text).translate(_PROSE_SPACES))


def parse(source: str) -> list[Token]:
    """The tokens of a text that went through `clean`."""
    return _reader().parse(source)


def last_block(tokens: Sequence[Token]) -> tuple[int, int]:
    """Where what may still grow begins: its place in `tokens` and its line of the source, from 0.

    That is the last top-level block or, when it is a list, the last item of it: nothing that comes later
    changes an earlier item.
    """
    for place in range(len(tokens) - 1, -1, -1):
        token = tokens[place]
        if token.map is None or token.nesting < 0:
            continue
        if token.level == 0 or (token.level == 1 and token.type == "list_item_open"):
            is_first_item = token.level == 1 and tokens[place - 1].nesting == 1
            if not is_first_item:
                return place, token.map[0]
    return 0, 0
