"""What a bot may have said, already parsed: plain values that a match judges."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

MAX_ACTIONS = 64
MAX_NOTE = 1000


@dataclass(frozen=True, slots=True)
class Answer:
    """What an `Act` says: the decision it answers, the ids of its actions, which may be any ints, and a note."""

    match_id: str
    ply: int
    actions: Sequence[int]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Resignation:
    """A `Resign`: the bot gives up the match that it names."""

    match_id: str


@dataclass(frozen=True, slots=True)
class Malformed:
    """Bytes that cannot be read as a message; `why` ends a sentence that begins "It sent"."""

    why: str


@dataclass(frozen=True, slots=True)
class ProtocolViolation:
    """A message that is not allowed here, such as a second `Join`; `why` ends a sentence that begins "It sent"."""

    why: str


@dataclass(frozen=True, slots=True)
class JoinRequest:
    """What a remote bot said that wants to join; it comes from outside and may be of any length below 256 KiB.

    `peer` is the address it comes from, as gRPC writes it; `name` is plain, without an owner. `token` is empty only for
    a program on this machine that asks for a seat of a person.
    """

    token: str
    peer: str
    name: str
    version: str
    games: tuple[str, ...]


Message = Answer | Resignation | Malformed | ProtocolViolation
