"""What every activity of a service works with: it plays tournaments, and builds versions before they play."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from arena.hosting.builder.build import BuildFailure, build_version
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.service.logs import Logger
from arena.service.scheduler.queue import MatchPurpose
from arena.service.scheduler.slots import Slots
from arena.service.task_supervision import Supervisor, WakeUp
from arena.tournament.errors import AlreadyRunningError, NotPlayableError
from arena.tournament.rate_limit import MatchRateLimit
from arena.tournament.run_progress import RunProgress
from arena.tournament.runner import run_tournament
from engine.translatable import Text
from ratings.read.tournaments import entrant_versions, tournament_row
from ratings.store.database import Database
from ratings.values.owners import OWNER_LIMITS, OwnerLimits

Plays = Callable[[bool], bool]
"""Returns whether an activity plays in pools of remote bots, given True, or in others; it may ask the database."""
REMOTE_WIDTH = 32
"""How many matches of one tournament of remote bots go on at once; as many again wait for bots that are not there."""


def plays_all(_remote: bool) -> bool:
    """Return that it plays in all pools."""
    return True


@dataclass(frozen=True, slots=True)
class ServiceContext:
    """What the activities work with."""

    database: Database
    programs: StoredPrograms
    slots: Slots
    supervisor: Supervisor
    wake_up: WakeUp
    """Notified when somebody has written something that the activities may act on."""
    log: Logger
    leak_checks: float
    """The share of the matches whose deterministic bots are asked again, 0 to 1."""
    takes_remote: bool = False
    """Whether remote bots can connect to this service, so that it can play with them."""
    limits: OwnerLimits = OWNER_LIMITS
    """What owners may do who have no limits of their own."""

    async def play(
        self, tournament_id: str, kind: MatchPurpose, name: str, pace: MatchRateLimit | None = None
    ) -> RunProgress | None:
        """Play what is left of a tournament, and return how far it is then, or `None` if another process plays it.

        Raises what `arena.tournament.runner.run_tournament` and `build_entrants` raise, and NotPlayableError for one of
        remote bots where none can connect.
        """
        width = await asyncio.to_thread(self._width, tournament_id)
        if kind is not MatchPurpose.LADDER:  # which looks after its bots itself, see `update_availability`
            await build_entrants(self.database, self.programs, tournament_id, self.supervisor)
        view, about = self.slots.view(kind, name, pace=pace, width=width), f"tournament {tournament_id}"
        try:
            end = await run_tournament(
                self.database,
                tournament_id,
                view,
                self.programs,
                leak_checks=self.leak_checks,
                keep_logs=True,
                limits=self.limits,
            )
        except AlreadyRunningError as error:
            if self.supervisor.problems.is_new(about, str(error)):
                self.log.info("left to another process", tournament=name, why=str(error))
            return None
        finally:
            view.close()
        self.supervisor.problems.end(about)
        if end.played:
            counts = {"finished": end.finished, "void": end.void, "total": end.total}
            self.log.info("played", kind=kind.value, tournament=name, **counts)
        return end

    def _width(self, tournament_id: str) -> int:
        """Return how many slots a tournament is told of that needs none because remote bots play in it; else 0.

        Raises NotPlayableError where none can connect, or if it grants cores that no slot has.
        """
        row = tournament_row(self.database, tournament_id)
        if row.pool.remote and not self.takes_remote:
            raise NotPlayableError(
                Text(
                    "tournament {name} is for remote bots, and none can connect here; set service.play_address",
                    name=repr(row.tournament.name),
                )
            )
        if row.pool.cores > 1 and not row.pool.remote:
            raise NotPlayableError(
                Text(
                    "tournament {tournament} grants each bot {number} cores, and a service grants one; stop the "
                    "service, and `arena tournament resume` plays it",
                    tournament=repr(row.tournament.name),
                    number=row.pool.cores,
                )
            )
        return REMOTE_WIDTH if row.pool.remote else 0


async def build_entrants(
    database: Database, programs: StoredPrograms, tournament_id: str, supervisor: Supervisor
) -> None:
    """Build every entrant of a tournament anew whose runtime has changed since it was built.

    Raises BotDirectoryError, StoreError, HostingError.
    """
    for version, bot in await asyncio.to_thread(entrant_versions, database, tournament_id):
        if version.manifest.get("build"):
            outcome = await build_version(programs, version.content_hash, has_owner=bot.owner_id is not None)
            about = f"build of {version.id}"
            if not isinstance(outcome, BuildFailure):
                supervisor.problems.end(about)
            elif supervisor.problems.is_new(about, outcome.sentence):
                log, short = supervisor.log, version.content_hash[:12]
                log.warning("not built", bot=bot.name, version=short, why=outcome.sentence)
