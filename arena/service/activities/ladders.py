"""Keeps ladders going: plays their matches, follows which bots are available, new rules and the ends of seasons."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Callable, Iterable
from functools import partial
from typing import Protocol

from arena.hosting.builder.build import BuildFailure, build_version
from arena.hosting.manifest import BotDirectoryError
from arena.hosting.runtimes.runtime import RuntimeBrokenError
from arena.hosting.store import StoreError
from arena.service.activities.context import Plays, ServiceContext, plays_all
from arena.service.logs import Logger
from arena.service.scheduler.queue import MatchPurpose
from arena.service.task_supervision import SupervisedTasks, TaskSpec
from arena.tournament.errors import NotPlayableError, TournamentError
from arena.tournament.formats import random_seeds as seeds
from arena.tournament.formats.format import ScheduleError
from arena.tournament.planner import planner_of
from arena.tournament.rate_limit import MatchRateLimit, matches_to_look_at, pace_after, rate_of
from arena.tournament.seasons import freeze_season
from engine import registry
from engine.core import EngineError
from engine.translatable import Text
from ratings.errors import RatingsError
from ratings.ledger.participation import Noted
from ratings.ledger.season_ledger import LadderLedger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.ladders import absent_versions, contenders, last_starts, open_ladders, remote_versions
from ratings.read.tournaments import present_entrants
from ratings.store.database import Database
from ratings.store.identifiers import now_us
from ratings.store.ladder_queries import RunningLadder
from ratings.store.models import BotRecord, VersionRecord

ROUND_S = 300.0
_FILES_GONE = Text("the arena cannot read its files as they were submitted; the organiser has to bring them back")
WHY = Text("it is not connected")


class LadderRunner:
    """Keeps a run going for the season of each open ladder."""

    def __init__(
        self,
        context: ServiceContext,
        matches_per_day: int,
        clock: Callable[[], float] = time.monotonic,
        round_s: float = ROUND_S,
        plays: Plays = plays_all,
    ) -> None:
        """`matches_per_day` is the pace of ladders that have none of their own; 0 for none.

        Every `round_s` seconds it looks which runtimes have changed, and which absent bots can be started again.
        """
        self._context = context
        self._matches_per_day = matches_per_day
        self._clock = clock
        self._tasks = SupervisedTasks(context.supervisor)
        self._paces: dict[str, tuple[int, MatchRateLimit | None]] = {}
        self._round_s = round_s
        self._plays = plays

    async def look(self) -> None:
        """Begin what was opened, wake what somebody has joined, and end what was closed."""
        found = await asyncio.to_thread(self._read)
        # When runtimes have changed all runs begin anew, with what each bot runs in now.
        changes = self._context.programs.runtimes.changes
        runs = {}
        for running, present in found:
            # A run ends when too few are left; it begins again as soon as somebody comes.
            part, state = f"ladder {running.ladder.name}", (present, self._rate(running))
            runs[f"{changes} {running.tournament.id}"] = TaskSpec(part, partial(self._play, running), state)
        await self._tasks.reconcile({"attendance": TaskSpec("attendance", self._keep_availability), **runs})

    async def close(self) -> None:
        """End all runs; what was not finished goes back to the ledger."""
        await self._tasks.close()
        self._paces.clear()  # another service may play on before this one does

    async def _keep_availability(self) -> None:
        """Look again and again whether runtimes have changed, and whether absent bots can be started."""
        while True:
            await asyncio.sleep(self._round_s)
            changed = await asyncio.to_thread(self._context.programs.runtimes.look_again)
            if changed:
                self._context.log.warning("runtimes have changed, ladders begin anew with them", runtimes=changed)
            absent = await asyncio.to_thread(absent_versions, self._context.database)
            await update_availability(self._context, [(one.version, one.bot) for one in absent])

    def _read(self) -> list[tuple[RunningLadder, tuple[str, ...]]]:
        # While its final is played, a season plays no further.
        found = [one for one in open_ladders(self._context.database) if one.season.final_tournament_id is None]
        running = [one for one in found if self._plays(one.pool.remote)]
        return [(one, present_entrants(self._context.database, one.tournament.id)) for one in running]

    async def _play(self, running: RunningLadder) -> None:
        await update_availability(self._context, await asyncio.to_thread(contenders, self._context.database, running))
        changes = await asyncio.to_thread(LadderLedger(self._context.database).sync_ladder, running.ladder.id)
        if changes.joined or changes.withdrawn:
            self._context.log.info(
                "ladder synchronised", ladder=running.ladder.name, joined=changes.joined, withdrawn=changes.withdrawn
            )
        problems, about = self._context.supervisor.problems, f"tournament {running.tournament.id}"
        try:
            # A ladder keeps its pace from run to run, and over the end of the service.
            rate = self._rate(running)
            known = self._paces.get(running.ladder.id)
            if known is None or known[0] != rate:
                pace = await asyncio.to_thread(self._resumed, running, rate) if rate else None
                known = self._paces[running.ladder.id] = rate, pace
            await self._context.play(running.tournament.id, MatchPurpose.LADDER, running.ladder.name, known[1])
        except NotPlayableError as error:  # it is tried again: who may play in it, or the settings, may change
            if problems.is_new(about, str(error)):
                self._context.log.warning("not playable", ladder=running.ladder.name, why=str(error))

    def _rate(self, running: RunningLadder) -> int:
        return rate_of(running.ladder.settings, self._matches_per_day)

    def _resumed(self, running: RunningLadder, rate: int) -> MatchRateLimit:
        """Return the pace after what was played of it lately."""
        starts = last_starts(self._context.database, running.tournament.id, matches_to_look_at(rate))
        now_s, wall_s = self._clock(), time.time()
        return pace_after(rate, [now_s - (wall_s - start / 1e6) for start in starts], now_s)


async def update_availability(context: ServiceContext, versions: Iterable[tuple[VersionRecord, BotRecord]]) -> Noted:
    """Look which hosted versions can be started, built anew if needed, and write it: ladders follow at once.

    Raises SandboxUnavailableError and the other errors of a machine that can build or start nothing at all.
    """
    found = {version.id: await _obstacle(context, version, bot) for version, bot in versions if not bot.remote}
    noted = await asyncio.to_thread(ServiceLedger(context.database).note_absences, found)
    if noted.gone:
        context.log.warning("absent from ladders until they can be started", bots=noted.gone)
    if noted.back:
        context.log.info("back on ladders", bots=noted.back)
    return noted


async def _obstacle(context: ServiceContext, version: VersionRecord, bot: BotRecord) -> str | None:
    """Return why a version cannot be started, in words that its owner may read, or `None` if it can."""
    about = f"version {version.id}"
    try:
        built = await build_version(context.programs, version.content_hash, has_owner=bot.owner_id is not None)
        if isinstance(built, BuildFailure):
            return built.sentence
        await asyncio.to_thread(context.programs.find, version.content_hash)
    except (BotDirectoryError, RuntimeBrokenError, StoreError) as error:
        if context.supervisor.problems.is_new(about, str(error)):
            context.log.warning("cannot be started", bot=bot.name, version=version.content_hash[:12], why=str(error))
        # The owner is not told the places on the arena's machine that the message of such an error names.
        if isinstance(error, StoreError):
            return _FILES_GONE
        if isinstance(error, RuntimeBrokenError):
            return Text(
                "its runtime {name} does not work on the arena's machine; the organiser has to mend it",
                name=repr(version.manifest.get("runtime", "arena")),
            )
        return str(error)
    context.supervisor.problems.end(about)
    return None


class ConnectedVersions(Protocol):
    """Knows which remote versions are connected."""

    def is_connected(self, content_hash: str) -> bool:
        """Return whether that version is there."""


class RemoteAvailability:
    """Writes which active versions of remote bots are absent. A service that has just begun waits for them, too."""

    def __init__(
        self,
        context: ServiceContext,
        connected: ConnectedVersions,
        away_s: float,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """Ladders go on without who has been away for `away_s`: a connection that breaks is soon back."""
        self._context = context
        self._connected = connected
        self._clock = clock
        self._away_s = away_s
        self._missed: dict[str, float] = {}
        """When each version that is away was first missed, by its id."""

    async def look(self) -> None:
        """Write who has been away for long, and who is back."""
        versions = await asyncio.to_thread(remote_versions, self._context.database)
        self._missed = {version.id: self._missed.get(version.id, self._clock()) for version, _, _ in versions}
        found = {version.id: why for version, _, is_absent in versions for why in self._news(version, is_absent)}
        if not found:
            return
        noted = await asyncio.to_thread(ServiceLedger(self._context.database).note_absences, found)
        self._context.log.info("remote bots came or went", gone=noted.gone, back=noted.back)

    async def close(self) -> None:
        """Forget since when who is away: who looks again gives everybody the whole while to come."""
        self._missed.clear()

    def _news(self, version: VersionRecord, is_absent: bool) -> list[str | None]:
        """Return what is new about a version: why it is absent now, or `None` if it is back; nothing if nothing is."""
        if self._connected.is_connected(version.content_hash):
            self._missed.pop(version.id, None)
            return [None] if is_absent else []
        has_left = self._clock() - self._missed[version.id] >= self._away_s
        return [WHY] if has_left and not is_absent else []


class SeasonRunner:
    """Does at its time what the organiser announced; the finals are played like any tournament."""

    def __init__(self, context: ServiceContext) -> None:
        self._context = context
        self._refused: set[str] = set()

    async def look(self) -> None:
        """Freeze the seasons whose time has come."""
        await asyncio.to_thread(self._freeze_due)

    async def close(self) -> None:
        """Forget what was refused: what was begun is in the database."""
        self._refused.clear()

    def _freeze_due(self) -> None:
        for running in open_ladders(self._context.database):
            # A kill may have come between the freeze and the final, so an announced final that is missing is due, too.
            season = running.season
            is_announced = season.freezes_at_us is not None and season.freezes_at_us <= now_us()
            name, tournament = running.ladder.name, running.tournament.id
            if not is_announced or season.final_tournament_id is not None or tournament in self._refused:
                continue
            try:
                final = freeze_season(self._context.database, name)
            except (RatingsError, ScheduleError) as error:
                self._refused.add(tournament)
                self._context.log.error("season cannot be frozen", ladder=name, why=str(error))
                continue
            if final is None:
                self._refused.add(tournament)
            self._context.log.info("season frozen", ladder=name, final=None if final is None else final.name)


def follow_rules(database: Database, log: Logger) -> int:
    """Bring every ladder to the rules that are installed, and return how many begin anew.

    A ladder of a game that is not installed any more stays as it is.
    """
    ledger, begun = LadderLedger(database), 0
    for name in registry.names():
        version = registry.get(name).rules_version
        try:
            opened = ledger.close_old_rules(
                name, version, new_secret=lambda: seeds.new_secret().hex(), planner=planner_of
            )
        except (EngineError, TournamentError) as error:
            # The options of a pool may mean nothing to the new rules; such a ladder waits for the organiser.
            log.error("ladder cannot follow the rules", game=name, rules_version=version, why=str(error))
            continue
        for one in opened:
            log.warning("ladder begins anew", ladder=one.ladder.name, game=name, rules_version=version)
        begun += len(opened)
    return begun
