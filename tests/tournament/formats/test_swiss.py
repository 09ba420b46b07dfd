import itertools
from collections import Counter
from collections.abc import Sequence
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.i18n.catalogue import translate
from arena.tournament.formats.format import CircularOrder
from arena.tournament.formats.pairing import Matching, pair, rematches, seat_tables
from arena.tournament.formats.swiss import Swiss, usual_rounds
from tests.tournament.formats.simulation import SEED, Chances, Played, field_of, play, standings


def can_be_paired(entrants: Sequence[str], met: Counter[frozenset[str]]) -> bool:
    """Whether all can be paired without a rematch, by trying everything."""
    if not entrants:
        return True
    first, *others = entrants
    return any(
        not met[frozenset((first, other))] and can_be_paired([one for one in others if one != other], met)
        for other in others
    )


@settings(max_examples=25)
@given(st.integers(2, 9), st.integers(1, 9), st.integers(0, 1000), st.sampled_from([0.0, 0.4]))
def test_nobody_meets_again_while_it_can_be_avoided(size: int, rounds: int, seed: int, leaving: float) -> None:
    def look(played: Played, orders: tuple[CircularOrder, ...]) -> None:
        met = Counter(frozenset(block.order) for block in played.blocks)
        again = [order for order in orders if met[frozenset(order)]]
        playing = [entrant for order in orders for entrant in order]
        assert not again or not can_be_paired(playing, met)

    chances = Chances(void=0.1, withdrawal=leaving, late_entry=leaving)
    play(Swiss(2, rounds, retire_after=0), field_of(size), Random(seed), chances, look)


@settings(max_examples=20)
@given(st.integers(3, 5), st.integers(0, 8), st.integers(1, 5), st.integers(0, 1000))
def test_at_tables_no_swap_would_save_a_rematch(seats: int, more: int, rounds: int, seed: int) -> None:
    def look(played: Played, orders: tuple[CircularOrder, ...]) -> None:
        met: Counter[frozenset[str]] = Counter()
        for block in played.blocks:
            met.update(frozenset(two) for two in itertools.combinations(block.order, 2))

        def burden(*tables: Sequence[str]) -> int:
            return sum(rematches(table, lambda one, other: met[frozenset((one, other))]) for table in tables)

        for first, second in itertools.combinations(orders, 2):
            for seat, place in itertools.product(range(seats), repeat=2):
                one, other = list(first), list(second)
                one[seat], other[place] = other[place], one[seat]
                assert burden(one, other) >= burden(first, second)

    play(Swiss(seats, rounds), field_of(seats + more), Random(seed), on_plan=look)


@settings(max_examples=20)
@given(st.integers(2, 5), st.integers(0, 8), st.integers(1, 6), st.integers(0, 1000))
def test_blocks_and_byes_are_shared_out_evenly(seats: int, more: int, rounds: int, seed: int) -> None:
    played = play(Swiss(seats, rounds), field_of(seats + more), Random(seed))
    counts = played.blocks_by_entrant()
    assert len(played.waves) == rounds
    assert max(counts.values()) - min(counts.values()) <= 1


def test_the_best_meet_the_best() -> None:
    played = play(Swiss(2, 3), field_of(8), Random(3), Chances(ties=False))
    rows = standings(played.form, played.entrants, played.waves[:2], SEED)
    points = {row.entrant: row.points for row in rows}
    assert all(abs(points[one] - points[other]) <= 4 for one, other in (block.order for block in played.waves[2]))


def test_a_bye_counts_as_a_win_and_is_told() -> None:
    played = play(Swiss(2, 1), field_of(3), Random(1))
    (resting,) = [row for row in standings(played.form, played.entrants, played.waves, SEED) if row.status]
    assert (resting.status, resting.points, resting.possible, resting.blocks) == ("1 bye", 4, 4, 0)
    assert translate(resting.status, "de") == "1 Freilos"


def test_a_void_block_counts_half_for_all_at_its_table() -> None:
    played = play(Swiss(2, 1), field_of(2), Random(1), Chances(void=1.0))
    rows = standings(played.form, played.entrants, played.waves, SEED)
    assert [(row.points, row.possible, row.blocks) for row in rows] == [(2, 4, 0)] * 2


def test_a_bot_that_keeps_failing_is_not_paired_any_more() -> None:
    played = play(Swiss(2, 7), field_of(8), Random(1), Chances(failing=frozenset(["bot3"])))
    blocks = [number for number, wave in enumerate(played.waves) for block in wave if "bot3" in block.order]
    assert len(blocks) <= 4
    statuses = {row.entrant: row.status for row in standings(played.form, played.entrants, played.waves, SEED)}
    assert statuses["bot3"] == "keeps failing"


@pytest.mark.parametrize(
    ("entrants", "seats", "rounds"), [(2, 2, 1), (3, 2, 2), (8, 2, 3), (9, 2, 4), (9, 3, 2), (10, 3, 3)]
)
def test_the_usual_number_of_rounds(entrants: int, seats: int, rounds: int) -> None:
    assert usual_rounds(entrants, seats) == rounds


def largest(edges: Sequence[tuple[int, int]]) -> int:
    """The size of a largest matching, by trying everything."""
    if not edges:
        return 0
    (one, other), *rest = edges
    free = [edge for edge in rest if not {one, other} & set(edge)]
    return max(largest(rest), 1 + largest(free))


@settings(max_examples=60)
@given(
    st.integers(1, 8).flatmap(
        lambda n: st.tuples(st.just(n), st.sets(st.tuples(st.integers(0, n - 1), st.integers(0, n - 1)), max_size=14))
    )
)
def test_a_matching_is_perfect_whenever_there_is_a_perfect_one(graph: tuple[int, set[tuple[int, int]]]) -> None:
    size, drawn = graph
    edges = sorted({(min(edge), max(edge)) for edge in drawn if edge[0] != edge[1]})
    neighbours: list[list[int]] = [[] for _ in range(size)]
    for one, other in edges:
        neighbours[one].append(other)
        neighbours[other].append(one)
    matching = Matching(neighbours)
    assert matching.is_perfect == (2 * largest(edges) == size)
    if matching.is_perfect:
        for one, other in edges:
            rest = [edge for edge in edges if not {one, other} & set(edge)]
            assert Matching(neighbours).take_out(one, other) == (2 * largest(rest) == size - 2)


def test_pairs_of_a_large_field_are_found_at_once() -> None:
    names = [str(number) for number in range(120)]
    met: Counter[frozenset[str]] = Counter()
    for _ in range(5):
        pairs = pair(names, lambda one, other: met[frozenset((one, other))])
        assert not any(met[frozenset(two)] for two in pairs)
        met.update(frozenset(two) for two in pairs)


def test_tables_hold_everybody_once() -> None:
    names = [str(number) for number in range(12)]
    tables = seat_tables(names, 4, lambda *_: 0, {name: name for name in names})
    assert tables == [("0", "1", "2", "3"), ("4", "5", "6", "7"), ("8", "9", "10", "11")]
