"""Final scoring and ranks (R16, R17, A44-A54, K12-K14). Reads a position, changes nothing."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Final

from engine.core import Outcome
from engine.games.foreign_king.board import PROVINCE_COUNT
from engine.games.foreign_king.rules.flow import ALL_FACTORIES
from engine.games.foreign_king.rules.majority import NOBODY, majority
from engine.games.foreign_king.state import VIRTUAL, Position, colours_of

LOAN_PENALTY: Final = -6
CONTROL_AWARD: Final = 9
MEDALS_AWARD: Final = 9
CONGRESS_AWARD: Final = 3
FRANCS_AWARD: Final = 3
VIRTUAL_SHARE_FACTOR: Final = 2
VIRTUAL_PROVINCE: Final = 1
VIRTUAL_INDUSTRIALIZED: Final = 3


@dataclass(frozen=True, slots=True)
class Control:
    """Who holds what, per colour."""

    provinces: tuple[int, ...]
    """Provinces with majority."""
    industrialized: tuple[int, ...]
    """Those of them with a factory, active or not."""
    weight: tuple[int, ...]
    """1 + factories of each of them (A49)."""


def control(s: Position) -> Control:
    """Count the majorities on the map."""
    colours = colours_of(s.seats)
    provinces = [0] * colours
    industrialized = [0] * colours
    weight = [0] * colours
    for province in range(PROVINCE_COUNT):
        holder = majority(s, province)
        if holder != NOBODY:
            factories = factories_in(s.factories[province])
            provinces[holder] += 1
            industrialized[holder] += factories > 0
            weight[holder] += 1 + factories
    return Control(tuple(provinces), tuple(industrialized), tuple(weight))


def factories_in(packed: int) -> int:
    """Factories of a packed province, active or not."""
    return (packed & 7) + (packed >> 3 & 7) + (packed >> 6 & 7) + (packed >> 9)


def award(amounts: Sequence[int], points: int) -> list[int]:
    """`points` to whoever has most, divided and rounded down among ties (A50); none if nobody has any (A51)."""
    most = max(amounts)
    if most <= 0:
        return [0] * len(amounts)
    share = points // amounts.count(most)
    return [share if amount == most else 0 for amount in amounts]


def medals_of(s: Position) -> list[int]:
    """Medals per seat, either side up (A54)."""
    return [up + down for up, down in zip(s.medals_up, s.loans, strict=True)]


def breakdown(s: Position) -> dict[str, list[int]]:
    """Victory points per seat by where they come from, final scoring as if the game ended now (R16)."""
    shares = award(control(s).weight, CONTROL_AWARD)
    seats = s.seats
    return {
        "play": s.scores[:seats],
        "loans": [LOAN_PENALTY * loans for loans in s.loans],
        "control": shares[:seats],
        "medals": award(medals_of(s), MEDALS_AWARD),
        "congress": award(s.congress[:seats], CONGRESS_AWARD),
        "francs": award(s.francs, FRANCS_AWARD),
    }


def virtual_breakdown(s: Position) -> dict[str, int]:
    """The virtual player's points by where they come from (R16, A45, C11)."""
    held = control(s)
    share = award(held.weight, CONTROL_AWARD)[VIRTUAL]
    return {
        "play": s.scores[VIRTUAL],
        "control": VIRTUAL_SHARE_FACTOR * share,
        "provinces": VIRTUAL_PROVINCE * held.provinces[VIRTUAL],
        "industrialized": VIRTUAL_INDUSTRIALIZED * held.industrialized[VIRTUAL],
    }


def ranks(scores: Sequence[int], medals: Sequence[int]) -> tuple[int, ...]:
    """1 + the number of strictly better seats, by points, then by medals (R17, K12)."""
    keys = list(zip(scores, medals, strict=True))
    return tuple(1 + sum(other > key for other in keys) for key in keys)


def end_conditions(s: Position) -> list[str]:
    """Every end condition that holds; `max_rounds` alone means the cap (K14)."""
    found = []
    if s.marker <= s.second_score:
        found.append("marker")
    if s.inactive_count == ALL_FACTORIES:
        found.append("factories")
    return found or ["max_rounds"]


def outcome(s: Position) -> Outcome:
    """The outcome of a finished game; the keys of its details are documented in the manual."""
    parts = breakdown(s)
    scores = [sum(points) for points in zip(*parts.values(), strict=True)]
    medals = medals_of(s)
    places = ranks(scores, medals)
    details: dict[str, Any] = {
        "end": end_conditions(s),
        "rounds": s.round,
        "scores": scores,
        "medals": medals,
        "breakdown": parts,
    }
    return Outcome(places, details | _virtual_details(s, scores, medals, places))


def _virtual_details(s: Position, scores: list[int], medals: list[int], places: tuple[int, ...]) -> dict[str, Any]:
    if s.seats != 2:
        return {"virtual": None, "virtual_won": False, "virtual_shares": False}
    parts = virtual_breakdown(s)
    score = sum(parts.values())
    best = places.index(1)
    may_win = s.options.virtual_can_win
    return {
        "virtual": {"score": score, "breakdown": parts},
        "virtual_won": may_win and score > scores[best],
        "virtual_shares": may_win and score == scores[best] and medals[best] == 0,
    }
