"""Code in colours: a text cut into pieces that name a role of the palette.

Pygments finds the words; six roles are enough to read by. It never raises and
never changes a text: the pieces joined are the text that came in. Long texts and
unknown languages come back as one plain piece.
"""

from collections.abc import Iterator
from functools import cache

from pygments.lexer import Lexer
from pygments.lexers import get_lexer_by_name, get_lexer_for_filename
from pygments.token import (
    Comment,
    Keyword,
    Literal,
    Name,
    Number,
    Operator,
    String,
    _TokenType,
)
from pygments.util import ClassNotFound

LONGEST = 8_000
"""Characters beyond which a text stays plain; colouring costs some 5 ms for 1,000 of them."""

_ROLES: tuple[tuple[_TokenType, str], ...] = (
    (Comment, "code_comment"),
    (String, "code_string"),
    (Number, "code_number"),
    (Literal, "code_number"),
    (Keyword.Type, "code_type"),
    (Keyword, "code_keyword"),
    (Operator.Word, "code_keyword"),
    (Name.Function, "code_function"),
    (Name.Decorator, "code_function"),
    (Name.Class, "code_type"),
    (Name.Builtin, "code_type"),
    (Name.Tag, "code_keyword"),
    (Name.Attribute, "code_function"),
)


@cache
def _lexer(language: str) -> Lexer | None:
    try:
        return get_lexer_by_name(language, stripnl=False, ensurenl=False)
    except ClassNotFound:
        return None


def language_of(file_name: str) -> str:
    """The language that a file's name tells, empty when it tells none."""
    try:
        aliases = get_lexer_for_filename(file_name).aliases
    except ClassNotFound:
        return ""
    return aliases[0] if aliases else ""


@cache
def _role(kind: _TokenType) -> str:
    return next((role for family, role in _ROLES if kind in family), "")


def coloured(code: str, language: str) -> Iterator[tuple[str, str]]:
    """Pieces of `code` as (text, role); the role is empty for plain text."""
    lexer = _lexer(language) if language and len(code) <= LONGEST else None
    if lexer is None:
        yield code, ""
        return
    pieces = [(text, _role(kind)) for kind, text in lexer.get_tokens(code)]
    if "".join(text for text, _ in pieces) != code:
        yield code, ""
        return
    yield from pieces
