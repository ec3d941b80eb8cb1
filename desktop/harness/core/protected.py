"""Protected names: files that other programs obey, so that every change of one asks.

Holds the list and the judgement by name, at any depth. Names are compared the way
the most forgiving file system would: case folded, compatibility forms composed,
characters that file systems ignore taken out, dotless and dotted i alike, trailing
dots and spaces, streams and short forms (GIT~1) seen through. On a stricter file
system this asks once too often, which is the cheaper mistake. Reading a protected
file is not judged here.
"""

import re
import unicodedata

_GIT = "Git obeys it: it can name programs to run."
_EDITOR = "An editor obeys it: it can run programs when the folder is opened."
_AGENT = "Other agents obey it as instructions."
_SHELL = "A shell obeys it each time it starts or enters the folder."
_PACKAGES = "A package manager obeys it: it can run programs or change where packages come from."
_PYTHON = "Python runs it by itself."
_SECRETS = "It holds settings and passwords of programs."
_RUNNER = "It names programs that run by themselves."

_REASONS: dict[str, str] = {
    **dict.fromkeys((".git", ".gitmodules", ".gitattributes", ".gitconfig", ".hg", ".hgrc", ".svn"), _GIT),
    **dict.fromkeys((".husky", ".pre-commit-config.yaml", ".pre-commit-config.yml"), _RUNNER),
    **dict.fromkeys((".vscode", ".idea", ".zed", ".devcontainer", ".devcontainer.json"), _EDITOR),
    **dict.fromkeys((".cursor", ".cursorrules", ".claude", ".codex", ".gemini", ".mcp.json"), _AGENT),
    **dict.fromkeys(("agents.md", "claude.md", "gemini.md"), _AGENT),
    **dict.fromkeys((".envrc", ".profile", ".bashrc", ".bash_profile", ".bash_login"), _SHELL),
    **dict.fromkeys(
        (".bash_logout", ".bash_aliases", ".zshrc", ".zshenv", ".zprofile", ".zlogin", ".kshrc"), _SHELL
    ),
    **dict.fromkeys((".cshrc", ".tcshrc", ".inputrc", "config.fish"), _SHELL),
    **dict.fromkeys((".npmrc", ".pnpmfile.cjs", ".pnpmfile.mjs", ".pypirc"), _PACKAGES),
    **dict.fromkeys(("sitecustomize.py", "usercustomize.py", "conftest.py"), _PYTHON),
    **dict.fromkeys((".netrc", ".ssh", ".gnupg"), _SECRETS),
}
_PREFIXES = ((".env", _SECRETS), (".yarnrc", _PACKAGES))
_IGNORED = re.compile(
    "[\xad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u202a-\u202e\u2060-\u206f\u3164"
    "\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufff8\U0001bca0-\U0001bca3\U0001d173-\U0001d17a\U000e0000-\U000e0fff]"
)
_DOTTED_I = str.maketrans({"ı": "i", "İ": "i"})
_SHORT_NAME = re.compile(r"([^~.]{1,6})~[0-9]+(?:\.[^.]{0,3})?\Z")


def protected_reason(path: str) -> str:
    """Why a change of this path always asks, in one sentence; "" when it is an ordinary path."""
    names = [folded(part) for part in path.replace("\\", "/").split("/")]
    for index, name in enumerate(names):
        reason = _reason_of(name) or _workflow_reason(names[index:])
        if reason:
            return reason
    return ""


def folded(name: str) -> str:
    """One component as the most forgiving file system compares it."""
    name = _IGNORED.sub("", name).translate(_DOTTED_I)
    name = unicodedata.normalize("NFKC", unicodedata.normalize("NFKC", name).casefold())
    return name.split(":", 1)[0].rstrip(". ")


def _reason_of(name: str) -> str:
    if reason := _REASONS.get(name, ""):
        return reason
    if name.endswith(".pth"):
        return _PYTHON
    for prefix, reason in _PREFIXES:
        if name.startswith(prefix):
            return reason
    short = _SHORT_NAME.match(name)
    return _short_reason(short[1]) if short else ""


def _short_reason(stem: str) -> str:
    for name, reason in _REASONS.items():
        if name.lstrip(".").partition(".")[0][:6] == stem:
            return reason
    return _SECRETS if stem.startswith("env") else ""


def _workflow_reason(names: list[str]) -> str:
    if names[0] == ".github" and (len(names) == 1 or names[1] == "workflows"):
        return _RUNNER
    return ""
