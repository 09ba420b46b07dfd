"""Remote bots on ladders: they are there as soon as they connect, and missed only after a while."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace

import pytest

from arena.service.activities.context import ServiceContext
from arena.service.activities.ladders import LadderRunner
from arena.service.activities.remote_availability import RemoteAvailability
from arena.service.remote.join_policy import Presence
from arena.service.scheduler.jobs import MatchPurpose
from arena.tournament.creation import plan_ladder
from arena.tournament.errors import NotPlayableError
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.planner import planner_of
from ratings.ledger.check import check
from ratings.ledger.ladder_ledger import LadderLedger
from ratings.ledger.ladders import LadderPlan
from ratings.ledger.remote import RemoteJoin
from ratings.ledger.service import ServiceLedger
from ratings.read.ladders import absent_versions
from ratings.store.ladders import RunningLadder
from ratings.values.owners import OwnerLimits
from tests.service.activities.contexts import at_work, service_context
from tests.support.patience import until
from tests.tournament.book import TWO, Book
from tests.tournament.scripted_executor import ScriptedExecutor


@dataclass
class Home:
    """A service whose remote bots a test connects and disconnects, with a clock that a test moves."""

    book: Book
    context: ServiceContext
    presence: Presence
    executor: ScriptedExecutor
    now_s: float = 0.0
    hashes: dict[str, str] = field(default_factory=dict)
    availability: RemoteAvailability = field(init=False)

    def __post_init__(self) -> None:
        self.availability = RemoteAvailability(self.context, self.presence, clock=lambda: self.now_s, away_s=60)

    def connect(self, owner: str, version: str = "1") -> None:
        """Let the bot `OWNER/fox` join."""
        join = RemoteJoin(owner, "fox", version, (TWO.game,))
        self.hashes[owner] = ServiceLedger(self.book.database).join_remote(join, OwnerLimits()).version.content_hash
        self.presence.set_room(self.hashes[owner], 1)

    def sit_down(self) -> None:
        """Let a person take a seat."""
        ledger = ServiceLedger(self.book.database)
        ledger.ensure_people()
        self.connect("people")

    def leave(self, owner: str) -> None:
        self.presence.remove(self.hashes[owner])

    def played(self, owner: str) -> int:
        return sum(f"{owner}/fox" in (seat.name for seat in spec.seats) for spec in self.executor.specs)

    def absent(self) -> list[str]:
        return [one.bot.name for one in absent_versions(self.book.database)]


def open_ladder(book: Book) -> RunningLadder:
    plan = LadderPlan("homes", plan_ladder(TWO, LadderFormat(2, 0), remote=True))
    return LadderLedger(book.database).open_ladder(plan, planner_of)


@asynccontextmanager
async def serving(book: Book, every_s: float = 0.01) -> AsyncIterator[Home]:
    executor = ScriptedExecutor()
    context = replace(service_context(book, executor), takes_remote=True)
    home = Home(book, context, Presence(context.wake_up.notify), executor)
    async with at_work(context, home.availability, LadderRunner(context, 0, round_s=3600), every_s=every_s):
        yield home
        assert context.supervisor.health.problems() == {}


async def test_a_ladder_of_remote_bots_plays_with_those_who_are_connected(book: Book) -> None:
    open_ladder(book)
    async with serving(book) as home:
        home.connect("ada")
        home.connect("eve")
        await until(lambda: len(home.executor.finished) > 8)
    assert {seat.name for spec in home.executor.specs for seat in spec.seats} == {"ada/fox", "eve/fox"}
    assert all(seat.is_remote and seat.command == () for spec in home.executor.specs for seat in spec.seats)
    assert check(book.database) == []


async def test_people_who_sit_down_play_on_no_ladder_and_are_not_missed(book: Book) -> None:
    open_ladder(book)
    async with serving(book) as home:
        home.sit_down()
        home.connect("ada")
        home.connect("eve")
        await until(lambda: len(home.executor.finished) > 8)
        home.leave("people")
        home.now_s += 61
        home.leave("eve")
        await until(lambda: list(home.availability._missed) != [])
        home.now_s += 61
        await until(lambda: home.absent() == ["eve/fox"])
    assert home.played("people") == 0


async def test_a_bot_that_is_away_for_a_moment_is_not_missed_and_one_that_stays_away_is(book: Book) -> None:
    open_ladder(book)
    async with serving(book) as home:
        for owner in ("ada", "eve", "joe"):
            home.connect(owner)
        await until(lambda: home.played("joe") > 2)
        home.leave("joe")
        await until(lambda: len(home.availability._missed) == 1)
        before = home.played("joe")
        home.now_s += 59
        await until(lambda: home.played("joe") > before + 2)
        assert home.absent() == []
        home.now_s += 2
        await until(lambda: home.absent() == ["joe/fox"])
        before, all_before = home.played("joe"), len(home.executor.specs)
        await until(lambda: len(home.executor.specs) > all_before + 10)
        assert home.played("joe") <= before + 4, "what was handed out when it left is played"
        home.connect("joe")
        await until(lambda: home.absent() == [])
        await until(lambda: home.played("joe") > before + 4)


async def test_who_connects_wakes_a_ladder_that_waits(book: Book) -> None:
    open_ladder(book)
    async with serving(book, every_s=3600) as home:
        home.connect("ada")
        home.connect("eve")
        await until(lambda: len(home.executor.finished) > 4)


async def test_after_a_restart_bots_have_the_same_while_to_come_back(book: Book) -> None:
    open_ladder(book)
    async with serving(book) as home:
        for owner in ("ada", "eve"):
            home.connect(owner)
        await until(lambda: len(home.executor.finished) > 2)
    async with serving(book) as home:
        await until(lambda: len(home.availability._missed) == 2)
        assert home.absent() == []
        home.now_s = 61
        await until(lambda: home.absent() == ["ada/fox", "eve/fox"])
        home.connect("eve")
        await until(lambda: home.absent() == ["ada/fox"])


async def test_a_service_to_which_no_bot_can_connect_plays_nothing_with_them(book: Book) -> None:
    running = open_ladder(book)
    context = service_context(book, ScriptedExecutor())
    with pytest.raises(NotPlayableError, match=r"set service\.play_address"):
        await context.play(running.tournament.id, MatchPurpose.LADDER, "homes")
