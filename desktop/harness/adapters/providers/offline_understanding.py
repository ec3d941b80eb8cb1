"""Plain sentences to requests.

Tolerant of politeness, quotes and word order, and strict about meaning: what does not clearly read as one
of the shapes becomes `Unclear`, with the question to ask back. Nothing here looks at files.
"""

import re
from collections.abc import Callable

from desktop.harness.adapters.providers.offline_ask_files import (
    read_append,
    read_create,
    read_delete,
    read_move,
    read_run,
)
from desktop.harness.adapters.providers.offline_ask_look import read_list, read_names, read_read, read_search
from desktop.harness.adapters.providers.offline_ask_replace import (
    read_removal,
    read_replace,
    read_use_instead,
)
from desktop.harness.adapters.providers.offline_requests import (
    Agree,
    Help,
    Replace,
    Request,
    Search,
    Talk,
    Unclear,
)
from desktop.harness.adapters.providers.offline_terms import FLAGS, Place, bare, place_of

_POLITE = re.compile(
    r"(?:(?:hey|hi|hello|ok|okay|so|now|and|then|please|kindly|just|paddock)\b[,!:]?\s+"
    r"|(?:could|can|would|will) you (?:please |kindly )?|i(?: would|'d|\u2019d)? (?:like|want"
    r"|need)(?: you)? to\s+|let(?:'|\u2019)?s\s+)+",
    FLAGS,
)


def understand(text: str) -> Request:
    """The request that a sentence makes."""
    text = text.strip()
    if politeness := _POLITE.match(text):
        text = text[politeness.end() :].strip() or text
    for read in _READERS:
        request = read(text)
        if request is not None:
            return request
    return Unclear()


_HELP = re.compile(
    r"(?:help(?: me)?|\?+|hi|hello|hey|good (?:morning|day|evening)|what (?:can|do) you (?:do|know"
    r"|understand)(?: for me)?"
    r"|what can i (?:do|say|ask)(?: here)?|how does this work|what is this|commands|examples|menu|start)",
    FLAGS,
)
_WHO = re.compile(
    r"(?:who|what) are you|are you (?:an? )?(?:ai|llm|language model|real|human|person|robot|bot|gpt).*",
    FLAGS,
)
_THANKS = re.compile(
    r"(?:thanks?(?: you)?(?: (?:a lot|very much))?|great|good|perfect|nice|well done|cheers)", FLAGS
)
_YES = re.compile(
    r"(?:yes|yep|sure|ok|okay|do it|do that|go on|go ahead|please do|yes please|yes, please)", FLAGS
)
_NO = re.compile(r"(?:no|nope|never mind|nevermind|stop|leave it)", FLAGS)
_UNDO = re.compile(r"undo\b.*|put (?:it|that|them|everything) back.*|revert\b.*", FLAGS)


def _small_talk(text: str) -> Request | None:
    text = bare(text)
    if not text or _HELP.fullmatch(text):
        return Help()
    if _WHO.fullmatch(text):
        return Talk(answer=ABOUT)
    if _THANKS.fullmatch(text):
        return Talk(answer="You are welcome.")
    if _YES.fullmatch(text):
        return Agree()
    if _NO.fullmatch(text):
        return Talk(answer="Good, I leave it as it is.")
    if _UNDO.fullmatch(text):
        return Talk(
            answer="I can't undo, but Paddock can: choose \u201cUndo what this message "
            "changed\u201d at the message"
            " that made the change."
        )
    return None


ABOUT = (
    "I am the offline helper: a small program with fixed rules, not an AI. I use no network and no key. "
    "I understand a handful of plain requests and carry them out with the same tools, and with your yes, "
    "as any model would."
)


_PLACE_FIRST = re.compile(r"in\s+(?P<place>[^,:]+?)[,:]\s+(?P<rest>.+)", FLAGS)


def _place_first(text: str) -> Request | None:
    """`In all .md files, replace A with B`."""
    match = _PLACE_FIRST.fullmatch(text)
    place = place_of(match["place"]) if match else None
    if match is None or place is None:
        return None
    request = understand(match["rest"])
    if isinstance(request, Replace) and request.place == Place():
        return Replace(old=request.old, new=request.new, place=place)
    if isinstance(request, Search) and request.place == Place():
        return Search(text=request.text, place=place)
    return None


_READERS: tuple[Callable[[str], Request | None], ...] = (
    _small_talk,
    _place_first,
    read_run,
    read_use_instead,
    read_replace,
    read_removal,
    read_move,
    read_delete,
    read_append,
    read_create,
    read_names,
    read_list,
    read_read,
    read_search,
)
