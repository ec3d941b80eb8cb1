"""Head and tail of what a command prints."""

from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.adapters.sandbox.command_output import CommandOutput
from desktop.harness.core.plaintext import clean_text


@given(st.lists(st.binary(max_size=50), max_size=20), st.integers(2, 200))
def test_what_fits_comes_back_unchanged(chunks: list[bytes], cap: int) -> None:
    """However output is split into reads, it is kept whole within the cap and bounded beyond it."""
    output = CommandOutput(cap)
    for chunk in chunks:
        output.add(chunk)
    data = b"".join(chunks)
    kept, dropped = output.kept()
    if len(data) <= cap:
        assert (kept, dropped) == (data, 0)
    else:
        assert len(data) - cap <= dropped <= len(data) - cap + 6
        assert len(kept) <= cap + 60


def test_no_broken_character_where_the_middle_was_dropped() -> None:
    """A cap that falls inside a three-byte character leaves no replacement character at the seam."""
    for cap in (1000, 1001, 1002, 1003):
        output = CommandOutput(cap)
        data = ("中" * 40_000).encode()
        for start in range(0, len(data), 1000):
            output.add(data[start : start + 1000])
        kept, dropped = output.kept()
        assert "\N{REPLACEMENT CHARACTER}" not in kept.decode()
        assert f"{dropped:,} bytes left out" in kept.decode()


def test_wide_text_stays_readable_after_a_cut() -> None:
    """UTF-16 is cut between its two-byte units, and the note in between is UTF-16 as well."""
    output = CommandOutput(1001)
    output.add(("line of text\n" * 500).encode("utf-16"))
    text = clean_text(output.kept()[0])
    assert text.count("line of text") > 30
    assert "bytes left out here" in text and "\N{REPLACEMENT CHARACTER}" not in text
