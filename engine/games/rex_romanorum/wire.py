"""What a seat sees as `arena.games.rex_romanorum.v1.RexRomanorumState`: what bots in any language read."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Final

from google.protobuf.message import DecodeError

from arena.games.rex_romanorum.v1 import state_pb2
from engine.core import EngineError, PositionError
from engine.games.rex_romanorum.board import REGION_COUNT, mask_of, regions_of
from engine.games.rex_romanorum.options import OPTIONS, Options
from engine.games.rex_romanorum.state import NOTHING, POSITION, Election, RexState, new_election
from engine.kit.fields import SameFields

TYPE: Final[str] = state_pb2.RexRomanorumState.DESCRIPTOR.full_name

_SAME: Final = SameFields(RexState, ("active", "round", "gold", "castles"))
_SAME_IN_ELECTION: Final = SameFields(
    Election, ("asked", "at", "candidates", "ballot", "votes", "cast", "lowest", "elector", "offers")
)


@lru_cache(maxsize=64)
def _options_json(options: Options) -> str:
    return json.dumps(OPTIONS.changes(options), separators=(",", ":"))


@lru_cache(maxsize=64)
def _read_options(text: str) -> Options:
    return OPTIONS.parse(json.loads(text))


def encode(state: RexState) -> bytes:
    """Return the bytes of what everybody may see: the pile is sorted (S8). Numbers that may be -1 are sent plus 1."""
    army = state.army
    message = state_pb2.RexRomanorumState(
        version=POSITION.version,
        seats=state.seats,
        phase=state.phase + 1,  # type: ignore[arg-type]
        seat=0 if state.decider is None else state.decider + 1,
        final=state.is_final,
        king=state.king + 1,
        titles=[seat + 1 for seat in state.titles],
        owners=bytes([seat + 1 for seat in state.owner]),
        churches=bytes(_church_codes(state.churches)),
        foot=army[:REGION_COUNT],
        archers=army[REGION_COUNT : 2 * REGION_COUNT],
        knights=army[2 * REGION_COUNT :],
        pile=bytes(sorted(state.pile)),
        discards=bytes(state.discards),
        drawn=bytes(state.drawn),
        options_json=_options_json(state.options),
        **_SAME.values(state),
    )
    if state.task != NOTHING:
        _encode_pending(state, message.pending)
    if state.election is not None:
        _encode_election(state.election, message.election)
    return message.SerializeToString()


def _church_codes(churches: list[int]) -> list[int]:
    """Return the diocese plus 1 of each region's church, 0 where there is none."""
    codes = [0] * REGION_COUNT
    for diocese, mask in enumerate(churches):
        for region in regions_of(mask):
            codes[region] = diocese + 1
    return codes


def _encode_pending(state: RexState, message: state_pb2.Pending) -> None:
    message.action = state.task
    message.bought = bytes(regions_of(state.fresh))
    message.built.extend(state.built)
    message.source = state.source + 1
    message.target = state.target + 1
    message.last = state.last + 1
    message.last_to = state.last_to + 1
    for figures in sorted(state.arrived):
        message.arrived_figures.append(figures)
        message.arrived_numbers.append(state.arrived[figures])
    message.undefended = bytes(regions_of(state.undefended))
    message.contested = bytes(regions_of(state.contested))


def _encode_election(election: Election, message: state_pb2.Election) -> None:
    same = state_pb2.Election(
        diocese=election.diocese + 1, runoff=election.is_runoff, **_SAME_IN_ELECTION.values(election)
    )
    message.CopyFrom(same)


def decode(data: bytes) -> RexState:
    """Return a position that looks like the one that `encode` serialized, its pile sorted.

    Raises PositionError if the bytes show none.
    """
    try:
        state = _unpack(state_pb2.RexRomanorumState.FromString(data))
    except (DecodeError, EngineError, IndexError, RecursionError, TypeError, ValueError) as error:
        raise PositionError(f"not a RexRomanorumState message: {error}") from error
    return POSITION.settle(state)


def _unpack(message: state_pb2.RexRomanorumState) -> RexState:
    """Return a position whose facts are the message's, unchecked."""
    state = POSITION.start(seats=message.seats, options=_read_options(message.options_json))
    _SAME.set(state, message)
    state.phase, state.decider = message.phase - 1, message.seat - 1 if message.seat else None
    state.is_final, state.king = message.final, message.king - 1
    state.titles = [seat - 1 for seat in message.titles]
    state.owner = [code - 1 for code in message.owners]
    codes = [code - 1 for code in message.churches]
    state.churches = [mask_of([region for region, code in enumerate(codes) if code == d]) for d in range(3)]
    state.army = [*message.foot, *message.archers, *message.knights]
    state.pile, state.discards, state.drawn = list(message.pile), list(message.discards), list(message.drawn)
    if message.HasField("pending"):
        _unpack_pending(state, message.pending)
    if message.HasField("election"):
        state.election = _unpack_election(message.election)
    return state


def _unpack_pending(state: RexState, message: state_pb2.Pending) -> None:
    state.task = message.action
    state.fresh = mask_of(list(message.bought))
    state.built = tuple(message.built)
    state.source, state.target = message.source - 1, message.target - 1
    state.last, state.last_to = message.last - 1, message.last_to - 1
    state.arrived = dict(zip(message.arrived_figures, message.arrived_numbers, strict=True))
    state.undefended = mask_of(list(message.undefended))
    state.contested = mask_of(list(message.contested))


def _unpack_election(message: state_pb2.Election) -> Election:
    election = new_election(message.diocese - 1, (), 0)
    _SAME_IN_ELECTION.set(election, message)
    election.is_runoff = message.runoff
    return election
