"""Colours can be read: each pair in use has the contrast that WCAG 2.2 AA asks for."""

import pytest
from PySide6.QtGui import QPalette
from PySide6.QtWidgets import QApplication

from desktop.face import theme
from desktop.face.palettes import PAIRS, PALETTES, Theme, contrast


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_every_pair_can_be_read(palette: Theme) -> None:
    """No text and no control is fainter on its ground than it may be, in any palette."""
    faint = [
        (ink, ground, round(contrast(getattr(palette, ink), getattr(palette, ground)), 2))
        for ink, ground, least in PAIRS
        if contrast(getattr(palette, ink), getattr(palette, ground)) < least
    ]
    assert not faint


def test_contrast_is_measured_as_defined() -> None:
    """Black on white is 21, a colour on itself 1, and the order of the two does not matter."""
    assert contrast("#000000", "#ffffff") == pytest.approx(21)
    assert contrast("#777777", "#777777") == 1
    assert contrast("#123456", "#fedcba") == contrast("#fedcba", "#123456")


@pytest.mark.parametrize("palette", PALETTES.values(), ids=PALETTES)
def test_added_and_removed_stay_apart_without_red_and_green(palette: Theme) -> None:
    """To eyes that lack one of red and green, the two grounds of a diff still differ in blue."""
    added, removed = int(palette.diff_added[5:], 16), int(palette.diff_removed[5:], 16)
    assert added - removed >= 8


def test_applying_a_theme_dresses_the_application(qapp: QApplication) -> None:
    """The palette in force is the one asked for; an unknown name falls back instead of failing."""
    assert theme.apply_theme(qapp, "dark").dark
    assert theme.current().name == "dark"
    assert qapp.palette().color(QPalette.ColorRole.Window).name() == theme.current().window
    assert theme.apply_theme(qapp, "no such theme").name in PALETTES
    theme.apply_theme(qapp, "light")


def test_text_is_never_tiny(qapp: QApplication) -> None:
    """Text has at least 10 points, and applying a theme again does not let it grow or shrink."""
    theme.apply_theme(qapp, "light")
    first = theme.font().pointSizeF()
    theme.apply_theme(qapp, "dark")
    assert theme.font().pointSizeF() == first >= theme.SMALLEST_POINTS
    theme.apply_theme(qapp, "light")
