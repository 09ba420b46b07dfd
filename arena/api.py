"""The arena for notebooks and scripts: play matches and tournaments, and have their tables as values.

    from arena.api import Arena

    def first(decision):
        return decision.legal_actions[0]

    with Arena("study.db") as arena:
        arena.tournament("foreign_king", ["random", "greedy", first], blocks=10, seed=1)
        print(arena.leaderboard())

A bot is a name (of a sample bot, or of one in the database; `name@hash` is one version), a directory with a bot.toml,
or a callable: a function of a `bots.kit.Decision` that returns an action, or a `bots.kit.Bot`. Each runs in a process
of its own, and what it does wrong is a fault in its matches. Every method raises what the arena raises, in one line
with the remedy; docs/research.md tells the rest.
"""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from arena.model.bots import AddedBot
from arena.model.tournament_requests import Cancelled, TournamentRequest
from arena.model.tournaments import SINGLE_MATCH
from arena.scripting import entrants, playing
from arena.scripting import fetch_tables as reading
from arena.scripting.arguments import need_flags, need_texts, optional_texts, optional_wholes, path_of
from arena.scripting.callables import CallableBot as Entrant
from arena.scripting.database_arena import AUTO, HostingSettings, open_arena, policy_of
from arena.scripting.errors import CallableError, MissingPackageError, RunStoppedError, VoidMatchError, for_programs
from arena.scripting.played import MatchReplay, PlayedMatch, PlayedTournament
from arena.scripting.playing import DEFAULT_CLOCK, DEFAULT_FORMAT, DEFAULT_START_LIMIT, OnProgress, need_progress
from arena.scripting.queries import ArenaQueries
from arena.scripting.tables import OfficialRatings, OverallRatings, RatedTable, ScoreMatrix
from arena.scripting.tables import ResultTable as Table
from arena.tournament.match_specs import DEFAULT_LEAK_CHECKS

__all__ = [
    "Arena",
    "CallableError",
    "Entrant",
    "MatchReplay",
    "MissingPackageError",
    "OfficialRatings",
    "OverallRatings",
    "PlayedMatch",
    "PlayedTournament",
    "RatedTable",
    "RunStoppedError",
    "ScoreMatrix",
    "Table",
    "VoidMatchError",
]


class Arena(ArenaQueries):
    """A database of an arena, opened by its organiser. Close it, or use it in a `with` statement."""

    def __init__(
        self,
        db: str | os.PathLike[str],
        *,
        makes: bool = True,
        workers: int = 0,
        sandbox: str = AUTO,
        allow_reduced: bool = False,
        leak_checks: float = DEFAULT_LEAK_CHECKS,
        warm_mb: int | None = None,
        runtimes: str | os.PathLike[str] | None = None,
        logs: bool = False,
    ) -> None:
        """Open the database at a path, or of a URL such as postgresql://HOST/NAME; make it if there is none.

        `workers` matches are played at once, 0 = one per core. `sandbox` is the level for bots, `auto` for none but
        bots that have an owner; `leak_checks` the part, 0 to 1, of the matches of which deterministic bots are asked
        again; `warm_mb` the memory for idle bots; `runtimes` a file with definitions of runtimes. With `logs`, what
        bots print is recorded with each match.
        """
        with for_programs():
            need_flags(makes=makes, allow_reduced=allow_reduced)
            policy = policy_of(sandbox, allow_reduced=allow_reduced)
            file = None if runtimes is None else Path(path_of("runtimes", runtimes))
            hosting = HostingSettings(workers, policy, leak_checks, warm_mb, file, logs)
            hosting.check()
            super().__init__(open_arena(db, hosting, makes=makes))

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def match(
        self,
        game: str,
        bots: Iterable[Any],
        *,
        options: Mapping[str, Any] | None = None,
        clock: str = DEFAULT_CLOCK,
        start_limit: str = DEFAULT_START_LIMIT,
        cores: int = 1,
        opening_plies: int | None = None,
        seed: int | None = None,
        secret: str | None = None,
        rated: bool = False,
        same_owner: bool = False,
        rating_method: str | None = None,
        name: str | None = None,
        progress: OnProgress | bool | None = False,
    ) -> PlayedMatch:
        """Play one match, the first bot in seat 0 and so on, and return it; unrated, a bot may sit in several seats.

        `clock` is `100ms` a decision, `60+1` or another time control. A bot's fault is in the match that is returned;
        VoidMatchError is the host's.
        """
        with for_programs():
            order = TournamentRequest(
                format=SINGLE_MATCH,
                game=game,
                seats=0,
                bots=(),
                time=clock,
                start_limit=start_limit,
                cores=cores,
                options={} if options is None else options,
                opening_plies=opening_plies,
                seed=seed,
                secret=secret,
                rated=rated,
                same_owner=same_owner,
                rating_method=rating_method,
                name=name,
            )
            playing.check_order(order)
            need_progress(progress)
            order = playing.with_bots(order, entrants.find_or_add(self._open, bots), None)
            planned = self.port.tournaments.create_tournament(order)
            playing.play(self._open, planned.id, progress)
            (row,) = self.port.matches.list_matches(planned.id).items
            return reading.played_match(self.port, row.id)

    def tournament(
        self,
        game: str,
        bots: Iterable[Any],
        *,
        format: str = DEFAULT_FORMAT,  # noqa: A002 - the arena's word for it
        seats: int | None = None,
        options: Mapping[str, Any] | None = None,
        clock: str = DEFAULT_CLOCK,
        start_limit: str = DEFAULT_START_LIMIT,
        cores: int = 1,
        opening_plies: int | None = None,
        seed: int | None = None,
        secret: str | None = None,
        rated: bool = True,
        same_owner: bool = False,
        rating_method: str | None = None,
        name: str | None = None,
        progress: OnProgress | bool | None = None,
        **settings: Any,
    ) -> PlayedTournament:
        """Play a tournament, and return its table; `all` among the bots is every bot that can play the game.

        `format` is `round-robin`, `sample`, `gauntlet` (the first bot meets the others), `swiss`, `knockout`,
        `adaptive`, `ladder`, `compare` (the first bot with the second) or `final`; `settings` are its own, such as
        `blocks=10`, `rounds=5` or `until="winner known at 95%"`. `progress` is called with an
        `arena.tournament.run_progress.RunProgress` now and then; without one a line on stderr tells of a run that takes
        long, with False nothing does. Ctrl-C raises RunStoppedError, and `resume` plays the rest.
        """
        with for_programs():
            order = TournamentRequest(
                format=format,
                game=game,
                seats=0,
                bots=(),
                time=clock,
                start_limit=start_limit,
                cores=cores,
                options={} if options is None else options,
                opening_plies=opening_plies,
                seed=seed,
                secret=secret,
                rated=rated,
                same_owner=same_owner,
                rating_method=rating_method,
                name=name,
            )
            playing.check_order(order)
            need_texts(format=format)
            optional_wholes(seats=seats)
            need_progress(progress)
            names = entrants.find_or_add(self._open, bots)
            order = playing.with_bots(order, names, seats, settings)
            planned = self.port.tournaments.create_tournament(order)
            playing.play(self._open, planned.id, progress)
            return reading.played_tournament(self.port, planned.id)

    def resume(self, tournament: str, *, progress: OnProgress | bool | None = None) -> PlayedTournament:
        """Play what is left of a tournament that was stopped, at whatever point; return its table."""
        with for_programs():
            need_texts(tournament=tournament)
            need_progress(progress)
            detail = self.port.tournaments.get_tournament(tournament)
            playing.play(self._open, detail.summary.id, progress)
            return self.result(detail.summary.id)

    def cancel(self, tournament: str) -> Cancelled:
        """Give up what is not played yet of a tournament; the results so far stay."""
        with for_programs():
            need_texts(tournament=tournament)
            return self.port.tournaments.cancel_tournament(tournament)

    def add(self, bot: Any, *, owner: str | None = None) -> AddedBot:
        """Add a bot without playing: a directory, a callable, or a sample bot by its name."""
        with for_programs():
            optional_texts(owner=owner)
            return entrants.add(self._open, bot, owner)
