"""What can be due: work for the harness, told by the state and done by the engine."""

from dataclasses import dataclass

from desktop.harness.core.ids import CallId


@dataclass(frozen=True, slots=True, kw_only=True)
class CallModel:
    """Send the projection to the model."""

    turn: int
    attempt: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Let a service rest until a time, in milliseconds since the epoch; then ask it again."""

    until_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class RunReads:
    """Run calls without side effects, side by side."""

    calls: tuple[CallId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class AskApproval:
    """Preview these effects, each on the result of those before it; do what rules allow, ask for the rest."""

    calls: tuple[CallId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RunTools:
    """Carry out effects that are one change (or a single one); each was allowed, or a rule allows it."""

    calls: tuple[CallId, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class RefuseTool:
    """Tell the model that calls were not done, and why."""

    calls: tuple[CallId, ...]
    error: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class CheckTool:
    """An effect was started and left no receipt: look what became of it."""

    call_id: CallId


@dataclass(frozen=True, slots=True, kw_only=True)
class Pause:
    """Stop until the person says *Continue*."""

    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishCancel:
    """Everything the run owned has ended: close it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FinishRun:
    """The answer is there: close the run."""


Command = (
    CallModel
    | Wait
    | RunReads
    | AskApproval
    | RunTools
    | RefuseTool
    | CheckTool
    | Pause
    | FinishCancel
    | FinishRun
)
