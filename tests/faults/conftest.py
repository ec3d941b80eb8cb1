"""The house and the command, as the tests of the engine and of the command know them, for planted faults."""

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

import pytest

from desktop.cli.command import main
from desktop.proof.script import calls, text
from tests.cli.conftest import Command as Command
from tests.cli.conftest import Done
from tests.cli.conftest import paddock as paddock
from tests.harness.engine.conftest import Bench, MakeBench
from tests.harness.engine.conftest import bench as bench

Asked = tuple[str, dict[str, Any] | str]
Attempt = Callable[..., Awaitable[tuple[Bench, list[Any]]]]

Inside = Callable[..., Done]

EVERY_TOOL = ("edit_file", "write_file", "move_file", "delete_file", "run_command")


@pytest.fixture
def attempt(bench: MakeBench) -> Attempt:
    """Lets a model ask for these tools in one reply, all of them allowed; the house and the results.

    `prepare` is called with the folder first. Protected names still ask, so their calls stay without result.
    """

    async def run(*asked: Asked, prepare: Callable[[Any], Any] = lambda _: None) -> tuple[Bench, list[Any]]:
        script: list[Any] = []
        house = await bench(lambda _: script.pop(0))
        prepare(house.folder)
        script += [calls(numbered([_placed(one, house) for one in asked])), text("Done.")]
        session = await house.start()
        await house.say(session, "do it", rules=EVERY_TOOL)
        return house, await house.results(session)

    return run


@pytest.fixture
def inside(paddock: Command, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Inside:
    """`paddock VERB ... --json` in this process: the same words and codes for a tenth of the time."""
    monkeypatch.setenv("PADDOCK_DATA_DIR", str(paddock.data))

    def call_it(*words: str) -> Done:
        capsys.readouterr()
        try:
            code = main([*words, "--json"])
        except SystemExit as ended:  # wrong words
            code = int(str(ended.code))
        out, err = capsys.readouterr()
        return Done(code=code, out=out, err=err)

    return call_it


def numbered(asked: Sequence[Asked]) -> list[tuple[Any, ...]]:
    """Each call with a label of its own."""
    return [(tool, arguments, f"c{number}") for number, (tool, arguments) in enumerate(asked)]


def _placed(asked: Asked, house: Bench) -> Asked:
    """The call with the real places for `{root}`, `{name}` and `{beside}` in its arguments."""
    tool, arguments = asked
    if isinstance(arguments, str):
        return asked
    places = {"{root}": str(house.folder), "{name}": house.folder.name, "{beside}": str(house.folder.parent)}
    placed = dict(arguments)
    for name, value in placed.items():
        for mark, place in places.items():
            value = value.replace(mark, place) if isinstance(value, str) else value
        placed[name] = value
    return tool, placed
