"""What a seat sees as `arena.games.rex_romanorum.v1.RexRomanorumState`: what bots in any language read."""

from __future__ import annotations

import json
from functools import lru_cache
from typing import Any, Final

from google.protobuf.message import DecodeError

from arena.games.rex_romanorum.v1 import state_pb2
from engine.core import EngineError, PositionError
from engine.games.rex_romanorum.actions import FIGURE_COUNT, KINDS
from engine.games.rex_romanorum.board import DIOCESE_COUNT, REGION_COUNT, mask_of, regions_of
from engine.games.rex_romanorum.options import OPTIONS, Options
from engine.games.rex_romanorum.position import NOTHING, Election, Position
from engine.games.rex_romanorum.position_json import JSON_VERSION, write_observation
from engine.games.rex_romanorum.state import RexState, new_state

TYPE: Final[str] = state_pb2.RexRomanorumState.DESCRIPTOR.full_name


@lru_cache(maxsize=64)
def _options_json(options: Options) -> str:
    return json.dumps(OPTIONS.changes(options), separators=(",", ":"))


def encode(position: Position) -> bytes:
    """Serialize what everybody may see: the pile is sorted (S8). Numbers that may be -1 are sent plus 1."""
    message = state_pb2.RexRomanorumState(
        version=JSON_VERSION,
        seats=position.seats,
        phase=position.phase + 1,  # type: ignore[arg-type]
        seat=position.decider + 1,
        active=position.active,
        round=position.round,
        final=position.is_final,
        king=position.king + 1,
        gold=position.gold,
        titles=[seat + 1 for seat in position.titles],
        owners=bytes([seat + 1 for seat in position.owner]),
        churches=bytes(_church_codes(position)),
        castles=position.castles,
        pile=bytes(sorted(position.pile)),
        discards=bytes(position.discards),
        drawn=bytes(position.drawn),
        options_json=_options_json(position.options),
    )
    army = position.army
    message.foot.extend(army[:REGION_COUNT])
    message.archers.extend(army[REGION_COUNT : 2 * REGION_COUNT])
    message.knights.extend(army[2 * REGION_COUNT :])
    if position.task != NOTHING:
        _encode_pending(position, message.pending)
    if position.election is not None:
        _encode_election(position.election, message.election)
    return message.SerializeToString()


def _church_codes(position: Position) -> list[int]:
    codes = [0] * REGION_COUNT
    for diocese in range(DIOCESE_COUNT):
        for region in regions_of(position.churches[diocese]):
            codes[region] = diocese + 1
    return codes


def _encode_pending(position: Position, message: state_pb2.Pending) -> None:
    message.action = position.task
    message.bought = bytes(regions_of(position.fresh))
    message.built.extend(position.built)
    message.source = position.source + 1
    message.target = position.target + 1
    message.last = position.last + 1
    message.last_to = position.last_to + 1
    for figures in sorted(position.arrived):
        message.arrived_figures.append(figures)
        message.arrived_numbers.append(position.arrived[figures])
    message.undefended = bytes(regions_of(position.undefended))
    message.contested = bytes(regions_of(position.contested))


def _encode_election(election: Election, message: state_pb2.Election) -> None:
    message.diocese = election.diocese + 1
    message.asked.extend(election.asked)
    message.at = election.at
    message.candidates.extend(election.candidates)
    message.ballot.extend(election.ballot)
    message.runoff = election.is_runoff
    message.votes.extend(election.votes)
    message.cast = election.cast
    message.lowest = election.lowest
    message.elector = election.elector
    message.offers.extend(election.offers)


def decode(data: bytes) -> dict[str, Any]:
    """The JSON of the observation. Raises PositionError if the bytes are no such message."""
    try:
        return write_observation(_unpack(state_pb2.RexRomanorumState.FromString(data)))
    except (DecodeError, EngineError, IndexError, TypeError, ValueError) as error:
        raise PositionError(f"not a RexRomanorumState message: {error}") from error


def _unpack(message: state_pb2.RexRomanorumState) -> RexState:
    """A position whose facts are the message's; only shapes are checked."""
    position = new_state(OPTIONS.parse(json.loads(message.options_json)), message.seats, None)
    position.phase, position.decider = message.phase - 1, message.seat - 1
    position.active, position.round = message.active, message.round
    position.is_final, position.king = message.final, message.king - 1
    position.gold = list(message.gold)
    position.titles = [seat - 1 for seat in message.titles]
    _unpack_board(position, message)
    if message.HasField("pending"):
        _unpack_pending(position, message.pending)
    if message.HasField("election"):
        position.election = _unpack_election(message.election)
    return position


def _unpack_board(position: Position, message: state_pb2.RexRomanorumState) -> None:
    position.owner = [code - 1 for code in message.owners]
    position.owned = mask_of([region for region, seat in enumerate(position.owner) if seat >= 0])
    for diocese in range(DIOCESE_COUNT):
        found = [region for region, code in enumerate(message.churches) if code == diocese + 1]
        position.churches[diocese] = mask_of(found)
    position.castles = message.castles
    position.pile, position.discards, position.drawn = list(message.pile), list(message.discards), list(message.drawn)
    position.army = [*message.foot, *message.archers, *message.knights]
    if len(position.army) != FIGURE_COUNT:
        raise ValueError(f"expected {REGION_COUNT} numbers of each of {', '.join(KINDS)}")


def _unpack_pending(position: Position, message: state_pb2.Pending) -> None:
    position.task = message.action
    position.fresh = mask_of(list(message.bought))
    position.built = list(message.built)
    position.source, position.target = message.source - 1, message.target - 1
    position.last, position.last_to = message.last - 1, message.last_to - 1
    position.arrived = dict(zip(message.arrived_figures, message.arrived_numbers, strict=True))
    position.undefended = mask_of(list(message.undefended))
    position.contested = mask_of(list(message.contested))


def _unpack_election(message: state_pb2.Election) -> Election:
    election = Election(message.diocese - 1, list(message.asked), 0)
    election.at = message.at
    election.candidates, election.ballot = list(message.candidates), list(message.ballot)
    election.is_runoff = message.runoff
    election.votes, election.offers = list(message.votes), list(message.offers)
    election.cast, election.lowest, election.elector = message.cast, message.lowest, message.elector
    return election
