"""How good a position is for each seat, by a quick look: each pair of seats, who will be placed before the other.

A seat is placed before another one if it becomes king, or else by wealth; king and richest share the first place (5.3).
So each seat gets a chance to be king, from its titles and what it may soon hold, and an expected wealth: what it owns,
what its production will pay, what its armies may win or lose. The weights were found by `python -m bots.training`;
weights.json tells how.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from math import exp, log
from random import Random
from typing import Final

from engine.abilities import Playable, Weighing
from engine.chance import SeededChance
from engine.games.rex_romanorum.evaluation import playout_policy as habits
from engine.games.rex_romanorum.evaluation.prospects import (
    expected_payments,
    expected_titles,
    harvests_ahead,
    king_chances,
    land_prospects,
    sigmoid,
)
from engine.games.rex_romanorum.evaluation.weights import FOUND, NAMES, Weights
from engine.games.rex_romanorum.scoring import figures_of, outcome, production, wealth
from engine.games.rex_romanorum.state import END, RexState, all_churches

_NARROWEST: Final = 0.5
"""Gold by which a seat is ahead counts at least so softly, whatever the weights."""


def evaluate_all(state: RexState, weights: Weights) -> tuple[float, ...]:
    """Return how good the position is for each seat, 0 to 1; after the end, the part of the others left behind."""
    if state.phase == END:
        ranks = outcome(state).ranks
        others = len(ranks) - 1
        return tuple((sum((rank < r) + 0.5 * (rank == r) for r in ranks) - 0.5) / others for rank in ranks)
    kings = king_chances(state, weights)
    fortunes = expected_fortunes(state, weights)
    shares = [exp(weights.richest_power * log(max(fortune, 1.0))) for fortune in fortunes]
    richest = [share / sum(shares) for share in shares]
    width = weights.width + weights.width_per_harvest * harvests_ahead(state, weights)
    values = [0.0] * state.seats
    for seat in range(state.seats):
        for other in range(seat):
            ahead = sigmoid(
                (fortunes[seat] - fortunes[other])
                / max(width + weights.width_per_gold * abs(fortunes[other]), _NARROWEST)
            )
            # A king leaves the other behind, or shares the first place with him.
            first = kings[seat] * (1 - 0.5 * richest[other]) + kings[other] * 0.5 * richest[seat]
            first += (1 - kings[seat] - kings[other]) * ahead
            values[seat] += first
            values[other] += 1 - first
    return tuple(value / (state.seats - 1) for value in values)


def expected_fortunes(state: RexState, weights: Weights) -> list[float]:
    """Return the wealth that each seat may have in the end."""
    harvests = harvests_ahead(state, weights)
    cap = state.options.harvest[3]
    title = weights.title_gold * (state.options.wealth[7] + harvests * state.options.harvest[2])
    land, titles = land_prospects(state, weights), expected_titles(state)
    payments = expected_payments(state, weights.bought)
    return [
        wealth(state, seat)
        + weights.production * harvests * min(cap, production(state, seat))
        + _use(state, seat, weights) * harvests
        + land[seat]
        + title * titles[seat]
        + payments[seat]
        for seat in range(state.seats)
    ]


def _use(state: RexState, seat: int, weights: Weights) -> float:
    """Return what gold, figures, castles and churches will still do for a seat, for each harvest to come."""
    foot, archers, knights = figures_of(state, seat)
    land = state.land[seat]
    return (
        weights.gold * state.gold[seat]
        + weights.foot * foot
        + weights.archer * archers
        + weights.knight * knights
        + weights.castle * (state.castles & land).bit_count()
        + weights.church * (all_churches(state) & land).bit_count()
    )


def redraw(state: RexState, seat: int, random: Random) -> RexState:
    """Return a copy with the pile in another order, and dice of its own, both drawn from `random`.

    Every order is as likely as every other: nobody has seen anything of it since it was shuffled.
    """
    del seat
    copy = state.clone(SeededChance(random.getrandbits(53)))
    copy.pile.sort()
    random.shuffle(copy.pile)
    return copy


def turns_played(state: RexState) -> int:
    """Count the turns that are over; a turn is one of the seven actions, whoever decides in it."""
    return (state.round - 1) * state.seats + state.active + state.is_final


def playable_by(weights: Sequence[float]) -> Playable:
    """Return how the game is searched by these weights; the number of decisions was measured with the sample bots."""
    weighed = Weights(weights)
    return Playable(
        evaluate_all=partial(evaluate_all, weights=weighed),
        redraw=redraw,
        quick_action=partial(habits.choose, weights=weighed),
        turns_played=turns_played,
        usual_decisions=lambda seats: 300 + 30 * seats,
        weighing=Weighing(NAMES, tuple(weights), playable_by),
    )


PLAYABLE: Final = playable_by(FOUND)
