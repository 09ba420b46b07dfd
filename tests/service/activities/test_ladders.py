"""Ladders: who is available plays, who joins plays from the next wave on, seasons are frozen when it is time."""

from __future__ import annotations

import asyncio
from collections import Counter
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass, field, replace
from pathlib import Path

import pytest
from structlog.testing import capture_logs

from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.service.activities import ladders as ladders
from arena.service.activities.context import ServiceContext
from arena.service.activities.ladders import (
    LadderRunner,
    RemoteAvailability,
    SeasonRunner,
    follow_rules,
    update_availability,
)
from arena.service.activities.tournaments import TournamentQueue
from arena.service.logs import get_logger
from arena.service.remote.join_interface import Presence
from arena.service.scheduler.queue import MatchPurpose
from arena.tournament.creation import plan_ladder
from arena.tournament.errors import NotPlayableError, RequestError
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.planner import planner_of
from arena.tournament.seasons import announce_freeze, freeze_season, open_season
from engine import registry
from ratings.ledger.check import check
from ratings.ledger.ladders import LadderPlan
from ratings.ledger.ledger import LeaseRequest
from ratings.ledger.remote_bots import RemoteJoin
from ratings.ledger.season_ledger import LadderLedger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.accounts import list_notices
from ratings.read.ladders import absent_versions, contenders, find_ladder, open_ladders, running_ladder
from ratings.read.tournaments import (
    present_entrants,
    published_secret,
    standings,
    tournament_row,
    unfinished_tournaments,
)
from ratings.store.identifiers import now_us
from ratings.store.ladder_queries import RunningLadder
from ratings.values.owners import OwnerLimits
from tests.service.activities.contexts import at_work, locked_elsewhere, service_context
from tests.support.patience import until
from tests.support.pythons import NAME, add_package, make_venv, settings_for
from tests.tournament.book import BOTS, TWO, Book
from tests.tournament.scripted_executor import ScriptedExecutor

BUILD = "import fakenet; assert fakenet.VERSION != '2'; open('made', 'w').write(fakenet.VERSION)"
LATER_US = 3_600_000_000


def open_ladder(book: Book, **settings: int) -> RunningLadder:
    return LadderLedger(book.database).open_ladder(
        LadderPlan("spring", plan_ladder(TWO, LadderFormat(2, 0)), settings), planner_of
    )


@asynccontextmanager
async def keeping(
    book: Book, executor: ScriptedExecutor, pace: int = 0, round_s: float = 3600.0
) -> AsyncIterator[None]:
    context = service_context(book, executor)
    runner = LadderRunner(context, pace, round_s=round_s)
    async with at_work(context, runner):
        yield
        assert context.supervisor.health.problems() == {}


def played(executor: ScriptedExecutor, bot: str) -> int:
    return sum(bot in (seat.name for seat in spec.seats) for spec in executor.specs)


async def test_a_ladder_goes_on_and_who_joins_plays_in_it(book: Book) -> None:
    open_ladder(book)
    executor = ScriptedExecutor()
    async with keeping(book, executor):
        await until(lambda: all(played(executor, bot) > 3 for bot in BOTS))
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


class PresentExecutor(ScriptedExecutor):
    """Its matches begin when they are played, by the clock on the wall."""

    async def run(self, spec: MatchSpec) -> MatchReport:
        return replace(await super().run(spec), started_at_us=now_us())


async def test_a_ladder_keeps_to_its_pace_over_a_restart(book: Book) -> None:
    open_ladder(book, matches_per_day=48)
    first, second = PresentExecutor(), PresentExecutor()
    async with keeping(book, first):
        await until(lambda: len(first.finished) == 2)
    async with keeping(book, second):
        for _ in range(20):
            await asyncio.sleep(0.01)
    assert second.finished == []


def test_a_ladder_that_would_end_by_itself_is_refused() -> None:
    with pytest.raises(RequestError, match="ends by itself"):
        plan_ladder(TWO, LadderFormat(2, 10))


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


def absent(book: Book) -> dict[str, str]:
    """The bots that ladders go on without, and why."""
    return {one.bot.name: one.absence.why for one in absent_versions(book.database)}


@pytest.mark.usefixtures("sandbox")
async def test_a_ladder_goes_on_without_a_bot_whose_files_are_gone_until_they_are_back(book: Book) -> None:
    version = book.add_bot("eve", owner="ada")
    book.admit(version)
    running = open_ladder(book)
    files = book.store.get(version.content_hash).directory
    files.rename(files.with_name("elsewhere"))
    executor = ScriptedExecutor()
    async with keeping(book, executor, round_s=0.05):
        await until(lambda: all(played(executor, bot) > 3 for bot in BOTS))
        assert played(executor, "ada/eve") == 0
        assert absent(book) == {"ada/eve": ladders._FILES_GONE}
        assert version.id not in present_entrants(book.database, running.tournament.id)
        files.with_name("elsewhere").rename(files)
        await until(lambda: played(executor, "ada/eve") > 4)
    assert absent(book) == {}
    told = [one.sentence for one in list_notices(book.database, everybodys=True).items if one.owner_id is not None]
    assert told == [
        "ada/eve version 1 can be started again, and is back on its ladders",
        f"ada/eve version 1 plays on no ladder until this is mended: {ladders._FILES_GONE}",
    ]
    assert check(book.database) == []


async def test_what_is_met_at_every_look_is_logged_once_until_it_changes(book: Book) -> None:
    version = book.add_bot("eve")
    running = open_ladder(book)
    (eve,) = [one for one in contenders(book.database, running) if one[0].id == version.id]
    files = book.store.get(version.content_hash).directory
    context, elsewhere = service_context(book, ScriptedExecutor()), files.with_name("elsewhere")
    with capture_logs() as lines:
        for place in (elsewhere, elsewhere, files, elsewhere):
            if not place.exists():
                next(one for one in (files, elsewhere) if one.exists()).rename(place)
            await update_availability(context, [eve])
        with locked_elsewhere(book, running.tournament.id):
            for _ in range(2):
                assert await context.play(running.tournament.id, MatchPurpose.LADDER, "spring") is None
    told = Counter(line["event"] for line in lines)
    assert (told["cannot be started"], told["back on ladders"], told["left to another process"]) == (2, 1, 1)


async def test_matches_that_a_killed_service_had_leased_do_not_hold_a_ladder_up(book: Book) -> None:
    version = book.add_bot("eve")
    running = open_ladder(book)
    book.ledger.start_run(running.tournament.id, LeaseRequest("killed", 100, 10**12))
    files = book.store.get(version.content_hash).directory
    files.rename(files.with_name("elsewhere"))
    executor = ScriptedExecutor()
    context = service_context(book, executor)
    async with at_work(context, LadderRunner(context, 0)):
        await until(lambda: all(played(executor, bot) > 3 for bot in BOTS))
    assert list(absent(book)) == ["eve"]
    assert check(book.database) == []


async def test_who_can_no_longer_be_built_for_a_runtime_that_has_changed_is_absent_until_it_can(
    book: Book, tmp_path: Path
) -> None:
    venv = make_venv(tmp_path / "venv", "fakenet==1")
    programs = replace(book.programs, runtimes=RuntimeCatalog(settings_for(venv), tmp_path / "cache"))
    context = replace(service_context(book, ScriptedExecutor()), programs=programs)
    version = book.add_bot("eve", runtime=NAME, build=BUILD)
    running = open_ladder(book)
    (eve,) = [one for one in contenders(book.database, running) if one[0].id == version.id]
    told = []
    for package in ("2", "3"):
        add_package(venv, "fakenet", package)
        programs.runtimes.look_again()
        await update_availability(context, [eve])
        told.append(absent(book))
    assert [list(one) for one in told] == [["eve"], []]
    assert "failed (exit status 1)" in told[0]["eve"]


@pytest.mark.needs("minutes")
async def test_a_bot_that_can_no_longer_be_built_is_absent_until_its_runtime_can_build_it_again(
    book: Book, tmp_path: Path
) -> None:
    venv = make_venv(tmp_path / "venv", "fakenet==1")
    programs = replace(book.programs, runtimes=RuntimeCatalog(settings_for(venv), tmp_path / "cache"))
    book.add_bot("eve", runtime=NAME, build=BUILD)
    open_ladder(book)
    executor = ScriptedExecutor()
    context = replace(service_context(book, executor), programs=programs)
    async with at_work(context, LadderRunner(context, 0, round_s=0.05)):
        await until(lambda: played(executor, "eve") > 2)
        add_package(venv, "fakenet", "2")
        await until(lambda: list(absent(book)) == ["eve"])
        before = len(executor.specs)
        await until(lambda: len(executor.specs) > before + 8)
        assert not any("eve" in (seat.name for seat in spec.seats) for spec in executor.specs[before + 4 :])
        add_package(venv, "fakenet", "3")
        before = played(executor, "eve")
        await until(lambda: played(executor, "eve") > before + 2)
    assert check(book.database) == []


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


def open_remote_ladder(book: Book) -> RunningLadder:
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
    open_remote_ladder(book)
    async with serving(book) as home:
        home.connect("ada")
        home.connect("eve")
        await until(lambda: len(home.executor.finished) > 8)
    assert {seat.name for spec in home.executor.specs for seat in spec.seats} == {"ada/fox", "eve/fox"}
    assert all(seat.is_remote and seat.command == () for spec in home.executor.specs for seat in spec.seats)
    assert check(book.database) == []


async def test_people_who_sit_down_play_on_no_ladder_and_are_not_missed(book: Book) -> None:
    open_remote_ladder(book)
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
    open_remote_ladder(book)
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
    open_remote_ladder(book)
    async with serving(book, every_s=3600) as home:
        home.connect("ada")
        home.connect("eve")
        await until(lambda: len(home.executor.finished) > 4)


async def test_after_a_restart_bots_have_the_same_while_to_come_back(book: Book) -> None:
    open_remote_ladder(book)
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
    running = open_remote_ladder(book)
    context = service_context(book, ScriptedExecutor())
    with pytest.raises(NotPlayableError, match=r"set service\.play_address"):
        await context.play(running.tournament.id, MatchPurpose.LADDER, "homes")


def open_spring(book: Book) -> None:
    LadderLedger(book.database).open_ladder(LadderPlan("spring", plan_ladder(TWO, LadderFormat(2, 0))), planner_of)


async def test_at_the_time_announced_the_season_is_frozen_and_decided_in_a_final(
    book: Book, monkeypatch: pytest.MonkeyPatch
) -> None:
    open_spring(book)
    announced_us = now_us() + LATER_US
    announce_freeze(book.database, "spring", announced_us, final_blocks=2)
    context = service_context(book, ScriptedExecutor())
    runner = SeasonRunner(context)
    for now, is_due in ((announced_us - 1, False), (announced_us, True)):
        for module in ("arena.service.activities.ladders", "ratings.ledger.season_ledger"):
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
    assert freeze_season(book.database, "spring", 0) is None
    running = running_ladder(book.database, "spring")
    assert running.season.frozen_at_us is not None
    assert running.season.final_tournament_id is None


def test_the_next_season_has_a_secret_of_its_own_and_the_last_one_is_published(book: Book) -> None:
    open_spring(book)
    first = running_ladder(book.database, "spring").tournament
    assert published_secret(book.database, first.id) is None
    LadderLedger(book.database).close_season("spring", table=[])
    assert published_secret(book.database, first.id) == first.secret
    opened = open_season(book.database, "spring", None)
    assert opened.season.name == "season 2"
    assert opened.tournament.secret != first.secret
    assert len(find_ladder(book.database, "spring").seasons) == 2
