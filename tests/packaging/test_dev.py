"""The launcher from outside: processes, exit codes, output, and what a second start does not do."""

import ast
import json
import shutil
import signal
import sys
import time
from pathlib import Path

import dev
import pytest

from tests.packaging.conftest import CHECKOUT, SmallCheckout

SETTING_UP = "Setting up Paddock"


def test_words_and_exit_code_pass_through(ready_checkout: SmallCheckout) -> None:
    """What follows `--` reaches the program as it is, and its exit code comes back."""
    done = ready_checkout.call("run", "--", "run", "a b", "--json", variables={"ANSWER": "7"})
    assert done.returncode == 7
    assert json.loads(done.stdout)["words"] == ["run", "a b", "--json"]


def test_standard_output_belongs_to_the_program(ready_checkout: SmallCheckout) -> None:
    """Also during the first start, nothing but the program's own lines is on standard output."""
    assert ready_checkout.first is not None
    assert json.loads(ready_checkout.first.stdout)["words"] == ["sessions", "--json"]
    assert SETTING_UP in ready_checkout.first.stderr


def test_second_start_sets_nothing_up(ready_checkout: SmallCheckout) -> None:
    """A second start is silent, touches nothing in the environment and becomes the program itself."""
    before = ready_checkout.stamp.stat().st_mtime_ns
    process = ready_checkout.start("run", "--", "doctor")
    out, err = process.communicate(timeout=60)
    assert err == ""
    assert ready_checkout.stamp.stat().st_mtime_ns == before
    assert json.loads(out)["pid"] == process.pid


def test_the_folder_one_stands_in_is_not_imported(ready_checkout: SmallCheckout, tmp_path: Path) -> None:
    """A file in the current folder that is called like one of the program's modules is not run."""
    (tmp_path / "json.py").write_text("raise SystemExit(99)")
    done = ready_checkout.call("run", "--", "doctor", cwd=tmp_path)
    assert done.returncode == 0, done.stderr


def test_without_a_screen_the_tour_is_played(ready_checkout: SmallCheckout) -> None:
    """Where a window could not be seen, one sentence says so and the tour plays offscreen."""
    done = ready_checkout.call("run")
    assert json.loads(done.stdout)["words"] == ["tour"]
    assert json.loads(done.stdout)["platform"] == "offscreen"
    assert done.stderr.count("\n") == 1
    assert "no screen" in done.stderr


def test_with_a_screen_the_window_opens(ready_checkout: SmallCheckout) -> None:
    """With a display, no words mean the window, and Qt chooses its platform."""
    done = ready_checkout.call("run", variables={"DISPLAY": ":77"})
    assert json.loads(done.stdout)["words"] == []
    assert json.loads(done.stdout)["platform"] is None
    assert done.stderr == ""


def test_a_verb_needs_no_screen(ready_checkout: SmallCheckout) -> None:
    """A headless verb is passed on without a word about screens."""
    done = ready_checkout.call("run", "--", "doctor", "--json")
    assert json.loads(done.stdout)["words"] == ["doctor", "--json"]
    assert done.stderr == ""


def test_unknown_command_is_wrong_use(ready_checkout: SmallCheckout) -> None:
    """Without a command, or with an unknown one, the three commands are told; exit code 2."""
    for words in ([], ["start"]):
        done = ready_checkout.call(*words)
        assert done.returncode == 2
        assert all(command in done.stderr for command in ("run", "test", "bench"))


def test_killed_set_up_is_redone_once(small_checkout: SmallCheckout) -> None:
    """A killed set-up leaves no stamp; of the next two starts one redoes it, both run."""
    process = small_checkout.start("run", "--", "doctor")
    while not small_checkout.stamp.parent.exists():
        time.sleep(0.01)
    process.send_signal(signal.SIGKILL)
    process.communicate(timeout=60)
    assert not small_checkout.stamp.exists()
    processes = [small_checkout.start("run", "--", "doctor") for _ in range(2)]
    ends = [process.communicate(timeout=300) for process in processes]
    assert [process.returncode for process in processes] == [0, 0]
    assert sum(SETTING_UP in err for _, err in ends) == 1


def test_wrong_hash_is_refused(small_checkout: SmallCheckout) -> None:
    """A package that is not the pinned one stops the set-up with one sentence and no stamp."""
    small_checkout.pin_tiny_wheel(digest="0" * 64)
    done = small_checkout.call("run", "--", "doctor")
    assert done.returncode == 1
    assert "Traceback" not in done.stderr
    assert done.stderr.splitlines()[-1].startswith("Setting up stopped at the packages")
    assert not small_checkout.stamp.exists()


def test_moved_checkout_is_set_up_from_nothing(ready_checkout: SmallCheckout, tmp_path: Path) -> None:
    """A copy of a checkout does not run the code of the place it came from: its environment is built anew."""
    copy = SmallCheckout(tmp_path / "copy")
    shutil.copytree(ready_checkout.folder, copy.folder, symlinks=True, dirs_exist_ok=True)
    stray = copy.stamp.with_name("stray")
    stray.touch()
    assert SETTING_UP in copy.call("run", "--", "doctor").stderr
    assert not stray.exists()


@pytest.mark.parametrize(
    ("words", "opens"),
    [
        ([], True),
        (["."], True),
        (["./tour"], True),
        (["tour"], False),
        (["--help"], False),
        (["./gone"], False),
    ],
)
def test_which_words_open_the_window(
    words: list[str], opens: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No words and the path of a folder open the window; a verb never does, whatever folders there are."""
    (tmp_path / "tour").mkdir()
    monkeypatch.chdir(tmp_path)
    assert dev.opens_window(words) is opens


@pytest.mark.parametrize(
    ("variables", "platform", "has"),
    [
        ({}, "linux", False),
        ({"DISPLAY": ":0"}, "linux", True),
        ({"DISPLAY": ""}, "linux", False),
        ({"WAYLAND_DISPLAY": "wayland-0"}, "linux", True),
        ({"DISPLAY": ":0", "QT_QPA_PLATFORM": "offscreen"}, "linux", False),
        ({"QT_QPA_PLATFORM": "vnc:port=5901"}, "linux", True),
        ({}, "darwin", True),
        ({}, "win32", True),
    ],
)
def test_what_counts_as_a_screen(variables: dict[str, str], platform: str, has: bool) -> None:
    """A screen is one that somebody sees; only Linux comes without."""
    assert dev.has_screen(variables, platform) is has


@pytest.mark.parametrize("source", sorted((CHECKOUT / "packaging").glob("*.py")), ids=lambda path: path.name)
def test_launcher_parses_on_old_pythons(source: Path) -> None:
    """An old Python gets as far as telling which one is needed; only the standard library is used."""
    tree = ast.parse(source.read_bytes(), feature_version=(3, 8))
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    names |= {node.module or "" for node in ast.walk(tree) if isinstance(node, ast.ImportFrom)}
    own = {path.stem for path in source.parent.glob("*.py")}
    assert {name.partition(".")[0] for name in names} <= sys.stdlib_module_names | own


def test_ci_is_only_the_test_command() -> None:
    """What runs at a submission is what a person can type."""
    lines = (CHECKOUT / ".ci" / "run").read_text().splitlines()
    assert lines[-1] == "exec python3 packaging/dev.py test"
    assert len(lines) <= 4
