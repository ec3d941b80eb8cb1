"""Reads requests about single files: create, add to, rename, move, delete; and commands."""

import re

from desktop.harness.adapters.providers.offline_requests import (
    Append,
    Create,
    Delete,
    Move,
    Request,
    Run,
    Unclear,
)
from desktop.harness.adapters.providers.offline_terms import FLAGS, TO, bare, closings, name_of, unquoted

_MOVE = re.compile(r"(?:rename|move)\s+(?P<rest>.+)", FLAGS)
_DELETE = re.compile(r"(?:delete|remove|erase|throw away|bin)\s+(?P<rest>.+)", FLAGS)
_NEW_FOLDER = re.compile(
    r"(?:create|make|add|new)\s+(?:me\s+)?(?:an?\s+)?(?:new\s+|empty\s+)*(?:folder|directory)\b.*", FLAGS
)
_CREATE = re.compile(
    r"(?:create|make|start|new|write|add)\s+(?:me\s+)?(?:an?\s+|the\s+)?(?P<empty>empty\s+)?(?:new"
    r"\s+)?(?:text\s+)?(?:(?:file|note|document)\s+)?(?:called\s+|named\s+)?(?P<rest>.+)",
    FLAGS,
)
_WITH_TEXT = re.compile(
    r"\s*,?\s+(?:with|containing|that says|which says|saying|and write)\s+(?:(?:the\s+)?(?:texts?"
    r"|contents?|words?|line)\s*:?\s+)?(?:in it\s*:?\s+)?|\s*:\s+|\s*:?\s*\n",
    FLAGS,
)
_ADD = re.compile(
    r"(?:append|add|write|put)\s+(?:(?:the|a)\s+(?:line|text|words?|sentence|entry)\s*:?\s+)?(?P<rest>.+)",
    FLAGS,
)
_AT_END = re.compile(
    r"\s+(?:to|into|in|at)\s+(?:the\s+(?:end|bottom)\s+of\s+)?(?:the\s+file\s+|file\s+)?", FLAGS
)


def read_move(text: str) -> Request | None:
    """`rename A to B`, `move A into the folder B`."""
    match = _MOVE.fullmatch(text)
    if match is None:
        return None
    rest = re.sub(r"^(?:the )?file ", "", match["rest"], flags=re.IGNORECASE)
    for source, tail in [
        *closings(rest),
        *((rest[: m.start()], rest[m.start() :]) for m in TO.finditer(rest)),
    ]:
        behind = re.match(r"\s+(?:to|into|as)\s+(?:the\s+(?=folder))?", tail, FLAGS)
        if behind and source.strip():
            return _moved(source.strip(), bare(tail[behind.end() :]))
    return None


def _moved(source: str, target: str) -> Request:
    source = unquoted(source) or source
    into = re.fullmatch(r"(?:folder|directory)\s+(.+)|(?:the )?(\S+) (?:folder|directory)", target, FLAGS)
    folder = (into[1] or into[2]) if into else None
    if folder is None and target.endswith("/"):
        folder = target
    if folder is not None:
        name = source.rstrip("/").rsplit("/", 1)[-1]
        return Move(source=source, destination=f"{(unquoted(folder) or folder).rstrip('/')}/{name}")
    return Move(source=source, destination=unquoted(target) or target)


def read_delete(text: str) -> Request | None:
    """`delete A`."""
    match = _DELETE.fullmatch(text)
    if match is None:
        return None
    rest = bare(match["rest"])
    name = name_of(rest)
    if name is None:
        return Unclear(
            question="Which file should be deleted? Say its name, for example: delete notes/old.md"
        )
    return Delete(path=name)


def read_create(text: str) -> Request | None:
    """`create A with TEXT`."""
    if _NEW_FOLDER.fullmatch(text):
        return Unclear(
            question="I make folders only together with a file in them, for example: create "
            "plans/first.md with \u201cHello\u201d."
        )
    match = _CREATE.fullmatch(text)
    if match is None:
        return None
    rest = match["rest"]
    heads = [*closings(rest), *((rest[: m.start()], rest[m.start() :]) for m in _WITH_TEXT.finditer(rest))]
    for head, tail in heads:
        behind = _WITH_TEXT.match(tail)
        path = name_of(head)
        if behind and path and not match["empty"]:
            content = tail[behind.end() :]
            return Create(path=path, text=_whole(content))
    path = name_of(bare(rest))
    return Create(path=path, text="") if path and not _AT_END.search(rest) else None


def _whole(content: str) -> str:
    inside = unquoted(content)
    return inside if inside is not None else content.strip("\n")


def read_append(text: str) -> Request | None:
    """`add TEXT to A`."""
    match = _ADD.fullmatch(text)
    if match is None:
        return None
    rest = match["rest"]
    splits = [
        *closings(rest),
        *((rest[: m.start()], rest[m.start() :]) for m in reversed(list(_AT_END.finditer(rest)))),
    ]
    for words, tail in splits:
        behind = _AT_END.match(tail)
        path = name_of(bare(tail[behind.end() :])) if behind else None
        if path and words:
            return Append(path=path, text=words)
    return None


_RUN = re.compile(
    r"(?:run|execute)\s+(?:the\s+|this\s+)?(?:command\s*:?\s+)?(?P<rest>.+)|\$\s+(?P<shell>.+)|!"
    r"(?P<bang>.+)",
    FLAGS,
)


def read_run(text: str) -> Request | None:
    """`run COMMAND`."""
    match = _RUN.fullmatch(text)
    if match is None:
        return None
    command = (match["rest"] or match["shell"] or match["bang"]).strip()
    inside = unquoted(command)
    if inside is not None and not any(mark in inside for mark in "\"'`\u201c\u201d"):
        command = inside
    return Run(command=command) if command.strip() else None
