"""The diff of one or more files: a quiet bar on top, the rows under it.

The view is handed files that were compared already and only shows them; it never decides. It
tells when the end came into sight, so that a card can ask for the whole to be seen first.
"""

from collections.abc import Sequence

from PySide6.QtCore import Qt, Signal
from PySide6.QtGui import QKeySequence, QShortcut
from PySide6.QtWidgets import QHBoxLayout, QLabel, QToolButton, QVBoxLayout, QWidget

from desktop.face import strings_window as words
from desktop.face.diff import body
from desktop.face.diff_rows import ComparedFile, DiffRows
from desktop.face.widgets.diff_canvas import DiffCanvas
from desktop.face.widgets.diff_heading import title_of

_DESCRIBED_LINES = 40


class DiffView(QWidget):
    """Before and after of some files, side by side or inline.

    Signals:
        endReached(): the last line was visible.
        styleChosen(is_side): the person chose side by side (or inline).
    """

    endReached = Signal()
    styleChosen = Signal(bool)

    def __init__(self, parent: QWidget | None = None, *, is_card: bool = False) -> None:
        """`is_card`: the owner places `tools` and names a single file itself, so that no room is lost."""
        super().__init__(parent)
        self._is_card = is_card
        self._is_compact = False
        self.setObjectName("diffView")
        self.setAccessibleName(words.DIFF_NAME)
        self._files: tuple[ComparedFile, ...] = ()
        self._is_side = True
        self._whole = False
        self._opened: frozenset[tuple[int, int]] = frozenset()
        self._shut: frozenset[int] = frozenset()
        self._canvas = DiffCanvas(self)
        self._canvas.endReached.connect(self.endReached)
        self._canvas.foldOpened.connect(self._open_fold)
        self._canvas.fileToggled.connect(self._toggle_file)
        self._counts = QLabel()
        self._counts.setProperty("look", "caption")
        self._previous = self._button("previousChangeButton", words.PREVIOUS_CHANGE, "↑", "Shift+F7")
        self._next = self._button("nextChangeButton", words.NEXT_CHANGE, "↓", "F7")
        self._all = self._button("wholeFileButton", words.WHOLE_FILE, words.WHOLE_FILE)
        self._all.setCheckable(True)
        self._style = self._button("diffStyleButton", words.SIDE_BY_SIDE, words.INLINE)
        self._previous.clicked.connect(lambda: self.go_to_change(-1))
        self._next.clicked.connect(lambda: self.go_to_change(1))
        self._all.toggled.connect(self._show_whole)
        self._style.clicked.connect(self._flip_style)
        self.tools = QWidget(self)
        bar = QHBoxLayout(self.tools)
        bar.setContentsMargins(12, 0 if is_card else 2, 8, 0 if is_card else 2)
        bar.setSpacing(4)
        bar.addWidget(self._counts, 1)
        for button in (self._previous, self._next, self._all, self._style):
            bar.addWidget(button)
        layout = QVBoxLayout(self)
        layout.setContentsMargins(0, 0, 0, 0)
        layout.setSpacing(0)
        if not is_card:
            layout.addWidget(self.tools)
        layout.addWidget(self._canvas, 1)
        self.setFocusProxy(self._canvas)

    @property
    def canvas(self) -> DiffCanvas:
        """The scrolled part."""
        return self._canvas

    def show_files(self, files: Sequence[ComparedFile]) -> None:
        """Show these files from the top; what was opened or shut before is forgotten."""
        self._files = tuple(files)
        self._opened, self._shut = frozenset(), frozenset()
        self._canvas.verticalScrollBar().setValue(0)
        self._refresh()
        self._canvas.setAccessibleDescription(described(self._files))
        added = sum(file.added for file in files)
        removed = sum(file.removed for file in files)
        self._counts.setText(words.line_counts(len(files), added, removed))

    def set_compact(self, *, is_compact: bool) -> None:
        """Show only the most needed of the tools; the keys still work."""
        self._is_compact = is_compact
        self._show_tools()

    def set_side_by_side(self, is_side: bool) -> None:
        """Choose the way of showing without telling anybody."""
        self._is_side = is_side
        self._refresh()

    def is_side_by_side(self) -> bool:
        """Whether two columns are shown (a new or deleted file always has one)."""
        return self._is_side

    def go_to_change(self, step: int) -> None:
        """Scroll to the next (1) or previous (-1) change."""
        rows = self._rows()
        here, changes = self._canvas.first_visible() + 1, rows.changes()
        later = [index for index in changes if index > here]
        earlier = [index for index in changes if index < here]
        if step > 0 and later:
            self._canvas.scroll_to(later[0])
        elif step < 0 and earlier:
            self._canvas.scroll_to(earlier[-1])

    def show_first_change(self) -> None:
        """Scroll as little as brings the first change into sight."""
        changes = self._rows().changes()
        if changes:
            self._canvas.reveal(changes[0])

    def _rows(self) -> DiffRows:
        return DiffRows(
            self._files,
            side=self._is_side,
            opened=self._opened,
            shut=self._shut,
            whole=self._whole,
            headings=not self._is_card or len(self._files) > 1,
        )

    def _refresh(self) -> None:
        rows = self._rows()
        self._canvas.set_rows(rows, is_complete=not self._shut)
        self._style.setText(words.INLINE if self._is_side else words.SIDE_BY_SIDE)
        self._style.setAccessibleName(words.show_as(self._style.text()))
        for button in (self._previous, self._next):
            button.setEnabled(len(rows.changes()) > 1)
        self._show_tools()

    def _show_tools(self) -> None:
        has_both = any(not file.is_one_sided for file in self._files)
        self._style.setVisible(has_both)
        self._all.setVisible(has_both and not self._is_compact)
        self._previous.setVisible(not self._is_compact)
        self._next.setVisible(not self._is_compact)
        self._counts.setVisible(not self._is_card or (len(self._files) == 1 and not self._is_compact))

    def _flip_style(self) -> None:
        self.set_side_by_side(not self._is_side)
        self.styleChosen.emit(self._is_side)

    def _show_whole(self, whole: bool) -> None:
        self._whole = whole
        self._all.setText(words.ONLY_CHANGES if whole else words.WHOLE_FILE)
        self._refresh()

    def _open_fold(self, file: int, block: int) -> None:
        self._opened = self._opened | {(file, block)}
        self._refresh()

    def _toggle_file(self, file: int) -> None:
        self._shut = self._shut ^ {file}
        self._refresh()

    def _button(self, name: str, about: str, text: str, keys: str = "") -> QToolButton:
        button = QToolButton()
        button.setObjectName(name)
        button.setText(text)
        button.setProperty("look", "quiet")
        button.setAccessibleName(about)
        button.setToolTip(f"{about} ({keys})" if keys else about)
        if keys:
            shortcut = QShortcut(QKeySequence(keys), self)
            shortcut.setContext(Qt.ShortcutContext.WidgetWithChildrenShortcut)
            shortcut.activated.connect(button.click)
        return button


def described(files: Sequence[ComparedFile]) -> str:
    """The first changed lines in words, for who cannot see them."""
    lines: list[str] = []
    for file in files:
        lines.append(f"{title_of(file)}: {words.line_counts(1, file.added, file.removed)}")
        for block in file.comparison.blocks:
            if not block.same and len(lines) < _DESCRIBED_LINES:
                lines += [
                    f"− {body(line)}"
                    for line in file.comparison.before[block.b0 : block.b1][:_DESCRIBED_LINES]
                ]
                lines += [
                    f"+ {body(line)}"
                    for line in file.comparison.after[block.a0 : block.a1][:_DESCRIBED_LINES]
                ]
    return "\n".join(lines[:_DESCRIBED_LINES])
