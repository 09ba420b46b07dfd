from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.errors import ScheduleError
from arena.tournament.formats.final import Final
from tests.tournament.formats.simulation import field_of, play


@settings(max_examples=25)
@given(st.integers(2, 5), st.integers(0, 12), st.integers(1, 20))
def test_in_a_final_everybody_plays_equally_many_matches_in_each_seat(seats: int, more: int, blocks: int) -> None:
    played = play(Final(seats, blocks), field_of(seats + more), Random(1))
    assert len(played.waves) == 1
    assert all(len(set(block.order)) == seats for block in played.blocks)
    counts = Counter(entrant for block in played.blocks for entrant in block.order)
    # A block is played in all its rotations, so whoever sits in equally many blocks has had each seat equally often.
    assert set(counts.values()) == {-(-blocks // seats) * seats}
    assert len(counts) == seats + more


def test_successive_rounds_bring_other_opponents() -> None:
    played = play(Final(2, 20), field_of(12), Random(1))
    assert len({frozenset(block.order) for block in played.blocks}) > 40


def test_a_final_without_blocks_or_without_enough_bots_is_refused() -> None:
    with pytest.raises(ScheduleError, match="needs at least 1 block, not 0"):
        Final(3, 0).check(5)
    with pytest.raises(ScheduleError, match="3 seats need at least 3 entrants, not 2"):
        Final(3, 6).check(2)
