"""Turns leased matches into `MatchSpec`s for an executor, and its reports into facts for the book of record."""

from __future__ import annotations

from dataclasses import replace

from arena.hosting.manifest import resolve_command
from arena.hosting.store import VersionStore
from arena.match.clock import parse_time_control
from arena.match.spec import MatchReport, MatchSpec, SeatSpec
from arena.tournament.errors import NotPlayableError
from arena.tournament.seeds import bot_seed
from engine import registry
from ratings.database import Session
from ratings.ledger import FaultFact, LeasedMatch, LeasedSeat, MatchFact
from ratings.models import Pool, Tournament


class SpecMaker:
    """Knows what all matches of one tournament share, and where its bots' files lie."""

    def __init__(self, tournament: Tournament, pool: Pool, store: VersionStore) -> None:
        """Raises NotPlayableError if the tournament was planned for other rules than those installed."""
        _check_rules(tournament, pool)
        self._pool = pool
        self._store = store
        self._secret = bytes.fromhex(tournament.secret)
        settings = tournament.settings
        self._clock = replace(
            parse_time_control(pool.time_control),
            start_limit_us=settings["start_limit_us"],
            margin_us=settings["margin_us"],
        )
        self._started_by: dict[str, tuple[str, tuple[str, ...]]] = {}

    @classmethod
    def of(cls, session: Session, tournament: Tournament, store: VersionStore) -> SpecMaker:
        """The maker for a tournament in the database."""
        pool = session.get(Pool, tournament.pool_id)
        if pool is None:
            raise NotPlayableError(f"tournament {tournament.name!r} has no pool; `arena db check` tells more")
        return cls(tournament, pool, store)

    def spec(self, match: LeasedMatch) -> MatchSpec:
        """What to play. Raises StoreError if a bot's files are missing or were changed."""
        return MatchSpec(
            match_id=match.match_id,
            attempt=match.attempt,
            game=self._pool.game,
            rules_version=self._pool.rules_version,
            options=self._pool.options,
            clock=self._clock,
            cores=self._pool.cores,
            chance_seed=match.chance_seed,
            opening=match.opening,
            seats=tuple(self._seat(match, seat, leased) for seat, leased in enumerate(match.seats)),
        )

    def _seat(self, match: LeasedMatch, seat: int, leased: LeasedSeat) -> SeatSpec:
        directory, command = self._start_of(leased.content_hash)
        return SeatSpec(
            version=leased.content_hash,
            name=leased.bot,
            directory=directory,
            command=command,
            seed=bot_seed(self._secret, match.block_index, match.rotation, seat),
        )

    def _start_of(self, content_hash: str) -> tuple[str, tuple[str, ...]]:
        """Directory and command of a version; its files are checked once a run."""
        if content_hash not in self._started_by:
            stored = self._store.get(content_hash)
            self._started_by[content_hash] = (
                str(stored.directory),
                resolve_command(stored.manifest, stored.directory),
            )
        return self._started_by[content_hash]


def _check_rules(tournament: Tournament, pool: Pool) -> None:
    installed = registry.get(pool.game).rules_version
    if installed != pool.rules_version:
        raise NotPlayableError(
            f"tournament {tournament.name!r} was planned for rules version {pool.rules_version} of {pool.game}, and "
            f"{installed} is installed; play it with the arena that planned it, or plan a new one"
        )


def fact_of(report: MatchReport, worker: str) -> MatchFact:
    """What the book of record keeps of a report."""
    result = report.result
    return MatchFact(
        match_id=report.match_id,
        attempt=report.attempt,
        worker=worker,
        ranks=result.ranks,
        by_rules=result.by_rules,
        rated=result.rated,
        forfeits=result.forfeits,
        faults=[
            FaultFact(fault.seat, fault.cause.value, fault.ply, fault.explanation, fault.evidence)
            for fault in result.faults
        ],
        details=result.details,
        plies=report.plies,
        decisions=report.decisions,
        started_at_us=report.started_at_us,
        duration_us=report.duration_us,
        game_digest=report.game_digest,
        record_digest=report.record_digest,
        replay=report.replay,
        resigned=result.resigned,
    )
