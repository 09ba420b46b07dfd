"""What holds for every format, whatever happens, also when it plans from a memory of the first waves."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats import catalog
from arena.tournament.formats.adaptive import Adaptive
from arena.tournament.formats.catalog import foldable
from arena.tournament.formats.compare import Compare, design_for
from arena.tournament.formats.format import (
    NOTHING,
    BlockState,
    CircularOrder,
    Entrant,
    Format,
    Past,
    PlayedBlock,
    ScheduleError,
    Situation,
    Wave,
)
from arena.tournament.formats.knockout import Knockout
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.roundrobin import Gauntlet, RoundRobin, Sample
from arena.tournament.formats.swiss import Swiss
from arena.tournament.formats.table_grouping import circular_order
from arena.tournament.formats.tally import Remembering, block_points, fold, from_json, most_block_points, to_json
from tests.tournament.formats.simulation import SEED, Chances, Played, field_of, finish, plan_wave, play, standings

EXAMPLES = settings(max_examples=20)
CHANCES = Chances(void=0.15, withdrawal=0.08, late_entry=0.15, failing=frozenset(["bot1"]))


@st.composite
def formats(draw: st.DrawFn) -> Format:
    seats = draw(st.integers(2, 5))
    lives = draw(st.integers(1, 2)) if seats == 2 else 1
    kinds: list[Format] = [
        RoundRobin(seats, draw(st.integers(1, 2))),
        Sample(seats, draw(st.integers(1, 4))),
        Gauntlet(seats, draw(st.integers(1, 2))),
        Swiss(seats, draw(st.integers(1, 5)), draw(st.integers(1, 2))),
        Knockout(seats, lives, draw(st.integers(1, 4)), draw(st.booleans())),
        LadderFormat(seats, draw(st.integers(1, 6))),
        Adaptive(seats, "winner known at 90%", draw(st.integers(12, 30))),
    ]
    return draw(st.sampled_from(kinds))


@st.composite
def tournaments(draw: st.DrawFn) -> Played:
    """Any format with 2 to 5 seats, played to its end in spite of voids, withdrawals, late entries and failures."""
    form = draw(formats())
    entrants = field_of(draw(st.integers(form.seats, form.seats + 5)))
    chances = Chances(
        void=draw(st.sampled_from([0.0, 0.1, 0.5, 1.0])),
        withdrawal=draw(st.sampled_from([0.0, 0.3, 1.0])),
        late_entry=draw(st.sampled_from([0.0, 0.5])),
        failing=frozenset(draw(st.sets(st.sampled_from([entrant.id for entrant in entrants]), max_size=2))),
        ties=draw(st.booleans()),
    )
    return play(form, entrants, Random(draw(st.integers(0, 1000))), chances)


def ends_with_a_table_of_all_who_entered(played: Played) -> None:
    rows = standings(played.form, played.entrants, played.waves, SEED)
    assert {row.entrant for row in rows} == {entrant.id for entrant in played.entrants}
    challenged = rows[1:] if isinstance(played.form, Gauntlet) else rows
    assert [row.place for row in challenged] == sorted(row.place for row in challenged)
    assert challenged[0].place == 1
    assert rows == challenged or (rows[0].place, rows[0].entrant) == (0, played.entrants[0].id)
    assert all(0 <= row.points <= row.possible for row in rows)


def nobody_is_planned_before_it_came_or_after_it_left(played: Played) -> None:
    entrants = {entrant.id: entrant for entrant in played.entrants}
    for number, wave in enumerate(played.waves):
        for block in wave:
            assert len(set(block.order)) == played.form.seats
            assert all(entrants[entrant].is_in(number) for entrant in block.order)


def a_wave_depends_on_nothing_but_earlier_waves(played: Played) -> None:
    """Planned again afterwards, with all results known and everybody who came later, each wave is the same."""
    for number, wave in enumerate(played.waves):
        known = [
            replace(
                entrant,
                withdrawn=entrant.withdrawn if entrant.withdrawn is not None and entrant.withdrawn <= number else None,
            )
            for entrant in played.entrants
            if entrant.joined <= number
        ]
        for entrants in (known, played.entrants):
            orders = plan_wave(played.form, entrants, played.waves[:number], SEED)
            assert orders == tuple(block.order for block in wave)


def results_of_waves_that_may_not_be_known_yet_do_not_show(played: Played) -> None:
    random = Random(len(played.blocks))
    for number in range(1, len(played.waves)):
        first_hidden = number - played.form.traits.lag + 1 if played.form.traits.lag else 0
        forged = [
            tuple(PlayedBlock(block.order, random.choice([BlockState.VOID, BlockState.PENDING])) for block in wave)
            if index >= first_hidden
            else wave
            for index, wave in enumerate(played.waves[:number])
        ]
        orders = plan_wave(played.form, played.entrants, forged, SEED)
        assert orders == tuple(block.order for block in played.waves[number])


def only_the_places_of_the_entrants_matter(played: Played) -> None:
    names = {entrant.id: entrant.id[::-1] + "x" for entrant in played.entrants}

    def renamed(order: CircularOrder) -> CircularOrder:
        return tuple(names[entrant] for entrant in order)

    entrants = [replace(entrant, id=names[entrant.id]) for entrant in played.entrants]
    waves = [
        tuple(
            replace(
                block,
                order=renamed(block.order),
                forfeits=tuple(frozenset(renamed(tuple(who))) for who in block.forfeits),
            )
            for block in wave
        )
        for wave in played.waves
    ]
    for number, wave in enumerate(waves):
        assert plan_wave(played.form, entrants, waves[:number], SEED) == tuple(block.order for block in wave)


def successive_blocks_of_the_same_run_through_all_circular_orders(played: Played) -> None:
    by_group: dict[frozenset[str], list[CircularOrder]] = {}
    for block in played.blocks:
        start = block.order.index(min(block.order))
        by_group.setdefault(frozenset(block.order), []).append(block.order[start:] + block.order[:start])
    all_orders = {2: 1, 3: 2, 4: 6, 5: 24}[played.form.seats]
    for orders in by_group.values():
        for first in range(0, len(orders), all_orders):
            turn = orders[first : first + all_orders]
            assert len(set(turn)) == len(turn)


@EXAMPLES
@given(tournaments())
def test_what_holds_for_every_tournament_however_it_was_played(played: Played) -> None:
    ends_with_a_table_of_all_who_entered(played)
    nobody_is_planned_before_it_came_or_after_it_left(played)
    a_wave_depends_on_nothing_but_earlier_waves(played)
    results_of_waves_that_may_not_be_known_yet_do_not_show(played)
    only_the_places_of_the_entrants_matter(played)
    successive_blocks_of_the_same_run_through_all_circular_orders(played)


@given(formats())
def test_settings_survive_the_database(form: Format) -> None:
    stored = {**catalog.to_settings(form), "seed": 1, "opening_plies": 2}
    assert catalog.from_settings(form.traits.name, form.seats, stored) == form


def test_a_single_match_has_no_format() -> None:
    assert catalog.from_settings("match", 3, {}) is None


@given(formats(), st.integers(0, 4))
def test_too_few_entrants_are_refused(form: Format, entrants: int) -> None:
    if entrants < form.seats:
        with pytest.raises(ScheduleError, match=f"{form.seats} seats need at least {form.seats} entrants"):
            form.check(entrants)


@pytest.mark.parametrize(
    ("form", "entrants", "message"),
    [
        (Sample(2, 0), 4, "a sample needs at least 1 block, not 0"),
        (Sample(2, 10_000), 100, "that makes 1000000 matches, over the 250000 of one tournament"),
        (Gauntlet(2, 0), 4, "a gauntlet needs at least 1 block, not 0"),
        (Gauntlet(5, 1), 100, "over the 250000 of one tournament; enter fewer bots"),
        (Swiss(2, 0), 4, "0 rounds of 1 blocks are no tournament"),
        (Knockout(3, lives=2), 9, "double elimination is played with 2 seats"),
        (Knockout(2, lives=3), 9, "3 lives are no knockout"),
        (Knockout(2, best_of=0), 9, "a best of 0 blocks is impossible; use 1 to 99"),
        (LadderFormat(2, waves=-1), 9, "-1 waves are impossible"),
    ],
)
def test_what_cannot_be_is_refused_with_the_remedy(form: Format, entrants: int, message: str) -> None:
    with pytest.raises(ScheduleError, match=message):
        form.check(entrants)


def test_points_count_opponents_beaten_and_half_for_ties() -> None:
    block = PlayedBlock(("a", "b", "c"), BlockState.WHOLE, ((1, 2, 3), (1, 1, 3), (1, 1, 1)), (frozenset(),) * 3)
    # seats: a b c / b c a / c a b
    assert block_points(block) == {"a": 4 + 0 + 2, "b": 2 + 3 + 2, "c": 0 + 3 + 2}
    assert most_block_points(3) == 12
    assert block_points(replace(block, state=BlockState.VOID)) == {"a": 0, "b": 0, "c": 0}


@given(st.integers(2, 5), st.integers(0, 100), st.integers(0, 2**53 - 1))
def test_a_circular_order_keeps_its_places(size: int, number: int, seed: int) -> None:
    places = tuple(range(3, 3 + size))
    assert sorted(circular_order(places, number, seed)) == list(places)


def test_an_entrant_is_in_from_the_wave_it_joined_to_the_one_before_it_withdrew() -> None:
    assert [Entrant("a", 1, 3).is_in(wave) for wave in range(5)] == [False, True, True, False, False]


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
