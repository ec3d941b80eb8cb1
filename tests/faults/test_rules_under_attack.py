"""Saved answers and rules: none may cover more than what the person was shown."""

from typing import Any

import pytest

from desktop.harness.api import Decision, Scope, Status, UsageError
from desktop.harness.core.approvals import is_plain_words
from desktop.proof.script import call, calls, text


async def ask(bench: Any, tool: str, arguments: dict[str, Any], *then: Any) -> tuple[Any, Any]:
    """A house whose model asks for one thing and then these; the house and the session."""
    house = await bench([call(tool, arguments), *then, text("Done.")])
    session = await house.start()
    assert (await house.say(session, "go")).status is Status.WAITING
    return house, session


@pytest.mark.parametrize("name", ["*", "**", "a*b.md", "*/x.md", "**/x.md"])
async def test_a_name_with_a_star_is_no_pattern(bench: Any, name: str) -> None:
    """A file whose name would be a pattern can be allowed once, not for more; an ordinary one can."""
    house, session = await ask(bench, "write_file", {"path": name, "content": "x"})
    for scope in (Scope.SESSION, Scope.ALWAYS):
        with pytest.raises(UsageError):
            await house.answer(session, scope)
    assert (await house.answer(session)).status is Status.IDLE
    assert (house.folder / name).read_text() == "x"

    house, session = await ask(bench, "write_file", {"path": "b.md", "content": "x"})
    assert (await house.answer(session, Scope.ALWAYS)).status is Status.IDLE


async def test_a_command_of_two_stars_is_not_every_command(bench: Any) -> None:
    """The text that means "anything" in a rule is a command like any other."""
    second = call("run_command", {"command": "touch made"})
    house, session = await ask(bench, "run_command", {"command": "**"}, second)
    with pytest.raises(UsageError):
        await house.answer(session, Scope.SESSION)
    await house.answer(session)
    assert (await house.door.sessions.view(session)).status is Status.WAITING
    assert not (house.folder / "made").exists()


NO_PLAIN_WORDS = [
    "git status && rm -rf ./tmp",
    "git status; curl x | sh",
    "git status\nid",
    "git status $(id)",
    "X=1 git status",
    "git -c core.pager=x status",
    "git status > out",
    "git\tstatus",
    "python -c pass",
    "python3.11 -Ic pass",
    "bash -lc id",
    "nice bash -lc id",
    "timeout 5 python3 -Sc pass",
    "node -p process.env",
    "node -pe 1",
    "perl -ne print",
    "ruby -rset -e1",
    "php -R 1",
    "env python -c pass",
    "xargs sh -c id",
    "eval id",
    "find . -exec id +",
    "'git' status",
    "git status #",
    "git st*",
    "~/x",
    "busybox sh -c id",
    "deno eval 1",
    "awk 1 f",
    "sudo id",
    "stdbuf -o0 perl -e1",
]
PLAIN_WORDS = ["git status", "pytest -q", "python tool.py -v", "make -C sub all", "ls -la"]


def test_plain_words() -> None:
    """Chained commands and code given on the line are no plain words; their harmless twins are."""
    assert [command for command in NO_PLAIN_WORDS if is_plain_words(command)] == []
    assert [command for command in PLAIN_WORDS if not is_plain_words(command)] == []


@pytest.mark.parametrize("command", NO_PLAIN_WORDS[:3])
async def test_always_is_for_plain_words(bench: Any, command: str) -> None:
    """Chained commands and code on the line can be allowed once; always is not offered, nothing is saved."""
    house, session = await ask(bench, "run_command", {"command": command})
    [question] = await house.questions(session)
    assert question.offer.always is None and question.offer.why_not
    decision = Decision(call_id=question.call_id, payload=question.payload, scope=Scope.ALWAYS)
    with pytest.raises(UsageError):
        await house.door.sessions.decide(session, decision)
    view = await house.door.sessions.view(session)
    assert view.status is Status.WAITING and (await house.kinds(session))[-1] == "approval_request"


@pytest.mark.parametrize("command", PLAIN_WORDS[:2])
async def test_plain_words_can_be_always(bench: Any, command: str) -> None:
    """The harmless twins are offered."""
    house, session = await ask(bench, "run_command", {"command": command})
    [question] = await house.questions(session)
    assert question.offer.always is not None and question.offer.always.pattern == command


@pytest.mark.parametrize(
    "other",
    ["echo one ", " echo one", "echo  one", "echo one; echo two", "echo one\n", "echo onE", "echo"],
)
async def test_always_is_the_exact_text(bench: Any, other: str) -> None:
    """A saved command answers for itself alone, byte for byte."""
    again = calls([("run_command", {"command": "echo one"}, "a"), ("run_command", {"command": other}, "b")])
    house, session = await ask(bench, "run_command", {"command": "echo one"}, again)
    view = await house.answer(session, Scope.ALWAYS)
    assert view.status is Status.WAITING and len(view.waiting) == 1
    [question] = await house.questions(session)
    assert question.command == other


@pytest.mark.parametrize("rule", ["", ":x", "edit_file:", "nonsense", "edit_fil:a.txt", "*", "**"])
async def test_a_rule_that_says_nothing_is_refused(bench: Any, rule: str) -> None:
    """A rule for no tool of Paddock, or for no path, is wrong use, and the prompt is not taken."""
    house = await bench([text("Done.")])
    session = await house.start()
    with pytest.raises(UsageError):
        await house.say(session, "go", rules=[rule])
    assert await house.kinds(session) == ["session_started"]
    assert (await house.say(session, "go", rules=["edit_file:a.txt", "run_command"])).status is Status.IDLE


@pytest.mark.parametrize(
    ("pattern", "path", "covered"),
    [
        ("notes/*", "notes/a.md", True),
        ("notes/*", "notes/deep/a.md", False),
        ("notes/*", "notes/../a.md", False),
        ("notes/*", "link.md", False),
        ("notes/", "notes/deep/a.md", True),
        ("notes/**", "notes/deep/a.md", True),
        ("notes", "notes/a.md", False),
        ("a.md", "a.md", True),
        ("a.md", "./a.md", True),
        ("a.md", "a.mdx", False),
        ("a.md", "A.MD", False),
        ("a?md", "a.md", False),
        ("**", ".git/hooks/x", False),
        ("**", "conftest.py", False),
        ("**", "a\u202eb.md", False),
    ],
)
async def test_what_a_rule_covers(bench: Any, pattern: str, path: str, covered: bool) -> None:
    """Patterns go by the resolved path, segment by segment; protected and hidden names ask in any case."""
    house = await bench([call("write_file", {"path": path, "content": "new\n"}), text("Done.")])
    (house.folder / "notes").mkdir()
    (house.folder / "target.md").write_text("old\n")
    (house.folder / "link.md").symlink_to("target.md")
    session = await house.start()
    view = await house.say(session, "go", rules=[f"write_file:{pattern}"])
    asked = view.status is Status.WAITING
    assert asked is not covered
