"""One tool call, between two gates.

Before it: arguments, preview, verdict. Behind it: redaction, the cap, the receipt.

Whatever goes wrong in a tool becomes a result that the model reads; nothing a tool
does can end the run.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import dataclass

from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.events import AskedCall, ToolResulted
from desktop.harness.core.policy import Rule, Verdict, judge
from desktop.harness.core.schema import arguments_of
from desktop.harness.core.toolspec import (
    Change,
    ChangeKind,
    Outcome,
    Preview,
    SideEffect,
    ToolCall,
    ToolResult,
    ToolSpec,
)
from desktop.harness.engine.live import LiveSession
from desktop.harness.engine.parts import Hands, Parts
from desktop.harness.ports import FileView, Tool

log = logging.getLogger(__name__)

TIMEOUT_GRACE_S = 5.0
"""A tool that limits itself gets this much longer than its own limit before it is cut off."""


_MAX_SHOWN_NAME = 80


@dataclass(frozen=True, slots=True, kw_only=True)
class Prepared:
    """A call that passed the first gate: its tool, its arguments, what it would do, and the verdict."""

    tool: Tool
    call: ToolCall
    preview: Preview
    verdict: Verdict
    rule: Rule | None


class ToolCalls:
    """Prepares and runs the calls of one session."""

    def __init__(self, parts: Parts, hands: Hands, live: LiveSession, project_rules: Sequence[Rule]) -> None:
        self._parts = parts
        self._hands = hands
        self._live = live
        self._project_rules = tuple(project_rules)

    def understand(self, asked: AskedCall) -> tuple[Tool, ToolCall]:
        """The tool and the checked arguments. Raises ToolError."""
        registry = self._hands.registries[self._live.state.mode]
        tool = registry.get(asked.tool)
        if tool is None:
            offered = ", ".join(spec.name for spec in registry.specs())
            raise ToolError(
                Refusal.UNKNOWN_TOOL,
                f"The tool {asked.tool[:_MAX_SHOWN_NAME]!r} does not exist here. The tools are: {offered}.",
            )
        arguments = arguments_of(tool.spec, asked.arguments)
        return tool, ToolCall(
            call_id=asked.call_id,
            tool=asked.tool,
            raw=asked.arguments,
            arguments=arguments,
            session=self._live.state.session,
        )

    async def prepare(self, asked: AskedCall, staged: Sequence[Change] = ()) -> Prepared:
        """The first gate, on top of changes that are not written yet. Raises ToolError."""
        tool, call = self.understand(asked)
        self._hands.workspace.check_root()
        view: FileView = self._hands.workspace
        if staged:
            view = self._parts.stage(view, staged)
        preview = await asyncio.to_thread(tool.preview, call, view)
        state = self._live.state
        rules = (*state.run_rules, *state.session_rules, *self._project_rules)
        verdict, rule = judge(tool.spec, preview, rules)
        if tool.spec.name == "write_file":
            self._check_known(preview, staged, verdict)
        return Prepared(tool=tool, call=call, preview=preview, verdict=verdict, rule=rule)

    def _check_known(self, preview: Preview, staged: Sequence[Change], verdict: Verdict) -> None:
        """A whole file is overwritten only by someone who knows it.

        What the model read must still be there; what it never read needs a person who sees the difference.
        """
        own = {change.after for change in staged}
        for change in preview.changes:
            if change.kind is not ChangeKind.EDIT or change.before in own:
                continue
            known = self._live.seen.digest(change.path)
            if known is None and verdict is Verdict.ALLOW:
                raise ToolError(
                    Refusal.NOT_READ,
                    f"{change.path} exists and was not read yet. Read it before overwriting it.",
                )
            if known is not None and known != change.before:
                raise ToolError(
                    Refusal.STALE,
                    f"{change.path} changed since it was read. Read it again before overwriting it.",
                )

    async def read(self, asked: AskedCall) -> ToolResulted:
        """Run a call without side effects; never raises but CancelledError."""
        try:
            prepared = await self.prepare(asked)
            if prepared.verdict is Verdict.DENY:
                return refused(asked, "denied", "A rule of this project does not allow this.")
            return await self.run(prepared, attempt=1)
        except ToolError as error:
            return failed(asked, error)
        except Exception as error:  # noqa: BLE001  # a tool's fault must not end the run
            return _fault(asked, error)

    async def run(self, prepared: Prepared, *, attempt: int) -> ToolResulted:
        """Run a prepared call to its result; never raises but CancelledError."""
        spec = prepared.tool.spec
        try:
            async with asyncio.timeout(_limit_s(spec)):
                result = await prepared.tool.run(prepared.call, prepared.preview)
            return await self._sealed(prepared.call, spec, result, attempt)
        except ToolError as error:
            return self._ended(prepared.call, attempt, error.code, str(error))
        except TimeoutError:
            return self._ended(
                prepared.call,
                attempt,
                Refusal.TIMED_OUT,
                f"{spec.name} took longer than {spec.timeout_s:g} s.",
            )
        except Exception as error:  # a tool's fault must not end the run
            log.exception("tool %s failed", spec.name)
            text = f"{spec.name} failed inside Paddock ({type(error).__name__})."
            return self._ended(prepared.call, attempt, Refusal.FAULT, text)

    async def _sealed(self, call: ToolCall, spec: ToolSpec, result: ToolResult, attempt: int) -> ToolResulted:
        """The second gate: no known secret passes, and only so many bytes."""
        text = self._parts.redaction.redact(result.text)
        artifact, truncated = result.artifact, result.truncated
        if len(data := text.encode("utf-8", "replace")) > spec.max_output_bytes:
            artifact = artifact or await self._parts.store.put_artifact(data)
            cut = data[: spec.max_output_bytes].decode("utf-8", "ignore")
            text = f"{cut}\n[Cut here; {len(data):,} bytes in all, read the rest at artifact:{artifact}]"
            truncated = True
        return ToolResulted(
            call_id=call.call_id,
            attempt=attempt,
            status=str(result.status),
            text=text,
            error=result.error,
            receipt=result.receipt,
            artifact=artifact,
            truncated=truncated,
        )

    def _ended(self, call: ToolCall, attempt: int, code: Refusal, text: str) -> ToolResulted:
        return ToolResulted(
            call_id=call.call_id,
            attempt=attempt,
            status=str(Outcome.FAILED),
            text=self._parts.redaction.redact(text),
            error=str(code),
        )


def _limit_s(spec: ToolSpec) -> float | None:
    """Commands end themselves and all they started; everything else is cut off from outside."""
    return None if spec.side_effect is SideEffect.PROCESS else spec.timeout_s + TIMEOUT_GRACE_S


def failed(asked: AskedCall, error: ToolError) -> ToolResulted:
    """The result of a call that did not pass the first gate."""
    return ToolResulted(
        call_id=asked.call_id, attempt=0, status=str(Outcome.FAILED), text=str(error), error=str(error.code)
    )


def refused(asked: AskedCall, error: str, text: str) -> ToolResulted:
    """The result of a call that a rule or a person did not allow."""
    return ToolResulted(call_id=asked.call_id, attempt=0, status=str(Outcome.REFUSED), text=text, error=error)


def _fault(asked: AskedCall, error: Exception) -> ToolResulted:
    log.exception("tool %s failed before it ran", asked.tool)
    text = f"{asked.tool} failed inside Paddock ({type(error).__name__})."
    return failed(asked, ToolError(Refusal.FAULT, text))
