"""The position as `arena.games.foreign_king.v1.ForeignKingState`: what bots in any language read."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Final

from google.protobuf.message import DecodeError

from arena.games.foreign_king.v1 import state_pb2
from engine.core import PositionError
from engine.games.foreign_king import state as at
from engine.games.foreign_king.options import Options
from engine.games.foreign_king.position_json import JSON_VERSION, write_position
from engine.games.foreign_king.state import ForeignKingState

TYPE: Final[str] = state_pb2.ForeignKingState.DESCRIPTOR.full_name
_RULEBOOKS: Final = ("", "canonical", "en", "de", "it", "fr")


@lru_cache(maxsize=64)
def _options_message(options: Options) -> state_pb2.Options:
    return state_pb2.Options(
        rulebook=_RULEBOOKS.index(options.rulebook),  # type: ignore[arg-type]
        queen_occupied_by_others=options.queen_scope == "occupied_by_others",
        congress_on_empty=options.congress_on_empty,
        virtual_discs=options.virtual_discs,
        virtual_can_win=options.virtual_can_win,
        bank=options.bank or 0,
        max_rounds=options.max_rounds,
    )


def encode(s: ForeignKingState) -> bytes:
    """Serialize a position."""
    message = state_pb2.ForeignKingState(
        version=JSON_VERSION,
        seats=s.seats,
        phase=s.phase + 1,  # type: ignore[arg-type]
        seat=-1 if s.to_act is None else s.to_act,
        active=s.active,
        round=s.round,
        order=s.order,
        king=s.king,
        marker=s.marker,
        scores=s.scores,
        hand=s.hand,
        congress=s.congress,
        discs=s.discs,
        francs=s.francs,
        medals=[up + down for up, down in zip(s.medals_up, s.loans, strict=True)],
        loans=s.loans,
        pawns=s.pawns,
        factories=s.factories,
        supply=(s.supply_m, s.supply_t),
        claims=s.claims,
        options=_options_message(s.options),
    )
    if s.phase in _PENDING:
        _encode_pending(s, message)
    return message.SerializeToString()


_PENDING: Final = frozenset({at.PLACE_N, at.KING_LEN, at.MOVE_TO, at.CONGRESS_ASK, at.VIRT, at.VIRT_TO, at.POST})


def _encode_pending(s: ForeignKingState, message: state_pb2.ForeignKingState) -> None:
    """Only what the phase needs: elsewhere the fields hold what earlier phases left."""
    phase = s.phase
    if phase == at.CONGRESS_ASK:
        message.pending_asked.extend(s.asked)
    elif phase == at.POST:
        message.pending_used = s.post
    else:
        if phase != at.VIRT:
            message.pending_province = s.province
        if phase == at.MOVE_TO:
            message.pending_steps = s.steps
            message.pending_last = s.last if s.steps else 0
        elif phase == at.VIRT or phase == at.VIRT_TO:
            message.pending_units = s.units


def decode(data: bytes) -> dict[str, Any]:
    """The JSON of the position. Raises PositionError if the bytes are no such message."""
    try:
        message = state_pb2.ForeignKingState.FromString(data)
        return write_position(_unpack(message))
    except (DecodeError, IndexError, ValueError) as error:
        raise PositionError(f"not a ForeignKingState message: {error}") from error


def _unpack(message: state_pb2.ForeignKingState) -> ForeignKingState:
    """A position whose facts are the message's; nothing is checked."""
    s = ForeignKingState.__new__(ForeignKingState)
    at.set_up(s, message.seats, _unpack_options(message.options))
    s.phase = message.phase - 1
    s.to_act = None if message.seat < 0 else message.seat
    s.active, s.round, s.order = message.active, message.round, tuple(message.order)
    s.king, s.marker = message.king, message.marker
    s.scores, s.hand, s.congress = list(message.scores), list(message.hand), list(message.congress)
    s.discs, s.factories = list(message.discs), list(message.factories)
    s.francs, s.loans, s.pawns = list(message.francs), list(message.loans), list(message.pawns)
    s.medals_up = [held - down for held, down in zip(message.medals, message.loans, strict=True)]
    s.supply_m, s.supply_t = message.supply
    s.claims, s.asked = tuple(message.claims), tuple(message.pending_asked)
    s.province, s.steps, s.last = message.pending_province, message.pending_steps, message.pending_last
    s.units, s.post = message.pending_units, message.pending_used
    return s


def _unpack_options(message: state_pb2.Options) -> Options:
    return Options(
        rulebook=_RULEBOOKS[message.rulebook],
        queen_scope="occupied_by_others" if message.queen_occupied_by_others else "any",
        congress_on_empty=message.congress_on_empty,
        virtual_discs=message.virtual_discs,
        virtual_can_win=message.virtual_can_win,
        bank=message.bank or None,
        max_rounds=message.max_rounds,
    )
