"""How the offline helper replaces a text: find it, ask for every edit in one reply, say what became of
each.

The edits are plain `edit_file` calls with `all`, so the exact text, the differences, the approval and the
undo are the tool's. A search that was cut short is narrowed file by file before anything is asked.
"""

import re
from collections.abc import Generator, Sequence
from collections.abc import Set as AbstractSet

from desktop.harness.adapters.providers.offline_look import Hits, find, in_place, other_capitals
from desktop.harness.adapters.providers.offline_requests import Replace
from desktop.harness.adapters.providers.offline_results import Result
from desktop.harness.adapters.providers.offline_steps import Act, Plan, many
from desktop.harness.adapters.providers.offline_terms import Place
from desktop.harness.adapters.providers.offline_words import (
    cannot,
    code,
    count,
    names,
    offer,
    quoted,
    sentences,
    shown,
)

_MAX_SEARCHED = 500
"""Characters of a text that are searched for; a pattern must not grow without end."""


def plan_replace(request: Replace, tools: AbstractSet[str]) -> Plan:
    """Find, change, tell."""
    hits = yield from find(pattern_for(request.old), request.place)
    if not hits.paths:
        return (yield from _nothing_found(request, hits))
    if "edit_file" not in tools:
        return f"{_where(request, hits)} {cannot('edit_file', tools)}"
    edits = [
        {"path": path, "old_text": request.old, "new_text": request.new, "all": True} for path in hits.paths
    ]
    results = yield from many("edit_file", edits, f"{_where(request, hits)} {_intent(request)}")
    answer = _told(request, hits, results)
    if any(result.is_ok for result in results):
        answer += yield from _other_case_left(request)
    return answer


def pattern_for(text: str) -> str:
    """A pattern for lines that may hold a text: of several lines the longest, of a long one its start."""
    return re.escape(max(text.split("\n"), key=len)[:_MAX_SEARCHED])


def _places(hits: Hits, old: str) -> str:
    if "\n" in old:
        return count(len(hits.paths), "file")
    number = sum(max(1, match.text.count(old)) for match in hits.matches)
    least = "at least " if hits.is_least else ""
    return f"{least}{count(number, 'place')} in {count(len(hits.paths), 'file')}"


def _where(request: Replace, hits: Hits) -> str:
    files = f" ({names(hits.paths)})" if len(hits.paths) <= 12 else ""
    return f"I found {shown(request.old)} in {_places(hits, request.old)}{files}."


def _intent(request: Replace) -> str:
    if not request.new:
        return "This takes it out everywhere in there:"
    return f"This puts {shown(request.new)} in its place:"


def _told(request: Replace, hits: Hits, results: Sequence[Result]) -> str:
    changed = [result.path for result in results if result.is_ok]
    refused = [result for result in results if result.is_refused]
    failed = [result for result in results if result.problem]
    parts = []
    if changed:
        verb = (
            f"Changed {shown(request.old)} to {shown(request.new)}"
            if request.new
            else f"Took out {shown(request.old)}"
        )
        done = Hits(
            matches=tuple(match for match in hits.matches if match.path in changed), is_least=hits.is_least
        )
        parts.append(f"{verb} in {_places(done, request.old)}: {names(changed)}.")
    elif refused and not failed:
        parts.append("Nothing was changed.")
    if refused:
        parts.append(_refusals(refused))
    if failed:
        parts.append(f"{count(len(failed), 'file')} could not be changed.")
    if hits.is_cut:
        parts.append(
            "The folder is too large to be searched in one go, so there may be more; ask again to go on."
        )
    return sentences(parts) + problems(failed)


def _refusals(refused: Sequence[Result]) -> str:
    reasons = sorted({result.reason for result in refused if result.reason})
    why = f" You said: {' / '.join(shown(reason) for reason in reasons)}" if reasons else ""
    return f"Not allowed, so left as it was: {names([result.path for result in refused])}.{why}"


def problems(failed: Sequence[Result]) -> str:
    """What the tools said, one line a file."""
    return "".join(f"\n- {code(result.path)}: {result.problem}" for result in failed[:12])


def _nothing_found(request: Replace, hits: Hits) -> Generator[Act, list[Result], str]:
    """Say so, and offer the spelling with other capitals that is there."""
    said = f"I found {shown(request.old)} nowhere {in_place(request.place)}, so nothing was changed."
    if hits.is_cut:
        said += " The folder is too large to be searched in one go; name a folder or a file to look in."
    if hits.problems:
        return said + "".join(f"\n- {problem}" for problem in hits.problems[:12])
    spellings, files = yield from _other_cases(request)
    if not spellings:
        return said
    also = f" With other capitals it is there: {', '.join(map(shown, spellings))} in {count(files, 'file')}."
    return said + also + _offer_case(request, spellings[0])


def _other_case_left(request: Replace) -> Generator[Act, list[Result], str]:
    """After a change: the same word with other capitals, which was left alone."""
    if request.old.lower() in request.new.lower():
        return ""
    spellings, files = yield from _other_cases(request)
    if not spellings:
        return ""
    where = f"{', '.join(map(shown, spellings))} in {count(files, 'file')}"
    also = f"\n\nWith other capitals it is still there: {where}."
    return also + _offer_case(request, spellings[0])


def _other_cases(request: Replace) -> Generator[Act, list[Result], tuple[list[str], int]]:
    """The spellings that differ in capitals only, the most frequent first, and in how many files they
    stand."""
    pattern = None if "\n" in request.old else other_capitals(request.old)
    if pattern is None:
        return [], 0
    wanted = re.compile(re.escape(request.old), re.IGNORECASE)
    hits = yield from find(pattern, request.place)
    found: dict[str, int] = {}
    files: set[str] = set()
    for match in hits.matches:
        others = [text for text in wanted.findall(match.text) if text != request.old]
        files.update([match.path] if others else [])
        for text in others:
            found[text] = found.get(text, 0) + 1
    return sorted(found, key=lambda text: -found[text]), len(files)


def _offer_case(request: Replace, spelling: str) -> str:
    new = like(request.new, spelling)
    old_quoted, new_quoted = quoted(spelling), quoted(new)
    place = _place_words(request.place)
    if old_quoted is None or new_quoted is None or place is None:
        return ""
    return offer(f"replace {old_quoted} with {new_quoted} in {place}")


def like(text: str, spelling: str) -> str:
    """The text with capitals as in a spelling: all, the first, or its own."""
    if spelling.isupper() and len(spelling) > 1:
        return text.upper()
    if spelling[:1].isupper():
        return text[:1].upper() + text[1:]
    return text


def _place_words(place: Place) -> str | None:
    """The place in words that are understood again."""
    if place.suffixes:
        kind = f"all {place.suffixes[0]} files"
        if len(place.suffixes) > 1:
            kind = {".md": "all markdown files", ".html": "all web files"}.get(place.suffixes[0], kind)
        if place.paths == (".",):
            return kind
        folder = quoted(place.paths[0])
        return f"{kind} in {folder}" if folder else None
    if place.paths == (".",):
        return "all files"
    return quoted(place.paths[0]) if len(place.paths) == 1 else None
