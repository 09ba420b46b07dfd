"""NEW against OLD: the same blocks for both, and an end as soon as it is known."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.compare import PAIRS_A_WAVE, Compare
from arena.tournament.formats.errors import ScheduleError
from arena.tournament.formats.situation import BlockState, CircularOrder, Entrant, PlayedBlock, Situation
from ratings.statistics.blocks import rotations
from ratings.statistics.compare.comparison import Answer
from tests.tournament.formats.simulation import SEED, Chances, Played, field_of, play

NEW, OLD = "bot0", "bot1"


def seen(blocks: Sequence[PlayedBlock]) -> Situation:
    """What the format sees after these blocks."""
    return Situation((), (tuple(blocks),), SEED)


def block(order: CircularOrder, best: str | None, digest: str = "") -> PlayedBlock:
    """A whole block that `best` wins everywhere; None: all tie."""
    ranks = tuple(tuple(1 if best in (None, entrant) else 2 for entrant in sitting) for sitting in rotations(order))
    return PlayedBlock(
        order, BlockState.WHOLE, ranks, (frozenset(),) * len(order), tuple(digest + str(n) for n in range(len(order)))
    )


@settings(max_examples=25)
@given(
    seats=st.integers(2, 5),
    extra=st.integers(-1, 3),
    pairs=st.integers(1, 30),
    void=st.sampled_from([0.0, 0.3, 1.0]),
    seed=st.integers(0, 99),
)
def test_blocks_come_in_pairs_that_differ_only_in_the_tested_seat(
    seats: int, extra: int, pairs: int, void: float, seed: int
) -> None:
    field = 0 if extra < 0 else seats - 1 + extra
    played = play(Compare(seats, pairs), field_of(2 + field), Random(seed), Chances(void=void))
    blocks = played.blocks
    assert len(blocks) <= 2 * pairs
    for new, old in zip(blocks[::2], blocks[1::2], strict=True):
        assert (new.order[0], old.order[0]) == (NEW, OLD)
        assert new.order[1:] == old.order[1:]
        assert NEW not in new.order[1:]
        assert len(new.order) == seats
    form = played.form
    assert isinstance(form, Compare)
    comparison = form.comparison(seen(blocks))
    whole = [pair for pair in zip(blocks[::2], blocks[1::2], strict=True) if all(one.is_whole for one in pair)]
    assert comparison.pairs == len(whole)


def test_the_field_takes_turns() -> None:
    played = play(Compare(2, 12), field_of(5), Random(1), Chances(void=1.0))
    opponents = [one.order[1] for one in played.blocks[::2]]
    assert [opponents.count(name) for name in ("bot2", "bot3", "bot4")] == [4, 4, 4]


def won_by(winner: str | None, most: int = 500) -> Played:
    form = Compare(2, most)
    played = Played(form, field_of(2))
    for _ in range(most):
        orders = form.plan(Situation(tuple(played.entrants), tuple(played.waves), SEED))
        if not orders:
            break
        played.waves.append(
            tuple(block(order, winner if winner in order else None, str(len(played.waves))) for order in orders)
        )
    return played


@pytest.mark.parametrize(("winner", "answer"), [(NEW, Answer.BETTER), (None, Answer.NOT_BETTER)])
def test_it_ends_when_it_is_known(winner: str | None, answer: Answer) -> None:
    played = won_by(winner)
    assert isinstance(played.form, Compare)
    comparison = played.form.comparison(seen(played.blocks))
    assert comparison.answer is answer
    assert comparison.pairs < 500
    assert len(played.blocks) // 2 - (comparison.answered_after or 0) <= PAIRS_A_WAVE


def test_equal_play_is_counted_as_identical() -> None:
    played = won_by(None)
    assert isinstance(played.form, Compare)
    comparison = played.form.comparison(seen(played.blocks))
    assert comparison.identical == comparison.pairs
    assert comparison.identical_games == comparison.games


def test_the_tested_version_is_found_in_every_rotation() -> None:
    form = Compare(3, 10)
    entrants = field_of(4)
    (new, old, *_) = form.plan(Situation(tuple(entrants), (), SEED))
    comparison = form.comparison(seen([block(new, NEW, "n"), block(old, NEW, "o")]))
    assert comparison.mean > 0.4
    assert comparison.identical_games == 0


def test_a_field_that_leaves_seats_empty_is_refused() -> None:
    with pytest.raises(ScheduleError, match="a field of 1 bots leaves seats empty at a table of 3"):
        Compare(3).check(3)
    Compare(3).check(2)
    Compare(3).check(4)


def test_standings_count_a_bot_that_plays_itself_in_each_of_its_seats() -> None:
    form = Compare(2, 1)
    entrants = (Entrant(NEW), Entrant(OLD))
    waves = ((block((NEW, OLD), NEW), block((OLD, OLD), None)),)
    rows = {row.entrant: row for row in form.standings(Situation(entrants, waves, SEED))}
    assert (rows[NEW].points, rows[NEW].possible) == (4, 4)
    assert (rows[OLD].points, rows[OLD].possible) == (4, 12)


@pytest.mark.parametrize("leaver", [NEW, OLD, "bot2"])
def test_it_ends_when_one_of_the_two_withdraws_or_the_field_is_too_small(leaver: str) -> None:
    entrants = [replace(one, withdrawn=1) if one.id == leaver else one for one in field_of(3)]
    form = Compare(2, 30)
    first = tuple(PlayedBlock(order) for order in form.plan(Situation(tuple(entrants), (), SEED)))
    assert first
    assert form.plan(Situation(tuple(entrants), (first,), SEED)) == []


def test_who_withdraws_from_a_large_field_is_not_met_any_more() -> None:
    entrants = [replace(one, withdrawn=0) if one.id == "bot3" else one for one in field_of(5)]
    orders = Compare(2, 30).plan(Situation(tuple(entrants), (), SEED))
    assert {order[1] for order in orders} == {"bot2", "bot4"}


def test_pairs_that_are_void_at_the_limit_leave_it_undecided() -> None:
    form = Compare(2, 2)
    new, old = (NEW, OLD), (OLD, OLD)
    whole = [block(new, None), block(old, None)]
    void = [PlayedBlock(new, BlockState.VOID), PlayedBlock(old, BlockState.VOID)]
    assert form.comparison(seen([*whole, *void])).answer is Answer.UNDECIDED
    assert form.comparison(seen([*whole, *map(PlayedBlock, (new, old))])).answer is None
