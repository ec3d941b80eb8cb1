"""Approvals: what exactly a person says yes to, and what "always" would save.

A decision names a payload: the hash of the call and of everything that was on
the screen. It authorises that payload and nothing else.
"""

import hashlib
import json
import re
from dataclasses import dataclass
from enum import StrEnum
from posixpath import dirname
from typing import Any

from desktop.harness.core.ids import PayloadHash
from desktop.harness.core.policy import ANYTHING, FILE_CHANGES, Rule, matches_path
from desktop.harness.core.toolspec import Preview, SideEffect, ToolCall, ToolSpec


class Scope(StrEnum):
    """How far a yes reaches."""

    ONCE = "once"
    SESSION = "session"
    ALWAYS = "always"


@dataclass(frozen=True, slots=True, kw_only=True)
class Offer:
    """What the approval card may offer beside *Allow once*.

    `always` is the rule that *Always allow* saves for this project (None: not offered,
    and `why_not` says why). `session` is the rule for this chat only. `wider` are further
    choices for *Always*, each with its words.
    """

    always: Rule | None
    session: Rule | None
    wider: tuple[tuple[str, Rule], ...] = ()
    why_not: str = ""


def payload_hash(call: ToolCall, preview: Preview) -> PayloadHash:
    """The hash of the call as understood and of the change as shown."""
    shown: dict[str, Any] = {
        "tool": call.tool,
        "arguments": call.arguments,
        "changes": [change.as_record() for change in preview.changes],
        "command": preview.command,
    }
    text = json.dumps(shown, sort_keys=True, ensure_ascii=True, separators=(",", ":"))
    return PayloadHash(hashlib.sha256(text.encode()).hexdigest())


_SHELL_SIGNS = re.compile(r"""[;&|<>()$`\\"'\n\r\t*?\[\]{}~#!=%^]|[^\x20-\x7e]""")
_INLINE_CODE = re.compile(r"-[a-zA-Z]*[ceEprR].*|--(?:eval|command|exec|print)(?:=.*)?")
_RUNS_ANOTHER = re.compile(r"-c|-e|--eval|--?exec(?:dir)?|-ok(?:dir)?")
_INTERPRETERS = re.compile(
    r"(?:.*/)?(?:python|pypy|perl|ruby|node|nodejs|deno|bun|php|lua|bash|sh|dash|zsh|ksh|fish"
    r"|osascript|pwsh|powershell|tclsh|expect)[0-9.]*"
)
_LAUNCHERS = re.compile(r"(?:.*/)?(?:env|xargs|eval|exec|ssh|sudo|su|doas|awk|gawk|mawk)[0-9.]*")


def is_plain_words(command: str) -> bool:
    """Whether a command is words only: no shell operators, quotes, expansions or inline code.

    An interpreter may run a named file of the project, but not code given on its line, and
    whoever starts another program (`nice`, `timeout`, ...) changes nothing about that.
    """
    if not command.strip() or _SHELL_SIGNS.search(command):
        return False
    words = command.split()
    if any(_RUNS_ANOTHER.fullmatch(word) or _LAUNCHERS.fullmatch(word) for word in words):
        return False
    interpreter = next((at for at, word in enumerate(words) if _INTERPRETERS.fullmatch(word)), None)
    if interpreter is None:
        return True
    return len(words) > 1 and not any(_INLINE_CODE.fullmatch(word) for word in words[interpreter + 1 :])


def offer(spec: ToolSpec, preview: Preview) -> Offer:
    """What may be offered for this call."""
    if preview.hidden:
        return Offer(always=None, session=None, why_not="It holds characters that cannot be seen.")
    if preview.reason:
        return Offer(always=None, session=None, why_not=preview.reason)
    if spec.side_effect is SideEffect.PROCESS:
        return _offer_command(preview)
    if spec.name in FILE_CHANGES and len(preview.targets) == 1:
        return _offer_file(preview.targets[0])
    if len(preview.targets) == 1:
        session = _exact((spec.name,), preview.targets[0])
    else:
        session = Rule(tools=(spec.name,)) if preview.targets else None
    return Offer(always=None, session=session, why_not="Moving and deleting ask each time.")


def _exact(tools: tuple[str, ...], path: str) -> Rule | None:
    """The rule for this path alone; None where the path would stand for others as well."""
    return None if "*" in path else Rule(tools=tools, pattern=path)


def _offer_command(preview: Preview) -> Offer:
    assert preview.command is not None
    if preview.command == ANYTHING:
        return Offer(always=None, session=None, why_not="As a rule this would mean every command.")
    rule = Rule(tools=("run_command",), pattern=preview.command)
    if is_plain_words(preview.command):
        return Offer(always=rule, session=rule)
    return Offer(always=None, session=rule, why_not="Only a command of plain words can be allowed for ever.")


def _offer_file(path: str) -> Offer:
    rule = _exact(FILE_CHANGES, path)
    if rule is None:
        return Offer(always=None, session=None, why_not="The * in its name would stand for other files too.")
    folder = dirname(path)
    beside = f"{folder}/*" if folder else "*"
    return Offer(
        always=rule,
        session=rule,
        wider=(
            ("files in the same folder", Rule(tools=FILE_CHANGES, pattern=beside)),
            ("any file of this project", Rule(tools=FILE_CHANGES, pattern=ANYTHING)),
        ),
    )


def within(rule: Rule, pattern: str | None, preview: Preview) -> Rule | None:
    """A rule widened or narrowed to `pattern`, or None if the pattern misses what was asked."""
    if pattern is None or pattern == rule.pattern:
        return rule
    if preview.command is not None:
        return None
    if not all(matches_path(pattern, target) for target in preview.targets):
        return None
    return Rule(tools=rule.tools, pattern=pattern)
