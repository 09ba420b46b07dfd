"""Encodes what a bot is sent and parses what it sends: values of a match to bytes and back. Pure; no bytes raise."""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cache

from google.protobuf import any_pb2
from google.protobuf.message import DecodeError

from arena.match.decisions import MAX_ACTIONS, Answer, Decision, Malformed, Message, ProtocolViolation, Resignation
from arena.match.match import Match
from arena.match.result import Fault
from arena.v1 import match_pb2, play_pb2
from engine import registry
from engine.core import Game
from engine.kit.message_writer import MessageWriter, field_keys, number_field, pack, with_length
from engine.record import Event
from engine.translatable import Text

PROTOCOL_MAJOR = 1
PROTOCOL_MINOR = 0
EVERY_GAME = "*"
"""In a `Join`, in place of a game's name: every game that is installed."""
_TYPE_URL = "type.googleapis.com/"
MAX_REQUEST_BYTES = 256 * 1024
_ANY = MessageWriter(any_pb2.Any)
_DECIDE = MessageWriter(play_pb2.Decide)
_REVEAL = MessageWriter(match_pb2.Reveal)
_OBSERVED = field_keys(any_pb2.Any)["value"]
_DECIDE_KEY = field_keys(play_pb2.PlayResponse)["decide"]
_EVENT_KEYS = field_keys(match_pb2.Event)
_EVENT_PLY, _EVENT_SEAT, _EVENT_ACTION, _EVENT_FORCED, _EVENT_REVEALS = (
    _EVENT_KEYS[name] for name in ("ply", "seat", "action", "forced", "reveals")
)
_KEYS = field_keys(play_pb2.Decide)
_PLY, _OBSERVATION, _LEGAL, _EVENTS, _BANK, _LIMIT, _DROPPED = (
    _KEYS[name]
    for name in ("ply", "observation", "legal_actions", "events", "bank_us", "time_limit_us", "dropped_actions")
)


@cache
def _game_info(game: Game) -> play_pb2.GameInfo:
    observation_type, _ = game.encode_observation(game.new_state(game.seats[0]), 0)
    return play_pb2.GameInfo(
        name=game.name,
        rules_version=game.rules_version,
        actions=game.actions.names,
        options_schema_json=json.dumps(game.options_schema()),
        observation_type=observation_type,
    )


def encode_joined(games: Iterable[str], guest: Game | None = None) -> bytes:
    """Return the answer to a `Join` for these games (`*` = all); games that are not installed are left out.

    `guest` counts as installed, under its own name. Of a family of many games only those are told that are named:
    `MatchStarted` tells of the others.
    """
    wanted = set(games)
    guests = {guest.name: guest} if guest else {}
    among = {*registry.single_names(), *guests} if EVERY_GAME in wanted else set[str]()
    names = sorted(among | (wanted & {*registry.names(), *guests}))
    infos = [_game_info(guests.get(name) or registry.get(name)) for name in names]
    joined = play_pb2.Joined(protocol_major=PROTOCOL_MAJOR, protocol_minor=PROTOCOL_MINOR, games=infos)
    return play_pb2.PlayResponse(joined=joined).SerializeToString()


@cache
def _type_of(message_name: str) -> bytes:
    return _ANY.write({"type_url": _TYPE_URL + message_name})


def _encode_fault(fault: Fault) -> match_pb2.Fault:
    return match_pb2.Fault(cause=f"FAULT_CAUSE_{fault.cause.value}", ply=fault.ply, explanation=fault.explanation)


def _encode_event(event: Event) -> bytes:
    parts = [
        number_field(_EVENT_PLY, event.ply),
        number_field(_EVENT_SEAT, event.seat),
        number_field(_EVENT_ACTION, event.action),
        number_field(_EVENT_FORCED, event.forced),
    ]
    if event.reveals:
        revealed = (_REVEAL.write({"kind": reveal.kind, "values": reveal.values}) for reveal in event.reveals)
        parts += [with_length(_EVENT_REVEALS, content) for content in revealed]
    return b"".join(parts)


def _event_field(event: Event) -> bytes:
    return with_length(_EVENTS, _encode_event(event))


def _event_messages(events: Iterable[Event]) -> list[match_pb2.Event]:
    return [match_pb2.Event.FromString(_encode_event(event)) for event in events]


class MatchEncoder:
    """Encodes the messages of one match; each call that tells a seat of events counts as telling it."""

    __slots__ = ("_events", "_match", "_start")

    def __init__(self, match: Match) -> None:
        self._match = match
        self._events: list[bytes] = []
        self._start = _DECIDE.write({"match_id": match.spec.match_id})  # of every `Decide`

    def _encode_events(self, events: Sequence[Event]) -> list[bytes]:
        """Return events as fields of a `Decide`, each written when the first seat hears of it and kept at its ply.

        What a seat may see in part only is written for it alone.
        """
        known, happened = self._events, self._match.playing.events
        for event in happened[len(known) :]:
            known.append(_event_field(event))
        return [known[event.ply] if event is happened[event.ply] else _event_field(event) for event in events]

    def started(self, seat: int) -> bytes:
        """Return `MatchStarted` for a seat, which from then on has heard of the opening."""
        return self._started(seat, self._match.take_unseen_events(seat))

    def resumed(self, seat: int) -> bytes:
        """Return `MatchStarted` for a seat whose bot has come back; it has heard of everything then."""
        self._match.take_unseen_events(seat)
        return self._started(seat, self._match.playing.visible_events(seat, 0), resumed=True)

    def _started(self, seat: int, events: Sequence[Event], *, resumed: bool = False) -> bytes:
        match, spec = self._match, self._match.spec
        started = play_pb2.MatchStarted(
            match_id=spec.match_id,
            game=spec.game,
            rules_version=spec.rules_version,
            seat=seat,
            seats=len(spec.seats),
            options_json=json.dumps(match.playing.game.options_json(match.playing.options)),
            clock=match_pb2.Clock(**spec.clock.durations()),
            cores=spec.cores,
            seed=spec.seats[seat].seed,
            resumed=resumed,
            events=_event_messages(events),
            game_info=_game_info(match.playing.game) if registry.family_of(spec.game) else None,
        )
        return play_pb2.PlayResponse(match_started=started).SerializeToString()

    def decide(self, decision: Decision) -> bytes:
        """Return `Decide` for the seat of the decision."""
        playing = self._match.playing
        message_name, content = playing.game.encode_observation(playing.state, decision.seat)
        observation = _type_of(message_name) + (with_length(_OBSERVED, content) if content else b"")
        parts = [
            self._start,
            number_field(_PLY, decision.ply),
            with_length(_OBSERVATION, observation),
            with_length(_LEGAL, pack(decision.legal)),
            *self._encode_events(decision.events),
            number_field(_BANK, decision.bank_us),
            number_field(_LIMIT, decision.time_limit_us),
            number_field(_DROPPED, decision.dropped),
        ]
        return with_length(_DECIDE_KEY, b"".join(parts))

    def decide_again(self, decision: Decision, elapsed_us: int) -> bytes:
        """Return `Decide` for a bot that has come back, with what is left of its time; `resumed` told it the events."""
        return self.decide(what_is_left(decision, elapsed_us))

    def finished(self, seat: int) -> bytes:
        """Return `MatchFinished` for a seat. Raises ValueError before the end."""
        match, result = self._match, self._match.result()
        finished = play_pb2.MatchFinished(
            match_id=match.spec.match_id,
            result=match_pb2.Result(
                ranks=result.ranks,
                by_rules=result.by_rules,
                forfeited_seats=result.forfeits,
                details_json=json.dumps(dict(result.details)) if result.by_rules else "",
            ),
            faults=[_encode_fault(fault) for fault in match.faults_of(seat)],
            events=_event_messages(match.take_unseen_events(seat)),
        )
        return play_pb2.PlayResponse(match_finished=finished).SerializeToString()


def what_is_left(decision: Decision, elapsed_us: int) -> Decision:
    """Return a decision as it is put once more after so many microseconds, to a bot that has heard of all events."""
    return replace(
        decision,
        events=(),
        bank_us=max(decision.bank_us - elapsed_us, 0),
        time_limit_us=max(decision.time_limit_us - elapsed_us, 1) if decision.time_limit_us else 0,
    )


def encode_broken_off(match_id: str) -> bytes:
    """Return `MatchFinished` without a result: the arena plays the match no further, and it counts for nothing."""
    return play_pb2.PlayResponse(match_finished=play_pb2.MatchFinished(match_id=match_id)).SerializeToString()


@dataclass(frozen=True, slots=True)
class Leave:
    """The bot wants to play no more: it ends its stream in order."""


def find_excess(data: bytes) -> Malformed | None:
    """Return what is wrong with a message that is longer than a bot's may be, or None."""
    if len(data) <= MAX_REQUEST_BYTES:
        return None
    return Malformed(Text("a message of {bytes} bytes; {most} are allowed", bytes=len(data), most=MAX_REQUEST_BYTES))


def parse_request(data: bytes) -> Message | Leave:
    """Return what a bot said after its `Join`."""
    if (excess := find_excess(data)) is not None:
        return excess
    try:
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return Malformed(Text("{bytes} bytes that are no PlayRequest", bytes=len(data)))
    kind = request.WhichOneof("message")
    if kind == "act":
        act = request.act
        # A slice, so that a million ids are not copied only to be counted.
        return Answer(act.match_id, act.ply, act.actions[: MAX_ACTIONS + 1], act.note)
    if kind == "resign":
        return Resignation(request.resign.match_id)
    if kind == "leave":
        return Leave()
    if kind == "join":
        return ProtocolViolation(Text("a second Join"))
    return Malformed(Text("a PlayRequest without a message"))


def parse_join(data: bytes) -> play_pb2.Join | Malformed | ProtocolViolation:
    """Return the `Join` that must be the first message of a stream, or what is wrong with the message."""
    if len(data) > MAX_REQUEST_BYTES:
        return Malformed(
            Text("{bytes} bytes as its first message; {most} are allowed", bytes=len(data), most=MAX_REQUEST_BYTES)
        )
    try:
        request = play_pb2.PlayRequest.FromString(data)
    except DecodeError:
        return Malformed(Text("{bytes} bytes that are no PlayRequest as its first message", bytes=len(data)))
    kind = request.WhichOneof("message")
    if kind is None:
        return Malformed(Text("a PlayRequest without a message as its first"))
    if kind != "join":
        return ProtocolViolation(Text("{kind} as its first message; Join comes first", kind=kind.capitalize()))
    return request.join


def parse_response(data: bytes) -> play_pb2.PlayResponse | None:
    """Return what a bot was sent, or None for what is no message."""
    try:
        return play_pb2.PlayResponse.FromString(data)
    except DecodeError:
        return None
