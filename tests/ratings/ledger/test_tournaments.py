"""Tournaments are written and cancelled, and formats remember what was planned."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import pytest

from ratings.errors import BotError, NotFoundError, PlanError
from ratings.ledger.ledger import Ledger
from ratings.ledger.tournaments import WaveLedger
from ratings.read.tournaments import tournament_row, tournament_waves
from ratings.statistics.blocks import Block
from ratings.store.database import Database
from ratings.store.sessions import write
from ratings.store.waves import Progress, WaveMemory
from tests.ratings import book
from tests.support.specs import EndlessWaves, GivenWaves


def refused(database: Database, entrants: Sequence[str], blocks: Sequence[Block] | None = None) -> str:
    waves = GivenWaves(book.round_robin(entrants) if blocks is None else blocks)
    with pytest.raises((PlanError, BotError)) as caught:
        Ledger(database).create_tournament(book.plan(entrants), waves)
    assert book.count(database, "tournament") == book.count(database, "match") == book.count(database, "pool") == 0
    return str(caught.value)


def test_a_plan_is_written_down_whole(database: Database, bots: dict[str, str]) -> None:
    tournament = book.create(database, bots.values())
    assert tournament_row(database, tournament).progress == Progress(planned=12, leased=0, finished=0, void=0)
    assert [book.count(database, name) for name in ("entrant", "block", "match_seat", "wave")] == [4, 4, 36, 1]


def test_matches_come_back_as_they_were_planned(database: Database, bots: dict[str, str]) -> None:
    blocks = book.round_robin(list(bots.values()))
    leased = book.take(database, book.create(database, bots.values()))
    planned = [(block, *match) for block in blocks for match in enumerate(block.rotations())]
    assert [match.position for match in leased] == list(range(12))
    for match, (block, rotation, seating) in zip(leased, planned, strict=True):
        assert (match.block_index, match.opening, match.chance_seed) == (block.index, block.opening, block.chance_seed)
        assert match.rotation == rotation
        assert tuple(seat.version_id for seat in match.seats) == seating
        assert [seat.content_hash for seat in match.seats] == [f"{seat.bot}1" for seat in match.seats]


def test_of_a_single_match_only_the_first_rotation_is_played(database: Database, bots: dict[str, str]) -> None:
    seating = tuple(bots.values())[:3]
    (match,) = book.take(database, book.create(database, seating, blocks=[Block(0, seating, is_single=True)]))
    assert (match.rotation, tuple(seat.version_id for seat in match.seats)) == (0, seating)


def test_the_largest_seed_survives(database: Database, bots: dict[str, str]) -> None:
    three = list(bots.values())[:3]
    block = replace(book.rotations(0, three), chance_seed=2**53 - 1)
    assert book.take(database, book.create(database, three, blocks=[block]))[0].chance_seed == 2**53 - 1


def test_a_tournament_without_matches_is_refused(database: Database, bots: dict[str, str]) -> None:
    assert "no matches" in refused(database, list(bots.values()), [])


@pytest.mark.parametrize(
    ("order", "message"),
    [
        (("ada", "ada", "bob"), "one version sits in two seats"),
        (("ada", "bob"), "2 versions for 3 seats"),
        (("ada", "bob", "dan"), "a version plays that is not entered"),
    ],
)
def test_orders_that_cannot_be_are_refused(
    database: Database, bots: dict[str, str], order: tuple[str, ...], message: str
) -> None:
    entrants = [bots[name] for name in ("ada", "bob", "cyd")]
    assert message in refused(database, entrants, [Block(0, tuple(bots[name] for name in order))])


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"index": 0}, "two blocks have the same index"),
        ({"chance_seed": 2**53}, "below 2^53"),
        ({"chance_seed": -1}, "below 2^53"),
    ],
)
def test_blocks_that_cannot_be_are_refused(
    database: Database, bots: dict[str, str], change: dict[str, Any], message: str
) -> None:
    entrants = list(bots.values())[:3]
    bad = replace(book.rotations(1, entrants), **change)
    assert message in refused(database, entrants, [book.rotations(0, entrants), bad])


def test_an_entrant_that_is_entered_twice_or_unknown_is_refused(database: Database, bots: dict[str, str]) -> None:
    three = list(bots.values())[:3]
    assert "entered twice" in refused(database, [*three, three[0]])
    assert "no version x" in refused(database, [*three, "x"])


def test_a_disabled_bot_is_refused_by_name(database: Database, bots: dict[str, str]) -> None:
    Ledger(database).set_disabled("bob", disabled=True)
    assert "'bob' is disabled" in refused(database, list(bots.values()))


def test_a_name_is_chosen_among_those_in_use(database: Database, bots: dict[str, str]) -> None:
    book.create(database, bots.values(), name="one")
    three = list(bots.values())[:3]
    waves = GivenWaves(book.round_robin(three))
    seen: list[set[str]] = []

    def choose(taken: Any) -> str:
        seen.append(set(taken))
        return "two"

    assert Ledger(database).create_tournament(book.plan(three, name="one"), waves, choose_name=choose).name == "two"
    assert seen == [{"one"}]


def test_a_name_that_is_refused_leaves_nothing(database: Database, bots: dict[str, str]) -> None:
    def refuse(_: Any) -> str:
        raise LookupError

    with pytest.raises(LookupError):
        Ledger(database).create_tournament(book.plan(bots.values()), GivenWaves([]), choose_name=refuse)
    assert book.count(database, "tournament") == book.count(database, "pool") == 0


def test_what_was_planned_and_played_comes_back_by_wave(database: Database, bots: dict[str, str]) -> None:
    tournament = book.create(database, bots.values())
    first, *_ = book.take(database, tournament, 2)
    book.record(database, first, ranks=(2, 1, 3), forfeits=(2,))
    found = tournament_waves(database, tournament)
    assert (found.tournament.id, found.pool.id) == (tournament, book.POOL.pool_id)
    assert [entrant.version_id for entrant in found.entrants] == list(bots.values())
    ((block, *others),) = found.waves
    assert [len(matches) for matches in (block, *others)] == [3] * 4
    assert (block[0].ranks, block[0].has_forfeited) == ((2, 1, 3), (False, False, True))
    assert (block[1].ranks, block[1].game_digest) == ((None,) * 3, None)
    with pytest.raises(NotFoundError, match="no tournament nothing"):
        tournament_waves(database, "nothing")


@pytest.mark.both_databases
def test_the_newest_memory_is_read_and_the_one_it_replaces_is_gone(database: Database, bots: dict[str, str]) -> None:
    planner = EndlessWaves(3)
    tournament = Ledger(database).create_tournament(book.plan(bots.values()), planner).id
    book.play_all(database, tournament)
    with write(database) as session:
        waves = WaveLedger(session, tournament)
        assert waves.memory() is None
        waves.remember(WaveMemory(0, {"points": [3, 1]}), None)
        first = waves.memory()
        assert planner.plan_ready(waves) == 3
        waves.remember(WaveMemory(1, {"points": [4, 2]}), 0)
        second = waves.memory()
    assert [(one.index, one.data["points"]) for one in (first, second) if one] == [(0, [3, 1]), (1, [4, 2])]
    assert sum("points" in row for row in book.rows(database, "wave")["wave"]) == 1


@pytest.mark.both_databases
def test_blocks_are_counted_by_who_gathered_in_them(database: Database, tournament: str) -> None:
    with write(database) as session:
        waves = WaveLedger(session, tournament)
        waves.gather([(0, 1, 2), (0, 1, 3), (0, 1, 2)])
        waves.gather([(0, 1, 2)])
        assert [waves.gathered(group) for group in ((0, 1, 2), (0, 1, 3), (1, 2, 3))] == [3, 1, 0]


@pytest.mark.both_databases
def test_one_tournament_forgets_all_that_it_remembered_and_no_other_does(
    database: Database, bots: dict[str, str], tournament: str
) -> None:
    another = book.create(database, bots.values(), name="another")
    with write(database) as session:
        both = [WaveLedger(session, one) for one in (tournament, another)]
        for waves in both:
            waves.remember(WaveMemory(0, {"points": [3, 1]}), None)
            waves.gather([(0, 1, 2)])
        both[0].forget()
        assert [waves.memory() is None for waves in both] == [True, False]
        assert [waves.gathered((0, 1, 2)) for waves in both] == [0, 1]
