"""`paddock run`: one prompt, until the session is idle or a person is needed."""

from argparse import ArgumentParser, Namespace
from pathlib import Path

from desktop.cli.asking import show_questions
from desktop.cli.exits import Exit
from desktop.cli.following import follow
from desktop.cli.output import Output
from desktop.cli.verb import Verb
from desktop.harness.api import Door, Mode, Route, Seq, SessionId, SessionView, UsageError, record_as_json


def _declare(parser: ArgumentParser) -> None:
    parser.add_argument("prompt", metavar="PROMPT", help="what should be done")
    parser.add_argument("--workspace", metavar="DIR", help="the folder to work in")
    parser.add_argument("--session", metavar="ID", help="go on with this chat instead of a new one")
    parser.add_argument("--mode", choices=[str(mode) for mode in Mode], help="default: write")
    parser.add_argument("--model", metavar="M", help="the model that answers")
    parser.add_argument("--base-url", metavar="URL", help="an OpenAI-compatible service")
    parser.add_argument(
        "--on-ask",
        choices=["stop", "deny"],
        default="stop",
        help="what to do when a question comes up: stop and wait (default), or answer no and go on",
    )
    parser.add_argument(
        "--allow",
        metavar="RULE",
        action="append",
        default=[],
        help="allow a tool (`edit_file`, or `edit_file:notes/*`) until this prompt is done; may be repeated",
    )


async def run(door: Door, words: Namespace, out: Output) -> int:
    """Say it, print what is committed, end as the session ends."""
    if not words.prompt.strip():
        raise UsageError("The prompt is empty; say what should be done.")
    if words.session is None:
        session, after = await _begin(door, words), Seq(0)
    else:
        session = SessionId(words.session)
        view = await door.sessions.view(session)
        after = view.last_seq
        await _adjust(door, words, view)
    denies = words.on_ask == "deny"

    async def say() -> None:
        await door.sessions.prompt(session, words.prompt, rules=words.allow, deny_questions=denies)

    following, code = await follow(door, session, out, say, after=after)
    if code == Exit.DONE and denies and any(map(_is_refusal, map(record_as_json, following.printed))):
        return Exit.REFUSED
    if code == Exit.WAITING:
        await show_questions(door, session, out)
    elif words.session is None:
        out.line(f"(chat {session})")
    return code


def _is_refusal(item: dict[str, object]) -> bool:
    data = item["data"]
    return item["kind"] == "tool_result" and isinstance(data, dict) and data.get("status") == "refused"


async def _begin(door: Door, words: Namespace) -> SessionId:
    """A new session for this call."""
    if words.workspace is None:
        raise UsageError("Name the folder to work in with --workspace, or a chat with --session.")
    route = await _route(door, words, door.services.default_route())
    return await door.sessions.start(words.workspace, mode=Mode(words.mode or Mode.WRITE), route=route)


async def _adjust(door: Door, words: Namespace, view: SessionView) -> None:
    """Mode and model of a session that goes on, where the call names others."""
    if words.workspace is not None and not _is_same_folder(words.workspace, view.workspace):
        raise UsageError(f"The chat {view.session} belongs to another folder, {view.workspace}.")
    route = await _route(door, words, view.route)
    if words.mode is not None and Mode(words.mode) is not view.mode:
        await door.sessions.set_mode(view.session, Mode(words.mode))
    if route != view.route:
        await door.sessions.set_route(view.session, route)


def _is_same_folder(path: str, other: str) -> bool:
    return Path(path).resolve() == Path(other).resolve()


async def _route(door: Door, words: Namespace, standing: Route) -> Route:
    """The model and service that the call names, what it leaves out taken from `standing`."""
    if words.base_url is None:
        if standing.is_offline and words.model not in (None, standing.model):
            raise UsageError(
                f"No service is set up for the model {words.model}; name its address with --base-url."
            )
        return Route(model=words.model or standing.model, base_url=standing.base_url)
    model = words.model or await _only_model(door, words.base_url)
    return Route(model=model, base_url=words.base_url)


async def _only_model(door: Door, base_url: str) -> str:
    """The model to use at a service when the call names none: the one set up, else the only one "
    "there is."""
    for service in door.services.services():
        if service.base_url.rstrip("/") == base_url.rstrip("/") and service.model:
            return service.model
    offered = await door.services.models(base_url)
    if len(offered) == 1:
        return offered[0]
    some = ", ".join(offered[:5]) or "none"
    raise UsageError(f"Name a model with --model; the service offers: {some}.")


VERBS = (Verb(name="run", summary="say one thing and let it be done", act=run, declare=_declare),)
