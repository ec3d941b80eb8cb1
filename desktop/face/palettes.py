"""The colours of Paddock: three palettes of named roles.

A role says what a colour is for, never how it looks; widgets name roles only.
Neutral greys carry a trace of warmth, the one accent is the green of a meadow.
Added leans to teal and removed to brick, so that they stay apart for people who
see red and green alike; the diff adds + and − beside them. `PAIRS` lists every
text on every ground that is used, with the contrast it must have (WCAG 2.2 AA),
and a test measures each of them in each palette.
"""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """One palette. Every field but the first two is a colour as `#rrggbb`."""

    name: str
    dark: bool
    window: str
    sidebar: str
    raised: str
    field: str
    hover: str
    selected: str
    line: str
    control_line: str
    text: str
    text_quiet: str
    text_disabled: str
    accent: str
    accent_hover: str
    on_accent: str
    focus: str
    link: str
    selection: str
    danger: str
    warning: str
    info: str
    ok: str
    dot_idle: str
    dot_running: str
    dot_waiting: str
    dot_problem: str
    code_ground: str
    code_comment: str
    code_keyword: str
    code_string: str
    code_number: str
    code_function: str
    code_type: str
    diff_added: str
    diff_removed: str
    diff_added_word: str
    diff_removed_word: str
    diff_added_mark: str
    diff_removed_mark: str
    diff_gap: str


LIGHT = Theme(
    name="light",
    dark=False,
    window="#fcfbf9",
    sidebar="#f3f1ed",
    raised="#f3f1ec",
    field="#ffffff",
    hover="#e9e6e0",
    selected="#dbe6dd",
    line="#e3dfd8",
    control_line="#8f897f",
    text="#24221f",
    text_quiet="#5c5851",
    text_disabled="#79746b",
    accent="#23633f",
    accent_hover="#1a5032",
    on_accent="#ffffff",
    focus="#2f8055",
    link="#1c6440",
    selection="#bfe0cc",
    danger="#9f281f",
    warning="#7d4f00",
    info="#2255a0",
    ok="#1f6a41",
    dot_idle="#8c867c",
    dot_running="#2f6fd0",
    dot_waiting="#b06f00",
    dot_problem="#c8372b",
    code_ground="#f4f2ee",
    code_comment="#5c5851",
    code_keyword="#75297a",
    code_string="#1b5c34",
    code_number="#7d4300",
    code_function="#1f4e92",
    code_type="#0c5a64",
    diff_added="#def3ea",
    diff_removed="#fce6df",
    diff_added_word="#b4e2cf",
    diff_removed_word="#f8c5b6",
    diff_added_mark="#0b6148",
    diff_removed_mark="#9c2a1a",
    diff_gap="#f0ede7",
)

DARK = Theme(
    name="dark",
    dark=True,
    window="#1f1e1c",
    sidebar="#191816",
    raised="#2c2b28",
    field="#262522",
    hover="#33312e",
    selected="#2d3d33",
    line="#383632",
    control_line="#807a70",
    text="#e9e6e0",
    text_quiet="#aca69c",
    text_disabled="#89837a",
    accent="#2f7f54",
    accent_hover="#2a7049",
    on_accent="#ffffff",
    focus="#5bb385",
    link="#7fcb9f",
    selection="#2f5a43",
    danger="#f2968a",
    warning="#e2b660",
    info="#93b8f4",
    ok="#7fcb9f",
    dot_idle="#8a847a",
    dot_running="#6ea3f2",
    dot_waiting="#e0a63c",
    dot_problem="#ee7466",
    code_ground="#2b2a27",
    code_comment="#bdb7ad",
    code_keyword="#e2b6e8",
    code_string="#9bd3ac",
    code_number="#ebba80",
    code_function="#a0c2f5",
    code_type="#84cfd8",
    diff_added="#1c372d",
    diff_removed="#432824",
    diff_added_word="#22513f",
    diff_removed_word="#64332b",
    diff_added_mark="#86d8b9",
    diff_removed_mark="#f5a698",
    diff_gap="#262522",
)

CONTRAST = Theme(
    name="contrast",
    dark=True,
    window="#000000",
    sidebar="#000000",
    raised="#141414",
    field="#000000",
    hover="#2b2b2b",
    selected="#133d25",
    line="#8f8f8f",
    control_line="#ffffff",
    text="#ffffff",
    text_quiet="#e2e2e2",
    text_disabled="#b0b0b0",
    accent="#7dffb0",
    accent_hover="#b5ffd2",
    on_accent="#000000",
    focus="#ffe14d",
    link="#7dffb0",
    selection="#1d5c39",
    danger="#ffaaa0",
    warning="#ffd866",
    info="#a9ccff",
    ok="#7dffb0",
    dot_idle="#c4c4c4",
    dot_running="#8ab9ff",
    dot_waiting="#ffd040",
    dot_problem="#ff8e80",
    code_ground="#141414",
    code_comment="#d6d6d6",
    code_keyword="#f0c0ff",
    code_string="#a8f5c0",
    code_number="#ffd29a",
    code_function="#b9d6ff",
    code_type="#9df0fa",
    diff_added="#00291a",
    diff_removed="#3a0e08",
    diff_added_word="#00523a",
    diff_removed_word="#6b2116",
    diff_added_mark="#7dffce",
    diff_removed_mark="#ffb0a3",
    diff_gap="#1f1f1f",
)

PALETTES = {theme.name: theme for theme in (LIGHT, DARK, CONTRAST)}

_GROUNDS = ("window", "sidebar", "raised", "field", "hover", "selected")
_CODE = ("code_comment", "code_keyword", "code_string", "code_number", "code_function", "code_type", "text")
_CODE_GROUNDS = (
    "code_ground",
    "field",
    "diff_added",
    "diff_removed",
    "diff_added_word",
    "diff_removed_word",
)

TEXT_RATIO = 4.5
"""Smallest contrast of text on its ground (WCAG 2.2, 1.4.3)."""
CONTROL_RATIO = 3.0
"""Smallest contrast of a control, a dot or large text on its ground (WCAG 2.2, 1.4.11)."""

PAIRS: tuple[tuple[str, str, float], ...] = (
    *((ink, ground, TEXT_RATIO) for ink in ("text", "text_quiet") for ground in _GROUNDS),
    *(
        (ink, ground, TEXT_RATIO)
        for ink in ("link", "danger", "warning", "info", "ok")
        for ground in ("window", "sidebar", "raised", "field")
    ),
    *((ink, ground, TEXT_RATIO) for ink in _CODE for ground in _CODE_GROUNDS),
    ("text", "selection", TEXT_RATIO),
    ("text", "diff_gap", TEXT_RATIO),
    ("text_quiet", "diff_gap", TEXT_RATIO),
    ("text_quiet", "diff_added", TEXT_RATIO),
    ("text_quiet", "diff_removed", TEXT_RATIO),
    ("diff_added_mark", "diff_added", TEXT_RATIO),
    ("diff_removed_mark", "diff_removed", TEXT_RATIO),
    ("diff_added_mark", "window", TEXT_RATIO),
    ("diff_removed_mark", "window", TEXT_RATIO),
    ("on_accent", "accent", TEXT_RATIO),
    ("on_accent", "accent_hover", TEXT_RATIO),
    ("accent", "window", CONTROL_RATIO),
    ("focus", "window", CONTROL_RATIO),
    ("focus", "sidebar", CONTROL_RATIO),
    ("control_line", "window", CONTROL_RATIO),
    ("control_line", "field", CONTROL_RATIO),
    ("control_line", "sidebar", CONTROL_RATIO),
    ("text_disabled", "window", CONTROL_RATIO),
    *(
        (dot, ground, CONTROL_RATIO)
        for dot in ("dot_idle", "dot_running", "dot_waiting", "dot_problem")
        for ground in ("sidebar", "window")
    ),
)


def luminance(colour: str) -> float:
    """Relative luminance of `#rrggbb`, 0 for black to 1 for white (WCAG 2.2)."""
    channels = (int(colour[place : place + 2], 16) / 255 for place in (1, 3, 5))
    red, green, blue = (c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in channels)
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(ink: str, ground: str) -> float:
    """Contrast of two colours, 1 to 21 (WCAG 2.2)."""
    high, low = sorted((luminance(ink), luminance(ground)), reverse=True)
    return (high + 0.05) / (low + 0.05)
