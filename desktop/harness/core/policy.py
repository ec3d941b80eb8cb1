"""Rules: what may be done without asking.

Deny beats every grant; no rule means ask. A path pattern is matched on the
resolved path beneath the root, segment by segment: `*` within a segment, `**`
any number of segments, `folder/` everything under it. For `run_command` the
pattern is the exact text.
"""

import re
from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum
from functools import lru_cache

from desktop.harness.core.toolspec import Preview, SideEffect, ToolSpec

FILE_CHANGES = ("edit_file", "write_file")
"""The tools that one saved rule for a path covers together."""

FILE_EFFECTS = (*FILE_CHANGES, "move_file", "delete_file")
"""The tools whose calls in a row in one reply are one change: all or none."""

ANYTHING = "**"


class Mode(StrEnum):
    """What the session may do at all; each mode has a registry of its own."""

    READ_ONLY = "read-only"
    WRITE = "write"


class Verdict(StrEnum):
    """What the rules say of one call."""

    ALLOW = "allow"
    ASK = "ask"
    DENY = "deny"


@dataclass(frozen=True, slots=True, kw_only=True)
class Rule:
    """One capability: a tool (or several) on the paths of a pattern, allowed or denied."""

    tools: tuple[str, ...]
    pattern: str = ANYTHING
    deny: bool = False

    @property
    def text(self) -> str:
        """The rule in the form that `--allow` takes, with the first tool's name."""
        suffix = "" if self.pattern == ANYTHING else f":{self.pattern}"
        return f"{self.tools[0]}{suffix}"


def parse_rule(text: str) -> Rule:
    """A rule from `tool` or `tool:pattern`; nothing behind the colon covers nothing.

    Raises ValueError when the tool's name is empty.
    """
    tool, colon, pattern = text.partition(":")
    if not tool.strip():
        raise ValueError("a rule starts with the name of a tool")
    return Rule(tools=(tool.strip(),), pattern=pattern if colon else ANYTHING)


def asked_rule(text: str, tools: Collection[str]) -> Rule:
    """A rule that a person asks for now, where these tools are.

    Raises ValueError when it is for none of them, or when it covers nothing.
    """
    rule = parse_rule(text)
    if rule.tools[0] not in tools:
        raise ValueError(f"the tools are {', '.join(tools)}")
    if not rule.pattern:
        raise ValueError("a path or a command belongs behind the colon")
    return rule


@lru_cache(maxsize=512)
def _expression(pattern: str) -> re.Pattern[str]:
    if pattern.endswith("/"):
        pattern += ANYTHING
    parts: list[str] = []
    for segment in pattern.split("/"):
        if segment == ANYTHING:
            parts.append(r"(?:[^/]+/)*")
            continue
        if segment in ("", "."):
            continue
        parts.append("".join("[^/]*" if char == "*" else re.escape(char) for char in segment) + "/")
    return re.compile("".join(parts) + r"\Z", re.DOTALL)


def matches_path(pattern: str, path: str) -> bool:
    """Whether a resolved relative path lies within a pattern.

    `.` stands for the root itself, which only `**` covers.
    """
    return _expression(pattern).match("" if path == "." else path + "/") is not None


def covers(rule: Rule, spec: ToolSpec, preview: Preview) -> bool:
    """Whether a rule speaks about all that this call touches."""
    if spec.name not in rule.tools:
        return False
    if spec.side_effect is SideEffect.PROCESS:
        return rule.pattern in (ANYTHING, preview.command)
    if rule.deny:
        return any(matches_path(rule.pattern, target) for target in preview.targets)
    return bool(preview.targets) and all(matches_path(rule.pattern, target) for target in preview.targets)


def judge(spec: ToolSpec, preview: Preview, rules: tuple[Rule, ...]) -> tuple[Verdict, Rule | None]:
    """The verdict on one call, and the rule that gave it.

    Protected names and hidden characters are never covered by a rule: they ask.
    """
    speaking = [rule for rule in rules if covers(rule, spec, preview)]
    if denying := next((rule for rule in speaking if rule.deny), None):
        return Verdict.DENY, denying
    if not spec.is_effect:
        return Verdict.ALLOW, None
    if preview.reason or preview.hidden:
        return Verdict.ASK, None
    if speaking:
        return Verdict.ALLOW, speaking[0]
    return Verdict.ASK, None
