"""A position from JSON, checked: shapes first, then what must add up, then what the phase needs."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import lru_cache
from typing import Any

from engine.core import PositionError
from engine.games.foreign_king import state as at
from engine.games.foreign_king.actions import ACTIONS, LOAN, REPAY, SPACE_COUNT
from engine.games.foreign_king.board import PORTRAIT, PROVINCE_COUNT, PROVINCES
from engine.games.foreign_king.options import OPTIONS, Options
from engine.games.foreign_king.phase_check import check_phase
from engine.games.foreign_king.position_json import FACTORY_KEYS, HAND_NAME, JSON_VERSION, PORTRAIT_NAME
from engine.games.foreign_king.scoring import factories_in
from engine.games.foreign_king.state import ForeignKingState
from engine.kit.reading import read_header, read_int, read_ints, read_name, read_object, read_options

_KEYS = frozenset(
    (
        *("game", "version", "seats", "options", "phase", "seat", "active", "round", "order", "king", "marker"),
        *("scores", "hand", "congress", "discs", "francs", "medals", "loans", "pawns", "factories", "supply"),
        *("claims", "pending"),
    )
)
_MOST = 9999
"""No score and no purse is larger."""


def read_position(data: Mapping[str, Any]) -> ForeignKingState:
    """The position that `write_position` wrote. Raises PositionError naming the key."""
    read_header(data, "foreign_king", JSON_VERSION, _KEYS)
    s = ForeignKingState.__new__(ForeignKingState)
    _read_frame(s, data)
    _read_seats(s, data)
    _read_map(s, data)
    _read_phase(s, data)
    _check_sums(s)
    check_phase(s)
    return s


@lru_cache(maxsize=64)
def _parse_options(text: str) -> Options:
    return OPTIONS.parse(json.loads(text))


def _read_frame(s: ForeignKingState, data: Mapping[str, Any]) -> None:
    """What concerns the playing as a whole; everything else starts as in a new game."""
    seats = read_int(data["seats"], "seats", 2, 4)
    options = read_options(data["options"], _parse_options)
    at.set_up(s, seats, options)
    s.round = read_int(data["round"], "round", 1, options.max_rounds)
    s.active = read_int(data["active"], "active", 0, seats - 1)
    s.order = tuple(read_ints(data["order"], "order", seats, seats - 1))
    if sorted(s.order) != list(range(seats)):
        raise PositionError(f"order: expected every seat once, not {list(s.order)}")
    king = read_name(data["king"], "king", (*PROVINCES, PORTRAIT_NAME))
    s.king = king if king < PROVINCE_COUNT else PORTRAIT
    s.marker = read_int(data["marker"], "marker", 0, at.FIRST_MARKER)


def _read_seats(s: ForeignKingState, data: Mapping[str, Any]) -> None:
    """What colours and seats own."""
    colours = at.colours_of(s.seats)
    s.scores = read_ints(data["scores"], "scores", colours, _MOST)
    s.second_score = sorted(s.scores)[-2]
    s.hand = read_ints(data["hand"], "hand", colours, 16)
    s.congress = read_ints(data["congress"], "congress", s.seats, 16) + [0] * (colours - s.seats)
    s.francs = read_ints(data["francs"], "francs", s.seats, _MOST)
    if s.options.bank is not None and sum(s.francs) > s.options.bank:
        raise PositionError(f"francs: {sum(s.francs)} in all, but the bank option says {s.options.bank}")
    medals = read_ints(data["medals"], "medals", s.seats, PROVINCE_COUNT)
    s.loans = read_ints(data["loans"], "loans", s.seats, PROVINCE_COUNT)
    s.medals_up = [held - down for held, down in zip(medals, s.loans, strict=True)]
    if min(s.medals_up) < 0:
        raise PositionError("loans: a seat has more open loans than medals")
    _read_pawns(s, data["pawns"])
    s.claims = _read_claims(s, data["claims"])


def _read_pawns(s: ForeignKingState, pawns: Any) -> None:
    if not isinstance(pawns, (list, tuple)) or len(pawns) != s.seats:
        raise PositionError(f"pawns: expected a list of {s.seats} names or nulls, not {pawns!r}")
    spaces = ACTIONS.names[:SPACE_COUNT]
    s.pawns = [
        at.NO_PAWN if pawn is None else read_name(pawn, f"pawns[{seat}]", spaces) for seat, pawn in enumerate(pawns)
    ]
    for space in (space for space in s.pawns if space >= 0):
        if not s.free_spaces >> space & 1:
            raise PositionError(f"pawns: {spaces[space]} is taken twice or does not exist with {s.seats} seats")
        s.free_spaces &= ~(1 << space)


def _read_claims(s: ForeignKingState, claims: Any) -> tuple[int, ...]:
    """At most one claim by the space and one by the Queen (A26)."""
    most = s.seats - 2
    if not isinstance(claims, (list, tuple)) or len(claims) > most:
        raise PositionError(f"claims: expected a list of at most {most} seats, not {claims!r}")
    seats = tuple(read_int(seat, f"claims[{index}]", 0, s.seats - 1) for index, seat in enumerate(claims))
    if len(set(seats)) != len(seats):
        raise PositionError("claims: a seat claims twice")
    return seats


def _read_map(s: ForeignKingState, data: Mapping[str, Any]) -> None:
    """Discs, factories and their supply."""
    colours = at.colours_of(s.seats)
    discs = read_object(data["discs"], "discs", PROVINCES)
    factories = read_object(data["factories"], "factories", PROVINCES)
    for index, name in enumerate(PROVINCES):
        s.discs[index::PROVINCE_COUNT] = read_ints(discs[name], f"discs.{name}", colours, 16)
        there = read_object(factories[name], f"factories.{name}", tuple(FACTORY_KEYS))
        s.factories[index] = sum(
            read_int(there[key], f"factories.{name}.{key}", 0, at.FACTORIES_PER_TYPE) << 3 * place
            for place, key in enumerate(FACTORY_KEYS)
        )
    for colour in range(colours):
        row = s.discs[colour * PROVINCE_COUNT : (colour + 1) * PROVINCE_COUNT]
        s.occupied[colour] = at.bits([index for index, count in enumerate(row) if count])
    s.inactive_count = sum(factories_in(packed >> 6) for packed in s.factories)
    supply = read_object(data["supply"], "supply", ("M", "T"))
    s.supply_m = read_int(supply["M"], "supply.M", 0, at.FACTORIES_PER_TYPE)
    s.supply_t = read_int(supply["T"], "supply.T", 0, at.FACTORIES_PER_TYPE)


_PENDING: Mapping[int, tuple[str, ...]] = {
    at.PLACE_N: ("province",),
    at.KING_LEN: ("province",),
    at.MOVE_TO: ("province", "steps", "last"),
    at.CONGRESS_ASK: ("asked",),
    at.VIRT: ("units",),
    at.VIRT_TO: ("units", "province"),
    at.POST: ("used",),
}
_MOST_UNITS = 44
"""45 VP in one scoring are the most (A42)."""


def _read_phase(s: ForeignKingState, data: Mapping[str, Any]) -> None:
    """Phase, decider, and what is pending."""
    s.phase = read_name(data["phase"], "phase", at.PHASES)
    s.turn = s.seats - 1 if s.phase == at.ORDER else s.order.index(s.active)
    s.to_act = None if data["seat"] is None else read_int(data["seat"], "seat", 0, s.seats - 1)
    pending = read_object(data["pending"], "pending", _PENDING.get(s.phase, ()))
    if "province" in pending:
        s.province = read_name(pending["province"], "pending.province", PROVINCES)
    if "steps" in pending:
        s.steps = read_int(pending["steps"], "pending.steps", 0, _MOST)
        s.last = _read_last(s, pending["last"])
    if "units" in pending:
        s.units = read_int(pending["units"], "pending.units", 1, _MOST_UNITS)
    if "asked" in pending:
        asked = pending["asked"]
        size = len(asked) if isinstance(asked, (list, tuple)) else 0
        s.asked = tuple(read_ints(asked, "pending.asked", max(1, min(size, s.seats)), s.seats - 1))
    if pending.get("used") is not None:
        s.post = (LOAN, REPAY)[read_name(pending["used"], "pending.used", ("LOAN", "REPAY"))]


def _read_last(s: ForeignKingState, last: Any) -> int:
    if s.steps == 0:
        if last is not None:
            raise PositionError(f"pending.last: expected null before the first step, not {last!r}")
        return 0
    return read_name(last, "pending.last", (*PROVINCES, HAND_NAME))


def _check_sums(s: ForeignKingState) -> None:
    """The invariants of section 6: discs, factories, medals."""
    for colour in range(at.colours_of(s.seats)):
        expected = at.discs_of(s.seats, colour, s.options)
        on_map = sum(s.discs[colour * PROVINCE_COUNT : (colour + 1) * PROVINCE_COUNT])
        found = s.hand[colour] + s.congress[colour] + on_map
        if found != expected:
            raise PositionError(f"colour {colour} has {found} discs in hand, Congress and provinces, not {expected}")
    for key, supply, shift in (("M", s.supply_m, 0), ("T", s.supply_t, 3)):
        built = sum((packed >> shift & 7) + (packed >> shift + 6 & 7) for packed in s.factories)
        if supply + built != at.FACTORIES_PER_TYPE:
            raise PositionError(f"there are {supply + built} factories of type {key}, not {at.FACTORIES_PER_TYPE}")
    medals = sum(s.medals_up) + sum(s.loans)
    industrialized = sum(packed > 0 for packed in s.factories)
    if medals != industrialized:
        raise PositionError(f"the seats hold {medals} medals, but {industrialized} provinces have a factory (A32)")
