"""An admitted version replaces the one that plays only after a test that does not find it weaker, if so set."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from dataclasses import replace
from functools import partial

import pytest

from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.service.activities import tournaments
from arena.service.activities.admissions import PromotionRule, PromotionRunner
from arena.service.activities.tournaments import TournamentQueue
from arena.tournament.creation import plan_ladder
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.planner import planner_of
from ratings.ledger.check import check
from ratings.ledger.ladders import LadderPlan
from ratings.ledger.ledger import Ledger
from ratings.ledger.season_ledger import LadderLedger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.accounts import find_owner, list_notices
from ratings.read.active_versions import active_version, bot_events
from ratings.read.admissions import promotion_tests, waiting_versions
from ratings.read.tournaments import tournament_row
from ratings.store.models import VersionRecord
from ratings.values.states import BotEventKind
from tests.service.activities.contexts import at_work, service_context
from tests.support.patience import until
from tests.tournament.book import TWO, Book
from tests.tournament.scripted_executor import ScriptedExecutor, report_of

RULE = PromotionRule(loss=0.4, pairs=12)


class StrongExecutor(ScriptedExecutor):
    """Lets the stronger version win every match that it ends: `ends` of them, or all."""

    def __init__(self, strength: Mapping[str, int]) -> None:
        super().__init__()
        self._strength = strength
        self.ends: int | None = None

    async def run(self, spec: MatchSpec) -> MatchReport:
        self.specs.append(spec)
        await asyncio.sleep(0)
        if self.ends is not None:
            if self.ends == 0:
                await asyncio.Event().wait()  # runs until the service stops
            self.ends -= 1
        strengths = [self._strength[seat.version] for seat in spec.seats]
        ranks = tuple(1 + sum(other > own for other in strengths) for own in strengths)
        report = report_of(spec)
        return replace(report, result=replace(report.result, ranks=ranks, forfeits=(), faults=(), by_rules=True))


pytestmark = pytest.mark.usefixtures("sandbox")


@pytest.fixture(autouse=True)
def at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tournaments, "LEFT_ALONE_US", 0)


def submit(book: Book, number: int) -> VersionRecord:
    """A version of ada/fox that is admitted and waits."""
    source = book.add_bot(f"source{number}", code=str(number))
    manifest = {**source.manifest, "name": "fox"}
    version, _ = Ledger(book.database).add_version(
        bot="fox", owner="ada", content_hash=source.content_hash, manifest=manifest
    )
    ledger = ServiceLedger(book.database)
    ledger.request_admission(version.id)
    taken = ledger.take_admission()
    assert taken is not None
    ledger.finish_admission(taken.admission.id, is_admitted=True, summary="Admitted.", findings=[], promotes=False)
    return version


def open_ladder(book: Book) -> None:
    plan = LadderPlan("nim2", plan_ladder(TWO, LadderFormat(2, 0)))
    LadderLedger(book.database).open_ladder(plan, planner_of)


@asynccontextmanager
async def serving(book: Book, executor: ScriptedExecutor, rule: PromotionRule | None = RULE) -> AsyncIterator[None]:
    context = service_context(book, executor)
    async with at_work(context, PromotionRunner(context, rule), TournamentQueue(context), every_s=0.2):
        yield
        assert context.supervisor.health.problems() == {}


def active(book: Book) -> int | None:
    version = active_version(book.database, "ada/fox")
    return None if version is None else version.number


def newest_event(book: Book) -> tuple[BotEventKind, int | None, str]:
    row = bot_events(book.database, "ada/fox").items[0]
    return row.event.kind, row.number, row.event.message


async def two_versions(book: Book, *, second: int) -> StrongExecutor:
    """The first version plays on a ladder, and the second, of that strength, waits."""
    open_ladder(book)
    one = submit(book, 1)
    async with serving(book, ScriptedExecutor()):
        await until(lambda: active(book) == 1)  # a first version needs no test
    two = submit(book, 2)
    return StrongExecutor({one.content_hash: 1, two.content_hash: second})


async def test_a_weaker_version_is_held_back_and_its_author_is_told(book: Book) -> None:
    executor = await two_versions(book, second=0)
    async with serving(book, executor):
        await until(lambda: newest_event(book)[0] is BotEventKind.NOT_PROMOTED)
    assert active(book) == 1
    assert "it is weaker on nim2 (nim2: ada/fox 2 for 1: W/D/L 0/0/24, <-800 Elo" in newest_event(book)[2]
    ada = find_owner(book.database, "ada").id
    (notice,) = list_notices(book.database, owner_id=ada, everybodys=False).items
    assert "arena bot promote ada/fox@" in notice.sentence
    assert check(book.database) == []
    ServiceLedger(book.database).promote(submit_hash(book, 2), actor="ada")  # the author may all the same
    assert active(book) == 2


def submit_hash(book: Book, number: int) -> str:
    rows = bot_events(book.database, "ada/fox").items
    return next(row.event.version_id for row in rows if row.number == number and row.event.version_id)


async def test_a_version_that_is_as_good_replaces_the_one_that_plays(book: Book) -> None:
    executor = await two_versions(book, second=1)
    async with serving(book, executor):
        await until(lambda: active(book) == 2)
    assert "it was not found weaker (nim2: ada/fox 2 for 1: " in newest_event(book)[2]
    assert {spec.seats[0].version for spec in executor.specs}  # it was played
    assert waiting_versions(book.database) == []


def has_played(book: Book, matches: int) -> bool:
    """Whether the one test has that many matches that are over."""
    tests = promotion_tests(book.database, [submit_hash(book, 2)])
    return [tournament_row(book.database, test.tournament.id).progress.finished for test in tests] == [matches]


async def test_a_test_goes_on_after_a_restart_and_is_made_once(book: Book) -> None:
    executor = await two_versions(book, second=0)
    for ended in (4, 8, 12):
        executor.ends = 4
        async with serving(book, executor):
            await until(partial(has_played, book, ended))
    executor.ends = None
    async with serving(book, executor):
        await until(lambda: newest_event(book)[0] is BotEventKind.NOT_PROMOTED)
    assert len(promotion_tests(book.database, [submit_hash(book, 2)])) == 1


async def test_only_the_newest_version_is_tested_and_what_is_useless_is_cancelled(book: Book) -> None:
    await two_versions(book, second=0)
    stuck = ScriptedExecutor(slots=0)
    context = service_context(book, stuck)
    runner = PromotionRunner(context, RULE)
    await runner.look()
    assert [test.version_id for test in promotion_tests(book.database)] == [submit_hash(book, 2)]
    three = submit(book, 3)
    await runner.look()
    await runner.look()
    assert newest_event(book) == (BotEventKind.NOT_PROMOTED, 2, "version 3 took its place")
    assert [test.version_id for test in promotion_tests(book.database)] == [three.id]
    ServiceLedger(book.database).promote(three.id, actor="ada", message="I know better")
    await runner.look()
    assert promotion_tests(book.database) == []
    assert active(book) == 3


async def test_without_a_rule_or_a_ladder_what_waits_is_promoted(book: Book) -> None:
    await two_versions(book, second=0)
    await PromotionRunner(service_context(book, ScriptedExecutor()), None).look()
    assert newest_event(book) == (BotEventKind.PROMOTED, 2, "versions are not tested any more")
    LadderLedger(book.database).close_ladder("nim2", "the class is over")
    submit(book, 3)
    await PromotionRunner(service_context(book, ScriptedExecutor()), RULE).look()
    assert newest_event(book) == (BotEventKind.PROMOTED, 3, "no ladder is open on which the two could be compared")
