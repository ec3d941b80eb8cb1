"""A choice of one in many that looks as calm as the fields and buttons beside it.

The stylesheet takes the platform's ground and arrow away; the arrow is drawn here, in the colour of the
text, so that it is there in every palette.
"""

from PySide6.QtCore import QPointF
from PySide6.QtGui import QPainter, QPaintEvent, QWheelEvent
from PySide6.QtWidgets import QComboBox, QStyledItemDelegate, QWidget

from desktop.face import icons, theme

_ARROW_PX = 16
_ROOM_PX = 8


class Selector(QComboBox):
    """A combo box with its own arrow; turning the wheel over it changes nothing by accident.

    Signals: those of a combo box.
    """

    def __init__(self, name: str, about: str, parent: QWidget | None = None) -> None:
        super().__init__(parent)
        self.setObjectName(name)
        self.setAccessibleName(about)
        self._has_own_lines = False

    def showPopup(self) -> None:
        """Show the list, its lines as high as a finger needs them."""
        if not self._has_own_lines:
            self._has_own_lines = True
            self.setItemDelegate(QStyledItemDelegate(self))
        super().showPopup()

    def paintEvent(self, event: QPaintEvent) -> None:
        """Paint the field, then the arrow."""
        super().paintEvent(event)
        look = theme.current()
        colour = look.text if self.isEnabled() else look.text_disabled
        picture = icons.pixmap("chevron-down", colour, _ARROW_PX, self.devicePixelRatioF())
        painter = QPainter(self)
        painter.drawPixmap(
            QPointF(self.width() - _ARROW_PX - _ROOM_PX, (self.height() - _ARROW_PX) / 2), picture
        )
        painter.end()

    def wheelEvent(self, event: QWheelEvent) -> None:
        """Leave the wheel to what can be scrolled."""
        event.ignore()
