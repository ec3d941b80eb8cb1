"""The offline helper answers from the messages alone, and acts only by the tools it is given."""

import json
from typing import Any

from hypothesis import assume, given
from hypothesis import strategies as st

from desktop.harness.adapters.providers.offline import MODEL_NAME, OfflineHelper, pieces
from desktop.harness.adapters.providers.offline_words import quoted
from desktop.harness.core.definition import Route
from desktop.harness.ports import ModelRequest, Reply, TextDelta

READ_ONLY = ("list_files", "read_file", "search_files", "file_info")
ALL = (*READ_ONLY, "edit_file", "write_file", "move_file", "delete_file", "run_command")


class Talk:
    """A conversation by hand: the test plays the person and the tools."""

    def __init__(self, *, tools: tuple[str, ...] = ALL) -> None:
        self._tools = [{"type": "function", "function": {"name": name, "parameters": {}}} for name in tools]
        self.messages: list[dict[str, Any]] = [{"role": "system", "content": "You are Paddock's assistant."}]

    async def say(self, text: str) -> Reply:
        """The reply to a person's words."""
        self.messages.append({"role": "user", "content": text})
        return await self._reply()

    async def give(self, *results: str) -> Reply:
        """The reply to the results of the last calls."""
        calls = self.messages[-1]["tool_calls"]
        for call, result in zip(calls, results, strict=True):
            self.messages.append({"role": "tool", "tool_call_id": call["id"], "content": result})
        return await self._reply()

    async def _reply(self) -> Reply:
        body = json.dumps({"model": MODEL_NAME, "tools": self._tools, "messages": self.messages}).encode()
        request = ModelRequest(route=Route(model=MODEL_NAME, base_url=""), body=body)
        items = [item async for item in OfflineHelper().stream(request)]
        reply = items[-1]
        assert isinstance(reply, Reply)
        assert "".join(item.text for item in items[:-1] if isinstance(item, TextDelta)) == reply.text
        calls = [
            {
                "id": call.provider_id,
                "type": "function",
                "function": {"name": call.tool, "arguments": call.arguments},
            }
            for call in reply.calls
        ]
        message: dict[str, Any] = {"role": "assistant", "content": reply.text or None}
        self.messages.append({**message, "tool_calls": calls} if calls else message)
        return reply


def asked(reply: Reply) -> list[tuple[str, dict[str, Any]]]:
    """The calls of a reply with their arguments opened."""
    return [(call.tool, json.loads(call.arguments)) for call in reply.calls]


async def test_search_pattern_means_the_text_itself() -> None:
    """Signs that mean something in a pattern are searched for as they are."""
    talk = Talk()
    reply = await talk.say('replace "a.b (c)*" with "d" in all files')
    assert asked(reply) == [("search_files", {"pattern": r"a\.b\ \(c\)\*"})]


async def test_look_only_says_which_mode_is_needed() -> None:
    """Without the tools to change files the helper says what it found and what to switch."""
    talk = Talk(tools=READ_ONLY)
    await talk.say("replace colour with color in all .md files")
    reply = await talk.give("1 match in 1 of 4 files.\nnotes/a.md:3: one colour")
    assert not reply.calls and "Can change files" in reply.text and "notes/a.md" in reply.text


async def test_calls_only_tools_of_the_request() -> None:
    """Whatever is asked, no tool is named that the request does not offer."""
    for sentence in (
        "rename a.md to b.md",
        "delete a.md",
        "run ls",
        "create a.md with x",
        "add x to a.md",
        "list",
        "read a.md",
    ):
        reply = await Talk(tools=()).say(sentence)
        assert not reply.calls and reply.text


async def test_not_understood_asks_back_with_examples() -> None:
    """An unknown request costs nothing and shows what would work."""
    reply = await Talk().say("tell me a joke")
    assert not reply.calls and "replace" in reply.text and "no AI" in reply.text


async def test_words_of_paddock_around_the_prompt_are_no_request() -> None:
    """Notes about outside changes in front of the words do not hide the request."""
    note = "[Changed outside Paddock since: a.md. Read again before changing.]\n\n"
    reply = await Talk().say(note + "read a.md")
    assert asked(reply)[0][0] == "read_file"


TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=30)


@given(old=TEXT.filter(bool), new=TEXT)
async def test_texts_reach_the_edit_to_the_letter(old: str, new: str) -> None:
    """Old and new text arrive in the call exactly as they were quoted."""
    old_quoted, new_quoted = quoted(old), quoted(new)
    assume(old != new and old_quoted is not None and new_quoted is not None)
    talk = Talk()
    await talk.say(f"replace {old_quoted} with {new_quoted} in a.md")
    reply = await talk.give("1 match in 1 of 1 files.\na.md:1: here it is")
    assert asked(reply) == [("edit_file", {"path": "a.md", "old_text": old, "new_text": new, "all": True})]


@given(st.text(max_size=400))
def test_pieces_are_the_text(text: str) -> None:
    """What is streamed, put together, is the answer."""
    assert "".join(pieces(text)) == text


async def test_same_messages_same_answer() -> None:
    """The helper keeps nothing between requests: a restart answers the same."""
    first, second = Talk(), Talk()
    for talk in (first, second):
        await talk.say("find roses")
        await talk.give("1 match in 1 of 1 files.\na.md:1: roses")
    assert first.messages == second.messages


async def test_cut_results_are_narrowed_file_by_file() -> None:
    """When a search shows only some matches, each file of the kind is searched before anything is asked."""
    talk = Talk()
    await talk.say("replace colour with color in all .md files")
    reply = await talk.give("300 matches in 3 of 9 files. The first 1 are shown.\na.csv:1: colour")
    assert [tool for tool, _ in asked(reply)] == ["list_files"]
    reply = await talk.give(".: 3 names\na.csv (9 bytes)\nnotes/\nnotes/b.md (12 bytes)")
    assert asked(reply) == [("search_files", {"pattern": "colour", "path": "notes/b.md"})]
    reply = await talk.give("1 match in 1 of 1 files.\nnotes/b.md:4: colour")
    assert [arguments["path"] for _, arguments in asked(reply)] == ["notes/b.md"]


async def test_what_could_not_be_listed_is_said() -> None:
    """A folder that is too large even to be listed makes an answer that says there may be more."""
    talk = Talk()
    await talk.say("replace colour with color everywhere")
    await talk.give("300 matches in 3 of 9 files. The first 1 are shown.\na.md:1: colour")
    await talk.give(
        ".: more than 10000 names\na.md (9 bytes)\n[more than 9,000 further names are not shown; x]"
    )
    await talk.give("1 match in 1 of 1 files.\na.md:1: colour")
    await talk.give("Changed a.md.")
    reply = await talk.give("No match in 9 files.")
    assert "there may be more" in reply.text


async def test_a_tool_that_says_no_is_passed_on() -> None:
    """A problem of one file is told in the tool's words, beside what did work."""
    talk = Talk()
    await talk.say("replace colour with color everywhere")
    await talk.give("2 matches in 2 of 2 files.\na.md:1: colour\nb.md:1: colour")
    await talk.give(
        "Changed a.md.", "b.md is one of 2 names of the same file (hard links), so it is not changed."
    )
    reply = await talk.give("No match in 2 files.")
    assert "1 place in 1 file: `a.md`" in reply.text and "hard links" in reply.text


async def test_another_tool_in_between_does_not_confuse_the_plan() -> None:
    """Calls that the helper did not make (another model answered before) are passed over."""
    talk = Talk()
    await talk.say("find roses")
    call = {"id": "x", "type": "function", "function": {"name": "file_info", "arguments": "{}"}}
    talk.messages.insert(2, {"role": "assistant", "content": None, "tool_calls": [call]})
    talk.messages.insert(3, {"role": "tool", "tool_call_id": "x", "content": "a.md: file, 1 bytes"})
    reply = await talk.give("1 match in 1 of 1 files.\na.md:1: roses")
    assert not reply.calls and "`a.md`, line 1" in reply.text
