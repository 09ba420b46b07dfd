"""The position as `arena.games.foreign_king.v1.ForeignKingState`: what bots in any language read."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from google.protobuf.message import DecodeError

from arena.games.foreign_king.v1 import state_pb2
from engine.core import EngineError, PositionError
from engine.games.foreign_king import state as at
from engine.games.foreign_king.options import OPTIONS, Options
from engine.games.foreign_king.state import POSITION, ForeignKingState, colour_count
from engine.kit.fields import SameFields
from engine.kit.message_writer import MessageWriter

TYPE: Final[str] = state_pb2.ForeignKingState.DESCRIPTOR.full_name
_RULEBOOKS: Final = ("", "canonical", "en", "de", "it", "fr")
_SCOPES: Final = ("any", "occupied_by_others")


@lru_cache(maxsize=64)
def _options_message(options: Options) -> bytes:
    return state_pb2.Options(
        rulebook=_RULEBOOKS.index(options.rulebook),  # type: ignore[arg-type]
        queen_occupied_by_others=options.queen_scope == _SCOPES[1],
        congress_on_empty=options.congress_on_empty,
        virtual_discs=options.virtual_discs,
        virtual_can_win=options.virtual_can_win,
        bank=options.bank or 0,
        max_rounds=options.max_rounds,
    ).SerializeToString()


_SAME: Final = SameFields(
    ForeignKingState,
    (
        *("active", "round", "order", "king", "marker", "scores", "hand", "discs", "francs", "medals", "loans"),
        *("pawns", "factories", "claims"),
    ),
)


_WRITER: Final = MessageWriter(state_pb2.ForeignKingState)
_PENDING: Final[dict[int, tuple[tuple[str, str], ...]]] = {}
"""For each phase met so far what is pending in it: the names in the message and in the position."""


def encode(state: ForeignKingState) -> bytes:
    """Serialize a position; of what is pending, only what its phase needs."""
    pending = _PENDING.get(state.phase)
    if pending is None:
        found = POSITION.present("pending", state)
        pending = _PENDING[state.phase] = tuple((f"pending_{each.key}", each.name) for each in found)
    values = _SAME.values(state)
    for key, name in pending:
        value = getattr(state, name)
        if key != "pending_last" or value != at.NO_STEP:
            values[key] = value
    values["version"] = POSITION.version
    values["seats"] = state.seats
    values["phase"] = state.phase + 1
    values["seat"] = -1 if state.decider is None else state.decider
    values["congress"] = [*state.congress, *[0] * (colour_count(state) - state.seats)]
    values["supply"] = at.SUPPLY.counts(state.supply).values()
    values["options"] = _options_message(state.options)
    return _WRITER.write(values)


def decode(data: bytes) -> ForeignKingState:
    """Return the position that `encode` serialized. Raises PositionError if the bytes show none."""
    try:
        message = state_pb2.ForeignKingState.FromString(data)
        options = _read_options(message.options.SerializeToString())
    except (DecodeError, EngineError, IndexError) as error:
        raise PositionError(f"not a ForeignKingState message: {error}") from error
    state = POSITION.start(seats=message.seats, options=options)
    state.phase, state.decider = message.phase - 1, None if message.seat == -1 else message.seat
    state.congress = list(message.congress[: message.seats])
    state.supply = at.SUPPLY.pack(message.supply)
    _SAME.set(state, message)
    for each in POSITION.present("pending", state):
        value = getattr(message, f"pending_{each.key}")
        setattr(state, each.name, tuple(value) if each.key == "asked" else value)
    if state.steps == 0:
        state.last = at.NO_STEP
    return POSITION.settle(state)


@lru_cache(maxsize=64)
def _read_options(data: bytes) -> Options:
    message = state_pb2.Options.FromString(data)
    return OPTIONS.parse(
        {
            "rulebook": _RULEBOOKS[message.rulebook],
            "queen_scope": _SCOPES[message.queen_occupied_by_others],
            "congress_on_empty": message.congress_on_empty,
            "virtual_discs": message.virtual_discs,
            "virtual_can_win": message.virtual_can_win,
            "bank": message.bank or "unlimited",
            "max_rounds": message.max_rounds,
        }
    )
