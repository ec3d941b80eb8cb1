"""One row of the chat laid out for one width: its document and where its parts are.

A layout is made when a row is first seen and kept while it is likely to be seen
again. It holds geometry and text, paints nothing and knows no view. Everything
but an answer is plain text, never read as markup.
"""

from dataclasses import dataclass

from PySide6.QtCore import QRectF
from PySide6.QtGui import QFontMetricsF, QTextBlockFormat, QTextCursor, QTextDocument, QTextOption

from desktop.face import strings, theme
from desktop.face.answer import AnswerDocument
from desktop.face.block_writer import Mark
from desktop.face.delegates.column import BOTTOM_PX, CARD_PADDING_PX, GAP_PX
from desktop.harness.api import Row, RowKind, show_safe

LONGEST_DETAIL = 12_000
"""Characters of a tool's output that are laid out in the row; the rest is for copying."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowLook:
    """What a layout depends on beside the row: `leads` says that the speaker is named above it."""

    width: int
    leads: bool = False
    is_open: bool = False


class RowLayout:
    """The parts of one row, in pixels from its top left corner within the reading column."""

    def __init__(self, row: Row, look: RowLook) -> None:
        self.row = row
        self.look = look
        self.document: QTextDocument | None = None
        self.grounds: list[tuple[Mark, QRectF]] = []
        self._lay_out()

    def update(self, row: Row, look: RowLook) -> None:
        """Show another state of the same row; a growing answer costs its last block only."""
        self.row = row
        self.look = look
        self._lay_out()

    # --- places ---

    @property
    def top(self) -> int:
        """Where the row begins below the gap above it; a speaker's name takes the gap of an answer."""
        gap = GAP_PX[self.row.kind]
        return max(gap, GAP_PX[RowKind.ASSISTANT]) if self.look.leads else gap

    @property
    def line_top(self) -> int:
        """Where the one line of a tool begins."""
        return self.top + self.speaker_height

    @property
    def speaker_height(self) -> int:
        """The line that names the speaker; 0 when there is none."""
        if not self.look.leads:
            return 0
        return round(QFontMetricsF(theme.font(theme.Size.CAPTION, bold=True)).height()) + theme.Space.XS

    @property
    def line_height(self) -> int:
        """The one line of a tool."""
        return max(theme.ROW_HEIGHT, round(QFontMetricsF(theme.font()).height()) + 2 * theme.Space.XS)

    @property
    def document_left(self) -> int:
        """Left edge of the text."""
        match self.row.kind:
            case RowKind.USER:
                return CARD_PADDING_PX
            case RowKind.TOOL:
                return theme.Space.XL + CARD_PADDING_PX
        return 0

    @property
    def document_top(self) -> int:
        """Upper edge of the text."""
        above = self.top + self.speaker_height
        match self.row.kind:
            case RowKind.USER:
                return above + theme.Space.S
            case RowKind.TOOL:
                return self.line_top + self.line_height + theme.Space.S
        return above

    @property
    def document_height(self) -> int:
        """Height of the text, 0 when there is none."""
        return round(self.document.size().height() + 0.5) if self.document is not None else 0

    @property
    def card(self) -> QRectF:
        """The ground behind a person's words or an opened step."""
        left = 0 if self.row.kind is RowKind.USER else theme.Space.XL
        top = self.document_top - theme.Space.S
        return QRectF(left, top, self.look.width - left, self.document_height + 2 * theme.Space.S - 3)

    @property
    def height(self) -> int:
        """Height of the row with the space around it."""
        match self.row.kind:
            case RowKind.USER:
                return round(self.card.bottom()) + BOTTOM_PX
            case RowKind.TOOL if self.document is None:
                return self.line_top + self.line_height
            case RowKind.TOOL:
                return round(self.card.bottom()) + theme.Space.S
            case RowKind.ASSISTANT if self.row.status == "cut":
                return self.document_top + self.document_height + self.line_height
        return self.document_top + self.document_height + BOTTOM_PX

    # --- making ---

    def _lay_out(self) -> None:
        width = self.look.width - self.document_left
        match self.row.kind:
            case RowKind.ASSISTANT:
                self._answer(width)
            case RowKind.USER:
                self.document = self._plain(self.row.text, width - CARD_PADDING_PX)
            case RowKind.NOTICE:
                self.document = self._notice(width)
            case RowKind.TOOL:
                opened = self.look.is_open
                self.document = self._detail(width - CARD_PADDING_PX) if opened else None

    def _answer(self, width: int) -> None:
        if not isinstance(self.document, AnswerDocument):
            self.document = AnswerDocument()
            self.document.setTextWidth(width)
        self.document.set_source(self.row.text, is_open=self.row.status == "streaming")
        if self.document.textWidth() != width:
            self.document.setTextWidth(width)
        self.document.size()
        self.grounds = self.document.grounds()

    def _plain(self, text: str, width: int, *, code: bool = False) -> QTextDocument:
        made = QTextDocument()
        made.setUndoRedoEnabled(False)
        made.setDocumentMargin(0)
        made.setDefaultFont(theme.code_font() if code else theme.font())
        option = QTextOption()
        option.setWrapMode(QTextOption.WrapMode.WrapAtWordBoundaryOrAnywhere)
        made.setDefaultTextOption(option)
        made.setPlainText(show_safe(text))
        form = QTextBlockFormat()
        form.setLineHeight(125.0, QTextBlockFormat.LineHeightTypes.ProportionalHeight.value)
        cursor = QTextCursor(made)
        cursor.select(QTextCursor.SelectionType.Document)
        cursor.mergeBlockFormat(form)
        made.setTextWidth(max(1, width))
        return made

    def _notice(self, width: int) -> QTextDocument:
        made = self._plain(self.row.text, width)
        made.setDefaultFont(theme.font(theme.Size.CAPTION))
        option = made.defaultTextOption()
        option.setAlignment(theme.CENTRE)
        made.setDefaultTextOption(option)
        return made

    def _detail(self, width: int) -> QTextDocument:
        text = self.row.detail.rstrip("\n") or strings.EMPTY_DETAIL
        if len(text) > LONGEST_DETAIL:
            text = f"{text[:LONGEST_DETAIL]}\n\n… {strings.SHORTENED}"
        return self._plain(text, width, code=bool(self.row.detail))
