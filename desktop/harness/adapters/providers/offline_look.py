"""How the offline helper looks: list, read, find.

Nothing here changes anything. A search whose results were cut is repeated for each file of the kinds that
are meant, so that a large folder gives a whole answer, or an answer that says what is missing.
"""

import re
from collections.abc import Generator, Sequence
from dataclasses import dataclass
from typing import Any

from desktop.harness.adapters.providers.offline_requests import List, Names, Read, Search
from desktop.harness.adapters.providers.offline_results import (
    Excerpt,
    Found,
    Listed,
    Match,
    Result,
    files_of,
    listed,
    listing_is_cut,
)
from desktop.harness.adapters.providers.offline_steps import Act, Plan, many, one
from desktop.harness.adapters.providers.offline_terms import Place
from desktop.harness.adapters.providers.offline_words import block, code, count, names, shown

_DEEP = 20
_MAX_NARROWED = 1_000
_MAX_LISTED = 200
_MAX_LINES = 30
_MAX_SEARCHED = 500
_MAX_READ_LINES = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class Hits:
    """What was found in a place. `is_cut` says that there may be more files, `is_least` more places in
    them."""

    matches: tuple[Match, ...] = ()
    is_cut: bool = False
    is_least: bool = False
    problems: tuple[str, ...] = ()

    @property
    def paths(self) -> tuple[str, ...]:
        """The files, in the order they were found."""
        return tuple(dict.fromkeys(match.path for match in self.matches))


def find(pattern: str, place: Place) -> Generator[Act, list[Result], Hits]:
    """Search a place; where the results were cut, file by file."""
    results = yield from many("search_files", [_search(pattern, path) for path in place.paths])
    found = Found.of(results)
    if not found.is_cut:
        return _hits([found], place, is_cut=False)
    folders = yield from many("list_files", [_listing(path) for path in place.paths])
    files = [path for result in folders for path in files_of(result) if place.has(path)]
    first = (match.path for match in found.matches if place.has(match.path))
    narrowed = list(dict.fromkeys([*first, *files]))
    is_cut = len(narrowed) > _MAX_NARROWED or any(map(listing_is_cut, folders))
    again = yield from many("search_files", [_search(pattern, path) for path in narrowed[:_MAX_NARROWED]])
    return _hits([found, *(Found.of([result]) for result in again)], place, is_cut=is_cut)


def _search(pattern: str, path: str) -> dict[str, Any]:
    return {"pattern": pattern} if path == "." else {"pattern": pattern, "path": path}


def _listing(path: str) -> dict[str, Any]:
    return {"path": path, "depth": _DEEP}


def _hits(parts: Sequence[Found], place: Place, *, is_cut: bool) -> Hits:
    matches: dict[tuple[str, int], Match] = {}
    problems: list[str] = []
    for found in parts:
        problems += found.problems
        for match in found.matches:
            if place.has(match.path):
                matches.setdefault((match.path, match.line), match)
    is_least = is_cut or any(map(_is_cut_line, matches.values())) or any(found.is_cut for found in parts[1:])
    return Hits(matches=tuple(matches.values()), is_cut=is_cut, is_least=is_least, problems=tuple(problems))


def _is_cut_line(match: Match) -> bool:
    return "\u2026" in (match.text[:1], match.text[-1:])


def in_place(place: Place) -> str:
    """The place as words behind a verb."""
    kinds = " or ".join(code(suffix) for suffix in place.suffixes)
    where = "in this folder" if place.paths == (".",) else f"in {names(place.paths)}"
    return f"in the {kinds} files {where}" if kinds else where


def plan_list(request: List) -> Plan:
    """What is in a folder."""
    arguments: dict[str, Any] = {} if request.path == "." else {"path": request.path}
    if request.deep:
        arguments["depth"] = _DEEP
    [result] = yield one("list_files", **arguments)
    if not result.is_ok:
        return result.problem or "That was not allowed."
    where = "this folder" if request.path == "." else code(request.path)
    there = listed(result)
    if not there:
        return f"There is nothing in {where}."
    lines = [_listed_words(one) for one in there[:_MAX_LISTED]]
    left = len(there) - len(lines)
    more = f"\n\n{count(left, 'more name')} not shown." if left > 0 else ""
    more += "\n\nThere is more than can be listed at once; name a folder." if listing_is_cut(result) else ""
    return f"This is in {where}:\n\n" + "\n".join(lines) + more


def _listed_words(one: Listed) -> str:
    if one.is_folder:
        return f"- {code(one.path + '/')}"
    return f"- {code(one.path)} ({one.note})" if one.note else f"- {code(one.path)}"


def plan_names(request: Names) -> Plan:
    """The files of a kind, or with a text in their name, in all folders of the place."""
    results = yield from many("list_files", [_listing(path) for path in request.place.paths])
    if problem := next((result.problem for result in results if result.problem), ""):
        return problem
    wanted = request.text.lower()
    found = [
        path
        for result in results
        for path in files_of(result)
        if request.place.has(path) and wanted in path.rsplit("/", 1)[-1].lower()
    ]
    what = f"with {shown(request.text)} in the name" if request.text else in_place(request.place)
    more = " There may be more: the folder is too large to be listed at once." if _is_part(results) else ""
    if not found:
        return f"I found no file {what}.{more}"
    lines = [f"- {code(path)}" for path in found[:_MAX_LISTED]]
    left = len(found) - len(lines)
    rest = f"\n\n{count(left, 'more file')} not shown." if left > 0 else ""
    return f"I found {count(len(found), 'file')} {what}:{more}\n\n" + "\n".join(lines) + rest


def _is_part(results: Sequence[Result]) -> bool:
    return any(map(listing_is_cut, results))


def plan_read(request: Read) -> Plan:
    """The text of a file."""
    arguments: dict[str, Any] = {"path": request.path}
    first = request.first or 1
    arguments |= {"offset": first} if request.first else {}
    arguments["limit"] = _MAX_READ_LINES if request.last is None else max(1, request.last - first + 1)
    [result] = yield one("read_file", **arguments)
    if not result.is_ok:
        return result.problem or "That was not allowed."
    part = Excerpt.of(result)
    if not part.text:
        return f"{code(request.path)} is empty."
    rest = f"\n\n{part.more}.".replace("lines follow", "lines") if part.more and not request.last else ""
    return f"{code(request.path)}{_line_words(request)}:\n\n{block(part.text)}{rest}"


def _line_words(request: Read) -> str:
    if not request.first:
        return ""
    if request.last is None or request.last == request.first:
        return f", line {request.first}"
    return f", lines {request.first} to {request.last}"


def other_capitals(text: str) -> str | None:
    """A pattern for the usual spellings with other capitals, None when there are none."""
    text = text[:_MAX_SEARCHED]
    spellings = {text.lower(), text.upper(), text[:1].upper() + text[1:].lower(), text.title()} - {text}
    return "|".join(map(re.escape, sorted(spellings, reverse=True))) if spellings else None


def plan_search(request: Search) -> Plan:
    """Where a text stands; when nowhere, whether it does with other capitals."""
    hits = yield from find(re.escape(request.text[:_MAX_SEARCHED]), request.place)
    note = ""
    if not hits.paths and not hits.problems and (pattern := other_capitals(request.text)):
        hits = yield from find(pattern, request.place)
        note = " with other capitals" if hits.paths else ""
    if not hits.paths:
        more = (
            " The folder is too large to be searched in one go; name a folder to look in."
            if hits.is_cut
            else ""
        )
        said = f"I found {shown(request.text)} nowhere {in_place(request.place)}.{more}"
        return said + "".join(f"\n- {problem}" for problem in hits.problems[:12])
    least = "at least " if hits.is_least else ""
    lines = [
        f"- {code(match.path)}, line {match.line}: {_line(match.text)}" for match in hits.matches[:_MAX_LINES]
    ]
    left = len(hits.matches) - len(lines)
    rest = f"\n\n{count(left, 'more line')} not shown." if left > 0 else ""
    where = f"{least}{count(len(hits.matches), 'line')} of {count(len(hits.paths), 'file')}"
    head = f"I found {shown(request.text)}{note} in {where}:"
    return head + "\n\n" + "\n".join(lines) + rest


def _line(text: str) -> str:
    text = text.strip()
    return code(text if len(text) <= 160 else text[:159] + "\u2026") if text else "(an empty line)"
