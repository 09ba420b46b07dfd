"""Matches, found one by one and in lists, and what may be known of blocks that are not over."""

from __future__ import annotations

from pathlib import Path

import pytest

from ratings.errors import AmbiguousError, NotFoundError
from ratings.read import matches, tournaments
from ratings.read.blocks import EarlyResult, early_results
from ratings.read.match_list import MatchFilter, list_matches
from ratings.read.pools import find_pool
from ratings.statistics.scores import Firsts
from ratings.store.database import Database, open_database
from ratings.values.states import Fared
from tests.ratings import book

pytestmark = pytest.mark.both_databases


def test_a_match_is_named_by_its_id_or_part_of_it(database: Database, tournament: str) -> None:
    first, second = book.take(database, tournament, 2)
    for text in (first.match_id, first.match_id[-8:], first.match_id[-11:-2]):
        assert matches.find_match(database, text).id == first.match_id
    with pytest.raises(AmbiguousError, match=r"matches: \S+, \S+, \S+, \S+, \.\.\.; give more digits"):
        matches.find_match(database, first.match_id[:4])
    for nothing in ("", "%%%%", second.match_id + "0"):
        with pytest.raises(NotFoundError):
            matches.find_match(database, nothing)


def test_a_part_of_an_id_that_is_too_short_is_told_so(database: Database, tournament: str) -> None:
    match = book.take(database, tournament, 1)[0].match_id
    short = [match[:3], match[-1:].upper(), match[7:10]]
    for text in short:
        for find in (matches.find_match, tournaments.find_tournament, find_pool):
            with pytest.raises(
                NotFoundError, match=r"^no \w+ '[^']+'; a part of an id needs at least 4 characters; see"
            ):
                find(database, text)
    for text in ("", "cup", "0000"):
        for find in (matches.find_match, tournaments.find_tournament, find_pool):
            with pytest.raises(NotFoundError, match=r"^no \w+ '[^']*'; see"):
                find(database, text)


def test_replays_come_in_schedule_order_and_only_of_finished_matches(
    database: Database, bots: dict[str, str], tournament: str
) -> None:
    other = book.create(database, bots.values())
    book.play_all(database, other)
    first, _, third = book.take(database, tournament, 3)
    book.record(database, third)
    book.record(database, first)
    found = [(match.id, data) for match, data in matches.replays(database, tournament)]
    assert len(list(matches.replays(database))) == 14
    assert found == [(match.match_id, b"replay of " + match.match_id.encode()) for match in (first, third)]


def test_what_is_not_there_is_said(database: Database, tournament: str) -> None:
    match = book.take(database, tournament, 1)[0]
    with pytest.raises(NotFoundError, match="is leased; only finished matches"):
        matches.replay_of(database, match.match_id)
    with pytest.raises(NotFoundError, match="no match nothing"):
        matches.replay_of(database, "nothing")
    with pytest.raises(NotFoundError, match="no match nothing"):
        matches.match_detail(database, "nothing")
    with pytest.raises(NotFoundError, match="no tournament nothing"):
        tournaments.tournament_row(database, "nothing")


def test_a_match_not_yet_played_has_seats_and_nothing_else(database: Database, tournament: str) -> None:
    match = book.take(database, tournament, 1)[0]
    detail = matches.match_detail(database, match.match_id)
    assert [row.bot for row in detail.seats] == [seat.bot for seat in match.seats]
    assert {(row.seat.rank, row.change) for row in detail.seats} == {(None, None)}
    assert (detail.match.details, detail.faults) == (None, [])
    assert (detail.tournament.id, detail.block.opening) == (tournament, [1, 2])


def test_first_alone_first_with_others_and_not_first_are_told_apart(tmp_path: Path) -> None:
    database = open_database(tmp_path / "arena.db")
    versions = book.add_bots(database, ("ada", "bob", "cyd", "dan"))
    book.play_all(database, book.create(database, versions.values(), seats=3))
    rows = list_matches(database, limit=None).items
    found = {}
    for version in versions.values():
        for fared in Fared:
            wanted = MatchFilter(version_id=version, fared=fared)
            found[version, fared] = {row.match.id for row in list_matches(database, wanted, limit=None).items}
    expected: dict[tuple[str, Fared], set[str]] = {key: set() for key in found}
    for row in rows:
        first = Fared.SHARED if [rank for _, rank in row.seats].count(1) > 1 else Fared.WON
        for bot, rank in row.seats:
            expected[versions[bot], first if rank == 1 else Fared.LOST].add(row.match.id)
    assert found == expected
    assert all(any(found[version, fared] for version in versions.values()) for fared in Fared)
    database.close()


def test_results_of_blocks_that_are_not_over_are_early_and_tell_which_kind_of_first(
    database: Database, tournament: str
) -> None:
    first, second, third = book.take(database, tournament, 3)
    book.record(database, first, ranks=(1, 1, 3), forfeits=(2,))
    book.record(database, second, ranks=(1, 1, 1))
    shared, draw = Firsts(shared=1), Firsts(draws=1)
    expected = [
        *(EarlyResult(seat.version_id, shared, False) for seat in first.seats[:2]),
        EarlyResult(first.seats[2].version_id, Firsts(), True),
        *(EarlyResult(seat.version_id, draw, False) for seat in second.seats),
    ]
    assert early_results(database, tournament) == expected
    book.record(database, third)
    assert early_results(database, tournament) == []
