from __future__ import annotations

import base64
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
from ratings.errors import NotFoundError, PageError
from ratings.read.bots import count_bots, list_bots, list_versions
from ratings.read.match_list import MatchFilter, MatchRow, list_matches
from ratings.read.tournaments import list_tournaments
from ratings.store.database import Database, open_database
from ratings.values.page import Page
from ratings.values.states import MatchState
from tests.ratings import book
from tests.support.texts import CHARACTERS

pytestmark = pytest.mark.both_databases

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
