"""A database with bots and a planned round robin, for tests; and what came of it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path
from typing import Any

from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.match.time_control import parse_time_control
from arena.tournament.creation import TournamentTerms, create_match, create_tournament
from arena.tournament.formats.format import Format, FormatStanding, Situation
from arena.tournament.formats.random_seeds import secret_from_seed
from arena.tournament.formats.roundrobin import RoundRobin
from arena.tournament.run_progress import RunProgress
from arena.tournament.runner import run_tournament
from arena.tournament.stored import format_of, situation_of, table_situation
from engine import registry
from ratings.ledger.ledger import Ledger
from ratings.ledger.service_ledger import ServiceLedger
from ratings.read.exporting import export_tournament
from ratings.read.leaderboard import table
from ratings.read.match_list import MatchFilter, list_matches
from ratings.read.tournament_report import tournament_report
from ratings.read.tournaments import tournament_row, tournament_waves
from ratings.store.database import Database, open_database
from ratings.store.models import TournamentRecord, VersionRecord
from ratings.store.waves import Progress
from tests.support.exports import log_of, records_of
from tests.tournament.scripted_executor import ScriptedExecutor

_own_runtime = cache(RuntimeCatalog)
"""What bots of the arena's own Python run in: to look at that takes longer than to plan a tournament."""
BOTS = ("ann", "bob", "cid", "dee")
TERMS = TournamentTerms(game="nim", seats=3, clock=parse_time_control("50ms"), seed=42)
TWO = replace(TERMS, seats=2, seed=None, secret=secret_from_seed(42))
"""For ladders: bots of owners come, and so a seed alone is not taken."""


def install_nim() -> None:
    """Make Nim known to the registry, as if it were an installed plug-in."""
    registry._plugins = lambda: {"nim": "tests.support.nim"}  # type: ignore[assignment]


@dataclass(frozen=True)
class Book:
    """An open database, the store beside it, and where both lie."""

    database: Database
    store: VersionStore
    path: Path

    def add_bot(
        self,
        name: str,
        *,
        games: str = '["*"]',
        code: str = "",
        runtime: str = "arena",
        build: str = "",
        owner: str | None = None,
    ) -> VersionRecord:
        directory = self.path.parent / f"source of {name}"
        directory.mkdir(exist_ok=True)
        manifest = (
            f'schema = 1\nname = "{name}"\ncommand = ["python", "main.py"]\ngames = {games}\nruntime = "{runtime}"\n'
        )
        if build:
            manifest += 'build = ["python", "make.py"]\n'
            (directory / "make.py").write_text(build, encoding="utf-8")
        (directory / "bot.toml").write_text(manifest, encoding="utf-8")
        (directory / "main.py").write_text(f"# {name} {code}\n", encoding="utf-8")
        stored = self.store.add(directory)
        manifest_json = stored.manifest.to_json()
        return self.ledger.add_version(bot=name, owner=owner, content_hash=stored.hash, manifest=manifest_json)[0]

    def admit(self, version: VersionRecord) -> None:
        """Admit a version of an owner without looking at it."""
        service = ServiceLedger(self.database)
        service.request_admission(version.id)
        taken = service.take_admission()
        assert taken is not None
        service.finish_admission(taken.admission.id, is_admitted=True, summary="Admitted.", findings=[])

    @property
    def ledger(self) -> Ledger:
        return Ledger(self.database)

    @property
    def programs(self) -> StoredPrograms:
        return StoredPrograms(self.store, runtimes=_own_runtime())

    def plan(self, terms: TournamentTerms = TERMS, bots: Sequence[str] = BOTS, blocks: int = 2) -> TournamentRecord:
        return self.plan_format(RoundRobin(terms.seats, blocks), terms, bots, name="class")

    def plan_format(
        self, form: Format, terms: TournamentTerms = TERMS, bots: Sequence[str] = BOTS, name: str | None = None
    ) -> TournamentRecord:
        terms = replace(terms, seats=form.seats)
        return create_tournament(
            self.database, self.programs, terms, form, bots=bots, choose_name=lambda _: name or form.traits.name
        )

    def plan_match(self, terms: TournamentTerms, bots: Sequence[str], name: str = "one") -> TournamentRecord:
        return create_match(self.database, self.programs, terms, bots=bots, choose_name=lambda _: name)

    def table(self, tournament: TournamentRecord) -> dict[str, tuple[str, str, int, int, float]]:
        """mu and sigma to the last digit, matches, wins and score of each bot."""
        rows = table(self.database, pool_id=tournament.pool_id)
        return {row.bot: (row.mu.hex(), row.sigma.hex(), row.matches, row.wins, row.score) for row in rows}

    def standings(self, tournament: TournamentRecord) -> list[FormatStanding]:
        """The table that the format gives, best first."""
        played = tournament_waves(self.database, tournament.id)
        form = format_of(played.tournament, played.pool)
        assert form is not None
        found = form.standings(situation_of(played))
        kept = table_situation(self.database, form, tournament_report(self.database, tournament.id))
        assert form.standings(kept) == found, "what is kept up and remembered is what all matches give"
        return found

    def situation(self, tournament: TournamentRecord) -> Situation:
        """All that was planned and played, read anew."""
        return situation_of(tournament_waves(self.database, tournament.id))

    def signed(self, tournament: TournamentRecord) -> list[int]:
        """The places in the schedule of the results in the signed log of a tournament that is over, in its order."""
        target = self.path.with_name("signed.arena")
        export_tournament(self.database, tournament, target)
        entries = log_of(records_of(target))
        assert [entry["number"] for entry in entries] == list(range(len(entries)))
        target.unlink()
        return [one["position"] for entry in entries for one in entry.get("results", ())]

    def results(self, tournament: TournamentRecord) -> list[tuple[int, int, str, str | None]]:
        """Block, rotation, state and game digest of each match, in schedule order."""
        rows = list_matches(self.database, MatchFilter(tournament.id), limit=None, newest_first=False).items
        return [(row.block_index, row.match.rotation, row.match.state.value, row.match.game_digest) for row in rows]


@contextmanager
def open_book(path: Path) -> Iterator[Book]:
    """The book at a path, made when it is missing."""
    database = open_database(path)
    try:
        yield Book(database, VersionStore.of_database(path), path)
    finally:
        database.close()


MATCHES = 24


async def play(
    book: Book, tournament: TournamentRecord, executor: ScriptedExecutor | None = None, **more: Any
) -> RunProgress:
    async with executor or ScriptedExecutor() as started:
        return await run_tournament(book.database, tournament.id, started, book.programs, **more)


def counts(book: Book, tournament: TournamentRecord) -> Progress:
    return tournament_row(book.database, tournament.id).progress
