"""How good a position is for each seat, by a quick look: each pair of seats, who will be placed before the other.

A seat is placed before another one if it becomes king, or else by wealth; king and richest share the first place (5.3).
So each seat gets a chance to be king, from its titles and what it may soon hold, and an expected wealth: what it owns,
what its production will pay, what its armies may win or lose. Weights were chosen by play between settings.
"""

from __future__ import annotations

from random import Random
from typing import Final

from benchmarks.baselines.rex_romanorum import habits
from benchmarks.baselines.rex_romanorum.land_prospects import harvests_ahead, land_prospects
from benchmarks.baselines.rex_romanorum.vote_prospects import (
    expected_payments,
    expected_titles,
    king_chances,
    sigmoid,
)
from engine.abilities import Playable
from engine.chance import SeededChance
from engine.games.rex_romanorum.scoring import outcome, production, wealth
from engine.games.rex_romanorum.state import END, RexState

_WIDTH: Final = 5.0
_WIDTH_PER_HARVEST: Final = 4.0
_WIDTH_PER_GOLD: Final = 0.08
_RICHEST_POWER: Final = 4


def evaluate_all(state: RexState) -> tuple[float, ...]:
    """Return how good the position is for each seat, 0 to 1; after the end, the part of the others left behind."""
    if state.phase == END:
        return _left_behind(outcome(state).ranks)
    kings = king_chances(state)
    fortunes = expected_fortunes(state)
    richest = _shares(fortunes)
    width = _WIDTH + _WIDTH_PER_HARVEST * harvests_ahead(state)
    values = [0.0] * state.seats
    for seat in range(state.seats):
        for other in range(seat):
            ahead = sigmoid((fortunes[seat] - fortunes[other]) / (width + _WIDTH_PER_GOLD * abs(fortunes[other])))
            # A king leaves the other behind, or shares the first place with him.
            first = kings[seat] * (1 - 0.5 * richest[other]) + kings[other] * 0.5 * richest[seat]
            first += (1 - kings[seat] - kings[other]) * ahead
            values[seat] += first
            values[other] += 1 - first
    return tuple(value / (state.seats - 1) for value in values)


def _left_behind(ranks: tuple[int, ...]) -> tuple[float, ...]:
    """Return for each seat the part of the others that ranks below it; equals count half."""
    others = len(ranks) - 1
    return tuple((sum((rank < r) + 0.5 * (rank == r) for r in ranks) - 0.5) / others for rank in ranks)


def _shares(fortunes: list[float]) -> list[float]:
    """Return the chance of each seat to be the richest, from fortunes that may be negative."""
    weights = [max(fortune, 1.0) ** _RICHEST_POWER for fortune in fortunes]
    return [weight / sum(weights) for weight in weights]


def expected_fortunes(state: RexState) -> list[float]:
    """Return the wealth that each seat may have in the end."""
    harvests = harvests_ahead(state)
    cap = state.options.harvest[3]
    title = state.options.wealth[7] + harvests * state.options.harvest[2]
    land, titles, payments = land_prospects(state), expected_titles(state), expected_payments(state)
    return [
        wealth(state, seat)
        + harvests * min(cap, production(state, seat))
        + land[seat]
        + title * titles[seat]
        + payments[seat]
        for seat in range(state.seats)
    ]


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


PLAYABLE: Final = Playable(
    evaluate_all=evaluate_all,
    redraw=redraw,
    quick_action=habits.choose,
    turns_played=turns_played,
    usual_decisions=lambda seats: 300 + 30 * seats,
)
"""The number of decisions was measured with the sample bots."""
