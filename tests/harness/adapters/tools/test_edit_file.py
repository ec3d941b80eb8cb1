"""An edit changes the bytes it means and no others, or says why not."""

import stat
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.adapters.tools.edits import replaced, rewritten
from desktop.harness.adapters.tools.matching import find
from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.toolspec import ChangeKind


def test_line_ends_of_the_file_are_kept(bench: Any) -> None:
    """A passage with LF over two lines matches CR LF; new lines are CR LF, all other bytes are the same."""
    before = b"one\r\ntwo\r\nthree\r\n"
    assert bench.edit(before, "one\ntwo\n", "one\nTWO\nmore\n") == b"one\r\nTWO\r\nmore\r\nthree\r\n"
    assert bench.edit(b"a\nb\nc", "a\nb", "a\nx\nb") == b"a\nx\nb\nc"
    assert bench.edit(b"a\r\nb\r\n", "b", "b\nc") == b"a\r\nb\r\nc\r\n"
    assert bench.edit(b"one\r\n", "one", "one\ntwo") == b"one\r\ntwo\r\n"


def test_mixed_line_ends_are_left_alone(bench: Any) -> None:
    """LF, CR LF and a lone CR as data: only the word that is meant changes, over several lines too."""
    before = b"a\nb word\r\nc\rd\ne\r\n"
    assert bench.edit(before, "word", "other") == b"a\nb other\r\nc\rd\ne\r\n"
    assert bench.edit(b"a\nb\r\nc\nd\r\n", "a\nb\nc\nd\n", "a\nb\nC\nd\n") == b"a\nb\r\nC\nd\r\n"
    assert bench.edit(b"1\n2\r\n3\n", "1\n2\n3\n", "x\ny\nz\n") == b"x\ny\r\nz\n"
    assert bench.edit(b"a\rb\n", "a\rb", "a\rc") == b"a\rc\n"


def test_a_passage_with_cr_is_meant_exactly(bench: Any) -> None:
    """Who writes CR LF in the passage can turn it into LF; in a file with LF it is taken as LF."""
    assert bench.edit(b"a\r\nb\r\n", "a\r\nb", "a\nb") == b"a\nb\r\n"
    assert bench.edit(b"a\nb\n", "a\r\nb", "x\r\ny") == b"x\ny\n"


def test_a_byte_order_mark_stays_once(bench: Any) -> None:
    """The first line matches with or without the mark in the passage, and the mark stays in front."""
    mark = b"\xef\xbb\xbf"
    assert bench.edit(mark + b"one\ntwo\n", "one\n", "1\n") == mark + b"1\ntwo\n"
    assert bench.edit(mark + b"one\n", "\ufeffone", "\ufeff1") == mark + b"1\n"
    utf16 = "\ufeffone\r\nzwei ä\r\n".encode("utf-16-le")
    assert bench.edit(utf16, "one\nzwei ä", "one\nzwei ö") == "\ufeffone\r\nzwei ö\r\n".encode("utf-16-le")


def test_other_encodings_keep_their_bytes(bench: Any) -> None:
    """A Western European byte survives an edit elsewhere; a letter with no sure place is refused."""
    before = "# café à la crème, déjà vu, garçon\nname = 1\n".encode("cp1252")
    assert bench.edit(before, "name = 1", "name = 2") == before.replace(b"1", b"2")
    (bench.root / "file.txt").write_bytes(before)
    code, _ = bench.refusal("edit_file", path="file.txt", old_text="name = 1", new_text="name = 'Ω'")
    assert code is Refusal.ENCODING
    (bench.root / "file.txt").write_bytes(b"a\x00b = 1\n")
    code, _ = bench.refusal("edit_file", path="file.txt", old_text="b = 1", new_text="b = 2")
    assert code is Refusal.ENCODING


def test_the_last_line_end(bench: Any) -> None:
    """None is added or lost: in line 1, with a line after the last, with a passage that names the end."""
    assert bench.edit(b"a\nb", "a", "A") == b"A\nb"
    assert bench.edit(b"a\nb", "b", "b\nc") == b"a\nb\nc"
    assert bench.edit(b"a\nb", "b\n", "b\nc\n") == b"a\nb\nc"
    assert bench.edit(b"a\nb\n", "b\n", "b\nc\n") == b"a\nb\nc\n"


def test_composed_and_decomposed_letters_match(bench: Any) -> None:
    """A decomposed file is found by composed text; letters that stay keep their bytes."""
    before = "x = 1 # cafe\u0301\ny\u00a0= 2\n".encode()
    assert bench.edit(before, "x = 1 # café", "x = 3 # café") == before.replace(b"1", b"3")
    assert bench.edit(before, "y = 2", "y = 5") == before.replace(b"2", b"5")
    assert bench.edit(before, "y\u00a0= 2", "y = 2") == before.replace("\u00a0".encode(), b" ")


def test_a_difference_that_cannot_be_seen_is_named(bench: Any) -> None:
    """Where nothing matches, the differing characters are named by their numbers."""
    (bench.root / "file.txt").write_bytes("price\u200b = 10\n".encode())
    code, text = bench.refusal("edit_file", path="file.txt", old_text="price = 10", new_text="price = 11")
    assert code is Refusal.NO_MATCH
    assert "U+200B ZERO WIDTH SPACE" in text
    assert "line 1" in text


def test_the_nearest_text_is_shown(bench: Any) -> None:
    """A passage that differs in one inner line is refused with that line, its number, and no secret."""
    (bench.root / "file.txt").write_bytes(b"func a() {\n\tx := 1\n\ty := 99 // hunter2hunter2\n\tz := 3\n}\n")
    old = "\tx := 1\n\ty := 2\n\tz := 3\n"
    code, text = bench.refusal("edit_file", path="file.txt", old_text=old, new_text="")
    assert code is Refusal.NO_MATCH
    assert "Line 3 is" in text
    assert "y := 99 // [secret-1]" in text
    assert "y := 2" in text
    code, text = bench.refusal("edit_file", path="file.txt", old_text="quite another thing", new_text="")
    assert "read the file again" in text


def test_many_matches_name_their_lines(bench: Any) -> None:
    """Twice is refused with both lines, unless all are meant; different line ends count as the same."""
    data = b"a\nb\nx\na\r\nb\n"
    (bench.root / "file.txt").write_bytes(data)
    code, text = bench.refusal("edit_file", path="file.txt", old_text="a\nb", new_text="c")
    assert code is Refusal.MANY_MATCHES
    assert "lines 1 and 4" in text
    assert bench.edit(data, "a\nb", "c", all=True) == b"c\nx\nc\n"
    assert bench.edit(b"aaa", "a", "b", all=True) == b"bbb"


@pytest.mark.parametrize("new", [r"\1", r"\g<0>", "$&", r"a\nb", "%s {0}", "\\"])
def test_new_text_is_taken_letter_for_letter(bench: Any, new: str) -> None:
    """Nothing in the new text is a template, and nothing in the passage a pattern."""
    assert bench.edit(b"x (a.*)+ y", "(a.*)+", new) == b"x " + new.encode() + b" y"


def test_tabs_match_as_they_are_read(bench: Any) -> None:
    """A passage copied from a file indented with tabs matches."""
    assert bench.edit(b"all:\n\tcc x\n", "\tcc x", "\tcc -O2 x") == b"all:\n\tcc -O2 x\n"


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ({"path": "none", "old_text": "a", "new_text": "b"}, Refusal.NOT_FOUND),
        ({"path": "../x", "old_text": "a", "new_text": "b"}, Refusal.OUTSIDE),
        ({"path": "d", "old_text": "a", "new_text": "b"}, Refusal.NOT_REGULAR),
        ({"path": "f", "old_text": "", "new_text": "b"}, Refusal.BAD_ARGUMENTS),
        ({"path": "f", "old_text": "a", "new_text": "a"}, Refusal.NO_CHANGE),
        ({"path": "f", "old_text": "a", "new_text": "\ud83d"}, Refusal.ENCODING),
        ({"path": "f", "old_text": "a", "new_text": "[secret-1]"}, Refusal.PLACEHOLDER),
    ],
)
def test_refusals(bench: Any, arguments: dict[str, str], code: Refusal) -> None:
    """Each wrong call is told by its code, and the file is as it was."""
    (bench.root / "d").mkdir()
    (bench.root / "f").write_bytes(b"a")
    assert bench.refusal("edit_file", **arguments)[0] is code
    assert (bench.root / "f").read_bytes() == b"a"


async def test_running_keeps_the_old_bytes_and_the_mode(bench: Any) -> None:
    """The pre-image is kept, the receipt names both digests, the mode stays."""
    path = bench.root / "run.sh"
    path.write_bytes(b"echo a\n")
    path.chmod(0o755)
    result = await bench.run("edit_file", path="run.sh", old_text="a", new_text="b")
    assert result.text == "Changed run.sh."
    assert path.read_bytes() == b"echo b\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o755
    [record] = result.receipt["changes"]
    assert bench.preimages.kept[record["before"]] == b"echo a\n"
    assert record["kind"] == "edit"


async def test_a_file_changed_after_the_preview_is_left_alone(bench: Any) -> None:
    """What was approved is not written over another content."""
    (bench.root / "f").write_bytes(b"a")
    call = bench.call("edit_file", path="f", old_text="a", new_text="b")
    tool = bench.tools.get("edit_file")
    preview = tool.preview(call, bench.folder)
    (bench.root / "f").write_bytes(b"theirs a")
    with pytest.raises(ToolError) as caught:
        await tool.run(call, preview)
    assert caught.value.code is Refusal.STALE
    assert (bench.root / "f").read_bytes() == b"theirs a"


async def test_nothing_is_written_when_the_old_bytes_can_not_be_kept(bench: Any) -> None:
    """Without a pre-image there is no change."""
    (bench.root / "f").write_bytes(b"a")
    bench.preimages.is_full = True
    with pytest.raises(ToolError, match="Nothing was changed"):
        await bench.run("edit_file", path="f", old_text="a", new_text="b")
    assert (bench.root / "f").read_bytes() == b"a"


async def test_a_link_stays_and_its_end_changes(bench: Any) -> None:
    """An edit through a link inside shows and changes the final name; one to the outside is refused."""
    (bench.root / "real.txt").write_bytes(b"a")
    (bench.root / "link.txt").symlink_to("real.txt")
    (bench.root / "out.txt").symlink_to("/etc/hostname")
    preview = bench.preview("edit_file", path="link.txt", old_text="a", new_text="b")
    assert (preview.title, preview.targets) == ("Change real.txt", ("real.txt",))
    await bench.run("edit_file", path="link.txt", old_text="a", new_text="b")
    assert (bench.root / "link.txt").is_symlink()
    assert (bench.root / "real.txt").read_bytes() == b"b"
    assert bench.refusal("edit_file", path="out.txt", old_text="a", new_text="b")[0] is Refusal.LINK_OUTSIDE


def test_protected_names_and_hidden_characters_are_told(bench: Any) -> None:
    """A preview carries why it always asks, and how many characters can't be seen in the path."""
    (bench.root / ".envrc").write_bytes(b"a")
    (bench.root / "a\u202eb").write_bytes(b"a")
    protected = bench.preview("edit_file", path=".envrc", old_text="a", new_text="b")
    assert protected.reason.endswith(".")
    hidden = bench.preview("edit_file", path="a\u202eb", old_text="a", new_text="b")
    assert (hidden.hidden, hidden.title, hidden.reason) == (1, "Change a⟦U+202E⟧b", "")


def test_a_large_file_with_one_line_changed(bench: Any) -> None:
    """One line of a 60 MB file is found and replaced; the rest is the same."""
    data = b"0123456789abcdef0123456789abcde\n" * 1_900_000 + b"needle here\n"
    after = bench.edit(data, "needle here", "thread there")
    assert after == data.replace(b"needle here", b"thread there")


PIECES = st.lists(st.sampled_from(["a", "b", "é", "\n", "\r\n", " ", "x\ny", "\t", "\r"]), max_size=30)


@given(PIECES, PIECES, PIECES)
def test_only_the_match_changes(before: list[str], passage: list[str], after: list[str]) -> None:
    """Whatever the surroundings, the bytes before and after a match are the same."""
    text = "".join(passage)
    data = "".join([*before, text, *after]).encode()
    for match in find(data, text)[:1]:
        result = replaced(data, [match], text, "NEW")
        assert result[: match.start] == data[: match.start]
        assert result.endswith(data[match.end :])
        assert b"NEW" in result or match.lacks_end


@given(PIECES, PIECES)
def test_a_rewritten_text_reads_as_it_was_given(before: list[str], after: list[str]) -> None:
    """Line ends aside, a whole text written over another is the new text."""
    old, new = "".join(before), "".join(after)
    result = rewritten(old.encode(), new).decode()
    assert result.replace("\r\n", "\n") == new.replace("\r\n", "\n")


def test_an_edit_is_a_change_of_one_file(bench: Any) -> None:
    """The preview holds one change with both contents."""
    (bench.root / "f").write_bytes(b"a")
    [change] = bench.preview("edit_file", path="f", old_text="a", new_text="b").changes
    assert (change.kind, change.before_bytes, change.after_bytes) == (ChangeKind.EDIT, b"a", b"b")


def test_too_many_places_are_refused(bench: Any) -> None:
    """Not some of them are replaced, but none; as many as are allowed take no long time."""
    (bench.root / "file.txt").write_bytes(b"a" * 100_001)
    code, _ = bench.refusal("edit_file", path="file.txt", old_text="a", new_text="b", all=True)
    assert code is Refusal.TOO_BIG
    assert bench.edit(b"a" * 100_000, "a", "b", all=True) == b"b" * 100_000


@given(PIECES, st.text(alphabet="ab \n\r", min_size=1, max_size=4), st.text(alphabet="xy", max_size=3))
def test_all_places_are_replaced(pieces: list[str], passage: str, new: str) -> None:
    """In a text whose line ends are all LF, replacing every place is what bytes do."""
    data = "".join(pieces).replace("\r", "").encode()
    passage = passage.replace("\r", "")
    if passage and passage.encode() in data:
        assert replaced(data, find(data, passage), passage, new) == data.replace(
            passage.encode(), new.encode()
        )
