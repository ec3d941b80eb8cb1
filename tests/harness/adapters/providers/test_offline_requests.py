"""Plain sentences are read as the request a person meant, or asked back."""

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from desktop.harness.adapters.providers.offline_requests import (
    Append,
    Create,
    Delete,
    Help,
    List,
    Move,
    Names,
    Read,
    Replace,
    Request,
    Run,
    Search,
    Talk,
    Unclear,
)
from desktop.harness.adapters.providers.offline_terms import Place
from desktop.harness.adapters.providers.offline_understanding import understand
from desktop.harness.adapters.providers.offline_words import quoted

MD = Place(suffixes=(".md",))


@pytest.mark.parametrize(
    ("sentence", "request_"),
    [
        ("what is in this folder?", List()),
        ("List files in notes", List(path="notes")),
        ("list all .md files", Names(place=MD)),
        ("how many markdown files are there?", Names(place=Place(suffixes=(".md", ".markdown")))),
        ("find the file budget.csv", Names(text="budget.csv")),
        ("find files called plan", Names(text="plan")),
        ("read lines 3-10 of notes/plants.md", Read(path="notes/plants.md", first=3, last=10)),
        ("What does budget.csv say?", Read(path="budget.csv")),
        ("find roses", Search(text="roses")),
        (
            "search for moss green in the notes folder",
            Search(text="moss green", place=Place(paths=("notes",))),
        ),
        ("replace colour with color in all .md files", Replace(old="colour", new="color", place=MD)),
        ("Replace \u201ccolour\u201d with \u201ccolor\u201d everywhere.", Replace(old="colour", new="color")),
        ("change colour to color everywhere", Replace(old="colour", new="color")),
        ("use color instead of colour in all .md files", Replace(old="colour", new="color", place=MD)),
        ("in all .md files, replace colour with color", Replace(old="colour", new="color", place=MD)),
        (
            "please change Tom to Tim in a.md and b.md",
            Replace(old="Tom", new="Tim", place=Place(paths=("a.md", "b.md"))),
        ),
        ("replace go to with stop at", Replace(old="go to", new="stop at")),
        ('remove "draft" from all files', Replace(old="draft", new="")),
        ("create plan.md with Hello there", Create(path="plan.md", text="Hello there")),
        ('create a file called plan.md with the text "Hello"', Create(path="plan.md", text="Hello")),
        ("add bread to list.md", Append(path="list.md", text="bread")),
        ("rename to-do.md to open-tasks.md", Move(source="to-do.md", destination="open-tasks.md")),
        (
            "move budget.csv into the letters folder",
            Move(source="budget.csv", destination="letters/budget.csv"),
        ),
        ("delete the file old.md.", Delete(path="old.md")),
        ("run `ls -l`", Run(command="ls -l")),
        ("help", Help()),
    ],
)
def test_sentence_is_read_as_meant(sentence: str, request_: Request) -> None:
    """Each usual way to say a thing gives the request it means, with the texts to the letter."""
    assert understand(sentence) == request_


@pytest.mark.parametrize(
    "sentence",
    [
        'replace "a" with "b" and "c" with "d"',
        "replace a with b in x.md and delete y.md",
        "tell me a joke",
        "replace foo",
        "delete everything",
        "replace cat with dog in house",
        "make a folder plans",
    ],
)
def test_what_is_not_clear_is_asked_back(sentence: str) -> None:
    """Nothing is guessed where the sentence has no or two meanings."""
    assert isinstance(understand(sentence), Unclear)


def test_says_that_it_is_no_ai() -> None:
    """Asked what it is, the helper does not pretend."""
    request = understand("Are you an AI?")
    assert isinstance(request, Talk) and "not an AI" in request.answer


TEXT = st.text(st.characters(exclude_categories=("Cs",)), max_size=40)


@given(old=TEXT.filter(bool), new=TEXT)
def test_quoted_texts_are_kept_to_the_letter(old: str, new: str) -> None:
    """Whatever stands in quotes arrives unchanged, spaces, lines and words of the request included."""
    old_quoted, new_quoted = quoted(old), quoted(new)
    assume(old != new and old_quoted is not None and new_quoted is not None)
    request = understand(f"replace {old_quoted} with {new_quoted} in all .md files")
    assert request == Replace(old=old, new=new, place=MD)


@given(TEXT)
def test_any_sentence_has_a_reading(sentence: str) -> None:
    """No text whatever makes the helper fall over."""
    understand(sentence)


@given(
    st.sampled_from(["replace ", "create ", "rename ", "find ", "add ", "list ", "read ", "run ", "use "]),
    TEXT,
)
def test_any_ending_of_a_request_has_a_reading(verb: str, rest: str) -> None:
    """A request that begins well may end in anything."""
    understand(verb + rest)
