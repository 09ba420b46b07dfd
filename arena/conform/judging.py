"""Finds out which rule a message of a bot breaks, and holds what a check reports: exceptions and values. Pure.

BrokenError        the bot did something that breaks a rule, which is named
SilentError        the bot did not do what the scenario is about: its own rule is broken
NotApplicableError the rule cannot be checked with this bot
"""

from __future__ import annotations

import enum
from collections.abc import Collection
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from arena.conform.rules import Rule
from arena.match.decisions import MAX_ACTIONS, MAX_NOTE
from arena.v1 import play_pb2
from arena.wire.messages import EVERY_GAME, MAX_REQUEST_BYTES, PROTOCOL_MAJOR
from engine.translatable import Text

_SHOWN = 60


class BrokenError(Exception):
    """The bot broke the rule of that id; `seen` is a sentence without its full stop."""

    def __init__(self, rule: str, seen: str) -> None:
        super().__init__(f"{rule}: {seen}")
        self.rule = rule
        self.seen = seen


class SilentError(Exception):
    """The bot did not do what it was to do; whichever rule is being checked is broken by that."""

    def __init__(self, seen: str) -> None:
        super().__init__(seen)
        self.seen = seen


class NotApplicableError(Exception):
    """The rule says nothing about this bot; the message says why."""


class RuleState(enum.StrEnum):
    """What is known of a rule."""

    KEPT = "kept"
    BROKEN = "broken"
    UNCHECKED = "unchecked"
    """Another rule was broken before this one could be checked."""
    NOT_APPLICABLE = "not-applicable"


@dataclass(frozen=True, slots=True)
class RuleVerdict:
    """What was found about one rule."""

    rule: Rule
    state: RuleState
    detail: str = ""
    """What was seen if it is broken, why it was not checked if it was not; a sentence without its full stop."""

    @property
    def message(self) -> str:
        """What the author is told; empty if the rule is kept."""
        return self.rule.message(self.detail) if self.state is RuleState.BROKEN else self.detail


@dataclass(frozen=True, slots=True)
class PendingAnswer:
    """A Decide that was sent: what an answer to it must name."""

    match_id: str
    ply: int
    legal: tuple[int, ...]

    @property
    def key(self) -> tuple[str, int]:
        """What tells this question from every other one of a stream."""
        return self.match_id, self.ply


def parse(data: bytes) -> play_pb2.PlayRequest:
    """Return a message that is no longer than allowed and says something. Raises BrokenError."""
    if len(data) > MAX_REQUEST_BYTES:
        why = Text("a message of {bytes} bytes, and {most} are allowed", bytes=len(data), most=MAX_REQUEST_BYTES)
        raise BrokenError("message-size", why)
    try:
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError:
        raise BrokenError("well-formed", Text("{bytes} bytes that are no PlayRequest", bytes=len(data))) from None
    if request.WhichOneof("message") is None:
        why = Text("a PlayRequest of {bytes} bytes in which no message is set", bytes=len(data))
        raise BrokenError("well-formed", why)
    return request


def check_join(request: play_pb2.PlayRequest, installed: Collection[str]) -> None:
    """Check the first message of a stream. Raises BrokenError."""
    if request.WhichOneof("message") != "join":
        raise BrokenError("join-first", Text("{kind} as the first message", kind=name_of(request)))
    join = request.join
    if join.protocol_major != PROTOCOL_MAJOR or join.protocol_minor < 0:
        named = f"{join.protocol_major}.{join.protocol_minor}"
        why = Text("protocol {version}, and this arena speaks {own}.x", version=named, own=PROTOCOL_MAJOR)
        raise BrokenError("join-protocol", why)
    if EVERY_GAME not in join.games and not set(join.games) & set(installed):
        named = ", ".join(name[:_SHOWN] for name in join.games[:5]) or "no game at all"
        why = Text("{names}, and this arena has {known}", names=named, known=", ".join(sorted(installed)))
        raise BrokenError("join-games", why)


def check_unasked(request: play_pb2.PlayRequest, answered: Collection[tuple[str, int]], when: str) -> None:
    """Tell what a message breaks that came while nothing was asked. Always raises BrokenError."""
    kind = request.WhichOneof("message")
    if kind == "join":
        raise BrokenError("join-once", Text("another Join {what}", what=when))
    if kind == "act" and (request.act.match_id, request.act.ply) in answered:
        why = Text("another Act for ply {ply}, which was answered before, {what}", ply=request.act.ply, what=when)
        raise BrokenError("act-once", why)
    raise BrokenError("no-unasked", Text("{kind} {what}", kind=name_of(request), what=when))


def check_answer(request: play_pb2.PlayRequest, question: PendingAnswer, answered: Collection[tuple[str, int]]) -> None:
    """Check the answer to a question, further actions apart. Raises BrokenError."""
    kind = request.WhichOneof("message")
    if kind == "resign":
        if request.resign.match_id != question.match_id:
            why = Text(
                "{found}, and played was {match}", found=quote(request.resign.match_id), match=quote(question.match_id)
            )
            raise BrokenError("resign-match-id", why)
    elif kind == "act":
        _check_act(request.act, question, answered)
    else:
        check_unasked(request, answered, Text("in place of an answer to ply {ply}", ply=question.ply))


def _check_act(act: play_pb2.Act, question: PendingAnswer, answered: Collection[tuple[str, int]]) -> None:
    if (act.match_id, act.ply) != question.key and (act.match_id, act.ply) in answered:
        why = Text("ply {ply} was answered again after its answer", ply=act.ply)
        raise BrokenError("act-once", why)
    if act.match_id != question.match_id:
        why = Text("{found}, and asked was {match}", found=quote(act.match_id), match=quote(question.match_id))
        raise BrokenError("act-match-id", why)
    if act.ply != question.ply:
        raise BrokenError("act-ply", Text("ply {ply}, and asked was ply {asked}", ply=act.ply, asked=question.ply))
    if not 1 <= len(act.actions) <= MAX_ACTIONS:
        raise BrokenError("act-count", Text("{count} ids", count=len(act.actions)))
    if len(act.note) > MAX_NOTE:
        raise BrokenError("act-note", Text("{count} characters", count=len(act.note)))
    if act.actions[0] not in question.legal:
        more = f" and {len(question.legal) - 10} more" if len(question.legal) > 10 else ""
        legal = ", ".join(map(str, question.legal[:10])) + more
        if len(act.actions) > 1:
            why = Text(
                "{action}, the first of {count}, and legal were {legal}",
                action=act.actions[0],
                count=len(act.actions),
                legal=legal,
            )
            raise BrokenError("act-legal", why)
        raise BrokenError("act-legal", Text("{action}, and legal were {legal}", action=act.actions[0], legal=legal))


def name_of(request: play_pb2.PlayRequest) -> str:
    """Return what a message is called in a sentence."""
    return (request.WhichOneof("message") or "an empty PlayRequest").capitalize()


def quote(text: str, most: int = _SHOWN) -> str:
    """Return a text of a bot in quotation marks, not more of it than `most` characters."""
    return repr(text if len(text) <= most else f"{text[:most]}...")
