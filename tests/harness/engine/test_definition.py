"""A run goes on with the agent it began with, or a person says that another one may."""

from dataclasses import replace
from typing import Any

from desktop.harness.api import Mode, Status
from desktop.harness.core.definition import is_same_model
from desktop.proof.script import calls, delta, finish, text


def asking_as(model: str, path: str) -> list[Any]:
    """A reply of some model that asks for a write."""
    steps = calls([("write_file", {"path": path, "content": "x"}, "id")])
    return [{**step, "model": model} if isinstance(step, dict) else step for step in steps]


def test_a_more_exact_name_is_the_same_model() -> None:
    """Dates, tags and folders around the name do not make another model; another name does."""
    assert is_same_model("gpt-4.1", "gpt-4.1-2025-04-14")
    assert is_same_model("qwen3", "qwen3:latest")
    assert is_same_model("maker/qwen3", "qwen3")
    assert is_same_model("anything", "")
    assert not is_same_model("gpt-4.1", "o3")


async def test_another_model_asks_before_its_first_effect(bench: Any) -> None:
    """Its effect waits until the person says go on; that holds for this model from then on."""
    script = [asking_as("stranger", "a"), asking_as("stranger", "b"), asking_as("third", "c")]
    b = await bench(script)
    session = await b.start()
    view = await b.say(session, "go", rules=["write_file"])
    assert view.status is Status.PAUSED
    assert "stranger answered instead of scripted" in view.problem
    assert list(b.folder.iterdir()) == []
    await b.door.sessions.resume(session)
    view = await b.door.sessions.settled(session)
    assert view.status is Status.PAUSED
    assert "third" in view.problem
    assert sorted(path.name for path in b.folder.iterdir()) == ["a", "b"]


async def test_a_strangers_words_alone_need_no_question(bench: Any) -> None:
    """Where nothing is to be done, nothing is asked."""
    b = await bench([[delta({"content": "Hello."}, model="stranger"), finish()]])
    assert (await b.say(await b.start(), "hi")).status is Status.IDLE


async def test_changed_instructions_ask_once(bench: Any) -> None:
    """A run that is gone on with after an update pauses first; going on again is the yes."""
    b = await bench([calls([("write_file", {"path": "a", "content": "x"}, "id")]), text("Done.")])
    session = await b.start()
    await b.say(session, "go")
    await b.reopen()
    coordinator = b.door.coordinator
    coordinator.parts = b.door.sessions._parts = replace(coordinator.parts, instructions="Be someone else.")
    view = await b.answer(session)
    assert view.status is Status.PAUSED
    assert "changed since" in view.problem
    assert (await b.kinds(session))[-2:] == ["definition_changed", "paused"]
    assert not (b.folder / "a").exists()
    b.server.allow_new_prefix()
    await b.door.sessions.resume(session)
    assert (await b.door.sessions.settled(session)).status is Status.IDLE
    assert (b.folder / "a").read_text() == "x"


async def test_a_mode_chosen_by_the_person_is_no_surprise(bench: Any) -> None:
    """Another mode or model by the person's own choice asks nothing."""
    b = await bench([text("one"), text("two")])
    session = await b.start()
    await b.say(session, "hi")
    await b.door.sessions.set_mode(session, Mode.READ_ONLY)
    b.server.allow_new_prefix()
    assert (await b.say(session, "again")).status is Status.IDLE
