"""How everything looks: the palette in force, spacing, fonts and one small stylesheet.

Colours come from `palettes`, never from the platform: a bare X server knows no
dark scheme, and asking Qt for one changes nothing there. Fusion draws the
controls, the stylesheet only softens them. Sizes lie on a grid of 4 pixels;
fonts are the system's, never under 10 points, in three sizes.

Widgets ask `current()` when they paint and repaint on a palette change; nobody
keeps a colour.
"""

import enum
from typing import ClassVar

from PySide6.QtCore import Qt
from PySide6.QtGui import QColor, QFont, QFontDatabase, QGuiApplication, QPalette
from PySide6.QtWidgets import QApplication, QStyleFactory

from desktop.face.palettes import LIGHT, PALETTES, Theme
from desktop.face.stylesheet import stylesheet

__all__ = ["Size", "Space", "Theme", "apply_theme", "code_font", "current", "font", "system_prefers_dark"]

SMALLEST_POINTS = 10.0
RADIUS = 6
ROW_HEIGHT = 28
TARGET_HEIGHT = 32
HAIRLINE = 1
CENTRE = Qt.AlignmentFlag.AlignHCenter


class Space(enum.IntEnum):
    """Distances in pixels."""

    XS = 4
    S = 8
    M = 12
    L = 16
    XL = 24


class Size(enum.Enum):
    """Text sizes, as a factor of the system's."""

    CAPTION = 0.85
    TEXT = 1.0
    TITLE = 1.25


CODE_FACTOR = 0.95


class _InForce:
    """The palette that was applied last, the size of its text in points, and the fonts made since.

    A frame asks for some fifty fonts; making each anew took a tenth of it.
    """

    theme: Theme = LIGHT
    points: float = SMALLEST_POINTS
    fonts: ClassVar[dict[tuple[Size, bool], QFont]] = {}


def current() -> Theme:
    """The palette in force."""
    return _InForce.theme


def system_prefers_dark() -> bool:
    """Whether the desktop asks for a dark look; False where it does not say."""
    return QGuiApplication.styleHints().colorScheme() is Qt.ColorScheme.Dark


def apply_theme(app: QApplication, name: str = "system") -> Theme:
    """Dress the whole application: `light`, `dark`, `contrast` or `system`.

    An unknown name counts as `system`, so that an old settings file never fails.
    """
    theme = PALETTES.get(name) or PALETTES["dark" if system_prefers_dark() else "light"]
    if not app.property("paddock_base_points"):
        app.setStyle(QStyleFactory.create("Fusion"))
        app.setProperty("paddock_base_points", max(app.font().pointSizeF(), SMALLEST_POINTS))
    _InForce.theme = theme
    _InForce.points = float(app.property("paddock_base_points"))
    _InForce.fonts = {}
    app.setFont(font())
    app.setPalette(_palette(theme))
    app.setStyleSheet(stylesheet(theme, caption_points=_InForce.points * Size.CAPTION.value))
    return theme


def font(size: Size = Size.TEXT, *, bold: bool = False) -> QFont:
    """The system's font in one of the three sizes and two weights."""
    made = _InForce.fonts.get((size, bold))
    if made is None:
        made = QFont(QApplication.font())
        made.setPointSizeF(_InForce.points * size.value)
        made.setWeight(QFont.Weight.DemiBold if bold else QFont.Weight.Normal)
        _InForce.fonts[size, bold] = made
    return QFont(made)


def code_font(size: Size = Size.TEXT) -> QFont:
    """The system's monospaced font, a little smaller than the text beside it."""
    made = QFontDatabase.systemFont(QFontDatabase.SystemFont.FixedFont)
    made.setPointSizeF(_InForce.points * size.value * CODE_FACTOR)
    made.setStyleHint(QFont.StyleHint.Monospace)
    return made


def _palette(theme: Theme) -> QPalette:
    role = QPalette.ColorRole
    palette = QPalette()
    for place, colour in (
        (role.Window, theme.window),
        (role.WindowText, theme.text),
        (role.Base, theme.field),
        (role.AlternateBase, theme.raised),
        (role.Text, theme.text),
        (role.PlaceholderText, theme.text_quiet),
        (role.Button, theme.raised),
        (role.ButtonText, theme.text),
        (role.BrightText, theme.danger),
        (role.Highlight, theme.selection),
        (role.HighlightedText, theme.text),
        (role.ToolTipBase, theme.raised),
        (role.ToolTipText, theme.text),
        (role.Link, theme.link),
        (role.LinkVisited, theme.link),
        (role.Accent, theme.accent),
        (role.Light, theme.line),
        (role.Midlight, theme.line),
        (role.Mid, theme.line),
        (role.Dark, theme.control_line),
        (role.Shadow, theme.line),
    ):
        palette.setColor(place, QColor(colour))
    for place in (role.WindowText, role.Text, role.ButtonText):
        palette.setColor(QPalette.ColorGroup.Disabled, place, QColor(theme.text_disabled))
    return palette
