"""The inside of a Markdown paragraph written with a cursor: weights, code, links.

An image is never fetched: its words stand there as a link. A link whose words
name another host than its address shows the address beside it.
"""

from collections.abc import Iterable

from markdown_it.token import Token
from PySide6.QtGui import QColor, QFont, QTextCharFormat, QTextCursor

from desktop.face import strings, theme
from desktop.face.markdown import is_disguised, is_followed, prose
from desktop.harness.api import for_name, show_safe

LINE_BREAK = "\u2028"


class InlineWriter:
    """Writes the children of one inline token where the cursor stands."""

    def __init__(self, cursor: QTextCursor) -> None:
        self._cursor = cursor
        self._forms: list[QTextCharFormat] = []
        self._links: list[tuple[str, list[str]]] = []

    def write(
        self,
        children: Iterable[Token],
        *,
        skip: int = 0,
        bold: bool = False,
        quiet: bool = False,
        size: float = 1.0,
    ) -> None:
        """Write; the first `skip` characters of the first text are left out."""
        base = QTextCharFormat()
        if bold:
            base.setFontWeight(QFont.Weight.DemiBold)
        if size != 1.0:
            base.setFontPointSize(theme.font().pointSizeF() * size)
        if quiet:
            base.setForeground(QColor(theme.current().text_quiet))
        self._forms = [base]
        for number, token in enumerate(children):
            self._write_one(token, skip if number == 0 else 0)

    def _write_one(self, token: Token, skip: int) -> None:
        match token.type:
            case "text":
                self._text(prose(token.content[skip:]))
            case "softbreak" | "hardbreak":
                self._cursor.insertText(LINE_BREAK, self._forms[-1])
            case "code_inline":
                self._text(show_safe(token.content), code=True)
            case "strong_open" | "em_open" | "s_open":
                self._open(token.type)
            case "strong_close" | "em_close" | "s_close":
                self._forms.pop()
            case "link_open":
                self._open_link(str(token.attrs.get("href", "")), str(token.attrs.get("title", "")))
            case "link_close":
                self._close_link()
            case "image":
                self._image(token)
            case _:
                self._text(prose(token.content).replace("\n", LINE_BREAK))

    def _text(self, text: str, *, code: bool = False) -> None:
        if self._links:
            self._links[-1][1].append(text)
        form = self._forms[-1]
        if code:
            form = QTextCharFormat(form)
            form.setFontFamilies(theme.code_font().families())
            form.setFontPointSize(theme.code_font().pointSizeF())
            form.setBackground(QColor(theme.current().code_ground))
        self._cursor.insertText(text, form)

    def _open(self, kind: str) -> None:
        form = QTextCharFormat(self._forms[-1])
        if kind == "strong_open":
            form.setFontWeight(QFont.Weight.DemiBold)
        elif kind == "em_open":
            form.setFontItalic(True)
        else:
            form.setFontStrikeOut(True)
        self._forms.append(form)

    def _open_link(self, address: str, title: str) -> None:
        self._links.append((address, []))
        form = QTextCharFormat(self._forms[-1])
        if is_followed(address):
            form.setAnchor(True)
            form.setAnchorHref(address)
            form.setForeground(QColor(theme.current().link))
            form.setFontUnderline(True)
            form.setToolTip(for_name(f"{title} {address}".strip()))
        self._forms.append(form)

    def _close_link(self) -> None:
        self._forms.pop()
        address, parts = self._links.pop()
        words = "".join(parts)
        is_elsewhere = is_disguised(words, address) if is_followed(address) else words != address
        if is_elsewhere:
            self._text(f" ({for_name(address)})")

    def _image(self, token: Token) -> None:
        address = str(token.attrs.get("src", ""))
        self._open_link(address, str(token.attrs.get("title", "")))
        self._text(prose(token.content) or for_name(address))
        self._close_link()
        self._text(f" [{strings.PICTURE}]")
