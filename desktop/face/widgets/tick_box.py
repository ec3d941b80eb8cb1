"""A box to tick, drawn in the colours of every palette; the platform's is not to be seen in dark ones."""

from PySide6.QtCore import QPointF, QRect
from PySide6.QtGui import QPainter, QPaintEvent
from PySide6.QtWidgets import QCheckBox, QStyle, QStyleOptionButton, QWidget

from desktop.face import icons, theme

_TICK_PX = 14


class TickBox(QCheckBox):
    """A check box with its own tick; the stylesheet draws the box.

    Signals: those of a check box.
    """

    def __init__(self, name: str, text: str, parent: QWidget | None = None) -> None:
        super().__init__(text, parent)
        self.setObjectName(name)
        self.setAccessibleName(text)

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint box and words, then the tick."""
        super().paintEvent(event)
        if not self.isChecked():
            return
        option = QStyleOptionButton()
        self.initStyleOption(option)
        box: QRect = self.style().subElementRect(QStyle.SubElement.SE_CheckBoxIndicator, option, self)
        picture = icons.pixmap("check", theme.current().on_accent, _TICK_PX, self.devicePixelRatioF())
        painter = QPainter(self)
        middle = QPointF(box.center()) + QPointF(0.5, 0.5)
        painter.drawPixmap(middle - QPointF(_TICK_PX / 2, _TICK_PX / 2), picture)
        painter.end()
