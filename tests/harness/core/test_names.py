"""Paths are judged by their words before any file is touched."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.names import parse_name
from desktop.harness.core.protected import protected_reason


def refusal(path: str, *, windows: bool = False) -> Refusal:
    """The code with which a path is refused; its text is a sentence."""
    with pytest.raises(ToolError) as caught:
        parse_name(path, windows=windows)
    assert str(caught.value).endswith(".")
    return caught.value.code


@pytest.mark.parametrize(
    ("path", "parts"),
    [
        ("", ()),
        (".", ()),
        ("./", ()),
        ("a", ("a",)),
        (".//a", ("a",)),
        ("a/.", ("a",)),
        ("a/b/../c", ("a", "c")),
        ("a\\b", ("a\\b",)),
        ("naïve café.txt", ("naïve café.txt",)),
        ("a:b/c", None),
        ("notes:1", ("notes:1",)),
    ],
)
def test_a_path_is_its_components(path: str, parts: tuple[str, ...] | None) -> None:
    """Dots and doubled slashes mean nothing, the rest is kept letter for letter."""
    if parts is None:
        assert refusal(path) is Refusal.BAD_NAME
    else:
        assert parse_name(path).parts == parts


def test_a_trailing_slash_and_a_leading_one_are_told() -> None:
    """Who asks for `f/` means a folder; a leading slash makes a path absolute."""
    assert parse_name("f/").is_folder
    assert not parse_name("f/.").is_folder
    assert parse_name("/a/../../b").parts == ("b",)
    assert parse_name("/a").drive == "/"


@pytest.mark.parametrize("path", ["..", "../x", "d/../../OUT/f", "a/./../.."])
def test_climbing_out_is_outside(path: str) -> None:
    """A relative path that climbs out is refused by its words alone."""
    assert refusal(path) is Refusal.OUTSIDE


@pytest.mark.parametrize(
    "path",
    [
        "a.txt\0.png",
        "a/\ud800",
        "x" * 256,
        "é" * 128,
        "d/" * 2000 + "f",
        "a/" * 300,
        "y" * 5000,
        r"\\?\C:\x",
        r"\??\C:\x",
        r"\\srv\s\x",
        "//srv/s/x",
        "C:rel",
        r"C:\x",
    ],
)
def test_refused_on_every_platform(path: str) -> None:
    """NUL, half characters, sizes no file system takes, and network or device forms are bad names."""
    assert refusal(path) is Refusal.BAD_NAME


@pytest.mark.parametrize(
    "path",
    ["f.txt:ads", "CON", "nul.txt", "a/com1", "a. ", "a.", "a ", "GIT~1", "/c/x", "a?b", "x\ty", "d\\aux.c"],
)
def test_refused_on_windows_only(path: str) -> None:
    """What only Windows gives a second meaning is refused there and is plain elsewhere."""
    assert refusal(path, windows=True) is Refusal.BAD_NAME
    parse_name(path)


def test_windows_paths_are_taken_apart() -> None:
    """Both slashes part names there, and an absolute path keeps its drive."""
    assert parse_name("a\\b/c", windows=True).parts == ("a", "b", "c")
    name = parse_name("c:\\Users\\x", windows=True)
    assert (name.drive, name.parts) == ("C:/", ("Users", "x"))


@given(st.text(alphabet="abC./\\:~\0é\ud800 \n", max_size=40), st.booleans())
def test_a_name_never_keeps_a_way_out(path: str, windows: bool) -> None:
    """Whatever is asked, the components hold no step up, no separator and no NUL."""
    try:
        name = parse_name(path, windows=windows)
    except ToolError:
        return
    for part in name.parts:
        assert part not in ("", ".", "..")
        assert "/" not in part
        assert "\0" not in part


@pytest.mark.parametrize(
    "path",
    [
        ".git/hooks/x",
        "sub/.git",
        ".GIT/hooks/x",
        ".Git/config",
        ".gıt/x",
        ".gİt",
        ".git\u200c/config",
        ".ｇit/x",
        ".git./x",
        ".git /x",
        ".git::$INDEX_ALLOCATION/x",
        "GIT~1/x",
        "a/.env",
        ".env.local",
        ".ENVRC",
        "ENV~1",
        ".vscode/tasks.json",
        ".github/workflows/a.yml",
        ".github",
        "deep/er/AGENTS.md",
        "Claude.MD",
        ".bashrc",
        ".npmrc",
        ".yarnrc.yml",
        "tests/conftest.py",
        "CONFTE~1.PY",
        "x.pth",
        "SITECUSTOMIZE.PY",
        ".mcp.json",
        ".pre-commit-config.yaml",
        "PRE-CO~1.YAM",
        ".husky/pre-commit",
        "\u212a/.\u212bgit/.git",
    ],
)
def test_protected_at_any_depth_in_any_spelling(path: str) -> None:
    """A name that some file system takes for a protected one is protected."""
    assert protected_reason(path).endswith(".")


@pytest.mark.parametrize(
    "path",
    [
        "notes.txt",
        "git/x",
        ".gitignore",
        ".github/ISSUE_TEMPLATE.md",
        "environment.yml",
        "src/agents.py",
        "a~1.txt",
        "x/path.py",
        "README.md",
    ],
)
def test_ordinary_names_are_not_protected(path: str) -> None:
    """Neighbours of protected names stay ordinary, so asking keeps its meaning."""
    assert protected_reason(path) == ""
