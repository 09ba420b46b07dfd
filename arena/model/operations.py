"""Long jobs as everybody sees them: how far they are, and how they ended."""

from __future__ import annotations

import enum
from dataclasses import dataclass


class OperationKind(enum.StrEnum):
    """What a long job is about."""

    UPLOAD = "upload"
    ADMISSION = "admission"
    TOURNAMENT = "tournament"


class OperationState(enum.StrEnum):
    """The life of a long job: queued, then running, then one of the others.

    A tournament that was stopped, and that nobody plays now, is queued again.
    """

    QUEUED = "queued"
    RUNNING = "running"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"


@dataclass(frozen=True, slots=True)
class Operation:
    """A long job: derived from what is stored, so it outlives the service that does it."""

    id: str
    """`admissions/<id>`, `tournaments/<id>` or `uploads/<id>`."""
    kind: OperationKind
    state: OperationState
    done: int
    total: int
    """What there is to do as far as it is known: matches, checks or bytes."""
    sentence: str = ""
    """What else there is to say, for people."""
    started_at_us: int | None = None
    ended_at_us: int | None = None
    error: str | None = None
    """Why it failed, in one line with the remedy."""


def operation_target(operation: Operation) -> str:
    """Return the id of what a long job is about: that of a tournament, for example."""
    return operation.id.partition("/")[2]
