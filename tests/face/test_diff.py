"""Comparing two texts loses no line, tells the truth about equality, and stays quick on long files."""

import random
import time

from hypothesis import given, settings
from hypothesis import strategies as st

from desktop.face.diff import Comparison, body, compare, ending, split_lines, word_marks

LINES = st.lists(
    st.tuples(
        st.text(alphabet="ab c\t\u2028é", max_size=4), st.sampled_from(["\n", "\r\n", "\r", "\n", "\n"])
    ),
    max_size=30,
)
TEXTS = st.builds(
    lambda lines, last: "".join(a + b for a, b in lines) + last, LINES, st.sampled_from(["", "x"])
)


def rebuilt(comparison: Comparison) -> tuple[str, str]:
    """Both texts, put together from the blocks."""
    before = "".join(
        "".join(comparison.before[block.b0 : block.b1])
        if block.same
        else "".join(comparison.before[b] for b, _ in block.pairs if b is not None)
        for block in comparison.blocks
    )
    after = "".join(
        "".join(comparison.before[block.b0 : block.b1])
        if block.same
        else "".join(comparison.after[a] for _, a in block.pairs if a is not None)
        for block in comparison.blocks
    )
    return before, after


@given(TEXTS, TEXTS)
def test_no_line_is_lost(before: str, after: str) -> None:
    """Both texts can be put together again from the blocks alone."""
    assert rebuilt(compare(before, after)) == (before, after)


@given(st.integers(), st.integers(2_500, 4_000))
@settings(max_examples=20, deadline=None)
def test_no_line_is_lost_in_long_texts(seed: int, count: int) -> None:
    """Cutting long texts at unique lines loses nothing either."""
    rng = random.Random(seed)
    before = [f"{rng.randrange(count)}\n" for _ in range(count)]
    after = [line for line in before if rng.random() > 0.1]
    after.insert(rng.randrange(len(after)), "new\n")
    assert rebuilt(compare("".join(before), "".join(after))) == ("".join(before), "".join(after))


def test_counts_and_pairs() -> None:
    """One rewritten line counts once on each side and stands beside its partner."""
    comparison = compare("a\none colour\nz\n", "a\none color\nz\n")
    assert (comparison.added, comparison.removed) == (1, 1)
    assert [block.pairs for block in comparison.blocks if not block.same] == [((1, 1),)]


def test_likeness_decides_the_partner() -> None:
    """An inserted line does not push the rewritten one away from its partner."""
    comparison = compare("the quick brown fox\n", "something else altogether 1234\nthe quick red fox\n")
    (block,) = comparison.blocks
    assert block.pairs == ((None, 0), (0, 1))


def test_endings_are_part_of_a_line() -> None:
    """CRLF against LF is a change of each line, and is told as one of endings only."""
    comparison = compare("a\r\nb\r\n", "a\nb\n")
    assert comparison.is_endings_only
    assert comparison.added == 2
    assert [ending(line) for line in comparison.before] == ["\r\n", "\r\n"]


def test_missing_last_newline_is_a_change() -> None:
    """A newline added at the end of the file shows."""
    comparison = compare("a\nb", "a\nb\n")
    assert comparison.is_endings_only
    assert (comparison.added, comparison.removed) == (1, 1)


def test_new_empty_and_deleted_files() -> None:
    """A file that does not exist is a side without lines; two empty texts have no block."""
    assert compare(None, "a\n").added == 1
    assert compare("a\n", None).removed == 1
    assert compare("", None).blocks == ()


def test_only_real_line_ends_split() -> None:
    """A line separator character or a form feed stays within its line."""
    assert split_lines("a\u2028b\x0cc\nd") == ("a\u2028b\x0cc\n", "d")


@given(st.text(max_size=40), st.text(max_size=40))
def test_word_marks_cover_all_that_differs(old: str, new: str) -> None:
    """What is not marked reads the same on both sides."""
    old, new = body(old.replace("\n", "").replace("\r", "")), body(new.replace("\n", "").replace("\r", ""))
    gone, come = word_marks(old, new)
    if gone or come:
        assert _without(old, gone) == _without(new, come)


def _without(text: str, spans: tuple[tuple[int, int], ...]) -> str:
    for start, stop in reversed(spans):
        text = text[:start] + text[stop:]
    return text


def test_words_are_marked_whole() -> None:
    """A changed word is marked as a word, not letter by letter."""
    assert word_marks("one colour here", "one color here") == (((4, 10),), ((4, 9),))


def test_a_very_long_line_is_marked_quickly() -> None:
    """A line of a megabyte gets one mark around what differs, in little time."""
    old = "ab " * 300_000
    started = time.perf_counter()
    gone, come = word_marks(old + "x" + old, old + "y" + old)
    assert (gone, come) == (((900_000, 900_001),), ((900_000, 900_001),))
    assert time.perf_counter() - started < 20


def test_long_files_compare_quickly() -> None:
    """20,000 lines with 30 % changed, with repeats and all different, none takes for ever."""
    rng = random.Random(1)
    before = [rng.choice(["}\n", "\n", f"line {index}\n"]) for index in range(20_000)]
    some = [f"other {rng.random()}\n" if rng.random() < 0.3 else line for line in before]
    repeats = ["}\n" if index % 2 else "\n" for index in range(20_000)]
    cases = {
        "some": (before, some),
        "all": (before, [f"x{index}\n" for index in range(20_000)]),
        "repeats": (repeats, [*repeats[:9_000], "new\n", *repeats[9_000:]]),
    }
    for name, (old, new) in cases.items():
        started = time.perf_counter()
        assert rebuilt(compare("".join(old), "".join(new))) == ("".join(old), "".join(new))
        took = time.perf_counter() - started
        assert took < 10, (name, took)
