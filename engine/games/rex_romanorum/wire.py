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
from engine.kit.message_writer import MessageWriter

TYPE: Final[str] = state_pb2.RexRomanorumState.DESCRIPTOR.full_name

_SAME: Final = SameFields(RexState, ("active", "round", "gold", "castles"))
_SAME_IN_ELECTION: Final = SameFields(
    Election, ("asked", "at", "candidates", "ballot", "votes", "cast", "lowest", "elector", "offers")
)


_WRITER: Final = MessageWriter(state_pb2.RexRomanorumState)
_PENDING_WRITER: Final = MessageWriter(state_pb2.Pending)
_ELECTION_WRITER: Final = MessageWriter(state_pb2.Election)


@lru_cache(maxsize=64)
def _options_json(options: Options) -> str:
    return json.dumps(OPTIONS.changes(options), separators=(",", ":"))


@lru_cache(maxsize=64)
def _read_options(text: str) -> Options:
    return OPTIONS.parse(json.loads(text))


def encode(state: RexState) -> bytes:
    """Return the bytes of what everybody may see: the pile is sorted (S8). Numbers that may be -1 are sent plus 1."""
    army = state.army
    codes = [0] * REGION_COUNT
    for diocese, mask in enumerate(state.churches):
        for region in regions_of(mask):
            codes[region] = diocese + 1
    values = _SAME.values(state)
    values.update(
        version=POSITION.version,
        seats=state.seats,
        phase=state.phase + 1,
        seat=0 if state.decider is None else state.decider + 1,
        final=state.is_final,
        king=state.king + 1,
        titles=[seat + 1 for seat in state.titles],
        owners=bytes([seat + 1 for seat in state.owner]),
        churches=bytes(codes),
        foot=army[:REGION_COUNT],
        archers=army[REGION_COUNT : 2 * REGION_COUNT],
        knights=army[2 * REGION_COUNT :],
        pile=bytes(sorted(state.pile)),
        discards=bytes(state.discards),
        drawn=bytes(state.drawn),
        options_json=_options_json(state.options),
    )
    if state.task != NOTHING:
        arrived = sorted(state.arrived)
        values["pending"] = _PENDING_WRITER.write(
            {
                "action": state.task,
                "bought": bytes(regions_of(state.fresh)),
                "built": state.built,
                "source": state.source + 1,
                "target": state.target + 1,
                "last": state.last + 1,
                "last_to": state.last_to + 1,
                "arrived_figures": arrived,
                "arrived_numbers": [state.arrived[figures] for figures in arrived],
                "undefended": bytes(regions_of(state.undefended)),
                "contested": bytes(regions_of(state.contested)),
            }
        )
    if (election := state.election) is not None:
        same = _SAME_IN_ELECTION.values(election)
        values["election"] = _ELECTION_WRITER.write(
            {**same, "diocese": election.diocese + 1, "runoff": election.is_runoff}
        )
    return _WRITER.write(values)


def decode(data: bytes) -> RexState:
    """Return a position that looks like the one that `encode` serialized, its pile sorted.

    Raises PositionError if the bytes show none.
    """
    try:
        message = state_pb2.RexRomanorumState.FromString(data)
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
            pending = message.pending
            state.task = pending.action
            state.fresh = mask_of(list(pending.bought))
            state.built = tuple(pending.built)
            state.source, state.target = pending.source - 1, pending.target - 1
            state.last, state.last_to = pending.last - 1, pending.last_to - 1
            state.arrived = dict(zip(pending.arrived_figures, pending.arrived_numbers, strict=True))
            state.undefended = mask_of(list(pending.undefended))
            state.contested = mask_of(list(pending.contested))
        if message.HasField("election"):
            state.election = new_election(message.election.diocese - 1, (), 0)
            _SAME_IN_ELECTION.set(state.election, message.election)
            state.election.is_runoff = message.election.runoff
    except (DecodeError, EngineError, IndexError, RecursionError, TypeError, ValueError) as error:
        raise PositionError(f"not a RexRomanorumState message: {error}") from error
    return POSITION.settle(state)
