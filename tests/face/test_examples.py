"""What an empty chat proposes: always something that is really there."""

import os
from pathlib import Path

from desktop.face.examples import examples_in


def test_the_most_frequent_kind_and_a_word_that_is_there(tmp_path: Path) -> None:
    """The kind with most files is named, the file that invites is read, the word stands in one of them."""
    (tmp_path / "budget.csv").write_text("colour;1\n")
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes" / "may.md").write_text("The colour of the gate.\n")
    (tmp_path / "a.md").write_text("Nothing here.\n")
    (tmp_path / "readme.md").write_text("Begin.\n")
    assert examples_in(str(tmp_path)) == [
        "List the files",
        "Read readme.md",
        "Replace “colour” with “color” in all .md files",
    ]


def test_without_a_spelling_a_word_is_searched(tmp_path: Path) -> None:
    """Where no word has two spellings a frequent one is looked for instead of inventing a change."""
    (tmp_path / "a.txt").write_text("Kartoffel und kartoffeln, kartoffeln und so weiter\n")
    assert examples_in(str(tmp_path))[2] == "Find “kartoffeln” in all .txt files"


def test_folders_that_give_little(tmp_path: Path) -> None:
    """No text gives one example, no folder none; links, pipes and hidden files are left alone."""
    (tmp_path / "photo.jpg").write_bytes(b"\xff\xd8")
    (tmp_path / ".secret.md").write_text("colour\n")
    (tmp_path / "link.md").symlink_to("/etc/hostname")
    os.mkfifo(tmp_path / "pipe.md")
    assert examples_in(str(tmp_path)) == ["List the files"]
    assert examples_in(str(tmp_path / "gone")) == []
