"""What services that share a database elect a leader for, and limits of owners that change while a service runs."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from functools import partial

from arena.service.activities.ladders import LadderRunner, RemoteAvailability
from arena.service.remote.join_policy import Presence
from arena.service.scheduler.queue import MatchPurpose
from arena.service.scheduler.slots import MatchLimits, MatchLimitUpdater, Slots
from arena.tournament.creation import plan_ladder
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.planner import planner_of
from ratings.ledger.ladder_ledger import LadderLedger
from ratings.ledger.ladders import LadderPlan
from ratings.ledger.remote import RemoteJoin
from ratings.ledger.service import ServiceLedger
from ratings.read.ladders import absent_versions
from ratings.values.owners import OwnerLimits
from tests.service.activities.contexts import at_work, service_context
from tests.service.scheduler.executors import HeldExecutor, order, settle
from tests.support.patience import until
from tests.tournament.book import TWO, Book
from tests.tournament.scripted_executor import ScriptedExecutor


def has_finished(executor: ScriptedExecutor, least: int) -> bool:
    return len(executor.finished) >= least


async def test_a_ladder_is_played_again_at_the_pace_that_the_book_tells_of(book: Book) -> None:
    LadderLedger(book.database).open_ladder(LadderPlan("homes", plan_ladder(TWO, LadderFormat(2, 0))), planner_of)
    executor = ScriptedExecutor()
    context = service_context(book, executor)
    ladders = LadderRunner(context, 1_000_000, round_s=3600)
    for least in (2, 4):
        async with at_work(context, ladders):
            await until(partial(has_finished, executor, least))
        assert not ladders._paces


async def test_who_was_missed_before_has_the_whole_while_to_come_to_the_next(book: Book) -> None:
    ServiceLedger(book.database).join_remote(RemoteJoin("ada", "fox", "1", (TWO.game,)), OwnerLimits())
    context = replace(service_context(book, ScriptedExecutor()), takes_remote=True)
    now_s = 0.0
    availability = RemoteAvailability(context, Presence(), 60, lambda: now_s)
    await availability.look()
    await availability.close()
    now_s = 61.0
    await availability.look()
    assert absent_versions(book.database) == []
    now_s = 122.0
    await availability.look()
    assert [one.bot.name for one in absent_versions(book.database)] == ["ada/fox"]


async def test_a_limit_counts_as_soon_as_it_is_set(book: Book) -> None:
    ledger, executor = ServiceLedger(book.database), HeldExecutor()
    ledger.add_owner("ada")
    limits = MatchLimits(OwnerLimits(concurrent_matches=1))
    slots = Slots(4, dict.fromkeys(MatchPurpose, 1.0), owner_limit=limits)
    slots.use(executor)
    updater, view = MatchLimitUpdater(book.database, slots, limits), slots.view(MatchPurpose.LADDER, "king3")
    tasks = [asyncio.ensure_future(view.run(order(f"m{number}", "ada/fox", "house"))) for number in range(4)]
    played = []
    for most in (1, 3, 0):
        ledger.set_owner_limits("ada", {"concurrent_matches": most})
        await updater.look()
        await settle()
        played.append(len(executor.playing))
    assert played == [1, 3, 4]
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
