"""Ladders and the finals of their seasons: who meets whom, how often, and what is remembered."""

from __future__ import annotations

from collections import Counter
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from arena.tournament.formats.final import Final
from arena.tournament.formats.format import BlockState, Entrant, PlayedBlock, ScheduleError, Situation
from arena.tournament.formats.ladder import SETTINGS, LadderFormat, match_quality, strengths
from ratings.statistics.blocks import rotations
from ratings.statistics.skill import Skill
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
    assert set(strengths(played.situation).values()) == {Skill(SETTINGS.mu, SETTINGS.sigma)}


def test_match_quality_is_that_of_the_trueskill_package() -> None:
    # trueskill 0.4.5: quality_1vs1(Rating(25, 25/3), Rating(25, 25/3)) and (Rating(30, 3), Rating(22, 1)).
    assert round(match_quality(SETTINGS, Skill(25, 25 / 3), Skill(25, 25 / 3)), 12) == round(0.4472135954999579, 12)
    assert match_quality(SETTINGS, Skill(30, 3), Skill(22, 1)) == match_quality(SETTINGS, Skill(22, 1), Skill(30, 3))
    assert 0 < match_quality(SETTINGS, Skill(30, 3), Skill(22, 1)) < 0.6


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
