"""A view of a chat, services and folders as the words that the bars show: made safe, and in plain English."""

from collections.abc import Sequence
from pathlib import PurePath
from urllib.parse import urlsplit

from desktop.face import strings, strings_window
from desktop.face.widgets.bars import Heading, RouteChoice
from desktop.harness.api import Route, Service, SessionView, Status, for_name

BUSY = (Status.RUNNING, Status.RETRYING, Status.CANCELLING)
"""Where something works by itself."""


def title_of(view: SessionView) -> str:
    """The title of a chat; one without words has a name too."""
    return for_name(view.title) or strings.UNTITLED


def heading_of(view: SessionView) -> Heading:
    """What the top of the window says."""
    is_busy = view.status in BUSY
    step = for_name(view.step) if view.step and is_busy else ""
    return Heading(
        title=title_of(view),
        folder=for_name(PurePath(view.workspace).name),
        path=for_name(view.workspace),
        mode=str(view.mode),
        step=step or strings_window.STATUS.get(view.status, str(view.status)),
        is_busy=is_busy,
    )


def route_choices(services: Sequence[Service], current: Route) -> tuple[list[RouteChoice], int]:
    """What the model selector offers, and which is in use, even if it is set up no more."""
    routes = [Route(model=service.model, base_url=service.base_url) for service in services]
    if current not in routes:
        routes.insert(0, current)
    choices = [
        RouteChoice(
            text=strings_window.model_line(for_name(route.model), _where(route)),
            model=route.model,
            base_url=route.base_url,
        )
        for route in routes
    ]
    return choices, routes.index(current)


def _where(route: Route) -> str:
    if route.is_offline:
        return ""
    host = urlsplit(route.base_url).hostname or ""
    is_here = host in ("localhost", "::1") or host.startswith("127.")
    return strings_window.THIS_COMPUTER if is_here else for_name(host)
