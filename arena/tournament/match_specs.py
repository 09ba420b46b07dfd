"""Turns leased matches into `MatchSpec`s for an executor, and its reports into facts for the book of record."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from dataclasses import dataclass

from arena.hosting.manifest import resolve_command
from arena.hosting.sandbox.choice import DEFAULT_POLICY, SandboxPolicy, find_level
from arena.hosting.store import VersionStore
from arena.match.report import MatchReport
from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import parse_time_control
from arena.tournament.errors import NotPlayableError
from arena.tournament.formats import catalog
from arena.tournament.formats.seeds import bot_seed
from engine import registry
from ratings.ledger.entry import FaultFact, LeakFact, LeasedMatch, LeasedSeat, MatchFact
from ratings.read import queries
from ratings.store.database import Session
from ratings.store.models import Pool, Tournament

DEFAULT_LEAK_CHECKS = 0.02
_HASHES = 2**64


@dataclass(frozen=True, slots=True)
class _Start:
    """How the bot of a version is started, as its files say."""

    directory: str
    command: tuple[str, ...]
    memory_mb: int
    is_deterministic: bool


def is_sampled(match_id: str, share: float) -> bool:
    """Whether a match is among the share (0 to 1) that is drawn by the hash of its id, which no bot can foresee."""
    digest = hashlib.sha256(match_id.encode()).digest()
    return int.from_bytes(digest[:8], "big") < share * _HASHES


class SpecMaker:
    """Knows what all matches of one tournament share, and where its bots' files lie."""

    def __init__(
        self,
        tournament: Tournament,
        pool: Pool,
        store: VersionStore,
        *,
        levels: Mapping[bool, str],
        leak_checks: float = DEFAULT_LEAK_CHECKS,
    ) -> None:
        """`levels` of the sandbox: True for bots that have an owner, False for others; `leak_checks`: 0 to 1.

        Raises NotPlayableError if the tournament was planned for other rules than those installed.
        """
        _check_rules(tournament, pool)
        self._tournament_id = tournament.id
        self._pool = pool
        self._store = store
        self._levels = levels
        self._leak_checks = leak_checks
        self._secret = bytes.fromhex(tournament.secret)
        # Blocks that share their chance share the bots' seeds, and count as one for what a process may have seen.
        self._blocks_a_seed = catalog.blocks_a_seed(tournament.format)
        settings = tournament.settings
        self._clock = parse_time_control(
            pool.time_control, start_limit_us=settings["start_limit_us"], margin_us=settings["margin_us"]
        )
        self._starts: dict[str, _Start] = {}

    @classmethod
    def of(
        cls,
        session: Session,
        tournament: Tournament,
        *,
        store: VersionStore,
        policy: SandboxPolicy = DEFAULT_POLICY,
        leak_checks: float = DEFAULT_LEAK_CHECKS,
    ) -> SpecMaker:
        """The maker for a tournament in the database. Raises like `__init__`, and SandboxUnavailableError."""
        pool = session.get(Pool, tournament.pool_id)
        if pool is None:
            raise NotPlayableError(f"tournament {tournament.name!r} has no pool; `arena db check` tells more")
        owned = queries.owned_entrants(session, tournament.id)
        levels = {has_owner: find_level(has_owner=has_owner, policy=policy) for has_owner in owned}
        return cls(tournament, pool, store, levels=levels, leak_checks=leak_checks)

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
            block=f"{self._tournament_id}/{match.block_index // self._blocks_a_seed}",
            checks_leaks=is_sampled(match.match_id, self._leak_checks),
        )

    def _seat(self, match: LeasedMatch, seat: int, leased: LeasedSeat) -> SeatSpec:
        start = self._start_of(leased.content_hash)
        return SeatSpec(
            version=leased.content_hash,
            name=leased.bot,
            directory=start.directory,
            command=start.command,
            seed=bot_seed(self._secret, match.block_index // self._blocks_a_seed, match.rotation, seat),
            memory_mb=start.memory_mb,
            is_deterministic=start.is_deterministic,
            sandbox=self._levels[leased.owner_id is not None],
        )

    def _start_of(self, content_hash: str) -> _Start:
        """How a version is started; its files are checked once a run."""
        if content_hash not in self._starts:
            stored = self._store.get(content_hash)
            self._starts[content_hash] = _Start(
                directory=str(stored.directory),
                command=resolve_command(stored.manifest, stored.directory),
                memory_mb=stored.manifest.memory_mb,
                is_deterministic=stored.manifest.deterministic,
            )
        return self._starts[content_hash]


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
        sandbox=report.sandbox,
        leak_checks=[
            LeakFact(check.seat, check.verdict.value, check.ply, check.sentence, check.evidence)
            for check in report.leak_checks
        ],
    )
