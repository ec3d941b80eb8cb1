"""The rules about the shape of the whole tree, and the proof that each rule bites.

A contract that nobody attacks may guard nothing, so each has a breach here: one import line, planted in a
temporary copy of the package, after which exactly the named contracts must be the broken ones.
"""

import ast
import json
import re
import shutil
import subprocess
import sys
import tokenize
import tomllib
from dataclasses import dataclass
from pathlib import Path

import pytest

CHECKOUT = Path(__file__).resolve().parent.parent
PYPROJECT = CHECKOUT / "pyproject.toml"
MODULES = sorted((CHECKOUT / "desktop").rglob("*.py"))
CONTRACTS = tomllib.loads(PYPROJECT.read_text())["tool"]["importlinter"]["contracts"]

LINT = """
import json, pathlib, sys
copy, config, breaches = pathlib.Path(sys.argv[1]), sys.argv[2], json.load(sys.stdin)
sys.path.insert(0, str(copy))
from importlinter.application import use_cases
from importlinter import configuration
configuration.configure()
use_cases._register_built_in_contract_types()
options = use_cases.read_user_options(config)
verdicts = []
ids = {contract["name"]: contract["id"] for contract in options.contracts_options}
for module, line in breaches:
    path = copy / module
    before = path.read_bytes() if path.exists() else None
    if line is not None:
        path.write_bytes((before or b"") + b"\\n" + line.encode() + b"\\n")
    report = use_cases.create_report(options, cache_dir=None)
    checks = report.get_contracts_and_checks()
    verdicts.append([ids[contract.name] for contract, check in checks if not check.kept])
    path.write_bytes(before) if before is not None else path.unlink()
pathlib.Path(sys.argv[3]).write_text(json.dumps(verdicts))
"""
"""A program that plants one breach after the other in a copy and writes down what each one breaks."""


@dataclass(frozen=True)
class Breach:
    """One line in one module (made if need be), and the ids of all contracts that must call it out."""

    module: str
    line: str | None
    broken: frozenset[str]

    def __str__(self) -> str:
        return (
            f"{'+'.join(sorted(self.broken)) or 'none'}: {self.module.removeprefix('desktop/')}: {self.line}"
        )


def breach(module: str, line: str | None, *broken: str) -> Breach:
    """A breach in a module below `desktop/`."""
    return Breach(f"desktop/{module}", line, frozenset(broken))


BREACHES = [
    breach("__init__.py", None),
    breach("proof/referee.py", "import desktop.cli", "house"),
    breach("resources.py", "import desktop.harness.core.ids", "house"),
    breach("stray.py", '"""A room that no contract names."""', "house"),
    breach("harness/engine/feed.py", "import desktop.harness.api", "harness"),
    breach("harness/stray.py", '"""A room that no contract names."""', "harness"),
    breach("harness/engine/feed.py", "import desktop.harness.engine.projects", "engine"),
    breach("harness/engine/stray.py", '"""A room that no contract names."""', "engine"),
    breach("harness/core/plaintext.py", "import desktop.harness.core.commands", "core"),
    breach("harness/core/stray.py", '"""A room that no contract names."""', "core"),
    breach("harness/adapters/redaction.py", "import desktop.harness.adapters.ignore", "adapters"),
    breach("face/strings.py", "import desktop.harness.core.ids", "door"),
    breach("face/strings.py", "import desktop.harness.ports", "door"),
    breach("face/strings.py", "import desktop.wiring", "wiring-callers"),
    breach("face/strings.py", "import desktop.folders", "wiring-callers"),
    breach("proof/referee.py", "import desktop.harness.engine.feed", "built-by-wiring"),
    breach("proof/referee.py", "import desktop.harness.adapters.clock", "built-by-wiring"),
    breach("proof/referee.py", "import PySide6.QtCore", "no-qt-below", "owner-qt"),
    breach("harness/engine/feed.py", "import qasync", "no-qt-below", "owner-qt"),
    breach("__main__.py", "def late() -> None:\n    import PySide6.QtWidgets", "owner-qt"),
    *(
        breach("harness/core/ids.py", f"import {module}", "pure-core")
        for module in ("asyncio", "os", "pathlib", "time", "random", "threading")
    ),
    breach("harness/core/ids.py", "from datetime import datetime", "pure-core"),
    breach("harness/adapters/redaction.py", "import openai", "owner-openai"),
    breach("proof/referee.py", "import sqlite_utils", "owner-database"),
    breach("proof/referee.py", "import sqlite3", "owner-database"),
    breach("wiring.py", "import keyring", "owner-keyring"),
    breach("wiring.py", "import watchdog.observers", "owner-watchdog"),
    breach("harness/adapters/redaction.py", "import pygments", "owner-rendering"),
    breach("harness/adapters/redaction.py", "import markdown_it", "owner-rendering"),
    breach("harness/adapters/redaction.py", "import rapidfuzz", "owner-differences"),
    breach("harness/adapters/redaction.py", "import charset_normalizer", "owner-encodings"),
    breach("harness/adapters/redaction.py", "import pathspec", "owner-ignore"),
    breach("harness/adapters/redaction.py", "import platformdirs", "owner-folders"),
    breach("proof/script.py", "import desktop.proof.server", "acyclic"),
]


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> dict[Breach, frozenset[str]]:
    """Which contracts each breach breaks, found by one program over one copy."""
    copy = tmp_path_factory.mktemp("planted")
    shutil.copytree(CHECKOUT / "desktop", copy / "desktop", ignore=shutil.ignore_patterns("__pycache__"))
    words = [sys.executable, "-P", "-c", LINT, str(copy), str(PYPROJECT), str(copy / "verdicts.json")]
    planted = json.dumps([(planted.module, planted.line) for planted in BREACHES])
    done = subprocess.run(words, input=planted, capture_output=True, text=True, check=False, cwd=copy)
    assert done.returncode == 0, done.stderr
    found = json.loads((copy / "verdicts.json").read_text())
    return {planted: frozenset(broken) for planted, broken in zip(BREACHES, found, strict=True)}


@pytest.mark.parametrize("planted", BREACHES, ids=str)
def test_a_planted_breach_breaks_its_contract(
    planted: Breach, verdicts: dict[Breach, frozenset[str]]
) -> None:
    """The tree as it is keeps all contracts; one wrong import is called out by those meant for it alone."""
    assert verdicts[planted] == planted.broken


def test_every_contract_is_attacked() -> None:
    """No contract stands without a breach that shows it guards something."""
    attacked = {name for planted in BREACHES for name in planted.broken}
    assert attacked == {contract["id"] for contract in CONTRACTS}


@pytest.mark.parametrize(
    "contract", [contract for contract in CONTRACTS if contract["type"] == "protected"], ids=lambda c: c["id"]
)
def test_owners_exist(contract: dict[str, list[str]]) -> None:
    """Those who may import are modules that exist: no contract names a module of the past."""
    owners = [CHECKOUT / owner.replace(".", "/") for owner in contract["allowed_importers"]]
    assert all(owner.is_dir() or owner.with_suffix(".py").is_file() for owner in owners)


def imported(path: Path) -> set[str]:
    """The top-level names of everything that a file imports, anywhere in it."""
    names: set[str] = set()
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            names |= {alias.name.partition(".")[0] for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            names.add(node.module.partition(".")[0])
    return names


def test_core_imports_the_standard_library_alone() -> None:
    """No outside package, listed in a contract or not, is imported by the core."""
    core = (CHECKOUT / "desktop" / "harness" / "core").rglob("*.py")
    outside = {path.name: imported(path) - sys.stdlib_module_names - {"desktop"} for path in core}
    assert not {name: found for name, found in outside.items() if found}


def test_every_outside_package_has_an_owner() -> None:
    """A package that is imported is named in a contract that says who may; a new one cannot slip in."""
    owned = {name for contract in CONTRACTS for name in contract.get("protected_modules", [])}
    outside = {name for path in MODULES for name in imported(path)} - sys.stdlib_module_names - {"desktop"}
    assert outside <= owned


def test_names_say_what_a_module_is() -> None:
    """No module is called by a word that fits everything."""
    vague = {"utils", "util", "helpers", "helper", "common", "misc", "manager", "handler", "handlers", "base"}
    assert not [path for path in MODULES if set(path.stem.split("_")) & vague or path.parent.name in vague]


def test_every_module_says_what_it_holds() -> None:
    """Each module begins with a docstring."""
    sources = [*MODULES, *(CHECKOUT / "packaging").glob("*.py"), *(CHECKOUT / "tests").rglob("*.py")]
    assert not [path for path in sources if not ast.get_docstring(ast.parse(path.read_bytes()))]


@pytest.mark.parametrize("pattern", [r"\.exec_?\(", r"\bprocessEvents\b", r"\bQThread\b"])
def test_the_window_never_runs_a_second_loop(pattern: str) -> None:
    """No dialog, event handler or thread of Qt enters its own loop: under qasync that kills other tasks."""
    assert not [path for path in windowed() if re.search(pattern, path.read_text("utf-8"))]


def test_the_loop_is_made_where_a_window_is_started() -> None:
    """Qt's event loop for asyncio is made by the window's own start and by the tour, and nowhere else."""
    owners = {path.name for path in windowed() if re.search(r"\bQEventLoop\(", path.read_text("utf-8"))}
    assert {"app.py"} <= owners <= {"app.py", "playing.py"}


def windowed() -> list[Path]:
    """The modules that see Qt."""
    return [path for path in MODULES if {"PySide6", "qasync"} & imported(path)]


def tracked() -> list[Path]:
    """All files of the repository, also those not yet committed, without what is ignored."""
    words = ["git", "ls-files", "-z", "--cached", "--others", "--exclude-standard"]
    done = subprocess.run(words, cwd=CHECKOUT, capture_output=True, check=True)
    paths = (CHECKOUT / name for name in done.stdout.decode().split("\0") if name)
    return [path for path in paths if path.is_file()]


def test_no_file_names_a_registry_or_the_place_it_was_written_in() -> None:
    """What is committed holds on any machine: no host of a package registry, no path of the author's disk."""
    words = [
        "pypi" + r"\.org",
        "pythonhosted" + r"\.org",
        "npmjs" + r"\.",
        "deb" + r"\.debian\.org",
        "index" + "-url=",
        r"(?<![\w./])/" + r"work/(main|shared)",
        r"(?<![\w./])/" + r"root/",
        r"(?<![\w-])shared" + r"/",
        "DESIGN" + r"\.md",
    ]
    pattern = re.compile("|".join(words).encode())
    assert not [path.relative_to(CHECKOUT) for path in tracked() if pattern.search(path.read_bytes())]


def test_every_silenced_check_has_a_code_and_a_reason() -> None:
    """`type: ignore` and `noqa` name what they silence, and a word after it says why."""
    marks = re.compile(r"(?:type:\s*ignore|noqa)\b")
    reasoned = re.compile(r"(?:type:\s*ignore\[[\w, -]+\]|noqa:\s*[A-Z]+\d+(?:\s*,\s*[A-Z]+\d+)*)\W+\w.*\w\w")
    bare = []
    for path in [*MODULES, *(CHECKOUT / "packaging").glob("*.py"), *(CHECKOUT / "tests").rglob("*.py")]:
        with tokenize.open(path) as source:
            comments = [
                t.string for t in tokenize.generate_tokens(source.readline) if t.type == tokenize.COMMENT
            ]
        bare += [
            f"{path.name}: {text}" for text in comments if marks.search(text) and not reasoned.search(text)
        ]
    assert not bare
