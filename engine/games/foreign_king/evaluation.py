"""How good a position is for each seat, by a quick look: expected final points, then the chance to be ahead.

Every term estimates victory points at the end. What final scoring awards to whoever has most is shared softly while
much can still happen (the King's marker is far from the second-highest score), and sharply near the end. The weights
were found by `python -m bots.training`; weights.json and weights-4.json, which is for four seats, tell how.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import exp
from typing import Final

from engine.abilities import Playable, Weighing
from engine.games.foreign_king import scoring
from engine.games.foreign_king.actions import CONGRESS_GO, CONGRESS_STAY
from engine.games.foreign_king.board import DISTANCE, PORTRAIT, PROVINCE_COUNT
from engine.games.foreign_king.state import CONGRESS_ASK, END, FIRST_MARKER, REPAYMENT, ForeignKingState, factories_in
from engine.kit.game_folder import read_json

NAMES: Final[tuple[str, ...]] = (
    *("hold_level", "hold_1", "hold_2", "hold_3", "hold_4", "hold_5", "hold_6", "rest_level"),
    *("harvest_here", "harvest_near", "harvest_far", "harvest_farther"),
    *("franc", "francs_counted", "board_disc", "hand_disc", "congress_disc", "congress_harvest", "medal_up"),
    *("loan_repayable", "width", "width_per_time", "sharpness_per_time", "sharp_control", "sharp_medals"),
    *("sharp_congress", "sharp_francs", "hold_end", "hold_threatened"),
)
"""What each weight is for: `hold_n` is how likely a lead of n discs lasts, `rest` the part of whoever comes second;
`harvest` the part of a leader's active factories that he will come to score, by how far the King is away (in his
province he cannot score soon); `congress_harvest` the part of all active factories that a share of the Congress brings;
`sharp` how steeply more of something brings its final award; `hold_end` how much surer a lead is at the end, and
`hold_threatened` how much less sure where somebody's congressmen would take it."""


class Evaluation:
    """Values positions by weights, in the order of `NAMES`."""

    def __init__(self, weights: Sequence[float]) -> None:
        """Take the weights. Raises ValueError if they are not as many as `NAMES`."""
        if len(weights) != len(NAMES):
            raise ValueError(f"there are {len(NAMES)} weights, not {len(weights)}")
        value = [float(weight) for weight in weights]
        self._hold = [0.0, *value[1:7], 1.0]
        self._hold_level, self._rest_level = value[0], value[7]
        self._harvest = [value[8], value[9], value[10], value[11], value[11]]
        self._franc, self._francs_counted = value[12], value[13]
        self._board_disc, self._hand_disc, self._congress_disc = value[14], value[15], value[16]
        self._congress_harvest, self._medal_up, self._loan_repayable = value[17], value[18], value[19]
        self._width, self._width_per_time, self._sharpness_per_time = value[20], value[21], value[22]
        self._sharp_control, self._sharp_medals = value[23], value[24]
        self._sharp_congress, self._sharp_francs = value[25], value[26]
        self._hold_end, self._hold_threatened = value[27], value[28]

    def evaluate_all(self, state: ForeignKingState) -> tuple[float, ...]:
        """Return the value for each seat, 0 to 1; at the end it is the part of the other seats left behind."""
        if state.phase == END:
            ranks = scoring.outcome(state).ranks
            others = len(ranks) - 1
            values = []
            for rank in ranks:
                better = sum([other < rank for other in ranks])
                level = ranks.count(rank) - 1
                values.append(1.0 - (better + level / 2) / others)
            return tuple(values)
        if state.phase == CONGRESS_ASK:
            asked = state.asked[0]
            answers = []
            for action in (CONGRESS_GO, CONGRESS_STAY):
                child = state.clone()
                child.apply_unchecked(action)
                answers.append(self.evaluate_all(child))
            return answers[0] if answers[0][asked] >= answers[1][asked] else answers[1]
        time = max(0.0, (state.marker - state.second_score) / FIRST_MARKER)
        points = self.expected_points(state, time)
        width = max(self._width + self._width_per_time * time, _NARROWEST)
        return tuple([_chance_ahead(points, seat, width) for seat in range(state.seats)])

    def expected_points(self, state: ForeignKingState, time: float) -> list[float]:
        """Return the expected final points of each seat."""
        seats = state.seats
        points = [float(state.scores[seat]) for seat in range(seats)]
        weight = [0.0] * len(state.scores)
        self._map_points(state, time, points, weight)
        sharpness = 1.0 + self._sharpness_per_time * (1.0 - time)
        _share(points, weight, 9.0, self._sharp_control * sharpness)
        _share(points, [float(state.medals[seat]) for seat in range(seats)], 9.0, self._sharp_medals * sharpness)
        _share(points, [float(count) for count in state.congress[:seats]], 3.0, self._sharp_congress * sharpness)
        _share(points, [float(count) for count in state.francs], 3.0, self._sharp_francs * sharpness)
        for seat in range(seats):
            francs, loans = state.francs[seat], state.loans[seat]
            repayable = min(loans, francs // REPAYMENT)
            points[seat] += scoring.LOAN_PENALTY * (loans - repayable) - self._loan_repayable * repayable
            points[seat] += time * (
                self._franc * min(float(francs), self._francs_counted)
                + self._hand_disc * state.hand[seat]
                + self._congress_disc * state.congress[seat]
                + self._medal_up * (state.medals[seat] - state.loans[seat])
            )
        return points

    def _map_points(self, state: ForeignKingState, time: float, points: list[float], weight: list[float]) -> None:
        """Add to `points` what discs and factories promise, to `weight` the expected control (A49) of each colour."""
        seats = state.seats
        away = DISTANCE[state.king] if state.king != PORTRAIT else None
        surer = self._hold_end * (1.0 - time)
        harvests = 0.0
        for province in range(PROVINCE_COUNT):
            row = state.discs[province::PROVINCE_COUNT]
            packed = state.factories[province]
            active = packed & 63
            worth = 1 + factories_in(packed) if packed else 1
            full = float(6 * (active & 7) + 3 * (active >> 3)) * time
            harvests += full
            most = max(row)
            if not most:
                continue
            harvest = full * self._harvest[away[province] if away is not None else 1] if active else 0.0
            leader = row.index(most)
            row[leader] = 0
            following = max(row)
            second = row.index(following)
            hold = self._hold_level
            if most > following:
                hold = self._hold[min(most - following, 7)] + surer
                if _is_threatened(state, province, leader, most):
                    hold -= self._hold_threatened
            rest = (self._rest_level if most == following else 1.0 - hold) if following else 0.0
            weight[leader] += worth * hold
            weight[second] += worth * rest
            if leader < seats:
                points[leader] += harvest * hold + self._board_disc * most * time
            if following and second < seats:
                points[second] += harvest * rest + self._board_disc * following * time
        members = sum(state.congress[:seats])
        if members:
            for seat in range(seats):
                points[seat] += self._congress_harvest * harvests * state.congress[seat] / members


_NARROWEST: Final = 0.5
"""Points by which a seat is ahead count at least so softly, whatever the weights."""


def _is_threatened(state: ForeignKingState, province: int, leader: int, most: int) -> bool:
    """Return whether another seat's congressmen would bring it level with the leader, or beyond."""
    for seat in range(state.seats):
        members = state.congress[seat]
        if members and seat != leader and members + state.discs[seat * PROVINCE_COUNT + province] >= most:
            return True
    return False


def _chance_ahead(points: list[float], seat: int, width: float) -> float:
    mine = points[seat]
    total = 0.0
    for other in range(len(points)):
        if other != seat:
            total += 1.0 / (1.0 + exp(min((points[other] - mine) / width, 40.0)))
    return total / (len(points) - 1)


def _share(points: list[float], amounts: list[float], award: float, sharpness: float) -> None:
    """Add an award for having most as soft shares; `amounts` may go on with the virtual player, `points` does not."""
    most = max(amounts)
    if most <= 0:
        return
    odds = [exp(max(sharpness, 0.0) * (amount - most)) for amount in amounts]
    scale = award / sum(odds)
    for seat in range(len(points)):
        points[seat] += scale * odds[seat]


def playable_by(weights: Sequence[float]) -> Playable:
    """Return how the game is searched by these weights. Nothing is hidden and nothing is drawn.

    The number of decisions was measured with the sample bots.
    """
    weighing = Weighing(NAMES, tuple(weights), playable_by)
    return Playable(
        evaluate_all=Evaluation(weights).evaluate_all, usual_decisions=lambda seats: 60 * seats, weighing=weighing
    )


def _weights_in(file: str) -> tuple[float, ...]:
    weights = read_json(__name__, file)["weights"]
    return tuple([float(weights[name]) for name in NAMES])


def _playable() -> Playable:
    """Return how the game is searched: where four play, by weights of their own, which would lose where two play."""
    everywhere, at_four = playable_by(_weights_in("weights.json")), _weights_in("weights-4.json")
    usual, of_four = everywhere.evaluate_all, Evaluation(at_four).evaluate_all

    def evaluate_all(state: ForeignKingState) -> Sequence[float]:
        return of_four(state) if state.seats == 4 else usual(state)

    assert everywhere.weighing is not None
    weighing = replace(everywhere.weighing, weights_at={4: at_four})
    return replace(everywhere, evaluate_all=evaluate_all, weighing=weighing)


PLAYABLE: Final = _playable()
