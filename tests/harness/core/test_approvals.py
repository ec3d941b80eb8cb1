"""What a yes covers, and what "always" may offer."""

from dataclasses import replace

import pytest

from desktop.harness.core.approvals import is_plain_words, offer, payload_hash, within
from desktop.harness.core.policy import FILE_CHANGES, Rule
from desktop.harness.core.toolspec import Change, ChangeKind, Preview, SideEffect, ToolCall, ToolSpec

EDIT = ToolSpec(name="edit_file", description="", parameters={}, side_effect=SideEffect.WORKSPACE)
MOVE = ToolSpec(name="move_file", description="", parameters={}, side_effect=SideEffect.WORKSPACE)
RUN = ToolSpec(name="run_command", description="", parameters={}, side_effect=SideEffect.PROCESS)
CHANGE = Change(kind=ChangeKind.EDIT, path="docs/a.md", before="0", after="1")
PREVIEW = Preview(title="Change", changes=(CHANGE,), targets=("docs/a.md",))


@pytest.mark.parametrize(
    "command", ["pytest -q", "git status", "ls docs", "npm run build", "python3 make.py"]
)
def test_plain_words_may_be_allowed_for_ever(command: str) -> None:
    """A command that needs no shell to be understood is offered."""
    assert is_plain_words(command)


@pytest.mark.parametrize(
    "command",
    [
        "",
        "git status && id",
        "git status; id",
        "git status | id",
        "git status & id",
        "git status\nid",
        "git status $(id)",
        "git status `id`",
        "git${IFS}status",
        "{git,status}",
        "gi\\\nt status",
        "PAGER=x git log",
        "ls > ~/.bashrc",
        "ls ~",
        "ls *",
        "git status #x",
        "git\u00a0status",
        "git status\r",
        "python -c 1",
        "python3 -Ic 1",
        "bash -c id",
        "sh -lc id",
        "node -e 1",
        "node --eval=1",
        "perl -E 1",
        "/usr/bin/python3 -c 1",
        "env id",
        "xargs id",
        "sudo id",
        "bash",
        "find . -exec id",
        "unbalanced 'quote",
    ],
)
def test_anything_that_a_shell_must_understand_is_not(command: str) -> None:
    """Operators, expansions, quotes, odd spaces, interpreters with inline code: the option is absent."""
    assert not is_plain_words(command)
    assert offer(RUN, Preview(title="", command=command)).always is None


def test_a_file_rule_covers_both_tools_that_change_it() -> None:
    """Always on an edit saves changes to that path, offered wider for its folder and for the project."""
    offered = offer(EDIT, PREVIEW)
    assert offered.always == Rule(tools=FILE_CHANGES, pattern="docs/a.md")
    assert [rule.pattern for _, rule in offered.wider] == ["docs/*", "**"]


def test_moves_protected_names_and_hidden_characters_are_never_always() -> None:
    """These ask each time, and the offer says why."""
    assert offer(MOVE, Preview(title="", targets=("a", "b"))).always is None
    protected = Preview(title="", changes=(replace(CHANGE, reason="It runs."),), targets=("docs/a.md",))
    assert offer(EDIT, protected).why_not == "It runs."
    assert offer(EDIT, replace(PREVIEW, hidden=2)).always is None


def test_a_pattern_must_cover_what_was_asked() -> None:
    """A rule can be widened or narrowed, never moved elsewhere; a command's text cannot be widened at all."""
    rule = Rule(tools=FILE_CHANGES, pattern="docs/a.md")
    widened = within(rule, "docs/", PREVIEW)
    assert widened is not None
    assert widened.pattern == "docs/"
    assert within(rule, "other/", PREVIEW) is None
    assert within(Rule(tools=("run_command",), pattern="ls"), "**", Preview(title="", command="ls")) is None


def test_the_payload_covers_call_base_and_result() -> None:
    """Another argument, base content or result is another payload; a title is not part of it."""
    call = ToolCall(call_id="t1c1", tool="edit_file", raw="", arguments={"path": "docs/a.md"})
    payload = payload_hash(call, PREVIEW)
    others = [
        payload_hash(replace(call, arguments={"path": "docs/b.md"}), PREVIEW),
        payload_hash(replace(call, tool="write_file"), PREVIEW),
        payload_hash(call, replace(PREVIEW, changes=(replace(CHANGE, before="9"),))),
        payload_hash(call, replace(PREVIEW, changes=(replace(CHANGE, after="9"),))),
        payload_hash(call, replace(PREVIEW, changes=(replace(CHANGE, path="x"),))),
    ]
    assert payload not in others
    assert payload == payload_hash(call, replace(PREVIEW, title="Other"))
