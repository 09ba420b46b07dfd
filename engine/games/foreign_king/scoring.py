"""Final scoring and ranks (R16, R17, A44-A54, K12-K14). Reads a position, changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.core import Outcome
from engine.games.foreign_king.board import PROVINCE_COUNT
from engine.games.foreign_king.state import ALL_FACTORIES, VIRTUAL, ForeignKingState, colour_count, factories_in

LOAN_PENALTY: Final = -6
CONTROL_AWARD: Final = 9
MEDALS_AWARD: Final = 9
CONGRESS_AWARD: Final = 3
FRANCS_AWARD: Final = 3
VIRTUAL_SHARE_FACTOR: Final = 2
VIRTUAL_PROVINCE: Final = 1
VIRTUAL_INDUSTRIALIZED: Final = 3


NOBODY: Final = -1


def majority(state: ForeignKingState, province: int) -> int:
    """Return the colour with strictly more discs there than every other colour (R10, A9), or NOBODY."""
    discs, most, holder = state.discs, 0, NOBODY
    for cell in range(province, len(discs), PROVINCE_COUNT):
        count = discs[cell]
        if count > most:
            most, holder = count, cell // PROVINCE_COUNT
        elif count == most:
            holder = NOBODY
    return holder


@dataclass(frozen=True, slots=True)
class Control:
    """Who holds what, per colour."""

    provinces: tuple[int, ...]
    """Provinces with majority."""
    industrialized: tuple[int, ...]
    """Those of them with a factory, active or not."""
    weight: tuple[int, ...]
    """1 + factories of each of them (A49)."""


def control(state: ForeignKingState) -> Control:
    """Count the majorities on the map."""
    provinces, industrialized = ([0] * colour_count(state) for _ in range(2))
    for province in range(PROVINCE_COUNT):
        holder = majority(state, province)
        if holder != NOBODY:
            provinces[holder] += 1
            industrialized[holder] += state.factories[province] > 0
    return Control(tuple(provinces), tuple(industrialized), tuple(weights(state)))


def weights(state: ForeignKingState) -> list[int]:
    """Return the weight of each colour's provinces: 1 + factories of each with its majority (A49)."""
    found = [0] * len(state.scores)
    for province in range(PROVINCE_COUNT):
        holder = majority(state, province)
        if holder != NOBODY:
            found[holder] += 1 + factories_in(state.factories[province])
    return found


def award(amounts: list[int], points: int) -> list[int]:
    """Return `points` for whoever has most, divided and rounded down among ties (A50); none if nobody has any (A51)."""
    most = max(amounts)
    if most <= 0:
        return [0] * len(amounts)
    share = points // amounts.count(most)
    return [share if amount == most else 0 for amount in amounts]


def breakdown(state: ForeignKingState) -> dict[str, list[int]]:
    """Return the points of each seat by where they come from, with final scoring as if the game ended now (R16)."""
    shares = award(weights(state), CONTROL_AWARD)
    seats = state.seats
    return {
        "play": state.scores[:seats],
        "loans": [LOAN_PENALTY * loans for loans in state.loans],
        "control": shares[:seats],
        "medals": award(state.medals, MEDALS_AWARD),
        "congress": award(state.congress[:seats], CONGRESS_AWARD),
        "francs": award(state.francs, FRANCS_AWARD),
    }


def virtual_breakdown(state: ForeignKingState) -> dict[str, int]:
    """Return the virtual player's points by where they come from (R16, A45, C11)."""
    held = control(state)
    share = award(list(held.weight), CONTROL_AWARD)[VIRTUAL]
    return {
        "play": state.scores[VIRTUAL],
        "control": VIRTUAL_SHARE_FACTOR * share,
        "provinces": VIRTUAL_PROVINCE * held.provinces[VIRTUAL],
        "industrialized": VIRTUAL_INDUSTRIALIZED * held.industrialized[VIRTUAL],
    }


def ranks(scores: Sequence[int], medals: Sequence[int]) -> tuple[int, ...]:
    """Return for each seat 1 + the number of strictly better seats, by points, then by medals (R17, K12)."""
    keys = [points * (PROVINCE_COUNT + 1) + held for points, held in zip(scores, medals, strict=True)]
    return tuple(1 + sum(other > key for other in keys) for key in keys)


def end_conditions(state: ForeignKingState) -> list[str]:
    """Return every end condition that holds; `max_rounds` alone means the cap (K14)."""
    found = []
    if state.marker <= state.second_score:
        found.append("marker")
    if state.inactive_count == ALL_FACTORIES:
        found.append("factories")
    return found or ["max_rounds"]


def outcome(state: ForeignKingState) -> Outcome:
    """Return the outcome of a finished game; the manual documents the keys of its details."""
    parts = breakdown(state)
    scores = [sum([points[seat] for points in parts.values()]) for seat in range(state.seats)]
    medals = state.medals[:]
    places = ranks(scores, medals)
    details: dict[str, Any] = {
        "end": end_conditions(state),
        "rounds": state.round,
        "scores": scores,
        "medals": medals,
        "breakdown": parts,
    }
    return Outcome(places, details | _virtual_details(state, scores, medals, places))


def _virtual_details(
    state: ForeignKingState, scores: list[int], medals: list[int], places: tuple[int, ...]
) -> dict[str, Any]:
    if state.seats != 2:
        return {"virtual": None, "virtual_won": False, "virtual_shares": False}
    parts = virtual_breakdown(state)
    score = sum(parts.values())
    best = places.index(1)
    may_win = state.options.virtual_can_win
    return {
        "virtual": {"score": score, "breakdown": parts},
        "virtual_won": may_win and score > scores[best],
        "virtual_shares": may_win and score == scores[best] and medals[best] == 0,
    }
