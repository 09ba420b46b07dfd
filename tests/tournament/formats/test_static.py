import itertools
from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.roundrobin import Gauntlet, RoundRobin, Sample
from arena.tournament.formats.sampling import MOST_APART, _Table, balanced_sample
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
