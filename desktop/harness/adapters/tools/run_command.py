"""The tool that runs one command in the folder.

It shows the exact text and nothing else: what a command will do cannot be told
from its words. A text with characters that a person cannot see is refused
before anybody is asked.

A command that ends with an exit code other than 0 still *ran*: the call is
`ok` and the first line of its text names the code, as `grep` without a match or
a red test run is an answer, not a fault. `failed` is for a command that was stopped
by its time limit or ended by somebody else.
"""

from collections.abc import Awaitable, Callable

from desktop.harness.core.errors import Refusal, ToolError
from desktop.harness.core.ids import ArtifactId
from desktop.harness.core.plaintext import PlainText, plain
from desktop.harness.core.toolspec import Outcome, Preview, SideEffect, ToolCall, ToolResult, ToolSpec
from desktop.harness.core.visible import hidden_count
from desktop.harness.ports import CommandResult, FileView, Processes, Redaction, Spool, Spooled

MAX_COMMAND_BYTES = 100_000
MAX_TIMEOUT_S = 600
_KEPT_BYTES = 2_000_000
_HEAD_BYTES = 600
"""Kept free for the lines above the output, so that the whole result stays within the tool's limit."""

_SPOOLED_CHARS = 4_000
"""So much of the end of an output is evidence enough."""

KeepArtifact = Callable[[bytes], Awaitable[ArtifactId]]


class RunCommand:
    """Run `sh -c` in the folder, without input, terminal or secrets."""

    spec = ToolSpec(
        name="run_command",
        description="Run a shell command in the folder. No input, no terminal.",
        parameters={
            "type": "object",
            "properties": {
                "command": {"type": "string"},
                "timeout_s": {"type": "integer", "minimum": 1, "description": "default 120"},
            },
            "required": ["command"],
            "additionalProperties": False,
        },
        side_effect=SideEffect.PROCESS,
        timeout_s=120.0,
    )

    def __init__(
        self,
        processes: Processes,
        *,
        folder: str,
        redaction: Redaction,
        keep_artifact: KeepArtifact,
        spool: Spool,
    ) -> None:
        self._processes = processes
        self._folder = folder
        self._redaction = redaction
        self._keep_artifact = keep_artifact
        self._spool = spool

    def preview(self, call: ToolCall, view: FileView) -> Preview:
        """The command as it is. Raises ToolError (HIDDEN_CHARACTERS, TOO_BIG, BAD_ARGUMENTS)."""
        command = _command_of(call)
        if len(command.encode("utf-8", "surrogatepass")) > MAX_COMMAND_BYTES:
            raise ToolError(Refusal.TOO_BIG, "run_command: the command is too long; write a script first.")
        if not command.strip() or "\0" in command:
            raise ToolError(Refusal.BAD_ARGUMENTS, "run_command: the command is empty or holds a NUL.")
        if hidden := hidden_count(command):
            raise ToolError(
                Refusal.HIDDEN_CHARACTERS,
                f"run_command: the command holds {hidden} hidden characters; write it without them.",
            )
        return Preview(title="Run a command", command=command)

    async def run(self, call: ToolCall, preview: Preview) -> ToolResult:
        """Run what the preview showed; CancelledError leaves after everything it started has ended."""
        timeout_s = _timeout_of(call, self.spec.timeout_s)
        done = await self._processes.run(
            preview.command or "",
            folder=self._folder,
            timeout_s=timeout_s,
            max_output_bytes=_KEPT_BYTES,
            on_output=lambda *output: self._keep(call, *output),
        )
        shown = plain(done.output)
        text = self._redaction.redact(shown.text)
        body, was_cut = _within(text, self.spec.max_output_bytes - _HEAD_BYTES)
        artifact = await self._artifact(done.output, shown, text, was_cut=was_cut)
        head = [_verdict(done, timeout_s), *_remarks(done, shown)]
        if was_cut and artifact:
            head.append(f'(The whole output: read_file {{"path": "artifact:{artifact}"}}.)')
        is_ended = done.exit_code is not None and not done.timed_out
        return ToolResult(
            status=Outcome.OK if is_ended else Outcome.FAILED,
            text="\n".join([*head, body]) if body else "\n".join(head),
            error="" if is_ended else Refusal.TIMED_OUT if done.timed_out else Refusal.FAULT,
            receipt=_receipt(done),
            artifact=artifact,
            truncated=was_cut or done.dropped_bytes > 0,
        )

    def _keep(self, call: ToolCall, output: bytes, exit_code: int | None, has_ended: bool) -> None:
        """Keep the end of the output against a crash; an unfinished line may hold half a secret and waits."""
        text = self._redaction.redact(plain(output).text)
        if not has_ended:
            text = text[: text.rfind("\n") + 1]
        if len(text) > _SPOOLED_CHARS:
            text = text[-_SPOOLED_CHARS:].partition("\n")[2]
        spooled = Spooled(tail=text, exit_code=exit_code, has_ended=has_ended)
        self._spool.keep(call.session, call.call_id, spooled)

    async def _artifact(self, raw: bytes, shown: PlainText, text: str, *, was_cut: bool) -> ArtifactId | None:
        """Keep what the text leaves out: all of it clean, or the bytes as they came.

        Bytes are kept if cleaning lost some of them, unless it brought a secret to light that hides in them.
        """
        if was_cut:
            return await self._keep_artifact(text.encode())
        if not shown.noisy:
            return None
        bytes_as_text = self._redaction.redact(raw.decode("utf-8", "surrogateescape"))
        if text != shown.text and bytes_as_text.count("[secret-") < text.count("[secret-"):
            return None
        return await self._keep_artifact(bytes_as_text.encode("utf-8", "surrogateescape"))


def _command_of(call: ToolCall) -> str:
    return str((call.arguments or {}).get("command", ""))


def _timeout_of(call: ToolCall, default_s: float) -> float:
    return float(min((call.arguments or {}).get("timeout_s") or default_s, MAX_TIMEOUT_S))


def _verdict(done: CommandResult, timeout_s: float) -> str:
    if done.timed_out:
        return f"Stopped after its time limit of {timeout_s:g} s. Output until then:"
    if done.exit_code is None:
        return "Ended from outside before it was done. Output until then:"
    return f"exit code {done.exit_code}"


def _remarks(done: CommandResult, shown: PlainText) -> list[str]:
    remarks = [f"({shown.note})"] if shown.note else []
    if done.killed_leftovers:
        remarks.append(f"({done.killed_leftovers} background processes were still running; they were ended.)")
    return remarks


def _receipt(done: CommandResult) -> dict[str, object]:
    receipt: dict[str, object] = {"exit_code": done.exit_code}
    for name in ("timed_out", "killed_leftovers", "dropped_bytes"):
        if value := getattr(done, name):
            receipt[name] = value
    return receipt


def _within(text: str, limit_bytes: int) -> tuple[str, bool]:
    """Head and tail of a text, cut between characters so that it fits."""
    data = text.encode()
    if len(data) <= limit_bytes:
        return text, False
    half = (limit_bytes - 100) // 2
    head, tail = data[:half].decode("utf-8", "ignore"), data[-half:].decode("utf-8", "ignore")
    left_out = len(data) - len(head.encode()) - len(tail.encode())
    return f"{head}\n[{left_out:,} bytes left out here]\n{tail}", True
