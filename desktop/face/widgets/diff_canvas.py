"""The scrolled part of the diff view: paints the rows that are visible, and nothing else.

It knows rows and pixels; what to compare, which folds are open and which way of showing is
chosen is told by `DiffView`. The vertical bar counts pixels, so scrolling is smooth at any
length. Text is chosen with the mouse or Ctrl+A, one side at a time, and copied as it is in
the file.
"""

from collections.abc import Iterator

from PySide6.QtCore import QEvent, QPointF, QRectF, Qt, QTimer, Signal
from PySide6.QtGui import (
    QColor,
    QFontMetricsF,
    QGuiApplication,
    QKeyEvent,
    QKeySequence,
    QMouseEvent,
    QPainter,
    QPaintEvent,
    QResizeEvent,
)
from PySide6.QtWidgets import QAbstractScrollArea, QWidget

from desktop.face import strings_window as words
from desktop.face import theme
from desktop.face.diff_heights import Heights, Metrics
from desktop.face.diff_rows import DiffRows, Row, RowSort
from desktop.face.widgets import diff_heading
from desktop.face.widgets.diff_choice import Choice, Place
from desktop.face.widgets.diff_lines import DiffLines
from desktop.face.widgets.diff_text import paint

_PAD_PX = 8
LEAST_LINES = 7
"""So many lines of a change are to be seen when it is shown first, if the window has the room."""


class DiffCanvas(QAbstractScrollArea):
    """Rows of a diff, painted as they come into view.

    Signals:
        endReached(): the last row was visible and no file was shut.
        foldOpened(file, block): a click on folded lines.
        fileToggled(file): a click on a heading.
    """

    endReached = Signal()
    foldOpened = Signal(int, int)
    fileToggled = Signal(int)

    def __init__(self, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName("diffCanvas")
        self.setAccessibleName(words.DIFF_NAME)
        self.setFrameShape(QAbstractScrollArea.Shape.NoFrame)
        self.setHorizontalScrollBarPolicy(Qt.ScrollBarPolicy.ScrollBarAlwaysOff)
        self.setFocusPolicy(Qt.FocusPolicy.StrongFocus)
        self.viewport().setMouseTracking(True)
        self._rows = DiffRows((), side=True)
        self._is_complete = True
        self._choice = Choice()
        self._lines = DiffLines()
        self._measure()

    def set_rows(self, rows: DiffRows, *, is_complete: bool) -> None:
        """Show other rows; the place on the screen is kept if it still exists."""
        self._rows = rows
        self._is_complete = is_complete
        self._choice = Choice()
        self._measure()

    def scroll_to(self, index: int) -> None:
        """Bring a row near the top, below the heading that stays there."""
        top = self._heights.top_px(index) - self._sticky_px() - self._metrics.line_px
        self.verticalScrollBar().setValue(top)

    def reveal(self, index: int) -> None:
        """Scroll down as little as brings a row and two lines below it into sight."""
        bottom = self._heights.top_px(index + 1) + 2 * self._metrics.line_px
        if bottom > self.verticalScrollBar().value() + self.viewport().height():
            self.scroll_to(index)

    @property
    def content_px(self) -> int:
        """The height of everything at the width it has now."""
        return self._heights.total_px

    @property
    def least_px(self) -> int:
        """The height below which a change cannot be read: the first heading or fold and some lines."""
        return min(
            self.content_px, self._sticky_px() + self._metrics.fold_px + LEAST_LINES * self._metrics.line_px
        )

    def first_visible(self) -> int:
        """The row that is at the top, below the heading that stays there."""
        return self._heights.row_at(self.verticalScrollBar().value() + self._sticky_px() + 1)

    def selected_text(self) -> str:
        """What is chosen, as it stands in the file, without marks."""
        return "\n".join(self._choice.lines(self._rows))

    # --- geometry ---

    def _sticky_px(self) -> int:
        return self._metrics.heading_px if self._rows.has_headings else 0

    def _measure(self) -> None:
        metrics = QFontMetricsF(theme.code_font())
        self._char_px = metrics.horizontalAdvance("0")
        line_px = round(metrics.height() * 1.25)
        longest = max(
            (len(f.comparison.before) + len(f.comparison.after) for f in self._rows.files), default=1
        )
        self._number_px = self._char_px * max(3, len(str(longest))) + _PAD_PX
        self._sign_px = self._char_px * 2
        width = self.viewport().width()
        gutter = self._number_px + self._sign_px + _PAD_PX
        side = diff_heading.columns((width / 2 - gutter) / self._char_px)
        whole = diff_heading.columns((width - gutter - self._number_px) / self._char_px)
        self._metrics = Metrics(
            line_px=line_px,
            heading_px=max(32, round(line_px * 1.8)),
            fold_px=max(28, round(line_px * 1.4)),
            side_columns=side,
            whole_columns=whole,
            is_soft=not self._rows.has_many_high(side_columns=side, whole_columns=whole),
        )
        self._heights = Heights(self._rows, self._metrics)
        self._lines.use(self._rows, self._metrics)
        bar = self.verticalScrollBar()
        bar.setSingleStep(line_px)
        bar.setPageStep(max(line_px, self.viewport().height() - self._metrics.heading_px))
        bar.setRange(0, max(0, self._heights.total_px - self.viewport().height()))
        self.viewport().update()

    def _visible(self) -> Iterator[tuple[int, Row, QRectF]]:
        top = self.verticalScrollBar().value()
        height, width = self.viewport().height(), self.viewport().width()
        index = self._heights.row_at(top)
        while index < len(self._rows):
            y = self._heights.top_px(index) - top
            if y >= height:
                return
            yield index, self._rows.row(index), QRectF(0, y, width, self._heights.top_px(index + 1) - top - y)
            index += 1

    def _sides(self, row: Row, place: QRectF) -> Iterator[tuple[bool, bool, QRectF]]:
        """(is the after side, has a line there, where its text begins and ends) for a line row."""
        if self._rows.is_inline(row):
            after = row.after is not None
            yield after, True, place.adjusted(2 * self._number_px + self._sign_px, 0, -_PAD_PX, 0)
            return
        half = place.width() / 2
        gutter = self._number_px + self._sign_px
        yield (
            False,
            row.before is not None,
            QRectF(place.x() + gutter, place.y(), half - gutter - _PAD_PX, place.height()),
        )
        yield (
            True,
            row.after is not None,
            QRectF(half + gutter, place.y(), half - gutter - _PAD_PX, place.height()),
        )

    # --- painting ---

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint what is visible, then the heading that stays at the top."""
        painter = QPainter(self.viewport())
        painter.fillRect(event.rect(), QColor(theme.current().field))
        painter.setFont(theme.code_font())
        self._lines.begin_frame()
        last: Row | None = None
        for index, row, place in self._visible():
            last = last or row
            self._paint_row(painter, index, row, place)
        if last is not None and last.sort is not RowSort.HEADING and self._rows.has_headings:
            self._paint_sticky(painter, last.file)
        painter.end()
        if self._lines.is_plain:
            QTimer.singleShot(0, self.viewport(), self.viewport().update)
        bar = self.verticalScrollBar()
        if len(self._rows) and self._is_complete and bar.value() >= bar.maximum():
            self.endReached.emit()

    def _paint_sticky(self, painter: QPainter, file: int) -> None:
        place = QRectF(0, 0, self.viewport().width(), self._metrics.heading_px)
        following = file + 1
        if following < len(self._rows.files):
            y = self._heights.top_px(self._rows.heading(following)) - self.verticalScrollBar().value()
            place.moveTop(min(0.0, y - place.height()))
        diff_heading.paint_heading(painter, self._rows.files[file], place, is_shut=False)

    def _paint_row(self, painter: QPainter, index: int, row: Row, place: QRectF) -> None:
        if row.sort is RowSort.HEADING:
            following = self._rows.row(index + 1) if index + 1 < len(self._rows) else None
            is_shut = following is None or following.sort is RowSort.HEADING
            diff_heading.paint_heading(painter, self._rows.files[row.file], place, is_shut=is_shut)
        elif row.sort is RowSort.FOLD:
            diff_heading.paint_fold(painter, row.count, place)
        elif row.sort is RowSort.NOTE:
            diff_heading.paint_note(painter, row.text, place, self._metrics)
        else:
            self._paint_line(painter, index, row, place)

    def _paint_line(self, painter: QPainter, index: int, row: Row, place: QRectF) -> None:
        colours = theme.current()
        inline = self._rows.is_inline(row)
        for after, has_line, text in self._sides(row, place):
            left = 0.0 if inline else text.x() - self._number_px - self._sign_px
            ground = QRectF(left, place.y(), text.right() + _PAD_PX - left, place.height())
            if not has_line:
                painter.fillRect(ground, QColor(colours.diff_gap))
                continue
            if row.changed:
                painter.fillRect(ground, QColor(colours.diff_added if after else colours.diff_removed))
            self._paint_margin(painter, row, text, after=after, inline=inline)
            self._paint_pieces(painter, index, row, text, after=after)
        if not inline:
            middle = round(place.width() / 2)
            painter.fillRect(QRectF(middle, place.y(), 1, place.height()), QColor(colours.line))

    def _paint_margin(self, painter: QPainter, row: Row, text: QRectF, *, after: bool, inline: bool) -> None:
        colours = theme.current()
        painter.setPen(QColor(colours.text_quiet))
        flags = Qt.AlignmentFlag.AlignRight | Qt.AlignmentFlag.AlignVCenter
        left = text.x() - self._sign_px - self._number_px * (2 if inline else 1)
        numbers = (row.before, row.after) if inline else (row.after if after else row.before,)
        for number in numbers:
            if number is not None:
                place = QRectF(left, text.y(), self._number_px - _PAD_PX / 2, self._metrics.line_px)
                painter.drawText(place, flags, str(number + 1))
            left += self._number_px
        if row.changed:
            painter.setPen(QColor(colours.diff_added_mark if after else colours.diff_removed_mark))
            place = QRectF(text.x() - self._sign_px, text.y(), self._sign_px, self._metrics.line_px)
            painter.drawText(place, Qt.AlignmentFlag.AlignCenter, "+" if after else "−")

    def _paint_pieces(self, painter: QPainter, index: int, row: Row, text: QRectF, *, after: bool) -> None:
        look = self._lines.drawn(index, row, after=after)
        chosen = self._choice.within(index, look.text, after=after, is_inline=self._rows.is_inline(row))
        step = self._metrics.line_px
        first = max(0, int(-text.y() // step))
        last = min(len(look.pieces), int((self.viewport().height() - text.y()) // step) + 1)
        for piece in range(first, last):
            layout = self._lines.layout((index, after, piece), look, chosen)
            place = QRectF(text.x(), text.y() + piece * step + step * 0.1, text.width(), step)
            paint(painter, layout, place, theme.current().text)

    # --- choosing and copying ---

    def _place_at(self, point: QPointF, *, begins: bool) -> Place | None:
        for index, row, place in self._visible():
            if row.sort is not RowSort.LINE or not place.top() <= point.y() < place.bottom():
                continue
            for after, has_line, text in self._sides(row, place):
                is_here = self._rows.is_inline(row) or (after == (point.x() >= place.width() / 2))
                if begins and is_here:
                    self._choice.after = after
                if has_line and (
                    is_here if begins else self._rows.is_inline(row) or after == self._choice.after
                ):
                    return index, self._column_at(index, row, text, point, after=after)
            return index, 0
        return None

    def _column_at(self, index: int, row: Row, text: QRectF, point: QPointF, *, after: bool) -> int:
        look = self._lines.drawn(index, row, after=after)
        line = min(int((point.y() - text.y()) // self._metrics.line_px), len(look.pieces) - 1)
        layout = self._lines.layout((index, after, line), look, None)
        return look.pieces[line][0] + layout.lineAt(0).xToCursor(point.x() - text.x())

    def mousePressEvent(self, event: QMouseEvent) -> None:
        """Begin to choose text; or open a fold, open or shut a file."""
        if event.button() is not Qt.MouseButton.LeftButton:
            return
        if event.position().y() < self._sticky_px() and len(self._rows):
            self.fileToggled.emit(self._rows.row(self._heights.row_at(self.verticalScrollBar().value())).file)
            return
        row = self._row_at(event.position())
        if row is not None and row.sort is RowSort.FOLD:
            self.foldOpened.emit(*row.key)
        elif row is not None and row.sort is RowSort.HEADING:
            self.fileToggled.emit(row.file)
        else:
            self._choice.begin(self._place_at(event.position(), begins=True))
            self.viewport().update()

    def mouseMoveEvent(self, event: QMouseEvent) -> None:
        """Choose further; say by the pointer what a click would do."""
        if event.buttons() & Qt.MouseButton.LeftButton and self._choice.anchor is not None:
            self._choice.caret = self._place_at(event.position(), begins=False) or self._choice.caret
            self._scroll_along(event.position().y())
            self.viewport().update()
            return
        row = self._row_at(event.position())
        is_text = row is not None and row.sort is RowSort.LINE
        is_click = row is not None and row.sort in (RowSort.FOLD, RowSort.HEADING)
        shape = Qt.CursorShape.PointingHandCursor if is_click else Qt.CursorShape.ArrowCursor
        self.viewport().setCursor(Qt.CursorShape.IBeamCursor if is_text else shape)

    def _scroll_along(self, y: float) -> None:
        bar, step = self.verticalScrollBar(), self._metrics.line_px
        if y < self._sticky_px():
            bar.setValue(bar.value() - step)
        elif y > self.viewport().height():
            bar.setValue(bar.value() + step)

    def _row_at(self, point: QPointF) -> Row | None:
        return next(
            (row for _, row, place in self._visible() if place.top() <= point.y() < place.bottom()), None
        )

    def keyPressEvent(self, event: QKeyEvent) -> None:
        """Home and End go to the ends; Ctrl+A chooses all of a side, Ctrl+C copies."""
        bar = self.verticalScrollBar()
        if event.matches(QKeySequence.StandardKey.Copy):
            if text := self.selected_text():
                QGuiApplication.clipboard().setText(text)
        elif event.matches(QKeySequence.StandardKey.SelectAll) and len(self._rows):
            self._choice.take_all(len(self._rows))
            self.viewport().update()
        elif event.key() == Qt.Key.Key_Home:
            bar.setValue(0)
        elif event.key() == Qt.Key.Key_End:
            bar.setValue(bar.maximum())
        else:
            super().keyPressEvent(event)

    def resizeEvent(self, event: QResizeEvent) -> None:
        """Keep the row that is at the top in its place while lines wrap anew."""
        bar = self.verticalScrollBar()
        was_at_end = 0 < bar.maximum() <= bar.value()
        index = self._heights.row_at(bar.value())
        within_px = bar.value() - self._heights.top_px(index)
        self._measure()
        if was_at_end:
            bar.setValue(bar.maximum())
        elif bar.value() and event.oldSize().width() != event.size().width():
            bar.setValue(self._heights.top_px(index) + within_px)

    def changeEvent(self, event: QEvent) -> None:
        """Fonts or colours changed."""
        super().changeEvent(event)
        if event.type() in (QEvent.Type.FontChange, QEvent.Type.PaletteChange, QEvent.Type.StyleChange):
            self._measure()
