"""Reads requests that only look: list a folder, read a file, find a text."""

import re

from desktop.harness.adapters.providers.offline_requests import List, Names, Read, Request, Search
from desktop.harness.adapters.providers.offline_terms import (
    FLAGS,
    IN,
    Place,
    bare,
    closings,
    name_of,
    place_of,
    unquoted,
    without_lead,
)

_LIST = re.compile(
    r"(?:(?:list|ls|dir)(?: me)?(?P<all> (?:all|everything))?(?: (?:the )?(?:files?|folders?"
    r"|contents?|names))?"
    r"|(?:show|give)(?: me)?(?P<every> all| every)?(?: the| my)? (?:files?|folders?|list of files|contents)"
    r"|(?:what|which)(?: files| documents)?(?: is| are|'s|\u2019s| do (?:we|i) have)(?: there)?"
    r"|what have we got)"
    r"(?:\s+(?:there\s+)?(?:in|inside|of|under)\s+(?P<place>.+?)|\s+(?P<direct>\S+/?))?",
    FLAGS,
)
_LINES = re.compile(
    r"(?:the\s+)?lines?\s+(?P<first>\d+)(?:\s*(?:-|\u2013|to|until)\s*(?P<last>\d+))?\s+(?:of|in"
    r"|from)\s+(?P<path>.+)",
    FLAGS,
)
_READ = re.compile(
    r"(?:read|show|open|print|cat|display|view|look at)(?:\s+me)?\s+(?P<rest>.+)|what does "
    r"(?P<says>.+?) (?:say|contain)|what(?: is|'s|\u2019s) in (?P<inside>.+)",
    FLAGS,
)
_SEARCH = re.compile(
    r"(?:find|search(?:\s+for)?|look(?:\s+for)?|grep)(?:\s+(?:all|every|the))?(?:\s+(?:word|text"
    r"|phrase|places with|occurrences of))?\s+(?P<rest>.+)"
    r"|(?:which|what)\s+(?:files?|documents?|notes?)\s+(?:contains?|mentions?|says?|has|have|holds?"
    r"|use|uses)\s+(?P<which>.+)"
    r"|where\s+(?:is|are|does|do|did)\s+(?P<where>.+?)(?:\s+(?:mentioned|written|used|stand|occur"
    r"|appear)s?)?"
    r"|how (?:often|many times) (?:is|does|do|are) (?P<often>.+?)(?:\s+(?:mentioned|written|used"
    r"|stand|occur|appear)s?)?",
    FLAGS,
)


_NAMED = re.compile(
    r"(?:find|search for|look for|show me|list|where (?:is|are)|is there|are there)(?: me)? "
    r"(?:(?:all|every|any|an?|the|my) )*files? (?:called |named |with the name |with )?(?P<name>.+?)"
    r"(?: in (?:the|its|their) names?)?",
    FLAGS,
)
_OF_KIND = re.compile(
    r"(?:(?:list|show|find|count|give)(?: me)?|which are|what are|how many)\s+(?P<place>.+?)"
    r"(?: (?:are there|do (?:i|we) have|there are|are in (?:this|the) folder))?",
    FLAGS,
)


def read_names(text: str) -> Request | None:
    """`find files called plan`, `list all .md files`."""
    text = bare(text)
    if (match := _NAMED.fullmatch(text)) and not re.match(
        r"(?:in|inside|of|from|under|that|which|containing|mentioning)\b", match["name"], FLAGS
    ):
        return Names(text=unquoted(match["name"]) or match["name"].strip())
    if (match := _OF_KIND.fullmatch(text)) and (place := place_of(match["place"])) and place.suffixes:
        return Names(place=place)
    return None


def read_list(text: str) -> Request | None:
    """`what is in this folder?`, `list files in A`."""
    match = _LIST.fullmatch(bare(text))
    if match is None:
        return None
    deep = bool(match["all"] or match["every"])
    words = (match["place"] or match["direct"] or "").strip()
    if not words or words.lower() in ("here", "there", "everything", "files"):
        return List(deep=deep or words.lower() == "everything")
    place = place_of(words) or (Place(paths=(words,)) if " " not in words else None)
    if place is None or place.suffixes or len(place.paths) != 1:
        return None
    path = place.paths[0]
    looks_like_file = "." in path.rsplit("/", 1)[-1].strip(".") and not words.endswith("/")
    return None if looks_like_file else List(path=path, deep=deep)


def read_read(text: str) -> Request | None:
    """`read A`, `read lines 3-10 of A`."""
    match = _READ.fullmatch(bare(text))
    if match is None:
        return None
    rest = match["rest"] or match["says"] or match["inside"]
    lines = _LINES.fullmatch(rest)
    path = name_of(lines["path"] if lines else rest)
    if path is None and " " not in rest and match["rest"]:
        path = rest
    if path is None:
        return None
    first = int(lines["first"]) if lines else None
    last = int(lines["last"] or lines["first"]) if lines else None
    return List(path=path.rstrip("/")) if path.endswith("/") else Read(path=path, first=first, last=last)


def read_search(text: str) -> Request | None:
    """`find TEXT in A`, `which files mention TEXT?`."""
    match = _SEARCH.fullmatch(bare(text))
    if match is None:
        return None
    rest = without_lead((match["rest"] or match["which"] or match["where"] or match["often"]).strip())
    rest = re.sub(r"^for\s+", "", rest, flags=re.IGNORECASE)
    for wanted, tail in closings(rest):
        behind = IN.match(tail)
        place = place_of(tail[behind.end() :]) if behind else None
        if wanted and (place is not None or not bare(tail)):
            return Search(text=wanted, place=place or Place())
    for behind in IN.finditer(rest):
        place = place_of(rest[behind.end() :])
        if place is not None and rest[: behind.start()].strip():
            return Search(text=rest[: behind.start()].strip(), place=place)
    return Search(text=rest)
