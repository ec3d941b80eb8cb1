"""Everything that can go wrong and be said in one sentence.

    PaddockError
    ├── UsageError          wrong words, unknown session, bad folder     (exit 2)
    ├── BusyError           the session is in use elsewhere              (exit 8)
    ├── WaitingError        an open question has to be answered first    (exit 3)
    │   └── UnsettledError  nobody knows whether an effect happened      (exit 4)
    ├── StorageError        the log could not be read or written         (exit 1)
    │   ├── NewerDataError  the log was written by a newer Paddock
    │   └── StorageFullError
    ├── ModelError          the model service failed                     (exit 6)
    └── ToolError           a tool says no; its text goes to the model

The text of each is one plain sentence that may be shown to a person as it is.
"""

from enum import StrEnum


class PaddockError(Exception):
    """A fault with a sentence for the person."""


class UsageError(PaddockError):
    """The request itself is wrong: unknown session, bad folder, contradicting options."""


class BusyError(PaddockError):
    """Another process runs this session."""


class WaitingError(PaddockError):
    """The session waits for a person's answer, so it takes no new prompt."""


class UnsettledError(WaitingError):
    """An effect has no receipt; whether it happened has to be said before anything else is asked for."""


class StorageError(PaddockError):
    """The log could not be read or written; nothing was half-written."""


class NewerDataError(StorageError):
    """The data folder was written by a newer Paddock; nothing was changed in it."""


class StorageFullError(StorageError):
    """The disk is full; the record was not written."""


class ModelFault(StrEnum):
    """The classes of model failure; the strings are kept in the log."""

    UNREACHABLE = "unreachable"
    REFUSED_KEY = "refused_key"
    NO_SUCH_MODEL = "no_such_model"
    RATE_LIMITED = "rate_limited"
    OVERLOADED = "overloaded"
    OVERFLOW = "overflow"
    SERVER = "server"
    NOT_A_MODEL_SERVER = "not_a_model_server"
    CUT_OFF = "cut_off"
    IDLE = "idle"
    BAD_REQUEST = "bad_request"


class ModelError(PaddockError):
    """The model service failed.

    `partial` is the text that had arrived, possibly empty. `retry_after_s` is what
    the server asked for, if it did.
    """

    def __init__(
        self, text: str, fault: ModelFault, *, partial: str = "", retry_after_s: float | None = None
    ) -> None:
        super().__init__(text)
        self.fault = fault
        self.partial = partial
        self.retry_after_s = retry_after_s


class Refusal(StrEnum):
    """Why a tool says no. The code stands in the log with the result; the sentence goes to the model."""

    OUTSIDE = "outside"
    LINK_OUTSIDE = "link-outside"
    BAD_NAME = "bad-name"
    NOT_FOUND = "not-found"
    NOT_REGULAR = "not-regular"
    NOT_A_FOLDER = "not-a-folder"
    EXISTS = "exists"
    NOT_EMPTY = "not-empty"
    HARDLINK = "hardlink"
    STALE = "stale"
    NOT_READ = "not-read"
    NO_MATCH = "no-match"
    MANY_MATCHES = "many-matches"
    NO_CHANGE = "no-change"
    ENCODING = "encoding"
    TOO_BIG = "too-big"
    NO_PERMISSION = "no-permission"
    DISK_FULL = "disk-full"
    ROOT = "root"
    ROOT_CHANGED = "root-changed"
    BAD_ARGUMENTS = "bad-arguments"
    UNKNOWN_TOOL = "unknown-tool"
    BAD_PATTERN = "bad-pattern"
    TIMED_OUT = "timed-out"
    HIDDEN_CHARACTERS = "hidden-characters"
    PLACEHOLDER = "placeholder"
    OTHER_PART = "other-part"
    UNAVAILABLE = "unavailable"
    FAULT = "fault"


class ToolError(PaddockError):
    """A tool says no before or while it works; `code` is one of `Refusal`."""

    def __init__(self, code: Refusal, text: str) -> None:
        super().__init__(text)
        self.code = code
