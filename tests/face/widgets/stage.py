"""A place to show widgets in tests: put on the screen, played with, taken away."""

from PySide6.QtCore import QEvent
from PySide6.QtWidgets import (
    QAbstractButton,
    QAbstractItemView,
    QApplication,
    QLineEdit,
    QPlainTextEdit,
    QWidget,
)

from desktop.face import theme

CONTROLS = (QAbstractButton, QAbstractItemView, QLineEdit, QPlainTextEdit)


def show(qapp: QApplication, widget: QWidget, width: int = 800, height: int = 600) -> None:
    """Put a widget on the screen and let it settle."""
    theme.apply_theme(qapp, "light")
    widget.resize(width, height)
    widget.show()
    widget.activateWindow()
    qapp.processEvents()


def take_away(qapp: QApplication, widget: QWidget) -> None:
    """Close a widget and let Qt delete it."""
    widget.close()
    widget.deleteLater()
    qapp.sendPostedEvents(None, QEvent.Type.DeferredDelete)


def nameless(widget: QWidget) -> list[str]:
    """The controls within a widget that have no object name or no accessible name."""
    return [
        f"{type(control).__name__} {control.objectName()!r} {control.accessibleName()!r}"
        for control in widget.findChildren(QWidget)
        if isinstance(control, CONTROLS)
        and not control.objectName().startswith("qt_")
        and type(control).__name__ not in ("QToolButton", "QHeaderView")
        and not (control.objectName() and control.accessibleName())
    ]
