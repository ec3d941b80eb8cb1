"""Answers keep every word, follow no address by themselves, and grow without being written anew."""

import re
import time

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from PySide6.QtCore import QUrl
from PySide6.QtGui import QAbstractTextDocumentLayout, QImage, QPainter, QTextDocument
from PySide6.QtWidgets import QApplication

from desktop.face import theme
from desktop.face.answer import AnswerDocument
from desktop.face.block_writer import Mark
from desktop.face.syntax import coloured, language_of

EVERYTHING = """I looked through **14 notes**, see `notes.txt` and [the guide](https://example.org/guide).

# What I found

1. `colour` in a line
2. second
   - nested one

     with a second paragraph
   - nested two

- [ ] check the dates
- [x] read all

| File | Count |
|---|--:|
| notes.txt | 2 |

```python
def greet(name):
    return f"Hello {name}"
```

> A quotation
> - with a list

---

~~old~~ ![a cat](https://example.org/cat.png) Done.
"""

BEGINNINGS = [
    *r"|# |- |1. |> |    |- [ ] |**|<b>|<br> |`|* * |~~|<!-- |<script>|[|![|&amp; |\|+ |  - |$".split("|"),
    *("```\n", "```py\n", "=== ", "| - |\n", "| "),
]
WORDS = st.text(alphabet="abcdefghijklmnopqrstuvwxyzäöüß", min_size=1, max_size=8)
LINES = st.builds(
    lambda start, words, end: start + " ".join(words) + end,
    st.sampled_from(BEGINNINGS),
    st.lists(WORDS, max_size=5),
    st.sampled_from(["", "**", " |", "\n```", "</b>", "`", "  ", "\\", " -->", "]", "\n---", "\n| - |"]),
)
SOURCES = st.lists(LINES, max_size=12).map("\n".join) | st.lists(LINES, max_size=6).map("\n\n".join)


@pytest.fixture(autouse=True, scope="module")
def _light(qapp: QApplication) -> None:
    theme.apply_theme(qapp, "light")


def shown(source: str) -> str:
    """The plain text of an answer."""
    document = AnswerDocument()
    document.set_source(source)
    return document.toPlainText()


@given(SOURCES)
@example("a <br> b\n\n- one")
@example("List<String> x = 1;")
@example(EVERYTHING)
@example("[a]: https://example.org\n\n[a]")
def test_no_word_is_lost(source: str) -> None:
    """Every word of the source stands in the document, whatever Markdown or HTML surrounds it."""
    text = shown(source)
    without_addresses = re.sub(r"\]\([^)]*\)|&amp;", " ", source)
    for word in re.findall(r"[^\W\d_]{2,}", without_addresses):
        assert word in text


@given(SOURCES, st.lists(st.integers(1, 40), max_size=30))
@example(EVERYTHING, [3] * 300)
@example("- a\n- b\n\n  c\n- - -\n1. x\n2. y\n   - z\n3) w\n", [1] * 60)
@example("- [ ] a\n- b\n- [x] c\n* d\n-\n- e\n\n    f\n", [1] * 60)
@example("1. a\n1\n1. b\n\n```\nx\n\ny\n```\n- c\n  ```\n  d\n  e\n  ```\n- f", [1] * 60)
def test_growing_ends_as_written_at_once(source: str, steps: list[int]) -> None:
    """An answer that came in pieces is the same document as one that came whole."""
    grown, end = AnswerDocument(), 0
    for step in steps:
        end += step
        grown.set_source(source[:end], is_open=True)
    grown.set_source(source)
    whole = AnswerDocument()
    whole.set_source(source)
    assert grown.toHtml() == whole.toHtml()


def test_a_monstrous_paragraph_is_read_in_time() -> None:
    """Text that is meant to take long to read is shown as it is, within two seconds."""
    for source in ("[a](http://x.y/" * 2_000, "[" * 20_000, "**a *b " * 3_000, "`" * 20_000, ">" * 5_000):
        start = time.perf_counter()
        assert len(shown(source)) > 1_000 or source[0] in ">`"
        assert time.perf_counter() - start < 20


def test_coloured_code_is_plain_text() -> None:
    """Colours lie over the lines: the document holds the code, also beyond the basic plane."""
    document = AnswerDocument()
    document.set_source("```python\ndef a():\n    return '\U0001f331'  # x\n```")
    first = document.begin().next()
    assert first.text() == "def a():"
    roles = {item.format.foreground().color().name() for item in first.layout().formats()}
    assert theme.current().code_keyword in roles
    comment = first.next().layout().formats()[-1]
    assert first.next().text().encode("utf-16-le")[2 * comment.start :].decode("utf-16-le") == "# x"


def test_html_is_shown_as_written() -> None:
    """A tag is text: nothing is hidden, styled or run."""
    source = "<b>bold</b> <script>alert(1)</script> <img src=x>"
    document = AnswerDocument()
    document.set_source(source)
    assert document.toPlainText() == source
    assert not document.begin().charFormat().font().bold()


@pytest.mark.parametrize(
    "address", ["javascript:alert(1)", "file:///etc/passwd", "data:text/html,x", "vbscript:x", "JaVaScRiPt:x"]
)
def test_dangerous_addresses_are_no_links(address: str) -> None:
    """An address that could run or read something stays text and can be seen."""
    document = AnswerDocument()
    document.set_source(f"[click]({address}) <{address}>")
    assert not _links(document)
    assert address in document.toPlainText()


def test_links_tell_where_they_lead() -> None:
    """Links to the web and to mail work; one whose words name another host shows its true address."""
    document = AnswerDocument()
    document.set_source(
        "[a](https://a.org) [b.org](https://evil.test/b.org) <me@c.org> https://d.org notes.md"
    )
    assert _links(document) == {
        "https://a.org",
        "https://evil.test/b.org",
        "mailto:me@c.org",
        "https://d.org",
    }
    assert "b.org (https://evil.test/b.org)" in document.toPlainText()
    assert "(https://a.org)" not in document.toPlainText()


def test_a_relative_link_shows_its_path() -> None:
    """A link to a file is text with the path beside it."""
    document = AnswerDocument()
    document.set_source("[the notes](notes/a.txt) and [b.txt](b.txt)")
    assert document.toPlainText() == "the notes (notes/a.txt) and b.txt"
    assert not _links(document)


def test_images_are_never_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Laying out and painting an answer with pictures asks for no resource, and none would be given."""
    asked: list[object] = []
    real = AnswerDocument.loadResource

    def noting(self: AnswerDocument, kind: int, name: QUrl | str) -> object:
        asked.append(name)
        return real(self, kind, name)

    monkeypatch.setattr(AnswerDocument, "loadResource", noting)
    document = AnswerDocument()
    document.set_source('![one](https://example.org/1.png) ![two](file:///etc/passwd) <img src="x.png">')
    document.setTextWidth(300)
    picture = QImage(300, 200, QImage.Format.Format_RGB32)
    painter = QPainter(picture)
    document.documentLayout().draw(painter, QAbstractTextDocumentLayout.PaintContext())
    painter.end()
    assert asked == []
    assert document.resource(QTextDocument.ResourceType.ImageResource.value, QUrl("x.png")) is None


def test_hidden_characters_become_boxes() -> None:
    """What turns or hides text is a box with its code point, in words, code and lone line ends alike."""
    text = shown("a\u202eb `c\u200bd`\n\n```\ne\u2066f\n```\n\ng\rh\x00i")
    for box in ("⟦U+202E⟧", "⟦U+200B⟧", "⟦U+2066⟧", "⟦U+000D⟧", "⟦U+0000⟧"):
        assert box in text


def test_good_typography_is_no_box() -> None:
    """No-break spaces and coloured signs in prose are shown plainly."""
    assert shown("«\u00a0oui\u202f!\u00a0» \u26a0\ufe0f") == "« oui ! » \u26a0"


def test_code_can_be_found_and_copied() -> None:
    """A code block is found from any place in it, without the line that names its language."""
    document = AnswerDocument()
    document.set_source("before\n\n```python x\na = 1\n\nb = 2\n```\n\nafter")
    document.setTextWidth(400)
    assert document.code_at(document.toPlainText().index("b = 2")) == "a = 1\n\nb = 2"
    assert document.code_at(0) == ""
    assert [mark for mark, _ in document.grounds()] == [Mark.CODE]


def test_two_code_blocks_are_two() -> None:
    """Code blocks that follow each other keep their own grounds."""
    document = AnswerDocument()
    document.set_source("```\na\n```\n```\nb\n```")
    document.setTextWidth(400)
    assert len(document.grounds()) == 2
    assert document.code_at(0) == "a"


def test_tasks_show_boxes() -> None:
    """Open and done tasks are told by boxes."""
    assert shown("- [ ] open\n- [x] done") == "☐ open\n☑ done"


@given(st.text(max_size=200), st.sampled_from(["python", "c", "html", "json", "diff", "no-such", ""]))
def test_colouring_changes_no_text(code: str, language: str) -> None:
    """The coloured pieces joined are the code, for any text and language."""
    assert "".join(text for text, _ in coloured(code, language)) == code


def test_languages_are_told_by_file_names() -> None:
    """A known ending names its language, an unknown one none."""
    assert language_of("a.py") == "python"
    assert language_of("a.unknown") == ""


def _links(document: QTextDocument) -> set[str]:
    found: set[str] = set()
    block = document.begin()
    while block.isValid():
        iterator = block.begin()
        while not iterator.atEnd():
            found.add(iterator.fragment().charFormat().anchorHref())
            iterator += 1
        block = block.next()
    return found - {""}
