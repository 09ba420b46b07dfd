"""What holds in every position that play can come to (section 6 of the rules), under any options."""

from __future__ import annotations

from engine.core import InvariantError
from engine.games.foreign_king import state as at
from engine.games.foreign_king.board import PROVINCE_COUNT
from engine.games.foreign_king.scoring import factories_in
from engine.games.foreign_king.state import Position


def check(s: Position) -> None:
    """Raise InvariantError unless the position keeps every invariant."""
    for colour in range(at.colours_of(s.seats)):
        _check_discs(s, colour)
    _check_factories(s)
    _check_medals(s)
    _check_money(s)
    pawns = [space for space in s.pawns if space != at.NO_PAWN]
    _hold(len(set(pawns)) == len(pawns), "two pawns never stand on one space")
    _hold(s.free_spaces == at.spaces_of(s.seats) & ~at.bits(pawns), "free spaces are those without a pawn")
    _hold(len(s.claims) <= max(0, s.seats - 2), "at most two seats less than there are claim another order")
    _hold(0 <= s.marker <= at.FIRST_MARKER, "the marker stays on its track")
    _hold(1 <= s.round <= s.options.max_rounds, "a game ends within its rounds")
    _hold(min(s.scores) >= 0 and s.second_score == sorted(s.scores)[-2], "the second score is that of the list")


def _hold(fact: bool, what: str) -> None:
    if not fact:
        raise InvariantError(what)


def _check_discs(s: Position, colour: int) -> None:
    on_map = s.discs[colour * PROVINCE_COUNT : (colour + 1) * PROVINCE_COUNT]
    everywhere = s.hand[colour] + s.congress[colour] + sum(on_map)
    _hold(everywhere == at.discs_of(s.seats, colour, s.options), "no disc is lost or made")
    _hold(min(s.hand[colour], s.congress[colour], *on_map) >= 0, "there are no negative discs")
    occupied = at.bits([province for province, number in enumerate(on_map) if number])
    _hold(s.occupied[colour] == occupied, "occupied provinces are those with a disc")


def _check_factories(s: Position) -> None:
    for supply, shift in ((s.supply_m, 0), (s.supply_t, 3)):
        built = sum((packed >> shift & 7) + (packed >> shift + 6 & 7) for packed in s.factories)
        _hold(supply >= 0 and supply + built == at.FACTORIES_PER_TYPE, "no factory is lost or made")
    inactive = sum((packed >> 6 & 7) + (packed >> 9) for packed in s.factories)
    _hold(s.inactive_count == inactive, "inactive factories are those on the map")


def _check_medals(s: Position) -> None:
    medals = sum(s.medals_up) + sum(s.loans)
    _hold(min(*s.medals_up, *s.loans) >= 0, "there are no negative medals")
    industrialized = sum(factories_in(packed) > 0 for packed in s.factories)
    _hold(medals == industrialized <= PROVINCE_COUNT, "every industrialized province gave one medal")


def _check_money(s: Position) -> None:
    _hold(min(s.francs) >= 0, "no purse is negative")
    _hold(s.options.bank is None or sum(s.francs) <= s.options.bank, "no Franc is made beside those of the bank")
