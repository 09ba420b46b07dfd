"""Plays a planned tournament on this machine, shows how far it is, and ends in good order when it is stopped."""

from __future__ import annotations

import typer

from arena.cli.book import Book
from arena.cli.errors import CliError
from arena.cli.hints import next_command
from arena.cli.interrupt import run_interruptibly
from arena.cli.options import worker_count
from arena.cli.progress import ProgressDisplay
from arena.executor.base import ExecutorFailedError
from arena.executor.local import LocalExecutor
from arena.tournament.errors import HostFailingError
from arena.tournament.progress import RunProgress
from arena.tournament.runner import run_tournament
from ratings.database import read
from ratings.errors import DatabaseError
from ratings.ledger import progress
from ratings.models import Tournament

UNCONFINED = "note: bots run as processes of your user, without a sandbox: run only those whose code you trust"


def play(book: Book, tournament: Tournament, *, workers: int) -> RunProgress:
    """Play what is left of a tournament; progress goes to stderr.

    Raises InterruptedRunError after Ctrl-C, CliError when results cannot be written, both tell how to go on; CliError
    also when another command cancelled the tournament meanwhile.
    """
    remedy = f"`{next_command('tournament', 'resume', tournament.name, db=book.place)}` goes on"
    try:
        end = run_interruptibly(_run(book, tournament, _useful_workers(book, tournament, workers)), remedy)
    except (DatabaseError, HostFailingError, ExecutorFailedError) as error:
        raise CliError(f"{error}; then {remedy}") from error
    if end.is_cancelled:
        show = next_command("tournament", "show", tournament.name, "--matches", db=book.place)
        raise CliError(
            f"tournament {tournament.name!r} was cancelled by another command; {end.finished} of {end.total} matches "
            f"were played, `{show}` shows them"
        )
    return end


def _useful_workers(book: Book, tournament: Tournament, workers: int) -> int:
    """No more than there are matches to play; at least one, so that a run of nothing says so itself."""
    with read(book.engine) as session:
        state = progress(session, tournament.id)
    return max(1, min(worker_count(workers), state.planned + state.leased))


async def _run(book: Book, tournament: Tournament, workers: int) -> RunProgress:
    display: ProgressDisplay | None = None

    def show(state: RunProgress) -> None:
        nonlocal display
        if display is None:  # the first matches are handed out now
            typer.echo(UNCONFINED, err=True)
            display = ProgressDisplay(state.over, state.total)
        display.update(state.over, f"{state.lost} lost by the host" if state.lost else "", state.total)

    async with LocalExecutor(workers) as executor:
        end = await run_tournament(book.engine, tournament.id, executor, show, store=book.store)
    if display is not None:
        display.end(end.finished if end.is_cancelled else end.over)
    return end
