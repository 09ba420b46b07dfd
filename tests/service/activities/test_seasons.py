"""The season of a ladder ends as it was announced: frozen, decided in a final, closed, its chance open to everybody."""

import pytest

from arena.service.activities.ladders import LadderRunner
from arena.service.activities.seasons import SeasonRunner
from arena.service.activities.tournaments import TournamentQueue
from arena.tournament import seasons
from arena.tournament.creation import plan_ladder
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.planner import planner_of
from ratings.ledger.check import check
from ratings.ledger.ladder_ledger import LadderLedger
from ratings.ledger.ladders import LadderPlan
from ratings.read.ladders import find_ladder, running_ladder
from ratings.read.tournaments import published_secret, standings, tournament_row
from ratings.store.identifiers import now_us
from tests.service.activities.contexts import at_work, service_context
from tests.support.patience import until
from tests.tournament.book import BOTS, TWO, Book
from tests.tournament.scripted_executor import ScriptedExecutor

LATER_US = 3_600_000_000


def open_spring(book: Book) -> None:
    LadderLedger(book.database).open_ladder(LadderPlan("spring", plan_ladder(TWO, LadderFormat(2, 0))), planner_of)


async def test_at_the_time_announced_the_season_is_frozen_and_decided_in_a_final(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_spring(book)
    announced_us = now_us() + LATER_US
    seasons.announce_freeze(book.database, "spring", announced_us, final_blocks=2)
    context = service_context(book, ScriptedExecutor())
    runner = SeasonRunner(context)
    for now, is_due in ((announced_us - 1, False), (announced_us, True)):
        for module in ("arena.service.activities.seasons", "ratings.ledger.ladder_ledger"):
            monkeypatch.setattr(f"{module}.now_us", lambda now=now: now)
        await runner.look()
        season = running_ladder(book.database, "spring").season
        assert (season.frozen_at_us is not None, season.final_tournament_id is not None) == (is_due, is_due)
    final = season.final_tournament_id
    assert final is not None
    async with at_work(context, runner, LadderRunner(context, 0), TournamentQueue(context)):
        await until(lambda: tournament_row(book.database, final).progress.is_over)
    assert {row.matches for row in standings(book.database, final)} == {2 * 2}
    assert len(standings(book.database, final)) == len(BOTS)
    assert check(book.database) == []


def test_a_season_without_a_final_is_only_frozen(book: Book) -> None:
    open_spring(book)
    assert seasons.freeze(book.database, "spring", 0) is None
    running = running_ladder(book.database, "spring")
    assert running.season.frozen_at_us is not None
    assert running.season.final_tournament_id is None


def test_the_next_season_has_a_secret_of_its_own_and_the_last_one_is_published(book: Book) -> None:
    open_spring(book)
    first = running_ladder(book.database, "spring").tournament
    assert published_secret(book.database, first.id) is None
    LadderLedger(book.database).close_season("spring", table=[])
    assert published_secret(book.database, first.id) == first.secret
    opened = seasons.open_season(book.database, "spring", None)
    assert opened.season.name == "season 2"
    assert opened.tournament.secret != first.secret
    assert len(find_ladder(book.database, "spring").seasons) == 2
