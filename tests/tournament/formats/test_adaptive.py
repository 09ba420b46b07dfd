"""Formats that end when a question is answered: any question of a table, and NEW against OLD."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from math import comb
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.adaptive import Adaptive, with_zone
from arena.tournament.formats.catalog import is_ready
from arena.tournament.formats.compare import (
    Compare,
    Design,
    changed_places,
    design_for,
    is_whole_in_one,
    shares_tables,
    step_orders,
    turn_to_change,
)
from arena.tournament.formats.format import BlockState, CircularOrder, Entrant, PlayedBlock, ScheduleError, Situation
from ratings.statistics.blocks import rotations
from ratings.statistics.sequential_test import ComparisonAnswer
from tests.tournament.formats.simulation import SEED, Chances, Played, field_of, plan_wave, play


def play_by_strength(form: Adaptive, size: int, seed: int, learned: float = 0.0) -> Played:
    """The higher the number of a bot, the more it wins; the last one becomes better by `learned` with each wave."""
    random = Random(seed)
    played, over = Played(form, field_of(size)), 0
    while True:
        if is_ready(form, len(played.waves), over):
            orders = plan_wave(form, played.entrants, played.waves, SEED)
            if not orders:
                return played
            played.waves.append(tuple(PlayedBlock(order) for order in orders))
        else:
            gain = {f"bot{size - 1}": learned * over}
            played.waves[over] = tuple(result(one.order, random, gain) for one in played.waves[over])
            over += 1


def result(order: CircularOrder, random: Random, gain: Mapping[str, float]) -> PlayedBlock:
    ranks, digests = [], []
    for sitting in rotations(order):
        scores = [int(name[3:]) + gain.get(name, 0.0) + 2 * random.random() for name in sitting]
        ranks.append(tuple(1 + sum(other > score for other in scores) for score in scores))
        digests.append(f"{random.getrandbits(256):064x}")
    return PlayedBlock(order, BlockState.WHOLE, tuple(ranks), (frozenset(),) * len(order), tuple(digests))


@pytest.mark.parametrize("seats", [2, 3])
def test_it_ends_with_the_right_answer_and_fewer_matches_than_all(seats: int) -> None:
    form = Adaptive(seats, "top 2 known at 90%", 400)
    played = play_by_strength(form, 8, 3)
    answer = form.answer(played.situation)
    assert answer.is_known
    assert set(answer.leaders) == {"bot7", "bot6"}
    assert len(played.blocks) < 400
    assert {row.entrant for row in form.standings(played.situation)[:2]} == {"bot7", "bot6"}


@pytest.mark.parametrize(("seats", "seed"), [(2, 4), (3, 3)])
def test_while_strengths_change_the_question_is_not_answered(seats: int, seed: int) -> None:
    form = Adaptive(seats, "winner known at 90% within 10 Elo", 80)
    steady = form.answer(play_by_strength(form, 4, seed).situation)
    assert (steady.is_known, steady.leaders, steady.drifting) == (True, ("bot3",), ())
    fading = play_by_strength(form, 4, seed, learned=-0.3)
    answer = form.answer(fading.situation)
    assert (answer.is_known, answer.leaders, set(answer.drifting)) == (False, ("bot2",), {"bot2", "bot3"})
    assert answer.confidence > 0.9
    assert form.conclude(fading.situation) is None
    assert len(fading.blocks) == 80


def test_after_two_rings_eight_blocks_are_chosen_at_a_time() -> None:
    played = play_by_strength(Adaptive(2, "winner known at 99%", 51), 10, 5)
    sizes = [len(wave) for wave in played.waves]
    assert sizes[:2] == [10, 10]
    assert set(sizes[2:-1]) == {8}
    assert sizes[-1] <= 8
    assert sum(sizes) <= 51


def test_those_whose_order_matters_play_most() -> None:
    played = play_by_strength(Adaptive(2, "winner known at 99%", 300), 10, 5)
    blocks = played.blocks_by_entrant()
    assert blocks["bot9"] + blocks["bot8"] > 3 * (blocks["bot0"] + blocks["bot1"]) / 2


@pytest.mark.parametrize(
    ("form", "entrants", "message"),
    [
        (Adaptive(2, "top 3"), 8, "is no question; write for example: top 3 known at 95%"),
        (Adaptive(2, "top 3 known at 95%"), 3, "is known before the first match"),
        (Adaptive(2, "winner known at 95%", 3), 8, "3 blocks at most are too few for 8 bots"),
    ],
)
def test_a_question_without_an_answer_is_refused(form: Adaptive, entrants: int, message: str) -> None:
    with pytest.raises(ScheduleError, match=message):
        form.check(entrants)


def test_when_no_more_are_left_than_are_asked_for_it_is_answered() -> None:
    played = play_by_strength(Adaptive(2, "top 3 known at 95%", 8), 4, 3)
    played.entrants[1] = replace(played.entrants[1], withdrawn=len(played.waves))
    assert isinstance(played.form, Adaptive)
    answer = played.form.answer(played.situation)
    assert (answer.is_known, answer.leaders, answer.contenders) == (True, ("bot0", "bot2", "bot3"), ())


def test_a_question_gets_the_usual_zone_unless_it_or_the_option_names_one() -> None:
    assert with_zone("winner known at 95%", None) == "winner known at 95% within 10 Elo"
    assert with_zone("winner known at 95%", 2.5) == "winner known at 95% within 2.5 Elo"
    assert with_zone("winner known at 95%", 0) == "winner known at 95% within 0 Elo"
    assert with_zone("winner known at 95% within 5 Elo", None) == "winner known at 95% within 5 Elo"
    with pytest.raises(ScheduleError, match="leave out --within"):
        with_zone("winner known at 95% within 5 Elo", 5)
    with pytest.raises(ScheduleError, match="write for example"):
        with_zone("who wins?", None)


NEW, OLD = "bot0", "bot1"
CANDIDATE, BASELINE = "new", "old"
DESIGNS = [Compare(2, 500, design=Design.ALONE), Compare(3, 500, design=Design.ALONE), Compare(2, 500)]
FIELD = ("ann", "bob", "cat", "dog", "eve")


def block(order: CircularOrder, best: str | None, digest: str = "") -> PlayedBlock:
    """A whole block that `best` wins everywhere; None: all tie."""
    ranks = tuple(tuple(1 if best in (None, entrant) else 2 for entrant in sitting) for sitting in rotations(order))
    return PlayedBlock(
        order, BlockState.WHOLE, ranks, (frozenset(),) * len(order), tuple(digest + str(n) for n in range(len(order)))
    )


def entrants_of(design: Design, seats: int, extra: int) -> int:
    least = {Design.ALONE: 0, Design.SHARED: seats - 2, Design.APART: seats - 1}[design]
    return 2 + (least + extra if least else 0)


@settings(max_examples=20)
@given(
    seats=st.integers(2, 5),
    extra=st.integers(0, 3),
    pairs=st.integers(1, 30),
    void=st.sampled_from([0.0, 0.3, 1.0]),
    seed=st.integers(0, 99),
    design=st.sampled_from(Design),
)
def test_every_whole_step_counts_once(
    seats: int, extra: int, pairs: int, void: float, seed: int, design: Design
) -> None:
    if design is Design.SHARED and seats == 2:
        design = Design.APART
    form = Compare(seats, pairs, design=design)
    size = entrants_of(design, seats, extra)
    form.check(size)
    played = play(form, field_of(size), Random(seed), Chances(void=void))
    blocks, per = played.blocks, form.blocks_per_seed
    assert len(blocks) <= per * pairs
    comparison = form.comparison(played.situation)
    steps = [blocks[start : start + per] for start in range(0, len(blocks), per)]
    assert comparison.steps == sum(all(one.is_whole for one in step) for step in steps)
    assert comparison.games == comparison.steps * per * seats
    assert comparison.answer is not None


def test_the_field_takes_turns() -> None:
    played = play(Compare(2, 12, design=Design.APART), field_of(5), Random(1), Chances(void=1.0))
    opponents = [one.order[1] for one in played.blocks[::2]]
    assert [opponents.count(name) for name in ("bot2", "bot3", "bot4")] == [4, 4, 4]


def won_by(winner: str | None, form: Compare, most: int = 500) -> Played:
    """A comparison in which `winner` wins every match that it plays, and all others tie."""
    played = Played(form, field_of(2))
    for _ in range(most):
        orders = form.plan(played.situation)
        if not orders:
            break
        played.waves.append(
            tuple(block(order, winner if winner in order else None, str(len(played.waves))) for order in orders)
        )
    return played


@pytest.mark.parametrize("form", DESIGNS, ids=str)
@pytest.mark.parametrize(("winner", "answer"), [(NEW, ComparisonAnswer.BETTER), (None, ComparisonAnswer.NOT_BETTER)])
def test_it_ends_when_it_is_known(winner: str | None, answer: ComparisonAnswer, form: Compare) -> None:
    played = won_by(winner, form)
    comparison = form.comparison(played.situation)
    assert comparison.answer is answer
    assert comparison.steps < 500
    assert len(played.blocks) // form.blocks_per_seed - (comparison.answered_after or 0) <= form.steps_a_wave


def test_who_wins_every_match_is_known_in_the_second_wave() -> None:
    played = won_by(NEW, DESIGNS[0])
    assert DESIGNS[0].comparison(played.situation).answered_after == 8
    assert len(played.blocks) == 2 * DESIGNS[0].steps_a_wave


@pytest.mark.parametrize(
    ("form", "limit"),
    [
        (Compare(2, lower=0.0, upper=0.03, design=Design.ALONE), 10_000),
        (Compare(2, lower=-0.06, upper=0.0, design=Design.ALONE), 2_500),
        (Compare(2, lower=0.0, upper=0.001, design=Design.ALONE), 125_000),
        (Compare(3, lower=0.0, upper=0.001, design=Design.SHARED), 41_666),
    ],
    ids=["usual", "a wide question", "more than one tournament may have", "more in three seats"],
)
def test_where_no_limit_is_named_it_is_what_the_question_needs_and_fits(form: Compare, limit: int) -> None:
    assert form.usual_limit() == pytest.approx(limit, abs=1)
    replace(form, pairs=form.usual_limit()).check(3 if form.design is Design.SHARED else 2)


@pytest.mark.parametrize("design", Design)
def test_forfeits_are_counted_for_the_two_and_not_for_the_field(design: Design) -> None:
    form = Compare(3, design=design)
    field = [f"bot{number}" for number in range(2, entrants_of(design, 3, 0))]
    orders = step_orders(NEW, OLD, field or [OLD, OLD] if design is Design.APART else field, 3, 0, SEED)
    everybody = {NEW, OLD, *field}
    blocks = tuple(
        replace(block(order, OLD), forfeits=(frozenset(everybody - {OLD}), *[frozenset[str]()] * 2)) for order in orders
    )
    situation = Situation(tuple(field_of(2 + len(field))), (blocks,), SEED)
    assert form.comparison(situation).forfeits == (len(orders), 0)
    assert form.comparison(situation).steps == 1


@pytest.mark.parametrize("form", DESIGNS, ids=str)
def test_equal_play_is_counted_as_identical(form: Compare) -> None:
    played = Played(form, field_of(2))
    orders = form.plan(played.situation)
    played.waves.append(tuple(replace(block(order, None), digests=("same",) * len(order)) for order in orders))
    comparison = form.comparison(played.situation)
    assert comparison.identical == comparison.steps == form.steps_a_wave
    assert comparison.identical_games == comparison.games


@pytest.mark.parametrize(("seats", "size"), [(2, 2), (3, 2), (3, 4), (4, 2), (4, 5), (5, 2), (2, 4)])
def test_the_two_are_found_in_every_rotation(seats: int, size: int) -> None:
    form = Compare(seats, 10, design=design_for(seats, has_field=size > 2))
    played = Played(form, field_of(size))
    orders = form.plan(played.situation)
    played.waves.append(tuple(block(order, NEW, str(number)) for number, order in enumerate(orders)))
    comparison = form.comparison(played.situation)
    assert comparison.steps == form.steps_a_wave
    assert comparison.gain > 0.15
    if form.design != Design.APART:  # there it is told by the order of the blocks
        changed = replace(played.situation, entrants=played.situation.entrants[1::-1])
        assert form.comparison(changed).gain == -comparison.gain


def test_a_field_that_leaves_seats_empty_is_refused() -> None:
    with pytest.raises(ScheduleError, match="a field of 1 bots leaves seats empty at a table of 4; name 2 or more"):
        Compare(4, design=Design.SHARED).check(3)
    with pytest.raises(ScheduleError, match="a field of 0 bots leaves seats empty"):
        Compare(4, design=Design.SHARED).check(2)
    with pytest.raises(ScheduleError, match="are compared alone, and 1 others are named"):
        Compare(4, design=Design.ALONE).check(3)
    with pytest.raises(ScheduleError, match="a field of 1 bots leaves seats empty at a table of 3; name 2 or more"):
        Compare(3).check(3)
    Compare(3).check(2)
    Compare(3, design=Design.SHARED).check(3)
    Compare(3, design=Design.ALONE).check(2)


def test_standings_count_a_bot_that_plays_itself_in_each_of_its_seats() -> None:
    form = Compare(2, 1)
    entrants = (Entrant(NEW), Entrant(OLD))
    waves = ((block((NEW, OLD), NEW), block((OLD, OLD), None)),)
    rows = {row.entrant: row for row in form.standings(Situation(entrants, waves, SEED))}
    assert (rows[NEW].points, rows[NEW].possible) == (4, 4)
    assert (rows[OLD].points, rows[OLD].possible) == (4, 12)


@pytest.mark.parametrize("leaver", [NEW, OLD, "bot2"])
@pytest.mark.parametrize("seats", [2, 3])
def test_it_ends_when_one_of_the_two_withdraws_or_the_field_is_too_small(leaver: str, seats: int) -> None:
    entrants = [replace(one, withdrawn=1) if one.id == leaver else one for one in field_of(3)]
    form = Compare(seats, 30, design=design_for(seats, has_field=True))
    first = tuple(PlayedBlock(order) for order in form.plan(Situation(tuple(entrants), (), SEED)))
    assert first
    assert form.plan(Situation(tuple(entrants), (first,), SEED)) == []


def test_who_withdraws_from_a_large_field_is_not_met_any_more() -> None:
    entrants = [replace(one, withdrawn=0) if one.id == "bot3" else one for one in field_of(5)]
    orders = Compare(2, 30).plan(Situation(tuple(entrants), (), SEED))
    assert {order[1] for order in orders} == {"bot2", "bot4"}


def test_steps_that_are_void_at_the_limit_leave_it_undecided() -> None:
    form = Compare(2, 2, design=Design.ALONE)
    entrants, whole = tuple(field_of(2)), block((NEW, OLD), None)

    def after(*blocks: PlayedBlock) -> ComparisonAnswer | None:
        return form.comparison(Situation(entrants, (blocks,), SEED)).answer

    assert after(whole, PlayedBlock((NEW, OLD), BlockState.VOID)) is ComparisonAnswer.UNDECIDED
    assert after(whole, PlayedBlock((NEW, OLD))) is None


def matches(orders: list[CircularOrder]) -> Counter[CircularOrder]:
    return Counter(sitting for order in orders for sitting in rotations(order))


@given(seats=st.integers(2, 5), guests=st.integers(0, 5), number=st.integers(0, 200), seed=st.integers(0, 99))
def test_every_match_is_played_with_changed_places_too(seats: int, guests: int, number: int, seed: int) -> None:
    field = FIELD[:guests] if guests >= seats - 1 else ()
    orders = step_orders(CANDIDATE, BASELINE, field, seats, number, seed)
    played = matches(orders)
    assert played == Counter({changed_places(sitting, CANDIDATE, BASELINE): count for sitting, count in played.items()})
    assert all(len(order) == seats for order in orders)
    seated = Counter(entrant for order in orders for entrant in order)
    assert seated[CANDIDATE] == seated[BASELINE] > 0
    shares = shares_tables(seats, has_field=bool(field))
    assert all((CANDIDATE in order and BASELINE in order) == shares for order in orders)


@pytest.mark.parametrize(("seats", "is_whole"), [(2, True), (3, False), (4, True), (5, False)])
def test_a_table_of_an_even_number_turns_one_into_the_other(seats: int, is_whole: bool) -> None:
    assert is_whole_in_one(seats) is is_whole
    assert all(len(step_orders(CANDIDATE, BASELINE, (), seats, number, 1)) == 2 - is_whole for number in range(20))


def test_the_turn_that_changes_places_is_found() -> None:
    assert turn_to_change((CANDIDATE, BASELINE), CANDIDATE, BASELINE) == 1
    assert turn_to_change((CANDIDATE, CANDIDATE, BASELINE, BASELINE), CANDIDATE, BASELINE) == 2
    assert turn_to_change((CANDIDATE, CANDIDATE, BASELINE), CANDIDATE, BASELINE) is None


@pytest.mark.parametrize("seats", [2, 3, 4])
def test_all_groups_of_a_field_take_turns_in_an_order_that_is_drawn(seats: int) -> None:
    guests = seats - 2 if seats > 2 else 1
    turn = comb(len(FIELD), guests)

    def groups(seed: int, begin: int) -> list[frozenset[str]]:
        steps = [
            step_orders(CANDIDATE, BASELINE, FIELD, seats, number, seed)[0] for number in range(begin, begin + turn)
        ]
        return [frozenset(order) - {CANDIDATE, BASELINE} for order in steps]

    first = groups(1, 0)
    assert len(set(first)) == turn
    assert set(groups(1, turn)) == set(first)
    assert groups(1, turn) != first
    assert groups(2, 0) != first
    assert groups(1, 0) == first


def test_alone_every_arrangement_of_a_table_takes_its_turn() -> None:
    orders = {frozenset(rotations(step_orders(CANDIDATE, BASELINE, (), 4, number, 3)[0])) for number in range(2)}
    assert len(orders) == 2
