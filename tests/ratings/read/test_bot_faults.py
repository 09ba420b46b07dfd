"""What the bots of a tournament did wrong, by bot and cause."""

from __future__ import annotations

import pytest

from arena.match.result import Fault, FaultCause
from ratings.ledger.service import ServiceLedger
from ratings.read.bot_faults import bot_faults
from ratings.read.bots import bot_detail
from ratings.read.match_list import list_matches
from ratings.read.match_search import MatchFilter
from ratings.store.database import Database
from tests.ratings import book

MOST = 100


def record(database: Database, tournament: str, causes: dict[str, str], matches: int = 1000) -> list[str]:
    """Finish matches, in each of which the bots that are named are at fault; return those with a fault, in order."""
    faulty = []
    for match in book.take(database, tournament, matches):
        seats = [seat for seat, one in enumerate(match.seats) if one.bot in causes]
        faults = [Fault(seat, FaultCause(causes[match.seats[seat].bot]), 3, "why", {}) for seat in seats]
        book.record(database, match, forfeits=tuple(seats), faults=faults)
        faulty += [match.match_id] if faults else []
    return faulty


def test_faults_are_counted_by_bot_and_cause_the_most_frequent_first_with_the_last_match(
    database: Database, singles: str, bots: dict[str, str]
) -> None:
    faulty = record(database, singles, {"ada": "TIMEOUT", "cyd": "FLOOD"}, 2)
    assert faulty
    later = record(database, singles, {"ada": "TIMEOUT"})
    found = bot_faults(database, singles, MOST)
    rows = list_matches(database, MatchFilter(tournament_id=singles), limit=None).items
    for one in found:
        own = [
            row.match.id
            for row in rows
            if any(row.seats[seat][0] == one.bot and cause == one.cause for seat, cause in row.faults.items())
        ]
        assert one.matches == len(own)
        assert one.match_id == max(own)
    assert {(one.bot, one.version, one.cause) for one in found} == {("ada", 1, "TIMEOUT"), ("cyd", 1, "FLOOD")}
    assert [one.matches for one in found] == sorted((one.matches for one in found), reverse=True)
    assert found[0].match_id in later
    assert bot_faults(database, singles, 1) == found[:1]


def test_a_version_in_two_seats_of_a_match_counts_it_once(database: Database, bots: dict[str, str]) -> None:
    twice = book.create(
        database, [bots["ada"]], 2, blocks=[book.rotations(0, (bots["ada"], bots["ada"]))], rated=False, name="twice"
    )
    record(database, twice, {"ada": "TIMEOUT"})
    (found,) = bot_faults(database, twice, MOST)
    assert found.matches == 2


def test_faults_of_other_tournaments_and_of_what_was_annulled_are_left_out(
    database: Database, singles: str, bots: dict[str, str]
) -> None:
    clean = book.create(database, bots.values(), name="clean")
    record(database, clean, {})
    first, *others = record(database, singles, {"ada": "TIMEOUT"})
    assert bot_faults(database, clean, MOST) == ()
    ServiceLedger(database).annul_match(first, why="test", actor="x")
    (found,) = bot_faults(database, singles, MOST)
    assert found.matches == len(others)


@pytest.mark.both_databases
def test_while_a_block_is_open_its_faults_can_be_left_out(database: Database, tournament: str) -> None:
    faulty = record(database, tournament, {"ada": "TIMEOUT"}, 2)
    assert faulty
    assert bot_faults(database, tournament, MOST)
    assert bot_faults(database, tournament, MOST, besides_open=True) == ()


@pytest.mark.both_databases
def test_matches_with_whatever_fault_are_found_in_order_and_in_pages(
    database: Database, singles: str, bots: dict[str, str]
) -> None:
    ids = record(database, singles, {"ada": "TIMEOUT", "cyd": "FLOOD"}, 3)
    others = book.create(database, bots.values(), name="others", blocks=book.singles(bots.values()))
    later = record(database, others, {"dan": "FLOOD"})
    record(database, others, {})
    assert ids
    assert later
    for only, wanted in {
        MatchFilter(is_faulty=True): [*ids, *later],
        MatchFilter(is_faulty=True, tournament_id=singles): ids,
        MatchFilter(is_faulty=True, tournament_id=others): later,
        MatchFilter(is_faulty=True, bot_id=_bot(database, "dan")): later,
        MatchFilter(is_faulty=True, version_id=bots["bob"]): [],
    }.items():
        found, after = [], None
        while True:
            page = list_matches(database, only, limit=1, after=after, newest_first=False)
            found += [row.match.id for row in page.items]
            after = page.next
            if after is None:
                break
        assert found == wanted


def _bot(database: Database, name: str) -> str:
    return bot_detail(database, name).bot.id
