"""How good a position is for each seat, by a quick look: expected final points, then the chance to be ahead.

Every term estimates victory points at the end. What final scoring awards to whoever has most is shared softly while
much can still happen (the King's marker is far from the second-highest score), and sharply near the end. Weights were
tuned by greedy play against earlier settings.
"""

from __future__ import annotations

from math import exp
from typing import Final

from engine.abilities import Playable
from engine.games.foreign_king import scoring
from engine.games.foreign_king.actions import CONGRESS_GO, CONGRESS_STAY
from engine.games.foreign_king.board import PROVINCE_COUNT
from engine.games.foreign_king.state import (
    CONGRESS_ASK,
    END,
    FIRST_MARKER,
    REPAYMENT,
    ForeignKingState,
    factories_in,
)

_HOLD: Final[tuple[float, ...]] = (0.0, 0.55, 0.72, 0.83, 0.9, 0.94, 0.97, 1.0)
"""How likely a lead of so many discs lasts."""
_HARVEST: Final = 0.55
"""Part of a leader's active factories that he will come to score."""
_FRANC: Final = 0.45
"""Worth of a Franc while there is time to spend it."""
_FRANCS_COUNTED: Final = 12
_BOARD_DISC: Final = 0.22
_HAND_DISC: Final = 0.05
_CONGRESS_DISC: Final = 0.3
_MEDAL_UP: Final = 1.6
_LOAN_REPAYABLE: Final = 1.5
"""Points an open loan costs that the Francs in hand would repay."""
_WIDTH: Final = 7.0
_WIDTH_PER_TIME: Final = 14.0


def evaluate_all(state: ForeignKingState) -> tuple[float, ...]:
    """Return the value for each seat, 0 to 1; at the end it is the part of the other seats left behind."""
    if state.phase == END:
        return _normalised(scoring.outcome(state).ranks)
    if state.phase == CONGRESS_ASK:
        return _after_congress(state)
    time = _time_left(state)
    points = expected_points(state, time)
    width = _WIDTH + _WIDTH_PER_TIME * time
    return tuple(_chance_ahead(points, seat, width) for seat in range(state.seats))


def _normalised(ranks: tuple[int, ...]) -> tuple[float, ...]:
    others = len(ranks) - 1
    values = []
    for rank in ranks:
        better = sum(other < rank for other in ranks)
        level = ranks.count(rank) - 1
        values.append(1.0 - (better + level / 2) / others)
    return tuple(values)


def _after_congress(state: ForeignKingState) -> tuple[float, ...]:
    """Value a position in which scoring is under way by the answer that is best for the seat asked."""
    asked = state.asked[0]
    answers = []
    for action in (CONGRESS_GO, CONGRESS_STAY):
        child = state.clone()
        child.apply_unchecked(action)
        answers.append(evaluate_all(child))
    return max(answers, key=lambda values: values[asked])


def _time_left(state: ForeignKingState) -> float:
    """Return 1 at the start, falling to 0 when the marker meets the second-highest score."""
    return max(0.0, (state.marker - state.second_score) / FIRST_MARKER)


def _chance_ahead(points: list[float], seat: int, width: float) -> float:
    mine = points[seat]
    total = 0.0
    for other in range(len(points)):
        if other != seat:
            total += 1.0 / (1.0 + exp((points[other] - mine) / width))
    return total / (len(points) - 1)


def expected_points(state: ForeignKingState, time: float) -> list[float]:
    """Return the expected final points of each seat."""
    seats = state.seats
    points = [float(state.scores[seat]) for seat in range(seats)]
    weight = [0.0] * len(state.scores)
    _map_points(state, time, points, weight)
    sharpness = 1.0 + 1.5 * (1.0 - time)
    _share(points, weight, 9.0, 0.45 * sharpness)
    medals = [float(state.medals[seat]) for seat in range(seats)]
    _share(points, medals, 9.0, 0.8 * sharpness)
    _share(points, [float(count) for count in state.congress[:seats]], 3.0, 0.7 * sharpness)
    _share(points, [float(count) for count in state.francs], 3.0, 0.3 * sharpness)
    for seat in range(seats):
        francs = state.francs[seat]
        loans = state.loans[seat]
        repayable = min(loans, francs // REPAYMENT)
        points[seat] += scoring.LOAN_PENALTY * (loans - repayable) - _LOAN_REPAYABLE * repayable
        points[seat] += time * (
            _FRANC * min(francs, _FRANCS_COUNTED)
            + _HAND_DISC * state.hand[seat]
            + _CONGRESS_DISC * state.congress[seat]
            + _MEDAL_UP * (state.medals[seat] - state.loans[seat])
        )
    return points


def _map_points(state: ForeignKingState, time: float, points: list[float], weight: list[float]) -> None:
    """Add to `points` what discs and factories promise, and to `weight` the expected control (A49) of each colour."""
    seats = state.seats
    for province in range(PROVINCE_COUNT):
        row = state.discs[province::PROVINCE_COUNT]
        most = max(row)
        if not most:
            continue
        packed = state.factories[province]
        active = packed & 63
        worth = 1 + factories_in(packed) if packed else 1
        harvest = _HARVEST * (6 * (active & 7) + 3 * (active >> 3)) * time if active else 0.0
        leader = row.index(most)
        row[leader] = 0
        following = max(row)
        second = row.index(following)
        hold = _HOLD[min(most - following, 7)] if most > following else 0.4
        rest = (0.4 if most == following else 1.0 - hold) if following else 0.0
        weight[leader] += worth * hold
        weight[second] += worth * rest
        if leader < seats:
            points[leader] += harvest * hold + _BOARD_DISC * most * time
        if following and second < seats:
            points[second] += harvest * rest + _BOARD_DISC * following * time


def _share(points: list[float], amounts: list[float], award: float, sharpness: float) -> None:
    """Add an award for having most as soft shares; `amounts` may go on with the virtual player, `points` does not."""
    most = max(amounts)
    if most <= 0:
        return
    odds = [exp(sharpness * (amount - most)) for amount in amounts]
    scale = award / sum(odds)
    for seat in range(len(points)):
        points[seat] += scale * odds[seat]


PLAYABLE: Final = Playable(evaluate_all=evaluate_all, usual_decisions=lambda seats: 60 * seats)
"""Nothing is hidden and nothing is drawn; the number of decisions was measured with the sample bots."""
