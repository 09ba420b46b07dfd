"""Wealth, winners and ranks (sections 5.2, 5.3 and 9.4, K13)."""

from __future__ import annotations

from engine.core import Outcome
from engine.games.rex_romanorum.board import REGION_COUNT, regions_of
from engine.games.rex_romanorum.state import NOBODY, RexState, all_churches


def production(state: RexState, seat: int) -> int:
    """Return what a harvest would pay without the cap (section 2, S7)."""
    per_region, per_church, per_title, _ = state.options.harvest
    land = state.land[seat]
    churches = (all_churches(state) & land).bit_count()
    return per_region * land.bit_count() + per_church * churches + per_title * state.titles.count(seat)


def wealth(state: RexState, seat: int) -> int:
    """Return what a seat owns, counted by the options' `wealth` (K14); attackers on foreign land are their owner's."""
    gold, region, church, castle, *figures, elector = state.options.wealth
    land = state.land[seat]
    total = gold * state.gold[seat] + region * land.bit_count() + elector * state.titles.count(seat)
    total += church * (all_churches(state) & land).bit_count() + castle * (state.castles & land).bit_count()
    return total + sum(each * number for each, number in zip(figures, figures_of(state, seat), strict=True))


def figures_of(state: RexState, seat: int) -> list[int]:
    """Return how many foot, archers and knights a seat has on the board."""
    numbers = [0, 0, 0]
    for kind in range(3):
        first = kind * REGION_COUNT
        for region in regions_of(state.standing[kind] & state.land[seat]):
            numbers[kind] += state.army[first + region]
    if seat == state.active:
        for figures, number in state.arrived.items():
            numbers[figures // REGION_COUNT] += number
    return numbers


def outcome(state: RexState) -> Outcome:
    """Return the result (5.3, K13).

    King and richest share the first rank, one person may be both; the others follow by wealth.
    """
    fortunes = [wealth(state, seat) for seat in range(state.seats)]
    most = max(fortunes)
    richest = [seat for seat in range(state.seats) if fortunes[seat] == most]
    return Outcome(
        ranks=tuple(rank(seat, fortunes, {*richest, state.king}) for seat in range(state.seats)),
        details={
            "king": None if state.king == NOBODY else state.king,
            "richest": richest,
            "wealth": fortunes,
            "rounds": state.round,
        },
    )


def rank(seat: int, fortunes: list[int], winners: set[int]) -> int:
    """Return 1 + the number of better seats: the winners, and whoever is wealthier."""
    if seat in winners:
        return 1
    return 1 + sum(other in winners or fortune > fortunes[seat] for other, fortune in enumerate(fortunes))
