"""The names of things: one NewType for each kind of id, and how keys are made.

Ids of the model service never appear here. They are labels that a server may
repeat or leave out; a call is named by the turn that asked for it.
"""

import hashlib
from typing import NewType

SessionId = NewType("SessionId", str)
ProjectId = NewType("ProjectId", str)
CallId = NewType("CallId", str)
RunNumber = NewType("RunNumber", int)
"""1 for the first prompt of a session; 0 stands for "before any run"."""
Seq = NewType("Seq", int)
StepKey = NewType("StepKey", str)
PayloadHash = NewType("PayloadHash", str)
Digest = NewType("Digest", str)
"""SHA-256 of some bytes, 64 hex digits."""
ArtifactId = NewType("ArtifactId", str)


def digest_of(data: bytes) -> Digest:
    """The digest that names these bytes."""
    return Digest(hashlib.sha256(data).hexdigest())


def call_id(turn: int, index: int) -> CallId:
    """The id of the call at `index` (from 0) in the reply of `turn` (from 1)."""
    return CallId(f"t{turn}c{index + 1}")


def step_key(session: SessionId, call: CallId) -> StepKey:
    """The idempotency key of an effect.

    Made from the session and the call, never from the attempt: a second attempt
    carries the same key, a fork of the session carries another.
    """
    return StepKey(hashlib.sha256(f"{session}\n{call}".encode()).hexdigest()[:32])
