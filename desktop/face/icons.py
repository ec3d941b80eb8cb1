"""The few pictures of the window, drawn in the colour that is asked for.

Each lies in `resources/icons` as a drawing of 16 units that says `currentColor`;
it is rendered sharp for the screen's scale. Words stand beside pictures, so none
carries a meaning alone.
"""

from functools import cache

from PySide6.QtCore import QByteArray, QRectF, QSize, Qt
from PySide6.QtGui import QIcon, QPainter, QPixmap
from PySide6.QtSvg import QSvgRenderer

from desktop import resources

_SCALES = (1.0, 2.0, 3.0)


@cache
def pixmap(name: str, colour: str, side_px: int = 16, scale: float = 1.0) -> QPixmap:
    """One picture in one colour; `scale` is the device pixel ratio of the screen.

    Raises FileNotFoundError for an unknown name.
    """
    source = resources.text(f"icons/{name}.svg").replace("currentColor", colour)
    picture = QPixmap(QSize(round(side_px * scale), round(side_px * scale)))
    picture.fill(Qt.GlobalColor.transparent)
    painter = QPainter(picture)
    QSvgRenderer(QByteArray(source.encode())).render(painter, QRectF(picture.rect()))
    painter.end()
    picture.setDevicePixelRatio(scale)
    return picture


def icon(name: str, colour: str, side_px: int = 16) -> QIcon:
    """One picture as an icon for buttons and menus, sharp on every usual screen."""
    made = QIcon()
    for scale in _SCALES:
        made.addPixmap(pixmap(name, colour, side_px, scale))
    return made
