"""Round robin, sample and gauntlet: complete, balanced, and fair wherever they are stopped."""

from __future__ import annotations

import itertools
import math
from collections import Counter, defaultdict
from itertools import pairwise
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.format import CircularOrder, ScheduleError
from arena.tournament.formats.roundrobin import (
    MOST_APART,
    Gauntlet,
    RoundRobin,
    Sample,
    _Table,
    balanced_sample,
    count_matches,
    schedule,
)
from ratings.statistics.blocks import rotations
from tests.tournament.formats.simulation import SEED, field_of, play, standings


@settings(max_examples=25)
@given(st.integers(2, 5), st.integers(0, 9), st.integers(1, 60), st.integers(0, 2**53 - 1))
def test_no_pair_of_a_sample_meets_more_than_two_times_more_than_another(
    size: int, more: int, least: int, seed: int
) -> None:
    places = size + more
    blocks = balanced_sample(places, size, least, seed)
    assert len(blocks) >= least
    met = Counter(dict.fromkeys(itertools.combinations(range(places), 2), 0))
    played = Counter(dict.fromkeys(range(places), 0))
    for block in blocks:
        assert len(set(block)) == size
        assert block == tuple(sorted(block))
        met.update(itertools.combinations(block, 2))
        played.update(block)
    assert max(met.values()) - min(met.values()) <= MOST_APART
    assert max(played.values()) - min(played.values()) <= MOST_APART


def test_a_sample_of_everything_is_everything() -> None:
    assert sorted(balanced_sample(6, 3, 20, 1)) == list(itertools.combinations(range(6), 3))


def test_a_sample_of_a_large_field_is_as_large_as_asked() -> None:
    assert len(balanced_sample(60, 4, 300, 5)) == 300


@pytest.mark.parametrize("seed", range(5))
def test_a_swap_changes_the_meetings_as_was_told_before_and_is_made_only_if_they_get_no_less_equal(seed: int) -> None:
    table = _Table(8, 3, seed)
    for _ in range(15):
        table.add_block()

    def squares() -> int:
        met = Counter(pair for block in table.blocks for pair in itertools.combinations(sorted(block), 2))
        return sum(times**2 for times in met.values())

    random = Random(seed)
    for _ in range(20):
        one, other = random.sample(table.blocks, 2)
        out, into = random.choice(one), random.choice(other)
        if out in other or into in one:
            continue
        before, gain = squares(), table._gain(one, other, out, into)
        table._swap(one, other, out, into)
        assert squares() - before == gain
    for _ in range(20):
        before = squares()
        table._try_swap()
        assert squares() <= before


@settings(max_examples=15)
@given(st.integers(2, 4), st.integers(0, 4), st.integers(1, 3))
def test_a_round_robin_knows_all_its_blocks_at_once(seats: int, more: int, blocks: int) -> None:
    played = play(RoundRobin(seats, blocks), field_of(seats + more), Random(1))
    assert len(played.waves) == 1
    groups = Counter(frozenset(block.order) for block in played.blocks)
    assert set(groups.values()) == {blocks}


@settings(max_examples=15)
@given(st.integers(2, 4), st.integers(0, 4), st.integers(1, 3))
def test_a_gauntlet_sets_the_first_against_every_combination_of_the_others(seats: int, more: int, blocks: int) -> None:
    entrants = field_of(seats + more)
    played = play(Gauntlet(seats, blocks), entrants, Random(1))
    groups = Counter(frozenset(block.order) for block in played.blocks)
    others = [entrant.id for entrant in entrants[1:]]
    assert groups == Counter(
        {frozenset([entrants[0].id, *chosen]): blocks for chosen in itertools.combinations(others, seats - 1)}
    )
    rows = standings(played.form, entrants, played.waves, SEED)
    assert (rows[0].entrant, rows[0].status) == (entrants[0].id, "challenger")


def test_a_sample_gives_everybody_the_blocks_asked_for() -> None:
    counts = play(Sample(3, 4), field_of(9), Random(1)).blocks_by_entrant()
    assert all(4 <= count <= 5 for count in counts.values())


EXAMPLES = settings(max_examples=30)


def names(count: int) -> list[str]:
    return [f"bot{number}" for number in range(count)]


@st.composite
def fields(draw: st.DrawFn) -> tuple[list[str], int, int, int]:
    """Entrants, seats, blocks a combination, seed."""
    seats = draw(st.integers(2, 5))
    entrants = names(draw(st.integers(seats, 8)))
    return entrants, seats, draw(st.integers(1, 4)), draw(st.integers(0, 2**53 - 1))


def plan(field: tuple[list[str], int, int, int]) -> list[CircularOrder]:
    entrants, seats, blocks, seed = field
    return schedule(entrants, seats=seats, blocks=blocks, seed=seed)


def circular(order: tuple[str, ...]) -> tuple[str, ...]:
    """The same for all rotations of an order."""
    start = order.index(min(order))
    return order[start:] + order[:start]


@EXAMPLES
@given(fields())
def test_every_combination_has_the_same_number_of_blocks(field: tuple[list[str], int, int, int]) -> None:
    entrants, seats, blocks, _ = field
    played = Counter(frozenset(order) for order in plan(field))
    assert set(played) == {frozenset(chosen) for chosen in itertools.combinations(entrants, seats)}
    assert set(played.values()) == {blocks}


@EXAMPLES
@given(fields())
def test_each_meets_each_equally_often(field: tuple[list[str], int, int, int]) -> None:
    met: Counter[frozenset[str]] = Counter()
    for order in plan(field):
        for pairing in rotations(order):
            met.update(frozenset(pair) for pair in itertools.combinations(pairing, 2))
    assert len(met) == math.comb(len(field[0]), 2)
    assert len(set(met.values())) == 1


@EXAMPLES
@given(fields())
def test_a_block_puts_each_entrant_into_each_seat_once(field: tuple[list[str], int, int, int]) -> None:
    for order in plan(field):
        assert len(rotations(order)) == field[1]
        for seat in range(field[1]):
            assert {pairing[seat] for pairing in rotations(order)} == set(order)


@EXAMPLES
@given(fields())
def test_a_block_keeps_its_neighbours(field: tuple[list[str], int, int, int]) -> None:
    for order in plan(field):
        assert len({circular(pairing) for pairing in rotations(order)}) == 1


@given(st.integers(2, 5), st.integers(1, 30), st.integers(0, 2**53 - 1))
def test_no_circular_order_returns_before_all_were_played(seats: int, blocks: int, seed: int) -> None:
    orders = [circular(order) for order in schedule(names(seats), seats=seats, blocks=blocks, seed=seed)]
    all_orders = math.factorial(seats - 1)
    for start in range(0, blocks, all_orders):
        turn = orders[start : start + all_orders]
        assert len(set(turn)) == len(turn)


def test_all_circular_orders_are_drawn_anew_each_time() -> None:
    orders = [circular(order) for order in schedule(names(4), seats=4, blocks=60, seed=1)]
    turns = {tuple(orders[start : start + 6]) for start in range(0, 60, 6)}
    assert all(len(set(turn)) == 6 for turn in turns)
    assert len(turns) > 1


@EXAMPLES
@given(fields())
def test_every_beginning_is_balanced(field: tuple[list[str], int, int, int]) -> None:
    entrants, seats, _, _ = field
    played = Counter(dict.fromkeys(entrants, 0))
    for order in plan(field):
        played.update(order)
        assert max(played.values()) - min(played.values()) <= seats


@EXAMPLES
@given(fields())
def test_after_each_round_of_all_combinations_the_field_is_level(field: tuple[list[str], int, int, int]) -> None:
    entrants, seats, blocks, _ = field
    planned = plan(field)
    combinations = math.comb(len(entrants), seats)
    for cycle in range(blocks):
        played = Counter(frozenset(order) for order in planned[cycle * combinations : (cycle + 1) * combinations])
        assert set(played.values()) == {1}
        assert len(played) == combinations


@EXAMPLES
@given(fields())
def test_the_same_seed_gives_the_same_schedule(field: tuple[list[str], int, int, int]) -> None:
    assert plan(field) == plan(field)


@EXAMPLES
@given(fields())
def test_only_the_places_of_the_entrants_matter(field: tuple[list[str], int, int, int]) -> None:
    entrants, seats, blocks, seed = field
    renamed = {entrant: f"another {entrant[::-1]}" for entrant in entrants}
    other = schedule(list(renamed.values()), seats=seats, blocks=blocks, seed=seed)
    assert other == [tuple(renamed[entrant] for entrant in order) for order in plan(field)]


def test_another_seed_gives_another_order() -> None:
    first, second = (schedule(names(6), seats=3, blocks=1, seed=seed) for seed in (1, 2))
    assert first != second


def test_two_entrants_in_two_seats_swap_seats_in_each_block() -> None:
    (first, second) = schedule(["a", "b"], seats=2, blocks=2, seed=3)
    assert sorted(rotations(first)) == sorted(rotations(second)) == [("a", "b"), ("b", "a")]


def test_the_count_is_the_number_of_matches() -> None:
    planned = schedule(names(6), seats=3, blocks=2, seed=0)
    assert sum(len(rotations(order)) for order in planned) == count_matches(6, seats=3, blocks=2) == 120


def test_pairs_of_a_large_field_meet_at_an_even_pace() -> None:
    met: dict[frozenset[str], int] = defaultdict(int)
    planned = schedule(names(12), seats=3, blocks=1, seed=5)
    for order in planned[: len(planned) // 2]:
        for pair in itertools.combinations(order, 2):
            met[frozenset(pair)] += 1
    assert len(met) == 66
    assert max(met.values()) - min(met.values()) <= 5


def test_no_combination_plays_twice_in_a_row_where_there_are_others() -> None:
    planned = schedule(names(4), seats=2, blocks=20, seed=9)
    assert all(set(one) != set(other) for one, other in pairwise(planned))


@pytest.mark.parametrize(
    ("entrants", "seats", "blocks", "message"),
    [
        (["a", "b"], 3, 1, "3 seats need at least 3 entrants, not 2; name more bots"),
        ([], 2, 1, "2 seats need at least 2 entrants, not 0; name more bots"),
        (["a", "b", "a"], 2, 1, "a is entered more than once; name each version once"),
        (["a", "b"], 1, 1, "a round robin needs at least 2 seats, not 1"),
        (["a", "b"], 2, 0, "a round robin needs at least 1 block a combination, not 0"),
        (
            names(100),
            4,
            1,
            "100 entrants in 4 seats with 1 blocks a combination are 15684900 matches, .* fewer bots .*",
        ),
    ],
)
def test_what_cannot_be_planned_is_refused(entrants: list[str], seats: int, blocks: int, message: str) -> None:
    with pytest.raises(ScheduleError, match=f"^{message}$"):
        schedule(entrants, seats=seats, blocks=blocks, seed=0)
