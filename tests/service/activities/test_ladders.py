"""Standing ladders: who is there plays, who joins plays from the next wave on, and what is closed ends."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import replace

import pytest

from arena.service.activities.foreman import Foreman
from arena.service.activities.ladders import LadderKeeper
from arena.service.activities.rules import follow_rules
from arena.service.logs import get_logger
from arena.tournament.creation import plan_ladder
from arena.tournament.errors import RequestError
from arena.tournament.formats.ladder import Ladder
from arena.tournament.planner import planner_of
from engine import registry
from ratings.ledger.check import check
from ratings.ledger.ladder_ledger import LadderLedger
from ratings.ledger.ladders import LadderPlan
from ratings.read.ladders import find_ladder, open_ladders
from ratings.read.notices import list_notices
from ratings.read.unfinished import unfinished_tournaments
from ratings.store.ladders import RunningLadder
from tests.service.activities.workshops import workshop
from tests.tournament.book import BOTS, TERMS, Book
from tests.tournament.scripted_executor import ScriptedExecutor

TWO = replace(TERMS, seats=2)


def open_ladder(book: Book, **settings: int) -> RunningLadder:
    return LadderLedger(book.database).open_ladder(
        LadderPlan("spring", plan_ladder(TWO, Ladder(2, 0)), settings), planner_of
    )


@asynccontextmanager
async def keeping(book: Book, executor: ScriptedExecutor, pace: int = 0) -> AsyncIterator[None]:
    shop = workshop(book, executor)
    foreman = asyncio.create_task(Foreman(shop, [LadderKeeper(shop, pace)], every_s=0.01).run())
    try:
        yield
        assert shop.supervisor.health.problems() == {}
    finally:
        foreman.cancel()
        await asyncio.gather(foreman, return_exceptions=True)


async def until(condition: Callable[[], bool]) -> None:
    async with asyncio.timeout(120):
        while not condition():
            await asyncio.sleep(0.005)


def played(executor: ScriptedExecutor, bot: str) -> int:
    return sum(bot in (seat.name for seat in spec.seats) for spec in executor.specs)


async def test_a_ladder_goes_on_and_who_joins_plays_in_it(book: Book) -> None:
    open_ladder(book)
    executor = ScriptedExecutor()
    async with keeping(book, executor):
        await until(lambda: all(played(executor, bot) > 8 for bot in BOTS))
        book.add_bot("eve")
        await until(lambda: played(executor, "eve") > 4)
    assert check(book.database) == []


async def test_with_too_few_bots_it_sleeps_and_it_wakes_when_another_one_comes(book: Book) -> None:
    for bot in BOTS[1:]:
        book.ledger.set_disabled(bot, disabled=True)
    running = open_ladder(book)
    executor = ScriptedExecutor()
    async with keeping(book, executor):
        for _ in range(200):
            await asyncio.sleep(0)
        assert not executor.specs
        book.ledger.set_disabled(BOTS[1], disabled=False)
        await until(lambda: len(executor.specs) > 4)
        book.ledger.set_disabled(BOTS[1], disabled=True)
        await until(lambda: len(executor.finished) == len(executor.specs))
        assert [one.tournament.id for one in open_ladders(book.database)] == [running.tournament.id]
        before = len(executor.specs)
        book.ledger.set_disabled(BOTS[2], disabled=False)
        await until(lambda: len(executor.specs) > before + 4)
    assert {seat.name for spec in executor.specs[before:] for seat in spec.seats} <= set(BOTS[:3])
    assert running.tournament.id not in [one.id for one in unfinished_tournaments(book.database)]


async def test_a_ladder_that_is_closed_is_not_played_any_more(book: Book) -> None:
    open_ladder(book)
    executor = ScriptedExecutor()
    async with keeping(book, executor):
        await until(lambda: len(executor.finished) > 8)
        LadderLedger(book.database).close_ladder("spring", "the class is over")
        await until(lambda: not executor._waiting)
    assert open_ladders(book.database) == []
    assert find_ladder(book.database, "spring").ladder.closed_because == "the class is over"


@pytest.mark.parametrize(("own", "default"), [({"matches_per_day": 48}, 0), ({}, 48)])
async def test_a_ladder_keeps_to_its_pace(book: Book, own: dict[str, int], default: int) -> None:
    open_ladder(book, **own)
    executor = ScriptedExecutor()
    async with keeping(book, executor, default):
        await until(lambda: len(executor.finished) == 2)  # an hour's worth at once, then one every half an hour
        for _ in range(100):
            await asyncio.sleep(0)
    assert len(executor.finished) == 2


def test_a_ladder_that_would_end_by_itself_is_refused() -> None:
    with pytest.raises(RequestError, match="ends by itself"):
        plan_ladder(TWO, Ladder(2, 10))


def test_when_the_rules_change_a_ladder_closes_and_the_next_one_opens(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    old = open_ladder(book)
    assert follow_rules(book.database, get_logger("test")) == 0
    monkeypatch.setattr(type(registry.get("nim")), "rules_version", "next")
    assert follow_rules(book.database, get_logger("test")) == 1
    (new,) = open_ladders(book.database)
    assert (new.ladder.name, new.pool.rules_version) == ("spring", "next")
    assert new.ladder.id != old.ladder.id
    assert any("begins anew" in notice.sentence for notice in list_notices(book.database).items)
