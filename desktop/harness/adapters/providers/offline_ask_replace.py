"""Reads requests to put one text for another.

The texts are to the letter. Where a sentence can be read in two ways that would change different things, the
reader gives the question to ask back.
"""

import re
from collections.abc import Iterator

from desktop.harness.adapters.providers.offline_requests import Replace, Request, Talk, Unclear
from desktop.harness.adapters.providers.offline_terms import (
    FLAGS,
    IN,
    SECOND_REQUEST,
    TO,
    Place,
    bare,
    closings,
    has_loose_quote,
    place_of,
    unquoted,
    without_lead,
)

_REPLACE = re.compile(
    r"(?P<verb>replace|change|substitute|swap|turn|convert|correct|fix|exchange|rename)\s+"
    r"(?P<rest>.+)",
    FLAGS,
)
_USE = re.compile(r"(?:use|write|say|put|spell)\s+(?P<rest>.+)", FLAGS)
_REMOVE = re.compile(r"(?:remove|delete|erase|take out|drop)\s+(?P<rest>.+)", FLAGS)
_WITH = re.compile(r"\s+(?:with|by)\s+|\s*(?:->|=>|\u2192)\s*", FLAGS)
_INSTEAD = re.compile(r"\s+(?:instead of|rather than|in place of|and not|not)\s+", FLAGS)


def read_replace(text: str) -> Request | None:
    """`replace A with B in C`, `change A to B everywhere`."""
    match = _REPLACE.fullmatch(text)
    if match is None:
        return None
    is_rename = match["verb"].lower() == "rename"
    separators = (
        (TO, _WITH)
        if match["verb"].lower() not in ("replace", "substitute", "swap", "exchange")
        else (_WITH, TO)
    )
    if SECOND_REQUEST.search(_QUOTED.sub("", match["rest"])):
        return _ONE_THING
    doubt: Request | None = None
    rest, place = _leading_place(match["rest"])
    for separator in separators:
        for old, new, found in _pairs(without_lead(rest), separator):
            if found is _TOO_MANY_QUOTES:
                return _TOO_MANY_QUOTES
            if isinstance(found, Unclear):
                doubt = doubt or found
            elif is_rename and found is None:
                return None
            else:
                return _replacement(old, new, place or found)
    return None if is_rename else doubt


def read_use_instead(text: str) -> Request | None:
    """`use B instead of A`."""
    match = _USE.fullmatch(text)
    if match is None:
        return None
    doubt: Request | None = None
    rest, place = _leading_place(match["rest"])
    for new, old, found in _pairs(without_lead(rest), _INSTEAD):
        if isinstance(found, Unclear):
            doubt = doubt or found
        else:
            return _replacement(old, new, place or found)
    return doubt


def read_removal(text: str) -> Request | None:
    """`remove "x" from FILE`: only a quoted text, so that a file is never meant."""
    match = _REMOVE.fullmatch(text)
    if match is None:
        return None
    for old, tail in closings(without_lead(match["rest"])):
        behind = IN.match(tail)
        place = place_of(tail[behind.end() :]) if behind else None
        if place is not None:
            return _replacement(old, "", place)
    return None


def _leading_place(rest: str) -> tuple[str, Place | None]:
    """`replace in notes.md A with B`, `in all .md files`: the place may stand in front."""
    match = re.match(r"in (?P<place>(?:all|every) \S+ files?|\S+)\s+(?=\S)", rest, FLAGS)
    place = place_of(match["place"]) if match else None
    return (rest[match.end() :], place) if match and place else (rest, None)


def _replacement(old: str, new: str, place: Place | None) -> Request:
    if not old:
        return Unclear(
            question="Which text should be replaced? Put it in quotes: replace \u201cold\u201d with "
            "\u201cnew\u201d."
        )
    if old == new:
        return Talk(answer="The old text and the new text are the same, so there is nothing to change.")
    return Replace(old=old, new=new, place=place or Place())


_TOO_MANY_QUOTES = Unclear(
    question="There are more quotes than I can tell apart. Ask for one replacement at a time, and put a text "
    "that holds quotes into other ones: replace \u201cold\u201d with \u201cnew\u201d."
)
_ONE_THING = Unclear(
    question="I do one thing at a time. Ask for the first one, and for the next when it is done."
)
_QUOTED = re.compile('["`\u201c\u201e\u00ab].*?["`\u201d\u201c\u00bb]', re.DOTALL)


def _pairs(rest: str, separator: re.Pattern[str]) -> Iterator[tuple[str, str, Place | Unclear | None]]:
    """Every way to read `A separator B [in PLACE]`, the likeliest first."""
    for first, tail in closings(rest):
        match = separator.match(tail)
        if match:
            yield from _seconds(first, tail[match.end() :])
    for match in separator.finditer(rest):
        yield from _seconds(rest[: match.start()].strip(), rest[match.end() :])


def _seconds(first: str, rest: str) -> Iterator[tuple[str, str, Place | Unclear | None]]:
    rest = without_lead(rest.lstrip())
    for second, tail in closings(rest):
        behind = IN.match(tail)
        place = place_of(tail[behind.end() :]) if behind else None
        if place is None and bare(tail):
            continue
        yield first, second, _TOO_MANY_QUOTES if has_loose_quote(second, rest[0]) else place
    if unquoted(rest) is not None:
        return
    doubt: str | None = None
    for match in IN.finditer(rest):
        tail = rest[match.end() :]
        place = place_of(tail)
        if place is not None:
            yield first, rest[: match.start()].strip(), place
        elif match.group().strip().lower() not in ("of", "from", "through", "under"):
            doubt = tail
    if doubt is None:
        plain = rest.strip()
        yield first, (plain if first.endswith((".", "!", "?")) else bare(plain)), None
    else:
        yield first, rest, Unclear(question=_which(bare(doubt)))


def _which(tail: str) -> str:
    return (
        f"Is \u201c{tail}\u201d a file or folder, or part of the new text? "
        f"Say \u201cin the file {tail}\u201d or \u201cin the folder {tail}\u201d, or put the texts "
        f"in quotes: "
        "replace \u201cold\u201d with \u201cnew\u201d in all files."
    )
