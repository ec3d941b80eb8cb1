"""The one stylesheet of the application, written from a palette.

It covers what Fusion draws too heavily: buttons, fields, menus, scroll bars. A
widget chooses a look with the dynamic property `look`: `primary` (one a pane),
`quiet` (no border), `icon` (square), `link` (plain text). Anything painted by a
delegate is not in here.
"""

from desktop.face.palettes import Theme

_SHEET = """
QToolTip {{ background: {raised}; color: {text}; border: 1px solid {line}; padding: 4px 8px; }}

QPushButton, QToolButton {{
    background: {field}; color: {text}; border: 1px solid {control_line}; border-radius: 6px;
    padding: 0 12px; min-height: 30px;
}}
QPushButton:hover, QToolButton:hover {{ background: {hover}; }}
QPushButton:pressed, QToolButton:pressed {{ background: {selected}; }}
QPushButton:focus, QToolButton:focus {{ border: 2px solid {focus}; padding: 0 11px; min-height: 28px; }}
QPushButton:disabled, QToolButton:disabled {{
    background: transparent; color: {text_disabled}; border-color: {line};
}}
QPushButton[look="primary"] {{ background: {accent}; color: {on_accent}; border-color: {accent}; }}
QPushButton[look="primary"]:hover {{ background: {accent_hover}; }}
QPushButton[look="primary"]:focus {{ border-color: {text}; }}
QPushButton[look="primary"]:disabled {{
    background: {hover}; color: {text_disabled}; border-color: {hover};
}}
QPushButton[look="quiet"], QToolButton[look="quiet"], QToolButton[look="icon"], QPushButton[look="row"] {{
    background: transparent; border: 1px solid transparent;
}}
QPushButton[look="row"] {{ text-align: left; padding: 0 8px; }}
QPushButton[look="quiet"]:hover, QToolButton[look="quiet"]:hover, QToolButton[look="icon"]:hover,
QPushButton[look="row"]:hover {{ background: {hover}; }}
QPushButton[look="quiet"]:focus, QToolButton[look="quiet"]:focus, QToolButton[look="icon"]:focus,
QPushButton[look="row"]:focus {{ border: 2px solid {focus}; }}
QPushButton[look="row"]:focus {{ padding: 0 7px; }}
QToolButton[look="icon"] {{ padding: 0; min-width: 30px; max-width: 30px; }}
QToolButton[look="icon"]:focus {{ padding: 0; min-width: 28px; max-width: 28px; }}
QPushButton[look="link"] {{
    background: transparent; border: 1px solid transparent; color: {link}; padding: 0 4px;
}}
QPushButton[look="link"]:hover {{ text-decoration: underline; }}
QPushButton[look="link"]:focus {{ border: 2px solid {focus}; padding: 0 3px; }}

QLineEdit {{
    background: {field}; color: {text}; border: 1px solid {control_line}; border-radius: 6px;
    padding: 0 8px; min-height: 28px; selection-background-color: {selection}; selection-color: {text};
}}
QLineEdit:focus {{ border: 2px solid {focus}; padding: 0 7px; min-height: 26px; }}
QLineEdit:disabled {{ background: transparent; color: {text_disabled}; border-color: {line}; }}
QLineEdit QToolButton {{ background: transparent; border: none; padding: 0; min-height: 0; }}

QComboBox {{
    background: {field}; color: {text}; border: 1px solid {control_line}; border-radius: 6px;
    padding: 0 0 0 10px; min-height: 30px; combobox-popup: 0;
}}
QComboBox:hover {{ background: {hover}; }}
QComboBox:focus, QComboBox:on {{ border: 2px solid {focus}; padding: 0 0 0 9px; min-height: 28px; }}
QComboBox:disabled {{ background: transparent; color: {text_disabled}; border-color: {line}; }}
QComboBox[look="quiet"] {{ background: transparent; border-color: transparent; }}
QComboBox[look="quiet"]:hover {{ background: {hover}; }}
QComboBox[look="quiet"]:focus, QComboBox[look="quiet"]:on {{ border-color: {focus}; }}
QComboBox::drop-down {{ border: none; background: transparent; width: 28px; }}
QComboBox::down-arrow {{ image: none; }}
QComboBox QLineEdit, QComboBox QLineEdit:focus {{
    background: transparent; border: none; padding: 0; min-height: 0;
}}
QComboBox QAbstractItemView {{
    background: {field}; color: {text}; border: 1px solid {control_line}; padding: 4px; outline: none;
    selection-background-color: {selected}; selection-color: {text};
}}
QComboBox QAbstractItemView::item {{ min-height: 32px; padding: 0 8px; border-radius: 4px; }}
QComboBox QAbstractItemView::item:selected {{ background: {selected}; color: {text}; }}
QCheckBox {{ spacing: 8px; min-height: 32px; }}
QCheckBox::indicator {{
    width: 16px; height: 16px; border: 1px solid {control_line}; border-radius: 4px; background: {field};
}}
QCheckBox::indicator:checked {{ background: {accent}; border-color: {accent}; }}
QCheckBox::indicator:focus {{ border: 2px solid {focus}; width: 14px; height: 14px; }}
QTabWidget::pane {{ border: none; border-top: 1px solid {line}; top: -1px; }}
QTabBar {{ qproperty-drawBase: 0; }}
QTabBar::tab {{
    background: transparent; color: {text_quiet}; border: none; border-bottom: 2px solid transparent;
    padding: 7px 12px 5px 12px; min-height: 20px;
}}
QTabBar::tab:hover {{ color: {text}; }}
QTabBar::tab:selected {{ color: {text}; border-bottom-color: {accent}; }}
QTabBar::tab:focus {{ background: {selected}; }}
QListWidget {{ background: {field}; border: 1px solid {line}; border-radius: 6px; padding: 4px; }}
QListWidget::item {{ min-height: 28px; padding: 0 8px; border-radius: 4px; }}
QListWidget::item:selected {{ background: {selected}; color: {text}; }}
QFrame#hairline {{ background: {line}; border: none; }}

QMenu {{ background: {field}; color: {text}; border: 1px solid {line}; padding: 4px; }}
QMenu::item {{ padding: 6px 24px 6px 12px; border-radius: 4px; }}
QMenu::item:selected {{ background: {selected}; }}
QMenu::item:disabled {{ color: {text_disabled}; }}
QMenu::separator {{ height: 1px; background: {line}; margin: 4px 8px; }}

QSplitter::handle {{ background: {line}; }}
QSplitter::handle:horizontal {{ width: 1px; }}
QSplitter::handle:vertical {{ height: 1px; }}

QScrollBar:vertical {{ background: transparent; width: 12px; margin: 0; }}
QScrollBar:horizontal {{ background: transparent; height: 12px; margin: 0; }}
QScrollBar::handle {{ background: {control_line}; border-radius: 2px; margin: 4px; }}
QScrollBar::handle:vertical {{ min-height: 32px; }}
QScrollBar::handle:horizontal {{ min-width: 32px; }}
QScrollBar::handle:hover {{ background: {text_quiet}; }}
QScrollBar::add-line, QScrollBar::sub-line {{ width: 0; height: 0; }}
QScrollBar::add-page, QScrollBar::sub-page {{ background: transparent; }}

QListView#chatView {{ background: {window}; border: none; }}
QTreeView#sessionList {{ background: {sidebar}; border: none; }}
QWidget#sessionSidebar {{ background: {sidebar}; }}
QFrame[look="composer"] {{ background: {field}; border: 1px solid {control_line}; border-radius: 8px; }}
QFrame[look="composer"][hasFocus="true"] {{ border: 2px solid {focus}; }}
QFrame[look="composer"] QPlainTextEdit {{ background: transparent; border: none; }}
QFrame[look="bar"] {{ background: {raised}; border: 1px solid {line}; border-radius: 6px; }}
QFrame[look="card"] {{ background: {window}; border: none; border-top: 1px solid {line}; }}

QLabel[look="caption"] {{ color: {text_quiet}; font-size: {caption_points:.2f}pt; }}
QLabel[look="quiet"] {{ color: {text_quiet}; }}
QLabel[look="danger"] {{ color: {danger}; }}
QLabel[look="warning"] {{ color: {warning}; }}
"""


def stylesheet(theme: Theme, *, caption_points: float) -> str:
    """The stylesheet in the colours of a palette; `caption_points` is the size of the smallest text."""
    roles = {name: getattr(theme, name) for name in theme.__slots__}
    return _SHEET.format(**roles, caption_points=caption_points)
