"""Markdown tokens written into a document, block by block.

It writes with a cursor instead of HTML: nothing in an answer can then become a
tag, a style or an image. Rounded grounds of code, the bar of a quotation and
rules are only marked here (`Mark`); the document's owner paints them.
"""

import enum
from collections.abc import Sequence
from dataclasses import dataclass

from markdown_it.token import Token
from PySide6.QtGui import (
    QBrush,
    QColor,
    QTextBlockFormat,
    QTextCharFormat,
    QTextCursor,
    QTextFormat,
    QTextFrameFormat,
    QTextLength,
    QTextList,
    QTextListFormat,
    QTextTable,
    QTextTableFormat,
)

from desktop.face import theme
from desktop.face.code_paint import paint_code
from desktop.face.inline_writer import InlineWriter
from desktop.face.syntax import coloured
from desktop.harness.api import show_safe

INDENT_PX = 24
LINE_PERCENT = 135.0
CODE_LINE_PERCENT = 125.0
CODE_PADDING_PX = 12
HEADING_SIZES = {"h1": 1.35, "h2": 1.2, "h3": 1.08}
TASKS = {"[ ] ": "☐ ", "[x] ": "☑ ", "[X] ": "☑ "}


class Mark(enum.IntEnum):
    """Properties of a block that say what is painted behind it."""

    CODE = QTextFormat.Property.UserProperty.value + 1
    QUOTE = QTextFormat.Property.UserProperty.value + 2
    RULE = QTextFormat.Property.UserProperty.value + 3
    CAPTION = QTextFormat.Property.UserProperty.value + 4


@dataclass(frozen=True, slots=True)
class Standing:
    """Where a writer stands between two blocks, or between two items of a list at the top level."""

    is_fresh: bool = True
    open_list: tuple[QTextListFormat, QTextList | None] | None = None
    kind: tuple[str, str] = ("", "")


class BlockWriter:
    """Appends blocks at the end of one document.

    `is_fresh` says that the last block is empty and to be used by what comes next. Blocks may end within a
    list at the top level; what is written next goes on in it when it begins with a list of that kind.
    """

    def __init__(self, cursor: QTextCursor) -> None:
        self._cursor = cursor
        self._inline = InlineWriter(cursor)
        self._lists: list[tuple[QTextListFormat, QTextList | None]] = []
        self._quotes = 0
        self._kind = ("", "")
        self._code_id = 0
        self._table: QTextTable | None = None
        self.is_fresh = True

    def write(self, tokens: Sequence[Token], *, is_open: bool = False) -> None:
        """Append these blocks; `is_open` says that the last may still grow and needs no colours yet."""
        place = self._resume(tokens)
        self._quotes = 0
        while place < len(tokens):
            place = self._write_one(tokens, place, is_open)

    def standing(self) -> Standing:
        """What must be known to go on from here later."""
        return Standing(self.is_fresh, self._lists[0] if self._lists else None, self._kind)

    def go_back(self, standing: Standing) -> None:
        """Stand as then; the document must have been cut to what it was."""
        self.is_fresh = standing.is_fresh
        self._lists = [standing.open_list] if standing.open_list is not None else []
        self._kind = standing.kind

    def _resume(self, tokens: Sequence[Token]) -> int:
        """Go on in the list that was left open, if these blocks do; where to begin in `tokens`."""
        if self._lists and tokens:
            if tokens[0].type == "list_item_open":
                return 0
            if self._kind == _kind_of(tokens[0]):
                return 1
        self._lists.clear()
        return 0

    def _write_one(self, tokens: Sequence[Token], place: int, is_open: bool) -> int:
        token = tokens[place]
        match token.type:
            case "heading_open":
                self._heading(token, tokens[place + 1])
                return place + 3
            case "inline":
                self._paragraph(token)
            case "fence" | "code_block":
                self._code(token, colour=not is_open)
            case "bullet_list_open" | "ordered_list_open":
                self._open_list(token)
            case "bullet_list_close" | "ordered_list_close":
                self._lists.pop()
            case "list_item_open":
                self._open_item(tokens, place)
            case "list_item_close":
                self._close_item()
            case "blockquote_open":
                self._quotes += 1
            case "blockquote_close":
                self._quotes -= 1
            case "hr":
                self._rule()
            case "table_open":
                return self._write_table(tokens, place)
        return place + 1

    # --- blocks ---

    def _begin(self, form: QTextBlockFormat) -> None:
        """Make the last block an empty one of this form; a list that holds it keeps it."""
        if self.is_fresh:
            if self._cursor.currentList() is not None:
                form.setObjectIndex(self._cursor.blockFormat().objectIndex())
                form.setIndent(0)
            self._cursor.setBlockFormat(form)
        else:
            self._cursor.insertBlock(form)
        self._cursor.setBlockCharFormat(QTextCharFormat())
        self._cursor.setCharFormat(QTextCharFormat())
        self.is_fresh = False

    def _form(self, *, top: int = 0, bottom: int = theme.Space.S) -> QTextBlockFormat:
        form = QTextBlockFormat()
        form.setTopMargin(top)
        form.setBottomMargin(bottom)
        form.setLineHeight(LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        form.setIndent(len(self._lists))
        if self._quotes:
            form.setLeftMargin(self._quotes * theme.Space.L)
            form.setProperty(Mark.QUOTE, self._quotes)
        return form

    def _gap(self, outside: int = theme.Space.S) -> int:
        """The distance to what stands above; distances of neighbours do not add up."""
        return 0 if self._cursor.position() == 0 else theme.Space.XS if self._lists else outside

    def _paragraph(self, token: Token) -> None:
        form = self._form(top=self._gap(), bottom=self._gap())
        task = self._task_of(token)
        if task:
            form.setTextIndent(-INDENT_PX * 0.85)
        self._begin(form)
        if task:
            self._cursor.insertText(TASKS[task])
        self._inline.write(token.children or (), skip=len(task), quiet=self._quotes > 0)

    def _heading(self, token: Token, inline: Token) -> None:
        self._begin(self._form(top=self._gap(theme.Space.L), bottom=theme.Space.XS))
        self._inline.write(inline.children or (), bold=True, size=HEADING_SIZES.get(token.tag, 1.0))

    def _rule(self) -> None:
        form = self._form(top=theme.Space.M, bottom=theme.Space.L)
        form.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        form.setProperty(Mark.RULE, True)
        self._begin(form)

    def _code(self, token: Token, *, colour: bool) -> None:
        info = show_safe(token.info.strip())
        code = show_safe(token.content.removesuffix("\n"))
        lines = code.split("\n")
        self._code_id = self._cursor.position() + 1
        if info:
            self._begin(self._code_form(is_first=True, is_last=False, is_caption=True))
            self._cursor.insertText(info, self._caption())
        self._code_lines(lines[:1], is_first=not info, is_last=len(lines) == 1)
        first = self._cursor.block()
        if len(lines) > 2:
            self._code_lines(lines[1:-1])
        if len(lines) > 1:
            self._code_lines(lines[-1:], is_last=True)
        if info and colour:
            paint_code(first, coloured(code, info.split()[0].lower()))

    def _code_lines(self, lines: list[str], *, is_first: bool = False, is_last: bool = False) -> None:
        """Lines of one form in one stroke: Qt makes the blocks, which is far quicker than one by one."""
        plain = QTextCharFormat()
        plain.setFont(theme.code_font())
        self._begin(self._code_form(is_first=is_first, is_last=is_last))
        self._cursor.setBlockCharFormat(plain)
        self._cursor.insertText("\n".join(lines), plain)

    def _code_form(self, *, is_first: bool, is_last: bool, is_caption: bool = False) -> QTextBlockFormat:
        form = self._form(
            top=CODE_PADDING_PX + self._gap() if is_first else 0,
            bottom=CODE_PADDING_PX + theme.Space.S if is_last else theme.Space.XS if is_caption else 0,
        )
        form.setLeftMargin(form.leftMargin() + CODE_PADDING_PX)
        form.setRightMargin(CODE_PADDING_PX)
        form.setLineHeight(CODE_LINE_PERCENT, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        form.setProperty(Mark.CODE, self._code_id)
        if is_caption:
            form.setProperty(Mark.CAPTION, True)
        return form

    def _caption(self) -> QTextCharFormat:
        form = QTextCharFormat()
        form.setFont(theme.font(theme.Size.CAPTION))
        form.setForeground(QColor(theme.current().text_quiet))
        return form

    # --- lists ---

    def _open_list(self, token: Token) -> None:
        if not self._lists:
            self._kind = _kind_of(token)
        form = QTextListFormat()
        form.setIndent(len(self._lists) + 1)
        if token.type == "ordered_list_open":
            form.setStyle(QTextListFormat.Style.ListDecimal)
            form.setStart(int(token.attrs.get("start", 1)))
        else:
            form.setStyle(QTextListFormat.Style.ListDisc)
        self._lists.append((form, None))

    def _open_item(self, tokens: Sequence[Token], place: int) -> None:
        following = tokens[place + 2] if place + 2 < len(tokens) else None
        if self.is_fresh and self._cursor.currentList() is not None:
            self.is_fresh = False  # a list straight within an item: the item keeps its own line
        self._begin(self._form(top=theme.Space.XS, bottom=theme.Space.XS))
        self.is_fresh = True
        if following is not None and following.type == "inline" and self._task_of(following):
            return
        form, made = self._lists[-1]
        if made is None:
            made = self._cursor.createList(form)
            self._lists[-1] = (form, made)
        else:
            made.add(self._cursor.block())
        block = self._cursor.blockFormat()
        block.setIndent(0)
        self._cursor.setBlockFormat(block)

    def _close_item(self) -> None:
        self.is_fresh = False

    def _task_of(self, token: Token) -> str:
        return token.content[:4] if self._lists and token.content[:4] in TASKS else ""

    # --- tables ---

    def _write_table(self, tokens: Sequence[Token], place: int) -> int:
        end = next(i for i in range(place, len(tokens)) if tokens[i].type == "table_close")
        rows: list[list[tuple[Token, bool]]] = []
        for i in range(place, end):
            if tokens[i].type == "tr_open":
                rows.append([])
            elif tokens[i].type in ("th_open", "td_open"):
                rows[-1].append((tokens[i + 1], tokens[i].type == "th_open"))
        self._begin(self._tiny())
        table = self._cursor.insertTable(len(rows), max(len(row) for row in rows), self._table_form())
        for row_number, row in enumerate(rows):
            for column, (inline, is_head) in enumerate(row):
                self._cell(table, row_number, column, inline, is_head)
        self._cursor.movePosition(QTextCursor.MoveOperation.End)
        self._cursor.setBlockFormat(self._tiny())
        self.is_fresh = False
        return end + 1

    def _cell(self, table: QTextTable, row: int, column: int, inline: Token, is_head: bool) -> None:
        cell = table.cellAt(row, column)
        if is_head:
            form = cell.format()
            form.setBackground(QColor(theme.current().code_ground))
            cell.setFormat(form)
        self._cursor.setPosition(cell.firstPosition())
        self._inline.write(inline.children or (), bold=is_head)

    def _tiny(self) -> QTextBlockFormat:
        """The empty block that Qt keeps around a table, made one pixel high."""
        form = QTextBlockFormat()
        form.setLineHeight(1, QTextBlockFormat.LineHeightTypes.FixedHeight.value)
        return form

    def _table_form(self) -> QTextTableFormat:
        form = QTextTableFormat()
        form.setBorderCollapse(True)
        form.setBorder(1)
        form.setBorderStyle(QTextFrameFormat.BorderStyle.BorderStyle_Solid)
        form.setBorderBrush(QBrush(QColor(theme.current().line)))
        form.setCellPadding(theme.Space.XS + 2)
        form.setHeaderRowCount(1)
        form.setTopMargin(theme.Space.XS)
        form.setBottomMargin(0)
        form.setWidth(QTextLength())
        form.setLeftMargin(len(self._lists) * INDENT_PX)
        return form


def _kind_of(token: Token) -> tuple[str, str]:
    """What makes two neighbouring lists one: their sort and their sign."""
    return token.type, token.markup
