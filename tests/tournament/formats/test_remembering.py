"""A plan from a memory of the first waves is the plan from all their blocks, whatever happened in them."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.compare import Compare, design_for
from arena.tournament.formats.format import Format
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.past import NOTHING, Past
from arena.tournament.formats.remembering import Remembering, fold, from_json, to_json
from arena.tournament.formats.situation import CircularOrder, PlayedBlock, Situation, Wave
from arena.tournament.formats.swiss import Swiss
from arena.tournament.formats.waves import foldable
from tests.tournament.formats.simulation import SEED, Chances, Played, field_of, finish, plan_wave, play, standings

CHANCES = Chances(void=0.15, withdrawal=0.08, late_entry=0.15, failing=frozenset(["bot1"]))


class Follower:
    """Folds waves as late or early as it is drawn, writes the memory and reads it again, and plans from it."""

    def __init__(self, random: Random) -> None:
        self.past: Past = NOTHING
        self._random = random
        self._gathered: Counter[frozenset[str]] = Counter()
        self.compared = 0

    def follow(self, played: Played, orders: tuple[CircularOrder, ...]) -> None:
        """Compare the plan of the next wave, and the table, with those from the memory."""
        form, ids = played.form, [entrant.id for entrant in played.entrants]
        assert isinstance(form, Remembering)
        while self._can_fold(played) and self._random.random() < 0.8:
            wave = played.waves[self.past.waves]
            self.past = fold(form, Situation(tuple(played.entrants), (wave,), SEED, self.past))
            self._gathered.update(frozenset(block.order) for block in wave)
            written = json.dumps(to_json(form, self.past, ids))
            self.past = replace(from_json(form, json.loads(written), ids), gathered=self._gathered.__getitem__)
        rest = played.waves[self.past.waves :]
        assert plan_wave(form, played.entrants, rest, SEED, self.past) == orders
        self.check_table(played)

    def check_table(self, played: Played) -> None:
        """Compare the tables."""
        rest = tuple(played.waves[self.past.waves :])
        table = played.form.standings(Situation(tuple(played.entrants), rest, SEED, self.past))
        assert table == standings(played.form, played.entrants, played.waves, SEED)
        self.compared += 1

    def _can_fold(self, played: Played) -> bool:
        waves = played.waves
        first = self.past.waves
        return first < foldable(played.form, len(waves)) and not any(block.is_pending for block in waves[first])


def check(form: Format, size: int, seed: int, chances: Chances) -> None:
    follower = Follower(Random(seed + 1))
    played = play(form, field_of(size), Random(seed), chances, follower.follow)
    follower.check_table(played)
    assert follower.compared > len(played.waves)


@settings(max_examples=12)
@given(st.integers(2, 4), st.integers(0, 5), st.integers(1, 14), st.integers(0, 10_000))
def test_a_ladder_plans_from_its_memory_as_from_all_blocks(seats: int, more: int, waves: int, seed: int) -> None:
    check(LadderFormat(seats, waves), seats + more, seed, CHANCES)


@settings(max_examples=8)
@given(st.integers(2, 3), st.booleans(), st.integers(1, 60), st.integers(0, 10_000))
def test_a_comparison_plans_from_its_memory_as_from_all_blocks(
    seats: int, has_field: bool, pairs: int, seed: int
) -> None:
    size = 2 + (seats + 1 if has_field else 0)
    check(
        Compare(seats, pairs, design=design_for(seats, has_field=has_field)),
        size,
        seed,
        Chances(void=0.1, withdrawal=0.02),
    )


def size_after(form: LadderFormat, waves: int) -> int:
    """How long the memory is after so many waves, of which only the last is not in it."""
    entrants, random, past = field_of(8), Random(2), NOTHING
    last: Wave = ()
    for _ in range(waves):
        rest = [last] if last else []
        orders = plan_wave(form, entrants, rest, SEED, past)
        if last:
            over = tuple(finish(block.order, random, Chances()) for block in last)
            past = fold(form, Situation(tuple(entrants), (over,), SEED, past))
        last = tuple(PlayedBlock(order) for order in orders)
    assert past.waves == waves - 1
    return len(json.dumps(to_json(form, past, [entrant.id for entrant in entrants])))


def test_the_memory_of_a_ladder_does_not_grow_with_its_waves() -> None:
    form = LadderFormat(2, 0)
    assert size_after(form, 180) < 1.2 * size_after(form, 60)


def test_a_memory_of_another_kind_is_no_memory() -> None:
    form = LadderFormat(2, 3)
    assert from_json(form, None, []) is NOTHING
    assert from_json(form, {"version": 0, "waves": 3}, []) is NOTHING
    assert not isinstance(Swiss(2), Remembering)


@pytest.mark.parametrize("lag", [1, 2])
def test_no_wave_is_folded_whose_results_the_next_plan_must_not_see(lag: int) -> None:
    form = Swiss(2) if lag == 1 else LadderFormat(2)
    assert [foldable(form, planned) for planned in range(4)] == ([0, 1, 2, 3] if lag == 1 else [0, 0, 1, 2])
