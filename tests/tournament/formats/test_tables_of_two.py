"""The tables of a comparison: NEW and OLD change places in every step, and everybody's turn comes."""

from __future__ import annotations

from collections import Counter
from math import comb

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.tournament.formats.situation import CircularOrder
from arena.tournament.formats.tables_of_two import (
    changed_places,
    is_whole_in_one,
    shares_tables,
    step_orders,
    turn_to_change,
)
from ratings.statistics.blocks import rotations

NEW, OLD = "new", "old"
FIELD = ("ann", "bob", "cat", "dog", "eve")


def matches(orders: list[CircularOrder]) -> Counter[CircularOrder]:
    return Counter(sitting for order in orders for sitting in rotations(order))


@given(seats=st.integers(2, 5), guests=st.integers(0, 5), number=st.integers(0, 200), seed=st.integers(0, 99))
def test_every_match_is_played_with_changed_places_too(seats: int, guests: int, number: int, seed: int) -> None:
    field = FIELD[:guests] if guests >= seats - 1 else ()
    orders = step_orders(NEW, OLD, field, seats, number, seed)
    played = matches(orders)
    assert played == Counter({changed_places(sitting, NEW, OLD): count for sitting, count in played.items()})
    assert all(len(order) == seats for order in orders)
    seated = Counter(entrant for order in orders for entrant in order)
    assert seated[NEW] == seated[OLD] > 0
    shares = shares_tables(seats, has_field=bool(field))
    assert all((NEW in order and OLD in order) == shares for order in orders)


@pytest.mark.parametrize(("seats", "is_whole"), [(2, True), (3, False), (4, True), (5, False)])
def test_a_table_of_an_even_number_turns_one_into_the_other(seats: int, is_whole: bool) -> None:
    assert is_whole_in_one(seats) is is_whole
    assert all(len(step_orders(NEW, OLD, (), seats, number, 1)) == 2 - is_whole for number in range(20))


def test_the_turn_that_changes_places_is_found() -> None:
    assert turn_to_change((NEW, OLD), NEW, OLD) == 1
    assert turn_to_change((NEW, NEW, OLD, OLD), NEW, OLD) == 2
    assert turn_to_change((NEW, NEW, OLD), NEW, OLD) is None


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_all_groups_of_a_field_take_turns_in_an_order_that_is_drawn(seats: int) -> None:
    guests = seats - 2 if seats > 2 else 1
    turn = comb(len(FIELD), guests)

    def groups(seed: int, begin: int) -> list[frozenset[str]]:
        steps = [step_orders(NEW, OLD, FIELD, seats, number, seed)[0] for number in range(begin, begin + turn)]
        return [frozenset(order) - {NEW, OLD} for order in steps]

    first = groups(1, 0)
    assert len(set(first)) == turn
    assert set(groups(1, turn)) == set(first)
    assert groups(1, turn) != first
    assert groups(2, 0) != first
    assert groups(1, 0) == first


def test_alone_every_arrangement_of_a_table_takes_its_turn() -> None:
    orders = {frozenset(rotations(step_orders(NEW, OLD, (), 4, number, 3)[0])) for number in range(2)}
    assert len(orders) == 2
