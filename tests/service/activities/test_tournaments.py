"""What services play and finish that is not over, which of several leads, and limits that change meanwhile."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

import pytest

from arena.service.activities import tournaments
from arena.service.activities.ladders import LadderRunner, RemoteAvailability
from arena.service.activities.tournaments import RatingRebuilder, TournamentQueue
from arena.service.remote.join_interface import Presence
from arena.service.scheduler.queue import MatchPurpose
from arena.service.scheduler.slots import MatchLimits, MatchLimitUpdater, Slots
from arena.service.task_supervision import Health
from arena.tournament.creation import plan_ladder
from arena.tournament.errors import NotPlayableError
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.roundrobin import RoundRobin
from arena.tournament.planner import planner_of
from arena.tournament.runner import run_tournament
from ratings.ledger import rebuild
from ratings.ledger.annulments import annul_match
from ratings.ledger.check import check
from ratings.ledger.ladders import LadderPlan
from ratings.ledger.remote_bots import RemoteJoin
from ratings.ledger.season_ledger import LadderLedger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.ladders import absent_versions
from ratings.read.leaderboard import unfinished_pools
from ratings.read.match_list import MatchFilter, list_matches
from ratings.read.tournaments import unfinished_tournaments
from ratings.store.models import TournamentRecord
from ratings.store.sessions import write
from ratings.values.owners import OwnerLimits
from tests.service.activities.contexts import at_work, locked_elsewhere, service_context
from tests.service.scheduler.executors import HeldExecutor, order, settle
from tests.support.patience import until
from tests.tournament.book import TERMS, TWO, Book
from tests.tournament.scripted_executor import ScriptedExecutor

LATER_US = 1 << 60


@asynccontextmanager
async def queue(book: Book, executor: ScriptedExecutor, health: Health | None = None) -> AsyncIterator[None]:
    context = service_context(book, executor, health)
    async with at_work(context, TournamentQueue(context, lambda: LATER_US)):
        yield


def names_left(book: Book) -> list[str]:
    return [one.name for one in unfinished_tournaments(book.database)]


def plan(book: Book, name: str, blocks: int = 2) -> TournamentRecord:
    return book.plan_format(RoundRobin(2, blocks), name=name)


async def test_tournaments_that_were_there_and_those_that_come_are_played(book: Book) -> None:
    plan(book, "before")
    executor = ScriptedExecutor()
    async with queue(book, executor):
        plan(book, "meanwhile")
        await until(lambda: names_left(book) == [])
    assert check(book.database) == []


async def test_several_are_played_at_once(book: Book) -> None:
    for name in ("one", "two"):
        book.plan_format(LadderFormat(2, 0), name=name)
    executor = ScriptedExecutor()
    async with queue(book, executor):
        await until(lambda: len({spec.block.partition("/")[0] for spec in executor.specs[-8:]}) == 2)


async def test_what_is_cancelled_from_outside_ends_while_the_others_go_on(book: Book) -> None:
    endless = book.plan_format(LadderFormat(2, 0), name="endless")
    executor = ScriptedExecutor()
    async with queue(book, executor):
        await until(lambda: len(executor.finished) > 4)
        book.ledger.cancel(endless.id)
        plan(book, "next")
        await until(lambda: names_left(book) == [])
    assert check(book.database) == []


async def test_what_another_process_plays_is_left_to_it(book: Book) -> None:
    theirs = plan(book, "theirs")
    plan(book, "ours")
    executor, health = ScriptedExecutor(), Health()
    with locked_elsewhere(book, theirs.id):
        async with queue(book, executor, health):
            await until(lambda: names_left(book) == ["theirs"])
            assert health.problems() == {}
    assert {spec.block.partition("/")[0] for spec in executor.specs} != {theirs.id}


async def test_of_services_that_share_a_database_one_plays_those_of_remote_bots(book: Book) -> None:
    for owner in ("ada", "eve"):
        ServiceLedger(book.database).join_remote(RemoteJoin(owner, "fox", "1", (TWO.game,)), OwnerLimits())
    theirs = book.plan_format(RoundRobin(2, 1), TWO, bots=("ada/fox", "eve/fox"), name="theirs")
    plan(book, "ours")
    executor = ScriptedExecutor()
    context = replace(service_context(book, executor), takes_remote=True)
    async with at_work(context, TournamentQueue(context, lambda: LATER_US, lambda remote: not remote)):
        await until(lambda: names_left(book) == ["theirs"])
    assert theirs.id not in {spec.block.partition("/")[0] for spec in executor.specs}
    async with at_work(context, TournamentQueue(context, lambda: LATER_US, bool)):
        await until(lambda: names_left(book) == [])


async def test_a_new_one_is_left_for_a_moment_to_who_created_it(book: Book) -> None:
    made = plan(book, "new")
    executor = ScriptedExecutor()
    now_us = made.created_at_us
    context = service_context(book, executor)
    queued = TournamentQueue(context, lambda: now_us)
    await queued.look()
    assert not executor.specs
    now_us += tournaments.LEFT_ALONE_US
    await queued.look()
    await until(lambda: names_left(book) == [])
    await queued.close()


@pytest.mark.host_fault("clock-jumps-back")
async def test_one_from_before_the_clock_was_set_back_by_days_is_played(book: Book) -> None:
    made = plan(book, "new")
    eight_days_us = 8 * 24 * 3600 * 1_000_000
    queued = TournamentQueue(service_context(book, ScriptedExecutor()), lambda: made.created_at_us - eight_days_us)
    await queued.look()
    await until(lambda: names_left(book) == [])
    await queued.close()


async def test_when_it_is_closed_everything_that_was_begun_goes_back(book: Book) -> None:
    book.plan_format(LadderFormat(2, 0), name="endless")
    executor = ScriptedExecutor()
    async with queue(book, executor):
        await until(lambda: len(executor.finished) > 4)
    assert {state for _, _, state, _ in book.results(book_tournament(book))} <= {"planned", "finished"}


def book_tournament(book: Book) -> TournamentRecord:
    from ratings.read.tournaments import tournament_row

    (one,) = unfinished_tournaments(book.database)
    return tournament_row(book.database, one.id).tournament


async def test_files_that_are_gone_are_told_and_the_others_go_on(book: Book) -> None:
    import shutil

    broken = book.add_bot("eve")
    book.plan_format(RoundRobin(2, 1), bots=("ann", "eve"), name="broken")
    plan(book, "fine")
    shutil.rmtree(book.store.root / broken.content_hash)
    executor, health = ScriptedExecutor(), Health()
    async with queue(book, executor, health):
        await until(lambda: names_left(book) == ["broken"])
        await until(lambda: list(health.problems()) == ["tournament broken"])


async def test_one_that_grants_more_cores_than_a_slot_has_is_left_to_the_command(book: Book) -> None:
    tournament = book.plan_format(RoundRobin(2, 2), replace(TERMS, seats=2, cores=2), name="wide")
    plan(book, "usual")
    executor = ScriptedExecutor()
    context = service_context(book, executor)
    with pytest.raises(NotPlayableError, match="'wide' grants each bot 2 cores, and a service grants one"):
        await context.play(tournament.id, MatchPurpose.TOURNAMENT, "wide")
    async with at_work(context, TournamentQueue(context, lambda: LATER_US)):
        await until(lambda: names_left(book) == ["wide"])
    assert executor.finished


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
