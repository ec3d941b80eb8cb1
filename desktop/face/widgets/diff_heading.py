"""The rows of a diff view that are not lines: file headings, folds and notes, painted."""

from PySide6.QtCore import QPointF, QRectF, Qt
from PySide6.QtGui import QColor, QFontMetricsF, QPainter, QPolygonF

from desktop.face import strings_window as words
from desktop.face import theme
from desktop.face.diff_heights import Metrics
from desktop.face.diff_rows import MIN_COLUMNS, ComparedFile
from desktop.face.shown import shown, wrapped
from desktop.harness.api import for_name

_PAD_PX = 12.0
_LEFT = Qt.AlignmentFlag.AlignLeft | Qt.AlignmentFlag.AlignVCenter


def columns(fitting: float) -> int:
    """A whole number of columns, never below the smallest."""
    return max(MIN_COLUMNS, int(fitting))


def title_of(file: ComparedFile) -> str:
    """What a heading names: the path, for a move both, safe to show."""
    path = for_name(file.file.path)
    return f"{path}  →  {for_name(file.file.destination)}" if file.file.destination else path


def paint_heading(painter: QPainter, file: ComparedFile, place: QRectF, *, is_shut: bool) -> None:
    """The name of a file, what happens to it, and how many lines come and go."""
    colours = theme.current()
    painter.save()
    painter.fillRect(place, QColor(colours.raised))
    painter.fillRect(QRectF(place.x(), place.bottom() - 1, place.width(), 1), QColor(colours.line))
    _triangle(painter, QPointF(_PAD_PX + 4, place.center().y()), is_shut=is_shut)
    at = _PAD_PX + 16
    right = place.width() - _PAD_PX
    painter.setFont(theme.font(theme.Size.CAPTION))
    for text, colour in (
        (f"−{file.removed}" if file.removed else "", colours.diff_removed_mark),
        (f"+{file.added}" if file.added else "", colours.diff_added_mark),
    ):
        if text:
            right -= QFontMetricsF(painter.font()).horizontalAdvance(text)
            painter.setPen(QColor(colour))
            painter.drawText(QRectF(right, place.y(), place.width(), place.height()), _LEFT, text)
            right -= 8
    kind = words.FILE_KIND.get(file.file.kind, file.file.kind)
    right -= QFontMetricsF(painter.font()).horizontalAdvance(kind) + 8
    painter.setPen(QColor(colours.text_quiet))
    painter.drawText(QRectF(right, place.y(), place.width(), place.height()), _LEFT, kind)
    painter.setFont(theme.font(bold=True))
    painter.setPen(QColor(colours.text))
    name = QFontMetricsF(painter.font()).elidedText(
        title_of(file), Qt.TextElideMode.ElideMiddle, right - at - _PAD_PX
    )
    painter.drawText(QRectF(at, place.y(), right - at, place.height()), _LEFT, name)
    painter.restore()


def _triangle(painter: QPainter, centre: QPointF, *, is_shut: bool) -> None:
    points = ((-2, -4), (3, 0), (-2, 4)) if is_shut else ((-4, -2), (4, -2), (0, 3))
    painter.setRenderHint(QPainter.RenderHint.Antialiasing)
    painter.setPen(Qt.PenStyle.NoPen)
    painter.setBrush(QColor(theme.current().text_quiet))
    painter.drawPolygon(QPolygonF([centre + QPointF(x, y) for x, y in points]))


def paint_fold(painter: QPainter, count: int, place: QRectF) -> None:
    """How many unchanged lines are folded away here."""
    colours = theme.current()
    painter.save()
    painter.fillRect(place, QColor(colours.diff_gap))
    painter.setFont(theme.font(theme.Size.CAPTION))
    painter.setPen(QColor(colours.text_quiet))
    painter.drawText(place, Qt.AlignmentFlag.AlignCenter, words.folded(count))
    painter.restore()


def paint_note(painter: QPainter, text: str, place: QRectF, metrics: Metrics) -> None:
    """A sentence about a file, wrapped."""
    colours = theme.current()
    painter.save()
    painter.setFont(theme.font())
    painter.setPen(QColor(colours.warning))
    look = shown(text).text
    y = place.y() + 4
    for start, stop in wrapped(look, metrics.whole_columns):
        painter.drawText(
            QRectF(_PAD_PX, y, place.width() - 2 * _PAD_PX, metrics.line_px), _LEFT, look[start:stop]
        )
        y += metrics.line_px
    painter.restore()
