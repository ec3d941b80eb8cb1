"""How the command ends: one number for each way, the same for all verbs."""

from enum import IntEnum

from desktop.harness.api import (
    BusyError,
    ModelError,
    PaddockError,
    Status,
    StorageError,
    UnsettledError,
    UsageError,
    WaitingError,
)


class Exit(IntEnum):
    """The exit codes; part of what scripts rely on."""

    DONE = 0
    FAULT = 1
    WRONG_USE = 2
    WAITING = 3
    NEEDS_CHECK = 4
    HELD_UP = 5
    MODEL_FAILED = 6
    REFUSED = 7
    BUSY = 8
    CANCELLED = 130
    TERMINATED = 143


_BY_STATUS = {
    Status.IDLE: Exit.DONE,
    Status.WAITING: Exit.WAITING,
    Status.NEEDS_CHECK: Exit.NEEDS_CHECK,
    Status.PAUSED: Exit.HELD_UP,
    Status.INTERRUPTED: Exit.HELD_UP,
    Status.OUT_OF_BUDGET: Exit.HELD_UP,
    Status.FAILED: Exit.MODEL_FAILED,
    Status.CANCELLED: Exit.CANCELLED,
    Status.CANCELLING: Exit.CANCELLED,
    Status.RUNNING: Exit.BUSY,
    Status.RETRYING: Exit.BUSY,
}
"""A session that still runs when this process has nothing more to do is run by another one."""

_BY_ERROR: tuple[tuple[type[PaddockError], Exit], ...] = (
    (UsageError, Exit.WRONG_USE),
    (BusyError, Exit.BUSY),
    (UnsettledError, Exit.NEEDS_CHECK),
    (WaitingError, Exit.WAITING),
    (StorageError, Exit.FAULT),
    (ModelError, Exit.MODEL_FAILED),
    (PaddockError, Exit.WRONG_USE),
)


def of_status(status: Status) -> Exit:
    """The exit code of a verb that left a session so."""
    return _BY_STATUS[status]


def of_error(error: PaddockError) -> Exit:
    """The exit code of a verb that could not be carried out."""
    return next(code for kind, code in _BY_ERROR if isinstance(error, kind))
