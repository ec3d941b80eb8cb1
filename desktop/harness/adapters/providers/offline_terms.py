"""Quotes and places in a plain request: which text is meant, and in which files.

Quotes are optional, straight or curly; a quoted text is taken to the letter. A place
is only what clearly reads as one ("all .md files", `notes/`, `budget.csv`); any other words behind
"in" are no place, and the caller asks rather than guesses.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass

FLAGS = re.IGNORECASE | re.DOTALL

QUOTES = {
    '"': '"',
    "'": "'",
    "`": "`",
    "\u201c": "\u201d",
    "\u201e": "\u201c\u201d",
    "\u2018": "\u2019",
    "\u201a": "\u2018\u2019",
    "\u00ab": "\u00bb",
    "\u00bb": "\u00ab",
}
"""Opening quote to the closing ones that fit it."""

_KINDS = {
    "markdown": (".md", ".markdown"),
    "text": (".txt",),
    "plain text": (".txt",),
    "table": (".csv",),
    "python": (".py",),
    "web": (".html", ".htm"),
}

_WHOLE = re.compile(
    r"(?:everywhere|here|(?:(?:all|every|each|any)(?: of)? )?(?:the |these |my )?(?:files?|documents?)"
    r"|(?:the |this |my )?(?:whole |entire )?(?:folder|project|directory)|all|all of (?:them|it)"
    r"|everything)"
    r"(?: (?:in|of|inside) (?:this|the|my) (?:whole )?(?:folder|project|directory))?",
    re.IGNORECASE,
)
_KIND = re.compile(
    r"(?:(?:all|every|each|any)(?: of)? )?(?:the |my )?(?P<kind>\*?\.?[\w-]{1,12}|plain text)(?:-"
    r"| )?(?:files?|documents?)"
    r"(?: (?:in|of|inside|under|from) (?P<folder>.+))?",
    re.IGNORECASE,
)
_GLOB = re.compile(r"(?:(?:all|every) )?(?:\*\*/)?\*(?P<suffix>\.\w{1,12})", re.IGNORECASE)
_FOLDER = re.compile(
    r"(?:(?:all |every |the )?files? (?:in|of|inside|under|from) )?(?:the |my )?(?:folder"
    r"|directory) (?:called |named )?(?P<after>.+)"
    r"|(?:(?:all |every |the )?files? (?:in|of|inside|under|from) )?(?:the |my )?"
    r"(?P<before>\S.*?) (?:folder|directory)"
    r"|(?:(?:all |every )(?:the )?)?files? (?:in|of|inside|under|from) (?P<plain>\S+)",
    re.IGNORECASE,
)
_FILE_WORD = re.compile(r"(?:the |my )?(?:file|document) (?:called |named )?(?P<path>.+)", re.IGNORECASE)
_NAMED = re.compile(r"[^\s].*\.[A-Za-z0-9_]{1,10}", re.DOTALL)
_VERB = re.compile(
    r"(?:then |also )*(?:replace|change|delete|remove|rename|move|create|write|append|add|run|read"
    r"|show|find|search|list)\b",
    re.IGNORECASE,
)


TO = re.compile(r"\s+(?:to|into|for)\s+", FLAGS)
IN = re.compile(
    r"\s+(?:in|inside|within|across|throughout|through|from|under|of)\s+|\s+(?=everywhere\b|here\b)", FLAGS
)
"""What may stand in front of a place."""

_LEAD = re.compile(
    r"(?:(?:all|every|each|any|the)\s+)*(?:(?:occurrences?|instances?|mentions?)\s+of\s+(?:the\s+"
    r"(?:word|text|phrase)\s+)?|(?:word|words|text|phrase)\s+)",
    FLAGS,
)
_ALL_QUOTED = re.compile(r"(?:all|every|each|the)\s+(?=[\"'`\u201c\u201e\u2018\u201a\u00ab\u00bb])", FLAGS)

SECOND_REQUEST = re.compile(rf"(?:,|;|\band)\s+(?:then\s+|also\s+)*{_VERB.pattern}", FLAGS)


@dataclass(frozen=True, slots=True, kw_only=True)
class Place:
    """Where in the folder a request is meant.

    `paths` are files or folders (`.` for all); `suffixes` (with the dot, in small letters) narrow it to
    kinds of files, empty for any.
    """

    paths: tuple[str, ...] = (".",)
    suffixes: tuple[str, ...] = ()

    def has(self, path: str) -> bool:
        """Whether a file is of the kinds that are meant."""
        return not self.suffixes or path.lower().endswith(self.suffixes)


def unquoted(text: str) -> str | None:
    """What stands between one pair of quotes around the whole text, None when there is none."""
    text = text.strip()
    if len(text) >= 2 and text[-1] in QUOTES.get(text[0], ""):
        return text[1:-1]
    return None


def closings(text: str) -> Iterator[tuple[str, str]]:
    """Every way to read a text that begins with a quote as (what is quoted, what follows)."""
    closing = QUOTES.get(text[:1], "")
    for index in range(1, len(text)):
        if text[index] in closing:
            yield text[1:index], text[index + 1 :]


def has_loose_quote(text: str, opening: str) -> bool:
    """Whether a text that stood in quotes holds such a quote itself, other than as an apostrophe."""
    closing = QUOTES[opening] + (opening if opening in QUOTES[opening] else "")
    return any(mark in re.sub(rf"(?<=\w){re.escape(mark)}(?=\w)", "", text) for mark in closing)


def name_of(text: str) -> str | None:
    """The path that a few words name, None when they read as something else."""
    inside = unquoted(text)
    if inside is not None:
        return inside.strip() or None
    text = text.strip().removesuffix(",")
    if match := _FILE_WORD.fullmatch(text):
        return unquoted(match["path"]) or match["path"].strip()
    text = re.sub(r"^(?:the|my) (?=\S+$)", "", text, flags=re.IGNORECASE)
    is_one_word = re.fullmatch(r"\S+", text) is not None
    if is_one_word and (
        "/" in text.strip("/") or text.endswith("/") or _NAMED.fullmatch(text) or text[0] == "."
    ):
        return text
    if _NAMED.fullmatch(text) and len(text.split()) <= 6 and " and " not in text and not _VERB.match(text):
        return text
    return None


def place_of(text: str) -> Place | None:
    """The place that the words behind "in" name, None when they name none."""
    text = text.strip()
    if text[-1:] in ".!?," and unquoted(text) is None:
        text = text.rstrip(".!?, ")
    text = re.sub(r",? please$", "", text, flags=re.IGNORECASE)
    if not text:
        return None
    if _WHOLE.fullmatch(text):
        return Place()
    if match := _GLOB.fullmatch(text):
        return Place(suffixes=(match["suffix"].lower(),))
    return _kind(text) or _files(text) or _folder(text)


def _kind(text: str) -> Place | None:
    match = _KIND.fullmatch(text)
    if match is None:
        return None
    kind = match["kind"].lower().lstrip("*")
    known = _KINDS.get(kind) or ((kind if kind.startswith(".") else f".{kind}"),)
    if not kind.startswith(".") and kind not in _KINDS and len(kind) > 5:
        return None
    if kind in ("all", "every", "each", "any", "the", "my", "these", "this"):
        return None
    if match["folder"] is None or _WHOLE.fullmatch(match["folder"]):
        return Place(suffixes=known)
    folder = _folder(match["folder"])
    path = folder.paths[0] if folder else name_of(match["folder"]) or match["folder"].strip()
    return Place(paths=(path.rstrip("/") or ".",), suffixes=known)


def _files(text: str) -> Place | None:
    names = (
        [name_of(part) for part in re.split(r",? and |, ", text)]
        if unquoted(text) is None
        else [name_of(text)]
    )
    paths = tuple(name.rstrip("/") or "." for name in names if name)
    return Place(paths=paths) if len(paths) == len(names) else None


def _folder(text: str) -> Place | None:
    match = _FOLDER.fullmatch(text)
    if match is None:
        return None
    name = (match["after"] or match["before"] or match["plain"]).strip()
    if name.lower() in ("this", "the", "whole", "the whole"):
        return Place()
    return Place(paths=((unquoted(name) or name).rstrip("/") or ".",))


def bare(text: str) -> str:
    """Without the full stop, question mark and thanks that close a sentence, unless they are quoted."""
    text = text.strip()
    if unquoted(text) is None:
        text = re.sub(r"(?:,? please)?[?!. ]*$", "", text, flags=re.IGNORECASE)
    return text


def without_lead(rest: str) -> str:
    """Without words that only lead up to a text: "the word", "every occurrence of"."""
    lead = _LEAD.match(rest) or _ALL_QUOTED.match(rest)
    return rest[lead.end() :] if lead else rest
