"""Builds the house: which adapter fills which port, and nothing else.

Imports nothing of Qt. What is slow to import (keyring, watchdog, sqlite-utils, the model
client) is imported by the adapter that owns it, at its first use, so opening the door stays quick.
"""

import asyncio
import os
from collections.abc import Awaitable, Callable, Sequence
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from desktop import resources
from desktop.folders import Folders, caution
from desktop.harness.adapters.clock import SystemClock
from desktop.harness.adapters.preimages import KeptFiles
from desktop.harness.adapters.providers.address import is_plain, origin_of
from desktop.harness.adapters.redaction import KnownSecrets, secrets_of_environment
from desktop.harness.adapters.sandbox.own_process import make_undumpable, take_key_from_environment
from desktop.harness.adapters.secrets import Keychain
from desktop.harness.adapters.settings import SettingsFile
from desktop.harness.adapters.spool import SpoolFolder
from desktop.harness.adapters.store import SqliteStore
from desktop.harness.adapters.tools.textfile import StrictText
from desktop.harness.adapters.worker.client import HelperProcess
from desktop.harness.core.definition import Route
from desktop.harness.core.toolspec import Change
from desktop.harness.core.views import Check
from desktop.harness.engine.coordinator import Coordinator
from desktop.harness.engine.door import House
from desktop.harness.engine.parts import Parts
from desktop.harness.engine.project_verbs import ProjectVerbs
from desktop.harness.engine.projects import Projects
from desktop.harness.engine.services import Services
from desktop.harness.engine.sessions import Sessions
from desktop.harness.ports import FileView, Model

if TYPE_CHECKING:
    from desktop.harness.adapters.providers.chat import ChatCompletions

NO_WALL = "No protection for commands yet: a command can do whatever you can."


def data_folder() -> Path:
    """Where the log lies: `PADDOCK_DATA_DIR`, else the platform's place for a user's data."""
    given = os.environ.get("PADDOCK_DATA_DIR")
    if given:
        return Path(given).expanduser().absolute()
    import platformdirs  # late: most starts of tests and scripts name the folder

    return Path(platformdirs.user_data_dir("paddock", appauthor=False, roaming=False))


def take_key() -> str | None:
    """The key in `PADDOCK_API_KEY`, taken out of the environment. Call before anything else starts."""
    return take_key_from_environment()


async def open_door(data_dir: Path, *, watches: bool = False) -> House:
    """Open everything behind the door. Nothing runs because of it.

    `watches` says whether open folders are watched for changes from outside. Raises StorageError.
    """
    make_undumpable()
    redaction = KnownSecrets(secrets_of_environment(os.environ))
    keychain = Keychain()
    store = SqliteStore(data_dir, SystemClock(), KeptFiles(data_dir / "artifacts"))
    settings = SettingsFile(data_dir / "settings.json")
    worker = HelperProcess()
    preimages = KeptFiles(data_dir / "preimages")
    spool = SpoolFolder(data_dir / "running")
    texts = StrictText()

    async def key_for(origin: str) -> str | None:
        return await asyncio.to_thread(keychain.get, origin) if services.may_have_key(origin) else None

    @cache
    def client() -> "ChatCompletions":
        from desktop.harness.adapters.providers.chat import ChatCompletions  # late: the list comes first

        return ChatCompletions(key_for, allows_plain=lambda origin: services.allows_plain(origin))

    async def models(base_url: str) -> list[str]:
        return await client().models(base_url)

    async def close_client() -> None:
        if client.cache_info().currsize:
            await client().close()

    services = Services(settings, keychain, models, redaction, origin_of=origin_of, is_plain=is_plain)
    folders = Folders(data_dir, store, preimages, spool, redaction, texts, worker)

    def model_for(route: Route) -> Model:
        return _offline_helper() if route.is_offline else client()

    async def warm_model() -> None:
        if address := services.default_route().base_url:
            await client().prewarm(address)

    parts = Parts(
        store=store,
        clock=SystemClock(),
        redaction=redaction,
        preimages=preimages,
        spool=spool,
        text_files=texts,
        instructions=resources.instructions(),
        model=model_for,
        hands=folders.hands,
        stage=_staged,
        prepare=lambda route: None if route.is_offline else client().prepare(),
        command_protection=NO_WALL,
        caution=caution,
    )
    coordinator = Coordinator(parts, Projects(store))
    sessions = Sessions(
        coordinator,
        default_route=services.default_route,
        window=lambda route: resources.window_tokens(route.model),
        check_address=origin_of,
    )
    if watches:
        folders.watch(asyncio.get_running_loop(), sessions.refresh)
    return House(
        sessions=sessions,
        projects=ProjectVerbs(coordinator),
        services=services,
        coordinator=coordinator,
        checks=_checks(data_dir, store, settings, services),
        warmers=(warm_model,),
        closers=(folders.close, close_client, worker.close, store.close),
    )


def _staged(view: FileView, changes: Sequence[Change]) -> FileView:
    """Changes that are not written yet, laid over a view."""
    from desktop.harness.adapters.tools.staged import Staged

    return Staged(view, changes)


@cache
def _offline_helper() -> Model:
    """The one offline helper; it holds no state."""
    from desktop.harness.adapters.providers.offline import OfflineHelper  # late: most routes never need it

    return OfflineHelper()


def _checks(
    data_dir: Path, store: SqliteStore, settings: SettingsFile, services: Services
) -> tuple[Callable[[], Awaitable[Check]], ...]:
    """What the doctor asks of the parts."""

    async def data() -> Check:
        heads = await store.heads()
        return Check(check="data", ok=True, text=f"Chats kept in {data_dir}: {len(heads)}.")

    async def log() -> Check:
        faults = await store.verify()
        text = "Every record of every chat is whole." if not faults else f"{len(faults)} records are damaged."
        return Check(check="log", ok=not faults, text=text)

    async def files() -> Check:
        from desktop.harness.adapters.sandbox.descent import Way, best_way

        way = best_way()
        held = "by the kernel" if way is Way.OPENAT2 else "by Paddock, folder by folder"
        return Check(check="files", ok=True, text=f"File tools are held inside the folder {held}.")

    async def commands() -> Check:
        return Check(check="commands", ok=False, text=NO_WALL)

    async def keys() -> Check:
        state = await services.keychain()
        return Check(check="keychain", ok=state == "ready", text=f"The keychain is {state}.")

    async def kept_settings() -> Check:
        text = settings.problem or "The settings file can be read."
        return Check(check="settings", ok=not settings.problem, text=text)

    async def model() -> Check:
        route = services.default_route()
        where = f"at {route.base_url}" if route.base_url else "inside Paddock"
        return Check(check="model", ok=True, text=f"New chats ask {route.model} {where}.")

    return data, log, files, commands, keys, kept_settings, model
