"""The chats of the sidebar as plain lines: grouped by folder, branches under their parent.

Plain data without Qt. A chat whose parent is not listed stands by itself. The
order of what comes in (newest first) is kept within each group.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import PurePath

from desktop.harness.api import ProjectId, SessionId, SessionSummary, for_name

DEEPEST = 3
"""Branches of branches are not indented further than this."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SessionLine:
    """One chat; `depth` is 0, or how far down a branch it stands."""

    summary: SessionSummary
    depth: int = 0


@dataclass(slots=True, kw_only=True)
class ProjectLines:
    """One folder with its chats. `name` is safe to show."""

    project: ProjectId
    name: str
    path: str
    lines: list[SessionLine] = field(default_factory=list)


def grouped(summaries: Sequence[SessionSummary], words: str = "") -> list[ProjectLines]:
    """The groups, by name; only chats whose title or folder holds all of `words`."""
    groups: dict[ProjectId, list[SessionSummary]] = defaultdict(list)
    for summary in summaries:
        if not summary.binned and _holds(summary, words):
            groups[summary.project].append(summary)
    made = [_group(project, members) for project, members in groups.items()]
    return sorted(made, key=lambda group: (group.name.casefold(), group.path))


def _holds(summary: SessionSummary, words: str) -> bool:
    text = summary.title.casefold()
    return all(word in text for word in words.casefold().split())


def _group(project: ProjectId, members: Sequence[SessionSummary]) -> ProjectLines:
    path = members[0].workspace
    here = {member.session for member in members}
    children: dict[SessionId | None, list[SessionSummary]] = defaultdict(list)
    for member in members:
        children[member.parent if member.parent in here else None].append(member)
    lines = list(_under(None, 0, children))
    return ProjectLines(project=project, name=for_name(PurePath(path).name or path), path=path, lines=lines)


def _under(
    parent: SessionId | None, depth: int, children: dict[SessionId | None, list[SessionSummary]]
) -> Iterator[SessionLine]:
    for member in children.get(parent, ()):
        yield SessionLine(summary=member, depth=min(depth, DEEPEST))
        yield from _under(member.session, depth + 1, children)
