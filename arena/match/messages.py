"""What a bot can have said, already parsed: plain values that a match judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MAX_ACTIONS = 64
MAX_NOTE = 1000


@dataclass(frozen=True, slots=True)
class Answer:
    """An `Act`: the decision it answers, its action ids (any ints) and a note."""

    match_id: str
    ply: int
    actions: Sequence[int]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Resignation:
    """A `Resign`."""

    match_id: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """Bytes that are no message; `why` is part of a sentence."""

    why: str


@dataclass(frozen=True, slots=True)
class ProtocolViolation:
    """A message that has no place here, such as a second `Join`; `why` is part of a sentence."""

    why: str


Message = Answer | Resignation | Malformed | ProtocolViolation
