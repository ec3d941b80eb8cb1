"""Rules match resolved paths segment by segment; deny wins; protected and hidden always ask."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.core.policy import Rule, Verdict, judge, matches_path, parse_rule
from desktop.harness.core.toolspec import Change, ChangeKind, Preview, SideEffect, ToolSpec

EDIT = ToolSpec(name="edit_file", description="", parameters={}, side_effect=SideEffect.WORKSPACE)
READ = ToolSpec(name="read_file", description="", parameters={})
RUN = ToolSpec(name="run_command", description="", parameters={}, side_effect=SideEffect.PROCESS)


@pytest.mark.parametrize(
    ("pattern", "path", "matched"),
    [
        ("*.md", "a.md", True),
        ("*.md", "d/a.md", False),
        ("**/*.md", "a.md", True),
        ("**/*.md", "d/e/a.md", True),
        ("docs/", "docs/a/b.txt", True),
        ("docs/", "docs", True),
        ("docs/", "docs-evil/a.txt", False),
        ("docs/*", "docs/a/b.txt", False),
        ("a.md", "a.mdx", False),
        ("a.md", "A.md", False),
        ("a[1].md", "a[1].md", True),
        ("a[1].md", "a1.md", False),
        ("a?.md", "ab.md", False),
        ("**", "anything/at all\nhere", True),
        ("**", ".", True),
        ("*", ".", False),
        ("src/**/x.py", "src/x.py", True),
    ],
)
def test_patterns(pattern: str, path: str, *, matched: bool) -> None:
    """`*` stays within a segment, `**` spans any number, `folder/` is everything under it."""
    assert matches_path(pattern, path) is matched


SEGMENT = st.text(st.characters(exclude_characters="/*", exclude_categories=["Cs"]), min_size=1, max_size=6)


@given(st.lists(SEGMENT.filter(lambda text: text != "."), min_size=1, max_size=4))
def test_a_plain_path_matches_itself_and_its_folder(segments: list[str]) -> None:
    """Any name is taken letter for letter, whatever signs it holds."""
    path = "/".join(segments)
    assert matches_path(path, path)
    assert matches_path(segments[0] + "/", path)
    assert not matches_path(path, path + "x")


def test_deny_beats_every_grant() -> None:
    """A denial of one target denies the whole call, whatever else is allowed."""
    preview = Preview(title="", targets=("a.md",))
    rules = (Rule(tools=("edit_file",)), Rule(tools=("edit_file",), pattern="a.md", deny=True))
    assert judge(EDIT, preview, rules)[0] is Verdict.DENY


def test_no_rule_means_ask_for_effects_and_yes_for_reads() -> None:
    """Reading inside the folder needs no rule, changing always needs one."""
    preview = Preview(title="", targets=("a.md",))
    assert judge(READ, preview, ())[0] is Verdict.ALLOW
    assert judge(EDIT, preview, ())[0] is Verdict.ASK
    assert judge(EDIT, preview, (Rule(tools=("edit_file",), pattern="*.md"),))[0] is Verdict.ALLOW
    assert judge(EDIT, preview, (Rule(tools=("write_file",)),))[0] is Verdict.ASK


def test_every_target_must_be_covered() -> None:
    """A move out of an allowed folder asks."""
    preview = Preview(title="", targets=("docs/a.md", "other/a.md"))
    assert judge(EDIT, preview, (Rule(tools=("edit_file",), pattern="docs/"),))[0] is Verdict.ASK


def test_protected_and_hidden_ask_whatever_the_rules() -> None:
    """No rule and no option covers a protected name or characters that cannot be seen."""
    rules = (Rule(tools=("edit_file",)),)
    protected = Change(kind=ChangeKind.EDIT, path=".env", reason="It holds secrets.")
    asked = judge(EDIT, Preview(title="", changes=(protected,), targets=(".env",)), rules)
    assert asked[0] is Verdict.ASK
    assert judge(EDIT, Preview(title="", targets=("a",), hidden=1), rules)[0] is Verdict.ASK


@pytest.mark.parametrize("command", ["git status", "git status ", "git  status", "git status && id"])
def test_a_command_matches_its_exact_text_only(command: str) -> None:
    """One character more is another command."""
    rule = Rule(tools=("run_command",), pattern="git status")
    wanted = Verdict.ALLOW if command == "git status" else Verdict.ASK
    assert judge(RUN, Preview(title="", command=command), (rule,))[0] is wanted


def test_rules_are_written_as_tool_or_tool_and_pattern() -> None:
    """The text of a rule reads back as the rule; a rule without a tool is refused."""
    assert parse_rule("edit_file").pattern == "**"
    assert parse_rule("run_command:git status").pattern == "git status"
    assert parse_rule(parse_rule("edit_file:docs/").text) == parse_rule("edit_file:docs/")
    with pytest.raises(ValueError, match="name of a tool"):
        parse_rule(":x")
