"""Tournaments, matches and leaderboards, found one by one, in lists and page by page."""

from __future__ import annotations

import base64
import itertools
import json
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, TypeVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from arena.match.result import Fault, FaultCause
from ratings.errors import AmbiguousError, NotFoundError, PageError
from ratings.ledger.ledger import Ledger
from ratings.read import leaderboard, matches, statistics, tournaments
from ratings.read.bots import count_bots, list_bots, list_versions
from ratings.read.embargo import EarlyResult, early_results
from ratings.read.leaderboard import leaderboards, pools, table
from ratings.read.match_list import MatchFilter, MatchRow, list_matches
from ratings.read.planning import mean_duration
from ratings.read.pool_lookup import find_pool
from ratings.read.tournaments import list_tournaments, present_entrants, unfinished_tournaments
from ratings.statistics.scores import Firsts
from ratings.store.database import Database, open_database
from ratings.values.page import Page
from ratings.values.states import Fared, MatchState
from tests.ratings import book
from tests.support.texts import CHARACTERS

pytestmark = pytest.mark.both_databases


def test_tournaments_are_listed_the_newest_first_with_their_state(database: Database, bots: dict[str, str]) -> None:
    done, stopped, fresh = (book.create(database, bots.values(), name=name) for name in ("one", "two", "three"))
    book.play_all(database, done)
    book.record(database, book.take(database, stopped, 1)[0])
    rows = tournaments.list_tournaments(database).items
    assert [(row.tournament.name, row.status) for row in rows] == [
        ("three", "planned"),
        ("two", "running"),
        ("one", "finished"),
    ]
    for row in rows:
        assert tournaments.tournament_row(database, row.tournament.id) == row
        assert row.pool.game == "foreign_king"
    assert {row.tournament.id for row in rows} == {done, stopped, fresh}


def test_a_tournament_is_named_by_id_part_of_it_or_name(database: Database, bots: dict[str, str]) -> None:
    one, two = (book.create(database, bots.values(), name=name) for name in ("autumn", "winter"))
    for text in (one, one[-8:], one[-11:-2], "autumn"):
        assert tournaments.find_tournament(database, text).id == one
    assert tournaments.find_tournament(database, "winter").id == two
    with pytest.raises(AmbiguousError, match=rf"fits 2 tournaments: .*winter \({two}\).*; give more digits"):
        tournaments.find_tournament(database, one[:4])
    for nothing in ("", "aut", "spring", "%"):
        with pytest.raises(NotFoundError, match="arena tournament list"):
            tournaments.find_tournament(database, nothing)


def test_two_tournaments_of_one_name_need_the_id(database: Database, bots: dict[str, str]) -> None:
    for _ in range(2):
        book.create(database, bots.values(), name="autumn")
    with pytest.raises(AmbiguousError, match=r"fits 2 tournaments: autumn \(.+\), autumn \(.+\); give its id"):
        tournaments.find_tournament(database, "autumn")


def test_standings_count_wins_scores_and_forfeits(database: Database) -> None:
    bots = book.add_bots(database, ("ada", "bob", "cyd"))
    tournament = book.create(database, bots.values())
    for match in book.take(database, tournament):
        rank = {"ada": 1, "bob": 2, "cyd": 2}
        forfeits = [seat for seat, who in enumerate(match.seats) if who.bot == "cyd" and match.position == 0]
        book.record(database, match, ranks=tuple(rank[seat.bot] for seat in match.seats), forfeits=tuple(forfeits))
    rows = tournaments.standings(database, tournament)
    assert [(row.bot, row.matches, row.firsts, row.score, row.forfeits) for row in rows] == [
        ("ada", 3, Firsts(wins=3), 1.0, 0),
        ("bob", 3, Firsts(), 0.25, 0),
        ("cyd", 3, Firsts(), 0.25, 1),
    ]


def test_standings_of_a_tournament_not_begun_are_in_the_order_of_entry(database: Database, tournament: str) -> None:
    rows = tournaments.standings(database, tournament)
    assert [row.bot for row in rows] == ["ada", "bob", "cyd", "dan"]
    assert {(row.matches, row.score) for row in rows} == {(0, 0.0)}


def test_what_is_left_to_play_is_neither_over_nor_cancelled(database: Database, bots: dict[str, str]) -> None:
    done, cancelled, begun, fresh = (book.create(database, bots.values(), name=name) for name in "abcd")
    book.play_all(database, done)
    Ledger(database).cancel(cancelled)
    book.record(database, book.take(database, begun, 1)[0])
    assert [one.id for one in unfinished_tournaments(database)] == [begun, fresh]
    assert [one.name for one in unfinished_tournaments(database)] == ["c", "d"]


def test_present_is_who_has_not_withdrawn_in_the_order_of_entry(database: Database, bots: dict[str, str]) -> None:
    tournament = book.create(database, bots.values())
    first, *others = bots.values()
    Ledger(database).withdraw(tournament, first, "left")
    assert present_entrants(database, tournament) == tuple(others)


POOL = book.plan((), seats=2).pool.pool_id


def play(database: Database, one: str, other: str, times: int, duration_us: int) -> None:
    blocks = [book.rotations(index, [one, other]) for index in range(times)]
    for match in book.take(database, book.create(database, (one, other), 2, blocks=blocks)):
        book.record(database, match, duration_us=duration_us)


def test_every_version_counts_alike_however_much_it_has_played(database: Database, bots: dict[str, str]) -> None:
    ada, bob, cyd, dan = bots.values()
    assert mean_duration(database, POOL, {ada, bob}) == (0, 0)
    play(database, ada, bob, times=9, duration_us=100)
    play(database, cyd, dan, times=1, duration_us=1100)
    assert mean_duration(database, POOL, bots.values()) == (20, 600)  # and not 200, as the 20 matches have it
    assert mean_duration(database, POOL, {ada, bob, cyd}) == (18, 100)


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
    book.record(database, third, rated=False, ranks=(1, 1, 1))
    assert early_results(database, tournament) == []


def test_an_early_match_without_a_valid_result_is_no_draw(database: Database, tournament: str) -> None:
    (first,) = book.take(database, tournament, 1)
    book.record(database, first, rated=False, ranks=(1, 1, 1), forfeits=(0, 1, 2))
    expected = [EarlyResult(seat.version_id, Firsts(), True, has_result=False) for seat in first.seats]
    assert early_results(database, tournament) == expected


T = TypeVar("T")


@pytest.fixture(scope="module")
def database_of_all(empty_file: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Database]:
    """An empty database for all examples of a property."""
    database = open_database(book.copy_of(empty_file, tmp_path_factory.mktemp("paging") / "arena.db"))
    yield database
    database.close()


def forged(*content: Any) -> str:
    return base64.urlsafe_b64encode(json.dumps(content).encode()).decode().rstrip("=")


def pages(read: Callable[..., Page[T]]) -> Iterator[Page[T]]:
    """Every page, each from the cursor of the one before."""
    after: str | None = None
    while True:
        page = read(after=after)
        yield page
        after = page.next
        if after is None:
            return


def keys(page: Page[MatchRow]) -> list[int]:
    return [row.match.position for row in page.items]


@pytest.mark.parametrize("newest_first", [True, False])
@pytest.mark.parametrize("limit", [1, 5, 12, 13])
def test_pages_together_are_the_whole_list(
    database: Database, tournament: str, limit: int, *, newest_first: bool
) -> None:
    for only in (MatchFilter(tournament), MatchFilter()):
        whole = list_matches(database, only, limit=None, newest_first=newest_first)
        parts = list(
            pages(
                lambda after, only=only: list_matches(
                    database, only, limit=limit, after=after, newest_first=newest_first
                )
            )
        )
        assert [place for part in parts for place in keys(part)] == keys(whole)
        assert keys(whole) == (list(range(12))[::-1] if newest_first else list(range(12)))
        assert {len(part.items) for part in parts[:-1]} <= {limit}
        assert len(parts) == -(-12 // limit)


def test_a_page_goes_on_where_the_last_ended_whatever_was_added_meanwhile(
    database: Database, bots: dict[str, str]
) -> None:
    book.create(database, bots.values(), name="one")
    book.create(database, bots.values(), name="two")
    first = list_tournaments(database, limit=1)
    book.create(database, bots.values(), name="three")
    second = list_tournaments(database, limit=1, after=first.next)
    assert [row.tournament.name for row in (*first.items, *second.items)] == ["two", "one"]
    assert second.next is None


def test_bots_and_versions_come_in_pages_the_newest_first(database: Database, bots: dict[str, str]) -> None:
    for name in bots:
        book.add_successor(database, name)
    found = [
        row.bot.name for part in pages(lambda after: list_bots(database, limit=3, after=after)) for row in part.items
    ]
    assert found == ["dan", "cyd", "bob", "ada"]
    assert count_bots(database) == 4
    versions = list(pages(partial(list_versions, database, "ada", limit=1)))
    assert [version.number for part in versions for version in part.items] == [2, 1]
    with pytest.raises(NotFoundError):
        list_versions(database, "eve")


def test_matches_are_listed_with_who_sat_where(database: Database, tournament: str) -> None:
    first, second = book.take(database, tournament, 2)
    book.record(database, second, ranks=(2, 1, 3))
    rows = list_matches(database, MatchFilter(tournament), newest_first=False).items
    (finished,) = list_matches(database, MatchFilter(tournament, state=MatchState.FINISHED)).items
    assert {row.tournament for row in rows} == {"test"}
    assert rows[0].seats == tuple((seat.bot, None) for seat in first.seats)
    assert finished.match.id == second.match_id
    assert finished.seats == tuple(zip((seat.bot for seat in second.seats), (2, 1, 3), strict=True))


def test_a_list_holds_the_matches_for_which_all_that_is_asked_is_true(database: Database, bots: dict[str, str]) -> None:
    one, two = (book.create(database, bots.values(), name=name) for name in ("one", "two"))
    book.create(database, bots.values(), 2, name="two seats")
    newer = book.add_successor(database, "ada")
    third = book.create(database, [newer, bots["bob"], bots["cyd"]], name="three")
    causes = ("ILLEGAL_ACTION", "TIMEOUT")
    guilty = book.take(database, one, 2)
    for match in guilty:
        book.record(database, match, faults=[Fault(0, FaultCause(cause), 3, "no") for cause in causes])
    everything = list_matches(database, limit=None).items

    def ids(rows: Any) -> list[str]:
        return [row.match.id for row in rows]

    def check(only: MatchFilter, holds: Callable[[MatchRow], bool]) -> None:
        expected = ids(row for row in everything if holds(row))
        for limit in (1, 7):
            found = pages(partial(list_matches, database, only, limit=limit))
            assert [id_ for part in found for id_ in ids(part.items)] == expected
        assert expected

    def sits(row: MatchRow, bot: str) -> bool:
        return bot in [name for name, _ in row.seats]

    ada = list_versions(database, "ada").items[0].bot_id
    accused = {match.match_id: match.seats[0].bot for match in guilty}
    check(MatchFilter(bot_id=ada), lambda row: sits(row, "ada"))
    check(MatchFilter(version_id=newer), lambda row: row.match.tournament_id == third)
    check(MatchFilter(two, bot_id=ada), lambda row: sits(row, "ada") and row.match.tournament_id == two)
    check(MatchFilter(pool_id=book.POOL.pool_id), lambda row: len(row.seats) == 3)
    check(MatchFilter(state=MatchState.FINISHED), lambda row: row.match.id in accused)
    check(MatchFilter(cause="ILLEGAL_ACTION"), lambda row: row.match.id in accused)
    check(MatchFilter(one, cause="TIMEOUT", state=MatchState.FINISHED), lambda row: row.match.id in accused)
    of_guilty = accused[guilty[0].match_id]
    bot_id = list_versions(database, of_guilty).items[0].bot_id
    check(MatchFilter(bot_id=bot_id, cause="ILLEGAL_ACTION"), lambda row: accused.get(row.match.id) == of_guilty)


def test_a_cursor_that_no_page_of_the_list_gave_is_refused(database: Database, tournament: str) -> None:
    of_places = list_matches(database, MatchFilter(tournament), limit=1).next
    of_matches = list_matches(database, limit=1).next
    assert of_places is not None
    assert of_matches is not None
    for cursor in (
        "",
        "x",
        "ä",
        "%%%",
        of_places[:-2],
        of_matches,
        forged("matches by place"),
        forged("matches by place", "1"),
        forged("matches by place", True),
        forged("matches by place", 2**64),
        forged("matches by place", 1, 2),
        forged(1),
        base64.urlsafe_b64encode(b"[" * 900).decode(),
        base64.urlsafe_b64encode(b"5").decode(),
        "A" * 5000,
    ):
        with pytest.raises(PageError, match="is no cursor of this list; take the one that the page before gave"):
            list_matches(database, MatchFilter(tournament), after=cursor)
    for text in ("\ud800", "a\0b"):
        with pytest.raises(PageError):
            list_matches(database, after=forged("matches", text))
    with pytest.raises(PageError, match="ask for 1 or more"):
        list_matches(database, limit=0)


@given(cursor=st.text(CHARACTERS))
def test_no_text_makes_another_error(database_of_all: Database, cursor: str) -> None:
    for read in (list_matches, list_tournaments, list_bots):
        with suppress(PageError):
            read(database_of_all, after=cursor)


POOL_ID = book.POOL.pool_id


def test_the_best_exposure_comes_first_and_all_figures_agree(database: Database) -> None:
    bots = {**book.add_bots(database, ("ada", "bob"), owner=None), **book.add_bots(database, ("cyd",), owner="hopper")}
    for match in book.take(database, book.create(database, bots.values())):
        rank = {"ada": 2, "bob": 3, "hopper/cyd": 1}
        book.record(database, match, ranks=tuple(rank[seat.bot] for seat in match.seats))
    Ledger(database).set_disabled("bob", disabled=True)
    rows = leaderboard.table(database, pool_id=POOL_ID)
    assert leaderboard.table(database, pool_id=POOL_ID, limit=2) == rows[:2]
    assert [(row.rank, row.bot, row.owner, row.wins, row.score, row.disabled) for row in rows] == [
        (1, "hopper/cyd", "hopper", 3, 1.0, False),
        (2, "ada", None, 0, 0.5, False),
        (3, "bob", None, 0, 0.0, True),
    ]
    assert all(row.exposure == row.mu - 3 * row.sigma and row.matches == 3 for row in rows)


def test_equals_share_a_rank_and_stand_by_name(database: Database) -> None:
    bots = book.add_bots(database, ("bob", "ada"))
    blocks = book.singles(bots.values(), 2)
    match = book.take(database, book.create(database, bots.values(), 2, blocks=blocks), 1)[0]
    book.record(database, match, ranks=(1, 1))
    (pool,) = leaderboard.pools(database)
    rows = leaderboard.table(database, pool_id=pool.pool.pool_id)
    assert [(row.rank, row.bot, row.score) for row in rows] == [(1, "ada", 0.5), (1, "bob", 0.5)]


def test_pools_in_which_something_was_rated_are_listed_the_busiest_first(
    database: Database, bots: dict[str, str]
) -> None:
    book.play_all(database, book.create(database, bots.values(), seats=2))
    book.play_all(database, book.create(database, bots.values(), seats=3))
    book.create(database, bots.values(), seats=4)
    assert [(row.pool.seats, row.versions, row.matches) for row in leaderboard.pools(database)] == [
        (3, 4, 12),
        (2, 4, 8),
    ]


@pytest.mark.usefixtures("all_played")
def test_a_history_has_every_change_the_last_first(database: Database, bots: dict[str, str], tournament: str) -> None:
    history = partial(statistics.history, database, pool_id=POOL_ID, version_id=bots["ada"])
    changes = list(history().items)[::-1]
    first = history(limit=4)
    assert [*first.items, *history(limit=4, after=first.next).items] == changes[:0:-1]
    (row,) = [row for row in leaderboard.table(database, pool_id=POOL_ID) if row.bot == "ada"]
    assert len(changes) == row.matches == 9
    assert [change.rating_seq for change in changes] == sorted(change.rating_seq for change in changes)
    assert all(one.mu_after == two.mu_before for one, two in itertools.pairwise(changes))
    assert (changes[0].mu_before, changes[-1].mu_after) == (25.0, row.mu)


def test_an_unknown_pool_is_said(database: Database) -> None:
    with pytest.raises(NotFoundError, match="no pool nothing"):
        leaderboard.table(database, pool_id="nothing")


def test_the_leaderboards_of_all_pools_and_of_those_named(database: Database, bots: dict[str, str]) -> None:
    for seats in (2, 3):
        book.play_all(database, book.create(database, list(bots.values())[:3], seats=seats))
    every = leaderboards(database).items
    rated = pools(database)
    assert [(board.pool, board.matches) for board in every] == [(row.pool, row.matches) for row in rated]
    for board in every:
        assert list(board.table) == table(database, pool_id=board.pool.pool_id)
    (one,) = leaderboards(database, [rated[1]], limit=1).items
    assert (one.pool, one.table) == (every[1].pool, every[1].table[:1])


def test_every_leaderboard_goes_on_where_its_page_ended_with_the_same_ranks(
    database: Database, bots: dict[str, str], monkeypatch: pytest.MonkeyPatch
) -> None:
    for seats in (2, 3):
        book.play_all(database, book.create(database, list(bots.values())[:3], seats=seats))
    whole = leaderboards(database).items
    for board in whole:
        cut = next(one for one in leaderboards(database, limit=1).items if one.pool == board.pool)
        rows = list(cut.table)
        while cut.next is not None:
            (cut,) = leaderboards(database, limit=1, after=cut.next).items
            assert cut.pool == board.pool
            rows += cut.table
        assert rows == list(board.table)
    monkeypatch.setattr(leaderboard, "_MOST_ROWS", 2)
    first = leaderboards(database, limit=2)
    second = leaderboards(database, limit=2, after=first.next)
    assert [one.pool for one in (*first.items, *second.items)] == [one.pool for one in whole]
    assert second.next is None
    for cursor in ("nonsense", "WyJ4IiwxXQ"):
        with pytest.raises(PageError):
            leaderboards(database, after=cursor)
