"""The files that come with Paddock are found and hold what the program counts on."""

import json

from desktop import resources


def test_instructions_are_short_and_constant() -> None:
    """The system text fits its allowance and holds nothing that changes from run to run."""
    words = resources.instructions()
    assert 500 < len(words.encode()) < 1_800
    assert not any(char.isdigit() for char in words.replace("secret-1", ""))


def test_sample_project_is_there_to_be_changed() -> None:
    """Several Markdown files of the sample say "colour", so that a replacement has something to show."""
    holding = [path for path in resources.sample().rglob("*.md") if "colour" in path.read_text("utf-8")]
    assert len(holding) >= 4
    assert (resources.sample() / "budget.csv").is_file()


def test_each_known_window_names_its_source_and_date() -> None:
    """No number stands in the table without where it is from and when it was looked up."""
    for entry in json.loads(resources.text("models.json"))["models"]:
        assert (
            entry["window_tokens"] > 0
            and entry["source"].startswith("https://")
            and len(entry["as_of"]) == 10
        )


def test_window_is_found_by_the_name_servers_use() -> None:
    """A maker in front and a tag behind do not hide a known model, an unknown one has no window."""
    assert resources.window_tokens("openai/gpt-oss-20b:free") == resources.window_tokens("gpt-oss-20b")
    assert resources.window_tokens("no-such-model") is None
