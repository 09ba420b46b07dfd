"""Turns leased matches into specs for an executor; what it must know of bots' programs are two protocols."""

from __future__ import annotations

import hashlib
from pathlib import Path
from typing import Protocol

from arena.match.spec import MatchSpec, SeatProgram, SeatSpec, program_seat
from arena.tournament.errors import NotPlayableError, RequestError
from arena.tournament.formats.random_seeds import bot_seed, match_chance_seed
from arena.tournament.stored import blocks_per_seed, clock_of, options_of
from engine import registry
from engine.translatable import Text
from ratings.ledger.bots import DescribedRuntime
from ratings.ledger.leasing import LeasedMatch, LeasedSeat
from ratings.store.models import PoolRecord, TournamentRecord

DEFAULT_LEAK_CHECKS = 0.02
_HASHES = 2**64


class MatchSpecs:
    """Knows what all matches of one tournament share, and where its bots' programs lie."""

    def __init__(
        self,
        tournament: TournamentRecord,
        pool: PoolRecord,
        programs: Programs,
        *,
        leak_checks: float = DEFAULT_LEAK_CHECKS,
        keep_logs: bool = False,
    ) -> None:
        """Have the share of `leak_checks` checked for leaks.

        With `keep_logs`, what the bots write to their output comes back with each match.

        Raises NotPlayableError if the tournament was planned for other rules than those installed.
        """
        installed = registry.get(pool.game).rules_version
        if installed != pool.rules_version:
            raise NotPlayableError(
                Text(
                    "tournament {name} was planned for rules version {version} of {game}, and {installed} is "
                    "installed; play it with the arena that planned it, or plan a new one",
                    name=repr(tournament.name),
                    version=pool.rules_version,
                    game=pool.game,
                    installed=installed,
                )
            )
        self.tournament_id = tournament.id
        self._tournament = tournament
        self._pool = pool
        self._programs = programs
        self._levels: dict[bool, str] = {}
        self._leak_checks = leak_checks
        self._keep_logs = keep_logs
        self._is_rated = tournament.rated
        self._secret = bytes.fromhex(tournament.secret)
        # Blocks that share their chance share the bots' seeds, and count as one for what a process may have seen.
        self._blocks_per_seed = blocks_per_seed(tournament, pool)
        self._clock = clock_of(tournament, pool)
        self._found: dict[str, VersionProgram] = {}
        self._new_runtimes: set[str] = set()
        self._known_runtimes: set[str] = set()

    def sandbox_level(self, *, has_owner: bool) -> str:
        """Return the level of bots that have an owner, or that have none. Raises the error of `Programs`."""
        if has_owner not in self._levels:
            self._levels[has_owner] = self._programs.sandbox_level(has_owner=has_owner)
        return self._levels[has_owner]

    def spec(self, match: LeasedMatch) -> MatchSpec:
        """Return what to play. Raises the errors of `Programs.find`."""
        # Whose deterministic bots are asked again is drawn by the hash of the id, which no bot foresees.
        digest = hashlib.sha256(match.match_id.encode()).digest()
        return MatchSpec(
            match_id=match.match_id,
            attempt=match.attempt,
            game=self._pool.game,
            rules_version=self._pool.rules_version,
            options=options_of(self._tournament, self._pool, match.block_index),
            clock=self._clock,
            cores=self._pool.cores,
            chance_seed=match.chance_seed
            if not self._pool.remote
            else match_chance_seed(self._secret, match.block_index, match.rotation),
            opening=match.opening,
            seats=tuple(self._seat(match, seat, leased) for seat, leased in enumerate(match.seats)),
            block=f"{self.tournament_id}/{match.block_index // self._blocks_per_seed}",
            checks_leaks=int.from_bytes(digest[:8], "big") < self._leak_checks * _HASHES,
            keeps_logs=self._keep_logs,
            is_rated=self._is_rated,
        )

    def take_new_runtimes(self) -> dict[str, DescribedRuntime]:
        """Return the runtimes of the specs so far that were not returned before, by hash."""
        new, self._new_runtimes = self._new_runtimes, set()
        self._known_runtimes |= new
        described = {runtime: self._programs.describe_runtime(runtime) for runtime in sorted(new)}
        return {runtime: one for runtime, one in described.items() if one is not None}

    def _seat(self, match: LeasedMatch, seat: int, leased: LeasedSeat) -> SeatSpec:
        seed = bot_seed(self._secret, match.block_index // self._blocks_per_seed, match.rotation, seat)
        if leased.is_remote:
            return SeatSpec(leased.content_hash, leased.bot, directory="", command=(), seed=seed, is_remote=True)
        if leased.content_hash not in self._found:
            self._found[leased.content_hash] = program = self._programs.find(leased.content_hash)
            self._new_runtimes |= {program.runtime} - self._known_runtimes
        program = self._found[leased.content_hash]
        level = self.sandbox_level(has_owner=leased.owner_id is not None)
        return program_seat(leased.bot, leased.content_hash, program, level, seed)


class VersionProgram(SeatProgram, Protocol):
    """The program of one version, as its files say; they were checked when it was found."""

    @property
    def games(self) -> tuple[str, ...]:
        """The games that it says it plays, as written: names, or `*` for every game."""

    def plays(self, game: str) -> bool:
        """Return whether it says it plays that game."""


class Programs(Protocol):
    """The programs of all versions of one database."""

    @property
    def root(self) -> Path:
        """The directory that holds them, the same for everybody who plays from this database."""

    def find(self, content_hash: str) -> VersionProgram:
        """Return the program of a version. Raises an error of its own if its files are missing or were changed."""

    def describe_runtime(self, runtime: str) -> DescribedRuntime | None:
        """Return what the runtime with that hash consists of, which a program that was found runs in; None if unknown.

        It may be unknown because it was changed meanwhile.
        """

    def sandbox_level(self, *, has_owner: bool) -> str:
        """Return the level at which bots run that have an owner, or that have none.

        Raises an error of its own if this machine has no sandbox that will do.
        """


def check_plays(program: VersionProgram, game: str, name: str) -> None:
    """Raise RequestError, which calls the bot `name`, unless its program says that it plays the game."""
    if not program.plays(game):
        raise RequestError(
            Text(
                "{bot} does not play {game}; its bot.toml names: {games}",
                bot=name,
                game=game,
                games=", ".join(program.games),
            )
        )
