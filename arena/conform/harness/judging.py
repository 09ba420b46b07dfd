"""Finds out which rule a message of a bot breaks. Pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from google.protobuf.message import DecodeError

from arena.conform.harness.findings import BrokenError
from arena.match.decisions import MAX_ACTIONS, MAX_NOTE
from arena.v1 import play_pb2
from arena.wire.messages import EVERY_GAME, MAX_REQUEST_BYTES, PROTOCOL_MAJOR
from engine.text import Text

_SHOWN = 60


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
        raise BrokenError(
            "message-size",
            Text(
                "conform.message_bytes_allowed",
                "a message of {bytes} bytes, and {most} are allowed",
                bytes=len(data),
                most=MAX_REQUEST_BYTES,
            ),
        )
    try:
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError:
        raise BrokenError(
            "well-formed",
            Text("conform.bytes_no_playrequest", "{bytes} bytes that are no PlayRequest", bytes=len(data)),
        ) from None
    if request.WhichOneof("message") is None:
        raise BrokenError(
            "well-formed",
            Text(
                "conform.playrequest_bytes_which_no_message",
                "a PlayRequest of {bytes} bytes in which no message is set",
                bytes=len(data),
            ),
        )
    return request


def check_join(request: play_pb2.PlayRequest, installed: Collection[str]) -> None:
    """Check the first message of a stream. Raises BrokenError."""
    if request.WhichOneof("message") != "join":
        raise BrokenError(
            "join-first", Text("conform.first_message", "{kind} as the first message", kind=name_of(request))
        )
    join = request.join
    if join.protocol_major != PROTOCOL_MAJOR or join.protocol_minor < 0:
        named = f"{join.protocol_major}.{join.protocol_minor}"
        raise BrokenError(
            "join-protocol",
            Text(
                "conform.protocol_arena_speaks_x",
                "protocol {version}, and this arena speaks {own}.x",
                version=named,
                own=PROTOCOL_MAJOR,
            ),
        )
    if EVERY_GAME not in join.games and not set(join.games) & set(installed):
        named = ", ".join(name[:_SHOWN] for name in join.games[:5]) or "no game at all"
        raise BrokenError(
            "join-games",
            Text(
                "conform.and_this_arena_has",
                "{names}, and this arena has {known}",
                names=named,
                known=", ".join(sorted(installed)),
            ),
        )


def check_unasked(request: play_pb2.PlayRequest, answered: Collection[tuple[str, int]], when: str) -> None:
    """Tell what a message breaks that came while nothing was asked. Always raises BrokenError."""
    kind = request.WhichOneof("message")
    if kind == "join":
        raise BrokenError("join-once", Text("conform.another_join", "another Join {what}", what=when))
    if kind == "act" and (request.act.match_id, request.act.ply) in answered:
        raise BrokenError(
            "act-once",
            Text(
                "conform.another_act_ply_which_answered",
                "another Act for ply {ply}, which was answered before, {what}",
                ply=request.act.ply,
                what=when,
            ),
        )
    raise BrokenError("no-unasked", Text("conform.came_when", "{kind} {what}", kind=name_of(request), what=when))


def check_answer(request: play_pb2.PlayRequest, question: PendingAnswer, answered: Collection[tuple[str, int]]) -> None:
    """Check the answer to a question, further actions apart. Raises BrokenError."""
    kind = request.WhichOneof("message")
    if kind == "resign":
        _check_resignation(request.resign, question)
    elif kind == "act":
        _check_act(request.act, question, answered)
    else:
        check_unasked(
            request,
            answered,
            Text("conform.in_place_of_answer", "in place of an answer to ply {ply}", ply=question.ply),
        )


def _check_resignation(resign: play_pb2.Resign, question: PendingAnswer) -> None:
    if resign.match_id != question.match_id:
        raise BrokenError(
            "resign-match-id",
            Text(
                "conform.and_played_was",
                "{found}, and played was {match}",
                found=quote(resign.match_id),
                match=quote(question.match_id),
            ),
        )


def _check_act(act: play_pb2.Act, question: PendingAnswer, answered: Collection[tuple[str, int]]) -> None:
    if (act.match_id, act.ply) != question.key and (act.match_id, act.ply) in answered:
        raise BrokenError(
            "act-once",
            Text(
                "conform.ply_answered_again_after_answer", "ply {ply} was answered again after its answer", ply=act.ply
            ),
        )
    if act.match_id != question.match_id:
        raise BrokenError(
            "act-match-id",
            Text(
                "conform.and_asked_was",
                "{found}, and asked was {match}",
                found=quote(act.match_id),
                match=quote(question.match_id),
            ),
        )
    if act.ply != question.ply:
        raise BrokenError(
            "act-ply",
            Text("conform.ply_asked_ply", "ply {ply}, and asked was ply {asked}", ply=act.ply, asked=question.ply),
        )
    if not 1 <= len(act.actions) <= MAX_ACTIONS:
        raise BrokenError("act-count", Text("conform.ids", "{count} ids", count=len(act.actions)))
    if len(act.note) > MAX_NOTE:
        raise BrokenError("act-note", Text("conform.characters", "{count} characters", count=len(act.note)))
    if act.actions[0] not in question.legal:
        legal = _list(question.legal)
        if len(act.actions) > 1:
            raise BrokenError(
                "act-legal",
                Text(
                    "conform.first_legal_were",
                    "{action}, the first of {count}, and legal were {legal}",
                    action=act.actions[0],
                    count=len(act.actions),
                    legal=legal,
                ),
            )
        raise BrokenError(
            "act-legal",
            Text("conform.legal_were", "{action}, and legal were {legal}", action=act.actions[0], legal=legal),
        )


def name_of(request: play_pb2.PlayRequest) -> str:
    """Return what a message is called in a sentence."""
    return (request.WhichOneof("message") or "an empty PlayRequest").capitalize()


def quote(text: str) -> str:
    """Return a text of a bot in quotation marks, not too much of it."""
    return repr(text if len(text) <= _SHOWN else f"{text[:_SHOWN]}...")


def _list(ids: tuple[int, ...]) -> str:
    return ", ".join(map(str, ids[:10])) + (f" and {len(ids) - 10} more" if len(ids) > 10 else "")
