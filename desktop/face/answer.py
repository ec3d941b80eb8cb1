"""One answer as a document that can grow.

While an answer streams, only its last top-level block (of a list, its last item) is
written anew: no later text can change an earlier one (see `markdown`). The document never loads
anything; whatever it is asked to fetch, it answers with nothing.
"""

from typing import Any

from PySide6.QtCore import QRectF, QUrl
from PySide6.QtGui import QTextBlockFormat, QTextCursor, QTextDocument, QTextOption

from desktop.face import theme
from desktop.face.block_writer import CODE_PADDING_PX, INDENT_PX, BlockWriter, Mark, Standing
from desktop.face.markdown import clean, last_block, parse


class AnswerDocument(QTextDocument):
    """The document of one answer.

    Signals: none of its own.
    """

    def __init__(self) -> None:
        super().__init__()
        self.setUndoRedoEnabled(False)
        self.setDocumentMargin(0)
        self.setIndentWidth(INDENT_PX)
        self.setDefaultFont(theme.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        self.setDefaultTextOption(option)
        self._cursor = QTextCursor(self)
        self._writer = BlockWriter(self._cursor)
        self._source = ""
        self._settled_chars = 0
        self._settled_position = 0
        self._settled_form = QTextBlockFormat()
        self._settled_standing = Standing()

    def loadResource(self, kind: int, name: QUrl | str) -> Any:
        """Nothing, whatever is asked for."""
        return None

    def set_source(self, text: str, *, is_open: bool = False) -> None:
        """Show this Markdown; `is_open` says that it is still growing.

        A text that begins with what is settled costs only what may still grow.
        """
        source = clean(text)
        if not source.startswith(self._source[: self._settled_chars]):
            self._settled_chars = self._settled_position = 0
            self._settled_form = QTextBlockFormat()
            self._settled_standing = Standing()
        self._source = source
        tail = source[self._settled_chars :]
        tokens = parse(tail)
        place, line = last_block(tokens)
        self._cursor.beginEditBlock()
        self._cut_tail()
        if place:
            self._writer.write(tokens[:place])
            self._settle(_offset_of_line(tail, line))
        self._writer.write(tokens[place:], is_open=is_open)
        self._cursor.endEditBlock()

    def _settle(self, chars: int) -> None:
        """What was written so far will stay; not behind an empty block: a later cut would change its form."""
        if self._cursor.block().length() > 1:
            self._settled_chars += chars
            self._settled_position = self._cursor.position()
            self._settled_form = self._cursor.blockFormat()
            self._settled_standing = self._writer.standing()

    def _cut_tail(self) -> None:
        self._cursor.setPosition(self._settled_position)
        self._cursor.movePosition(QTextCursor.MoveOperation.End, QTextCursor.MoveMode.KeepAnchor)
        self._cursor.removeSelectedText()
        self._cursor.setBlockFormat(self._settled_form)
        self._writer.go_back(self._settled_standing)

    def grounds(self) -> list[tuple[Mark, QRectF]]:
        """What is painted behind the text, in the document's coordinates, after it was laid out."""
        found: list[tuple[Mark, QRectF]] = []
        layout = self.documentLayout()
        before: tuple[Mark, object] | None = None
        block = self.begin()
        while block.isValid():
            form = block.blockFormat()
            mark = _mark_of(form)
            if mark is not None:
                rect = layout.blockBoundingRect(block)
                if mark == before:
                    found[-1][1].setBottom(rect.bottom())
                else:
                    left = form.leftMargin() + form.indent() * INDENT_PX
                    found.append((mark[0], QRectF(left, rect.top(), self.textWidth() - left, rect.height())))
            before = mark
            block = block.next()
        return [(mark, _padded(mark, rect)) for mark, rect in found]

    def code_at(self, position: int) -> str:
        """The code block around a position, empty when there is none."""
        block = self.findBlock(position)
        code_id = block.blockFormat().property(Mark.CODE)
        if code_id is None:
            return ""
        while block.previous().isValid() and block.previous().blockFormat().property(Mark.CODE) == code_id:
            block = block.previous()
        lines: list[str] = []
        while block.isValid() and block.blockFormat().property(Mark.CODE) == code_id:
            if not block.blockFormat().property(Mark.CAPTION):
                lines.append(block.text())
            block = block.next()
        return "\n".join(lines)


def _mark_of(form: QTextBlockFormat) -> tuple[Mark, object] | None:
    for mark in (Mark.CODE, Mark.RULE, Mark.QUOTE):
        value = form.property(mark)
        if value is not None:
            return mark, value
    return None


def _padded(mark: Mark, rect: QRectF) -> QRectF:
    if mark is Mark.CODE:
        return rect.adjusted(-CODE_PADDING_PX, -CODE_PADDING_PX, 0, CODE_PADDING_PX)
    if mark is Mark.QUOTE:
        return QRectF(rect.left() - theme.Space.L, rect.top(), 3, rect.height())
    return rect


def _offset_of_line(text: str, line: int) -> int:
    offset = 0
    for _ in range(line):
        offset = text.index("\n", offset) + 1
    return offset
