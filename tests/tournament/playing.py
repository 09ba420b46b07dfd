"""Runs of a small tournament, and how they are looked at."""

from typing import Any

from arena.tournament.run_progress import RunProgress
from arena.tournament.runner import run_tournament
from ratings.read.tournaments import tournament_row
from ratings.store.models import TournamentRecord
from ratings.store.waves import Progress
from tests.tournament.book import Book
from tests.tournament.scripted_executor import ScriptedExecutor

MATCHES = 24


async def play(
    book: Book, tournament: TournamentRecord, executor: ScriptedExecutor | None = None, **more: Any
) -> RunProgress:
    async with executor or ScriptedExecutor() as started:
        return await run_tournament(book.database, tournament.id, started, book.programs, **more)


def counts(book: Book, tournament: TournamentRecord) -> Progress:
    return tournament_row(book.database, tournament.id).progress
