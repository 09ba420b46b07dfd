"""The one place that writes to the book of record: tournaments, results, bots, imports, ratings."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from sqlalchemy import bindparam
from sqlalchemy import select as core_select
from sqlmodel import Session, select

from engine.translatable import Text
from ratings.errors import PlanError
from ratings.ledger import bots, ladders, leasing, proof, rebuild, recording, tournaments
from ratings.ledger import participation as entrants
from ratings.ledger import tournament_import as importing
from ratings.ledger.bots import DescribedRuntime, NewVersion
from ratings.ledger.leasing import Lease, LeasedMatch, LostAttempt
from ratings.ledger.participation import sync_ladders
from ratings.ledger.recording import ReportedMatch
from ratings.ledger.tournament_import import Imported
from ratings.ledger.tournaments import Planner, TournamentPlan, WaveLedger
from ratings.store import tables
from ratings.store.database import Database
from ratings.store.identifiers import now_us
from ratings.store.models import BotRecord, PoolRecord, TournamentRecord, VersionRecord
from ratings.store.sessions import write
from ratings.values.owners import OPERATOR, OWNER_LIMITS, OwnerLimits
from ratings.values.states import OnWorkProgress, no_progress

_POOL = (
    core_select(tables.pool.c.id)
    .join(tables.tournament, tables.tournament.c.pool_id == tables.pool.c.id)
    .where(tables.tournament.c.id == bindparam("tournament"))
    .with_for_update(of=tables.pool)
)


@dataclass(frozen=True, slots=True)
class LeaseRequest:
    """Who wants to play how many matches, and how long it may keep them."""

    worker: str
    limit: int
    duration_us: int
    besides: Collection[str] = ()
    """The matches that it does not want yet."""


@dataclass(frozen=True, slots=True)
class Settlement:
    """What one transaction of a run came to."""

    recorded: tuple[bool, ...]
    """For each result, whether it was written: False if the match was over already."""
    played_again: tuple[bool, ...]
    """For each lost attempt, whether its match will be played again."""
    planned: int
    """How many matches the waves have that were planned."""
    leased: tuple[LeasedMatch, ...]


class Ledger:
    """The one place that writes to the book of record. Each method is one transaction: all of it happens, or nothing.

    Whatever a method raises, nothing was written. Besides the errors named, each may raise a DatabaseError.
    """

    def __init__(
        self, database: Database, limits: OwnerLimits = OWNER_LIMITS, signer: proof.Signer | None = None
    ) -> None:
        """`limits` are those of owners who have none of their own; without a `signer` nothing is signed."""
        self._database = database
        self._limits = limits
        self._signer = signer

    def add_version(
        self,
        *,
        bot: str,
        owner: str | None = None,
        content_hash: str,
        manifest: Mapping[str, Any],
        message: str = "",
        predecessor: int | None = None,
        most_versions: int | None = None,
        actor: str = OPERATOR,
    ) -> tuple[VersionRecord, bool]:
        """Return the version of a bot with that content, and whether it is new; bot and owner are made if needed.

        A bot of an owner is stored as `owner/bot`. Raises AccountError, BotError, LimitError beyond `most_versions`.
        """
        new = NewVersion(bot, content_hash, manifest, owner, message, predecessor, actor)
        with write(self._database) as session:
            added = bots.add_version(session, new, most_versions=most_versions)
            sync_ladders(session, added[0])
            return added

    def set_disabled(self, bot: str, *, disabled: bool, actor: str = OPERATOR, message: str = "") -> BotRecord:
        """Bar a bot from new tournaments, or let it in again; planned matches are played. Raises NotFoundError."""
        with write(self._database) as session:
            found = bots.set_disabled(session, bot=bot, disabled=disabled, actor=actor, message=message)
            sync_ladders(session, found)
            return found

    def remove_bot(self, bot: str) -> list[str]:
        """Take a bot away that no fact names, and return the content hashes of its versions.

        Raises NotFoundError, BotError.
        """
        with write(self._database) as session:
            return bots.remove_bot(session, bot)

    def remove_version(self, version_id: str) -> list[str]:
        """Take a version away that no fact names, and return its content hash. Raises NotFoundError, BotError."""
        with write(self._database) as session:
            removed = bots.remove_version(session, version_id)
            sync_ladders(session)
            return removed

    def rename_bot(self, bot: str, new: str) -> BotRecord:
        """Give a bot that no fact names another name. Raises NotFoundError, AccountError, BotError."""
        with write(self._database) as session:
            return bots.rename_bot(session, bot, new)

    def create_tournament(
        self, plan: TournamentPlan, planner: Planner, *, choose_name: Callable[[Set[str]], str] | None = None
    ) -> TournamentRecord:
        """Write a tournament with its entrants, and let `planner` add the waves that can be planned at once.

        `choose_name` is called with the names in use, and what it returns replaces the plan's; nobody else can take
        that name meanwhile. Raises PlanError or BotError.
        """
        with write(self._database) as session:
            if choose_name is not None:
                plan = replace(plan, name=choose_name(set(session.exec(select(TournamentRecord.name)))))
            tournament = tournaments.write_tournament(session, plan)
            if not planner.plan_ready(WaveLedger(session, tournament.id)):
                raise PlanError(Text("the tournament has no matches; enter more bots or ask for more rounds"))
            if self._signer is not None:
                proof.commit(session, tournament.id, self._signer)
            session.refresh(tournament)
            return tournament

    def join(self, tournament_id: str, version_id: str) -> int:
        """Enter a version from the next wave on, and return the number of that wave (from 0).

        Raises PlanError if it has entered before or the tournament is over, BotError if its bot is disabled.
        """
        with write(self._database) as session:
            wave = entrants.join(session, tournament_id, version_id)
            entrants.note_guest(session, tournament_id, version_id, is_guest=True)
            return wave

    def withdraw(self, tournament_id: str, version_id: str, reason: str) -> int:
        """Take a version out, make its blocks that are not over void, and return how many matches will not be played.

        Raises NotFoundError if the version is not entered, PlanError if it has withdrawn or the tournament is over.
        """
        with write(self._database) as session:
            void = entrants.withdraw(session, tournament_id, version_id, reason)
            entrants.note_guest(session, tournament_id, version_id, is_guest=False)
            return void

    def cancel(self, tournament_id: str) -> int:
        """Make every match that is not over void, and return how many they were.

        Raises NotFoundError, and LadderError for the tournament of a season that is open.
        """
        with write(self._database) as session:
            ladders.check_may_cancel(session, tournament_id)
            return tournaments.cancel(session, tournament_id)

    def start_run(self, tournament_id: str, request: LeaseRequest, planner: Planner | None = None) -> Settlement:
        """Take back every lease of the tournament, plan the waves that are ready, and lease the first matches.

        The caller knows that whoever held the leases is gone; if not, the first result of a match still counts once.
        """
        with write(self._database, together=True) as session:
            take_turn(session, tournament_id)
            leasing.release(session, tournament_id)
            if self._signer is not None:
                proof.commit(session, tournament_id, self._signer)
            return _settle(session, tournament_id, (), (), request, planner, self._limits, self._signer)

    def settle(
        self,
        tournament_id: str,
        *,
        results: Sequence[ReportedMatch] = (),
        lost: Sequence[LostAttempt] = (),
        request: LeaseRequest | None = None,
        planner: Planner | None = None,
    ) -> Settlement:
        """Record results and lost attempts, rate what can be rated, plan the waves that are ready, lease new matches.

        The first result of a match counts, also that of an attempt whose lease was lost meanwhile; a result or a loss
        that is recorded already is left as it is. Notes for which an owner has no room are left out. Raises FactError
        if one does not fit its match.
        """
        with write(self._database, together=True) as session:
            take_turn(session, tournament_id)
            return _settle(session, tournament_id, results, lost, request, planner, self._limits, self._signer)

    def close_proof(self, tournament_id: str, table: Sequence[Mapping[str, Any]]) -> None:
        """Sign the end of a tournament that is over, with its table and its secret, unless it is signed already."""
        assert self._signer is not None, "somebody must sign"
        with write(self._database, together=True) as session:
            take_turn(session, tournament_id)
            proof.close(session, tournament_id, table, self._signer)

    def release(self, tournament_id: str, *, worker: str | None = None, besides: Collection[Lease] = ()) -> int:
        """Give leased matches of a tournament back, without blame, and return how many they were.

        They are all, or those of one worker, `besides` some: each by the id of its match and the number of the attempt.
        """
        with write(self._database, together=True) as session:
            take_turn(session, tournament_id)
            return leasing.release(session, tournament_id, worker=worker, besides=besides)

    def note_runtimes(self, described: Mapping[str, DescribedRuntime]) -> None:
        """Record what bots run in, by the hash of each runtime, unless it is recorded already."""
        with write(self._database) as session:
            bots.note_runtimes(session, described)

    def rebuild(self, pool_id: str | None = None, report: OnWorkProgress = no_progress) -> int:
        """Have the ratings of one pool, or of all, follow from the facts, and return how many matches were rated.

        `report` is told how far it is. Raises NotFoundError.
        """
        with write(self._database) as session:
            pools = session.exec(select(PoolRecord.id)).all() if pool_id is None else [pool_id]
            return sum(rebuild.rebuild(session, one, report) for one in pools)

    def forget_memories(self, tournament_ids: Collection[str]) -> None:
        """Forget what planners remember of the old waves of tournaments: they read all matches anew, part by part."""
        with write(self._database) as session:
            for tournament_id in tournament_ids:
                tournaments.forget(session.connection(), tournament_id)

    def import_tournament(
        self,
        source: Path,
        *,
        name: str | None = None,
        digest: str | None = None,
        report: OnWorkProgress = no_progress,
        check: importing.Check = lambda *_: None,
    ) -> Imported:
        """Read an exported tournament, under another `name` if given, only a file of that `digest` if given.

        `report` is told how far it is; `check` refuses settings that the arena cannot read. Raises ArchiveError.
        """
        with write(self._database) as session:
            return importing.import_tournament(session, source, name=name, digest=digest, report=report, check=check)


def _settle(
    session: Session,
    tournament_id: str,
    results: Sequence[ReportedMatch],
    lost: Sequence[LostAttempt],
    request: LeaseRequest | None,
    planner: Planner | None,
    limits: OwnerLimits,
    signer: proof.Signer | None,
) -> Settlement:
    recorded = recording.record_results(session, results, limits, signer) if results else []
    again = [leasing.record_lost(session, attempt) for attempt in lost]
    waves = WaveLedger(session, tournament_id)
    planned = planner.plan_ready(waves) if planner is not None else 0
    if signer is not None and waves.first_added is not None:
        proof.add_waves(session.connection(), tournament_id, waves.first_added, signer)
    leased = []
    if request is not None:
        leased = leasing.lease(
            session,
            tournament_id=tournament_id,
            limit=request.limit,
            worker=request.worker,
            deadline_us=now_us() + request.duration_us,
            besides=request.besides,
        )
    return Settlement(tuple(recorded), tuple(again), planned, tuple(leased))


def take_turn(session: Session, tournament_id: str) -> None:
    """Keep everybody else from writing to the pool of a tournament until the transaction ends.

    It comes first in a transaction, so that what follows reads what the one before it wrote, and no two wait for each
    other.
    """
    session.connection().execute(_POOL, {"tournament": tournament_id})
