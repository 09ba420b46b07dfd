"""Ladders: who meets whom, the end of a season and its final, and the test of a version that waits."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.service.activities.admissions import PromotionRule, create_promotion_test
from arena.tournament import seasons
from arena.tournament.creation import plan_ladder
from arena.tournament.formats.compare import Compare, Design
from arena.tournament.formats.final import Final
from arena.tournament.formats.format import KEEPS_FAILING, BlockState, Entrant, PlayedBlock, ScheduleError, Situation
from arena.tournament.formats.ladder import LadderFormat, strengths
from arena.tournament.planner import planner_of
from arena.tournament.stored import format_of
from ratings.errors import LadderError
from ratings.ledger.ladders import LadderPlan
from ratings.ledger.season_ledger import LadderLedger
from ratings.read.admissions import WaitingVersion, promotion_tests
from ratings.read.bots import find_version
from ratings.read.ladders import running_ladder
from ratings.read.tournaments import tournament_row
from ratings.statistics.blocks import rotations
from ratings.statistics.skill import SkillSettings, exposure, newcomer, rate
from ratings.store.identifiers import now_us
from ratings.values.pools import RatingMethod
from tests.tournament.book import BOTS, TWO, Book
from tests.tournament.formats.simulation import SEED, Chances, Played, field_of, plan_wave, play, standings


@settings(max_examples=20)
@given(st.integers(2, 5), st.integers(0, 8), st.integers(1, 8), st.integers(0, 1000))
def test_everybody_has_its_share_to_within_one_wave(seats: int, more: int, waves: int, seed: int) -> None:
    played = play(LadderFormat(seats, waves), field_of(seats + more), Random(seed))
    assert len(played.waves) == waves
    for number in range(1, waves + 1):
        counts = Played(played.form, played.entrants, played.waves[:number]).blocks_by_entrant()
        assert max(counts.values()) - min(counts.values()) <= 1


def test_a_late_entrant_gets_no_more_than_its_share_from_then_on() -> None:
    entrants = [*field_of(4), Entrant("late", joined=6)]
    form = LadderFormat(2, 20)
    waves: list[tuple[PlayedBlock, ...]] = []
    while orders := plan_wave(form, entrants, waves, SEED):
        waves.append(
            tuple(PlayedBlock(order, BlockState.WHOLE, ((1, 2), (1, 2)), (frozenset(),) * 2) for order in orders)
        )
    counts = Counter(entrant for wave in waves[6:] for block in wave for entrant in block.order)
    assert max(counts.values()) - min(counts.values()) <= 1


def test_neighbours_in_strength_meet_more_often_than_the_ends() -> None:
    form, entrants = LadderFormat(2, 60), field_of(8)
    waves: list[tuple[PlayedBlock, ...]] = []
    while orders := plan_wave(form, entrants, waves, SEED):
        waves.append(tuple(stronger_wins(order) for order in orders))
    met = Counter(frozenset(block.order) for wave in waves for block in wave)
    neighbours = sum(met[frozenset((f"bot{place}", f"bot{place + 1}"))] for place in range(7)) / 7
    ends = sum(met[frozenset((f"bot{place}", f"bot{place + 5}"))] for place in range(3)) / 3
    assert neighbours > ends
    assert [row.entrant for row in standings(form, entrants, waves, SEED)] == [f"bot{n}" for n in range(8)]


def stronger_wins(order: tuple[str, ...]) -> PlayedBlock:
    ranks = tuple(
        tuple(1 + sum(other < entrant for other in order) for entrant in sitting) for sitting in rotations(order)
    )
    return PlayedBlock(order, BlockState.WHOLE, ranks, (frozenset(),) * len(order))


def test_a_bot_that_keeps_failing_rests() -> None:
    played = play(LadderFormat(2, 20), field_of(6), Random(1), Chances(failing=frozenset(["bot2"])))
    assert played.blocks_by_entrant()["bot2"] <= 5
    assert played.blocks_by_entrant()["bot1"] >= 15


def test_a_ladder_without_end_goes_on() -> None:
    form, entrants = LadderFormat(2, waves=0), field_of(3)
    waves: list[tuple[PlayedBlock, ...]] = []
    for _ in range(50):
        waves.append(tuple(stronger_wins(order) for order in plan_wave(form, entrants, waves, SEED)))
        assert len(waves[-1]) == 1


def test_void_blocks_say_nothing_of_strength() -> None:
    played = play(LadderFormat(2, 4), field_of(4), Random(1), Chances(void=1.0))
    assert set(strengths(played.situation, SkillSettings()).values()) == {newcomer(SkillSettings())}


@pytest.mark.needs("openskill")
def test_in_a_pool_of_openskill_the_skills_are_openskills() -> None:
    form = LadderFormat(3, 4, rating_method=RatingMethod.OPENSKILL)
    played = play(form, field_of(5), Random(1))
    settings = SkillSettings(rating_method=RatingMethod.OPENSKILL)
    skills = dict.fromkeys((entrant.id for entrant in played.situation.entrants), newcomer(settings))
    for block in played.situation.blocks:
        for seating, ranks in zip(block.rotations(), block.ranks, strict=True):
            skills |= dict(zip(seating, rate(settings, [skills[one] for one in seating], ranks), strict=True))
    assert strengths(played.situation, settings) == skills != strengths(played.situation, SkillSettings())
    shown = {row.entrant: row.status for row in form.standings(played.situation)}
    assert shown == {entrant: f"skill {exposure(skill):.2f}" for entrant, skill in skills.items()}


def test_bots_that_only_fail_against_one_another_rest_too() -> None:
    form, entrants = LadderFormat(2, waves=0, retire_after=3), field_of(3)
    waves: list[tuple[PlayedBlock, ...]] = []
    while orders := plan_wave(form, entrants, waves, SEED):
        both = frozenset(orders[0])
        waves.append((PlayedBlock(orders[0], BlockState.INVALID, ((1, 1), (1, 1)), (both, both)),))
    rows = standings(form, entrants, waves, SEED)
    assert [(row.points, row.possible) for row in rows] == [(0, 0)] * 3
    assert sum(row.status == KEEPS_FAILING for row in rows) >= 2


@settings(max_examples=40)
@given(st.integers(2, 4), st.integers(1, 6), st.integers(0, 6), st.integers(0, 3))
def test_who_comes_back_is_planned_again_and_every_earlier_wave_follows_as_before(
    seats: int, left: int, absence: int, more: int
) -> None:
    form, field = LadderFormat(seats, 0), field_of(seats + 1)
    before = [*field[1:], Entrant("bot0", withdrawn=left)]
    after = [*field[1:], Entrant("bot0", away=((left, left + absence),))]
    waves: list[tuple[PlayedBlock, ...]] = []
    for number in range(left + absence + more + 1):
        entrants = before if left <= number < left + absence else after
        orders = plan_wave(form, entrants, waves, SEED)
        assert orders == plan_wave(form, after, waves, SEED)
        assert not (left <= number < left + absence and any("bot0" in order for order in orders))
        waves.append(tuple(stronger_wins(order) for order in orders))
    assert "bot0" in Situation(tuple(after), tuple(waves), SEED).present


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


DAY_US = 86_400_000_000
OPEN = replace(TWO, rating_method=RatingMethod.OPENSKILL)


@pytest.mark.needs("openskill")
def test_a_ladder_keeps_its_rating_method_in_its_waves_its_tests_and_its_final(book: Book) -> None:
    plan = plan_ladder(OPEN, LadderFormat(2, 0))
    LadderLedger(book.database).open_ladder(LadderPlan("nim2", plan), planner_of)
    running = running_ladder(book.database, "nim2")
    assert running.pool.rating_method is RatingMethod.OPENSKILL
    assert running.pool.id != plan_ladder(TWO, LadderFormat(2, 0)).pool.pool_id
    form = LadderFormat(2, 0, rating_method=RatingMethod.OPENSKILL)
    assert format_of(running.tournament, running.pool) == form
    old = find_version(book.database, "bob")
    waiting = WaitingVersion(book.add_bot("bob", code="better"), old.bot, old.version)
    tested = create_promotion_test(book.database, book.programs, PromotionRule(), running, waiting)
    final = seasons.freeze_season(book.database, "nim2", 2)
    assert final is not None
    assert {tested.pool_id, final.pool_id} == {running.pool.id}


@pytest.fixture
def spring(book: Book) -> str:
    LadderLedger(book.database).open_ladder(LadderPlan("spring", plan_ladder(TWO, LadderFormat(2, 0))), planner_of)
    return "spring"


def length_of_final(book: Book, final_id: str) -> float:
    """In how many blocks each bot plays: a block is two matches of two bots."""
    return tournament_row(book.database, final_id).progress.planned / 2 * 2 / len(BOTS)


@pytest.mark.parametrize(
    ("announced", "told", "length"), [(None, None, seasons.DEFAULT_FINAL_BLOCKS), (4, None, 4), (4, 6, 6)]
)
def test_a_final_is_as_long_as_was_said_last(
    book: Book, spring: str, announced: int | None, told: int | None, length: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    if announced is not None:
        seasons.announce_freeze(book.database, spring, tomorrow := now_us() + DAY_US, announced)
        monkeypatch.setattr("ratings.ledger.season_ledger.now_us", lambda: tomorrow)
    final = seasons.freeze_season(book.database, spring, told)
    assert final is not None
    assert final.name == "spring-1-final"
    assert running_ladder(book.database, spring).season.final_tournament_id == final.id
    assert length_of_final(book, final.id) == length
    with pytest.raises(LadderError, match="has its final already"):
        seasons.freeze_season(book.database, spring, told)


def test_a_setting_that_is_no_length_is_the_usual_one(book: Book, spring: str) -> None:
    running = running_ladder(book.database, spring)
    for setting, blocks in (("many", 12), (-1, 12), (None, 12), (2.5, 12), (0, 0), (1, 1)):
        running.ladder.settings = {seasons.FINAL_BLOCKS: setting}
        assert seasons.final_blocks_of(running) == blocks


def test_a_season_that_was_frozen_without_a_final_gets_the_one_it_lacks(book: Book, spring: str) -> None:
    assert seasons.freeze_season(book.database, spring, 0) is None
    running = running_ladder(book.database, spring)
    frozen = running.season.frozen_at_us
    assert (frozen is None, running.season.final_tournament_id) == (False, None)
    final = seasons.freeze_season(book.database, spring, 3)
    assert final is not None
    assert running_ladder(book.database, spring).season.frozen_at_us == frozen


def test_a_final_is_for_as_many_as_fill_a_table(book: Book, spring: str) -> None:
    for name in BOTS[1:]:
        book.ledger.set_disabled(name, disabled=True)
    assert seasons.freeze_season(book.database, spring, 3) is None


def test_the_next_season_is_called_by_its_number_unless_it_has_a_name(book: Book, spring: str) -> None:
    first = running_ladder(book.database, spring).tournament
    LadderLedger(book.database).close_season(spring, table=[])
    plan = seasons.season_plan(book.database, spring, None)
    assert plan.name == "season 2"
    opened = seasons.open_season(book.database, spring, "autumn")
    assert (opened.season.number, opened.season.name) == (2, "autumn")
    assert len({first.secret, plan.secret, opened.tournament.secret}) == 3


def test_a_ladder_of_remote_bots_has_a_pool_of_its_own() -> None:
    hosted, remote = (plan_ladder(TWO, LadderFormat(2, 0), remote=one).pool for one in (False, True))
    assert remote.remote
    assert remote.pool_id != hosted.pool_id


def test_each_test_has_a_name_of_its_own_and_is_played_like_the_ladder(book: Book) -> None:
    LadderLedger(book.database).open_ladder(LadderPlan("nim2", plan_ladder(TWO, LadderFormat(2, 0))), planner_of)
    old = find_version(book.database, "bob")
    new = book.add_bot("bob", code="better")
    waiting = WaitingVersion(new, old.bot, old.version)
    running = running_ladder(book.database, "nim2")
    rule = PromotionRule(loss=0.4, pairs=12)
    made = [create_promotion_test(book.database, book.programs, rule, running, waiting) for _ in range(3)]
    assert [one.name for one in made] == ["nim2: bob 2 for 1", "nim2: bob 2 for 1 (2)", "nim2: bob 2 for 1 (3)"]
    row = tournament_row(book.database, made[0].id)
    assert format_of(row.tournament, row.pool) == Compare(2, 12, lower=-0.4, upper=0.0, design=Design.ALONE)
    assert not row.tournament.rated
    assert row.pool.id == running.pool.id
    assert {test.version_id for test in promotion_tests(book.database)} == {new.id}
