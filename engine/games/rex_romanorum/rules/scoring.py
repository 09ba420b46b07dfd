"""Wealth, winners and ranks (sections 5.2, 5.3 and 9.4, K13)."""

from __future__ import annotations

from engine.core import Outcome
from engine.games.rex_romanorum.board import REGION_COUNT, regions_of
from engine.games.rex_romanorum.position import NOBODY, Position
from engine.games.rex_romanorum.rules.land import all_churches


def wealth(position: Position, seat: int) -> int:
    """Everything a seat owns, counted by the options' `wealth` (K14). Attackers on foreign land are their owner's."""
    gold, region, church, castle, *figures, elector = position.options.wealth
    land = position.land[seat]
    total = gold * position.gold[seat] + region * land.bit_count() + elector * position.titles.count(seat)
    total += church * (all_churches(position) & land).bit_count() + castle * (position.castles & land).bit_count()
    return total + sum(each * number for each, number in zip(figures, figures_of(position, seat), strict=True))


def figures_of(position: Position, seat: int) -> list[int]:
    """How many foot, archers and knights a seat has on the board."""
    numbers = [0, 0, 0]
    for kind in range(3):
        first = kind * REGION_COUNT
        for region in regions_of(position.standing[kind] & position.land[seat]):
            numbers[kind] += position.army[first + region]
    if seat == position.active:
        for figures, number in position.arrived.items():
            numbers[figures // REGION_COUNT] += number
    return numbers


def outcome(position: Position) -> Outcome:
    """King and richest share the first rank, one person may be both; the others follow by wealth (5.3, K13)."""
    fortunes = [wealth(position, seat) for seat in range(position.seats)]
    most = max(fortunes)
    richest = [seat for seat in range(position.seats) if fortunes[seat] == most]
    return Outcome(
        ranks=tuple(rank(seat, fortunes, {*richest, position.king}) for seat in range(position.seats)),
        details={
            "king": None if position.king == NOBODY else position.king,
            "richest": richest,
            "wealth": fortunes,
            "rounds": position.round,
        },
    )


def rank(seat: int, fortunes: list[int], winners: set[int]) -> int:
    """1 + the number of better seats: the winners, and whoever is wealthier."""
    if seat in winners:
        return 1
    return 1 + sum(other in winners or fortune > fortunes[seat] for other, fortune in enumerate(fortunes))
