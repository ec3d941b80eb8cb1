"""The chat above, the approval panel below, and how they share the height.

The panel opens as high as what it shows needs, within bounds that leave the chat readable; where a
person has moved the border, it opens as high as they left it, but never too low to see a change.
"""

from PySide6.QtCore import QSize, Qt, Signal
from PySide6.QtWidgets import QSplitter, QWidget

PANEL_LEAST, PANEL_MOST = 0.25, 0.6
"""Bounds of the panel's share of the height."""
_PANEL_ROOM_PX, _CHAT_LEAST_PX = 240, 72


class Panel(QWidget):
    """What can be put below the chat. Its size hint is as high as all it shows."""

    def readable_px(self) -> int:
        """The height below which it cannot be read."""
        return self.minimumSizeHint().height()


class PanelSplitter(QSplitter):
    """Two parts one above the other; the lower one may be hidden.

    Signals:
        shareMoved(float): the person gave the panel another share of the height.
    """

    shareMoved = Signal(float)

    def __init__(self, upper: QWidget, parent: QWidget | None = None) -> None:
        super().__init__(Qt.Orientation.Vertical, parent)
        self.setObjectName("uprightSplitter")
        self.panel: Panel | None = None
        upper.setMinimumHeight(_CHAT_LEAST_PX)
        self.addWidget(upper)
        self.setCollapsible(0, False)
        self.setStretchFactor(0, 1)
        self.splitterMoved.connect(self._moved)

    def set_panel(self, panel: Panel) -> None:
        """Put the panel into its place."""
        self.panel = panel
        self.addWidget(panel)
        self.setCollapsible(1, False)
        self.bound()

    def place(self, share: float | None) -> None:
        """Give the panel the share it was left with, or as much as its hint asks for if that is None."""
        if self.panel is None:
            return
        if self.panel.width() != self.width():
            self.panel.resize(self.width(), self._most_px())  # now lines are as wide as they will be
        wanted: QSize = self.panel.sizeHint()
        least = min(wanted.height(), self.panel.readable_px())
        self._give(max(wanted.height() if share is None else round(self.height() * share), least))

    def bound(self) -> None:
        """Keep the panel within its bounds, whatever the height is now."""
        if self.panel is not None:
            self.panel.setMaximumHeight(self._most_px())

    def _give(self, wanted_px: int) -> None:
        height = max(1, self.height())
        panel_px = min(self._most_px(), max(wanted_px, round(height * PANEL_LEAST)))
        self.setSizes([height - panel_px, panel_px])

    def _most_px(self) -> int:
        """In a low window the panel may take more, as long as some of the chat stays."""
        height = self.height()
        return max(round(height * PANEL_MOST), min(height - _CHAT_LEAST_PX, _PANEL_ROOM_PX), 120)

    def _moved(self) -> None:
        sizes: list[int] = self.sizes()
        if self.panel is not None and self.panel.isVisible() and len(sizes) > 1:
            self.shareMoved.emit(round(sizes[1] / max(1, sum(sizes)), 3))
