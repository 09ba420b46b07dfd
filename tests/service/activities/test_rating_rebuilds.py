"""Ratings that a killed service left half computed are finished by the next one."""

import pytest

from arena.service.activities.rating_rebuilds import RatingRebuilder
from arena.tournament.runner import run_tournament
from ratings.ledger import rebuild
from ratings.ledger.annulments import annul_match
from ratings.ledger.check import check
from ratings.read.leaderboard import unfinished_pools
from ratings.read.match_list import MatchFilter, list_matches
from ratings.store.sessions import write
from tests.service.activities.contexts import at_work, service_context
from tests.support.patience import until
from tests.tournament.book import Book
from tests.tournament.scripted_executor import ScriptedExecutor


async def test_a_service_that_begins_again_finishes_what_is_left(book: Book, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rebuild, "PIECE", 2)
    tournament = book.plan()
    await run_tournament(book.database, tournament.id, ScriptedExecutor(), book.programs)
    match = list_matches(book.database, MatchFilter(tournament.id), newest_first=False).items[0].match
    context = service_context(book, ScriptedExecutor())
    rerater = RatingRebuilder(context)
    await rerater.look()
    await rerater.close()
    with write(book.database) as session:
        annul_match(session, match.id, why="a broken clock", actor="operator")
    async with at_work(context, rerater):
        await until(lambda: not unfinished_pools(book.database))
    assert check(book.database) == []


@pytest.mark.parametrize("is_left_behind", [True, False])
async def test_what_was_left_behind_is_finished_and_what_somebody_works_on_is_left_to_him(
    book: Book, is_left_behind: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rebuild, "PIECE", 2)
    tournament = book.plan()
    await run_tournament(book.database, tournament.id, ScriptedExecutor(), book.programs)
    match = list_matches(book.database, MatchFilter(tournament.id), newest_first=False).items[0].match

    def annul() -> None:
        with write(book.database) as session:
            annul_match(session, match.id, why="a broken clock", actor="operator")

    if is_left_behind:
        annul()
    context = service_context(book, ScriptedExecutor())
    now_s = [0.0]
    rerater = RatingRebuilder(context, 30.0, lambda: now_s[0])
    await rerater.look()
    if not is_left_behind:
        annul()
        await rerater.look()
        assert len(unfinished_pools(book.database)) == 1
        now_s[0] = 31.0
    async with at_work(context, rerater):
        await until(lambda: not unfinished_pools(book.database))
    assert check(book.database) == []
