"""The command `arena tournament watch`."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from dataclasses import asdict

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import printable
from arena.cli.shared.connect import ArenaConnection, connect, next_command
from arena.cli.shared.errors import CliError
from arena.cli.shared.interrupt import InterruptedRunError
from arena.cli.shared.language import named, say, translated
from arena.cli.shared.options import AsJson, Database, TournamentText, example
from arena.cli.shared.output import EventLines, print_table
from arena.cli.shared.progress import ProgressDisplay, progress_text
from arena.cli.shared.results import (
    PLANNED,
    conclusion_facts,
    conclusion_lines,
    print_faults,
    print_standings,
    runner_line,
    translated_rows,
)
from arena.cli.shared.terminal import Screen
from arena.model.operations import Operation, OperationState
from arena.model.table_columns import STANDINGS, without_empty
from arena.model.tournaments import STOPPED, TournamentDetail
from arena.tournament.run_progress import SpeedMeter
from engine.translatable import Text

app = typer.Typer()

_LEAST_S = 0.5
_REST_PER_WORK = 10.0
"""So many times as long as it took to ask for the table it is not asked for again: others have something to do, too."""
_LANES = 4
"""As many matches are taken to be played at once, which is not told."""
_MOST_ROWS = 20
_GOES_ON = (OperationState.QUEUED, OperationState.RUNNING)

Show = Callable[[Operation, TournamentDetail, float | None], None]


@app.command(epilog=example("arena tournament watch monday", "arena --server club tournament watch monday"))
def watch(tournament: TournamentText, db: Database = settings.DB.default, as_json: AsJson = False) -> None:
    """Show the progress of a tournament live, until it is over."""
    with connect(db) as connection:
        try:
            detail = _follow(connection, tournament, _shower(db, as_json=as_json))
        except KeyboardInterrupt:
            again = connection.command("tournament", "watch", tournament)
            raise InterruptedRunError(
                Text("no longer watched; the tournament goes on, `{command}` shows it again", command=again)
            ) from None
        name, resume = detail.summary.name, connection.command("tournament", "resume", detail.summary.name)
        if detail.summary.status == STOPPED:
            raise CliError(
                Text("nobody plays {name} now; `{command}` goes on with it", name=repr(name), command=resume)
            )
        if not as_json and not sys.stdout.isatty():
            print_standings(detail)
            print_faults(detail, db)


def _follow(connection: ArenaConnection, tournament: str, show: Show) -> TournamentDetail:
    """Show a tournament whenever it got on, and return how it was when it was over, or when nobody played it."""
    tournaments = connection.arena.tournaments
    meter, before, shown_until_s = SpeedMeter(time.monotonic(), _LANES), -1, 0.0
    for state in tournaments.watch_tournament(tournament):
        before = state.done if before < 0 else before
        now_s = time.monotonic()
        is_last = state.state not in _GOES_ON
        if now_s < shown_until_s and not is_last and state.state is OperationState.RUNNING:
            continue
        detail = tournaments.get_tournament(tournament)
        work_s = time.monotonic() - now_s
        shown_until_s = now_s + work_s + max(_LEAST_S, _REST_PER_WORK * work_s)
        show(state, detail, meter.speed(state.done - before, now_s))
        if is_last or detail.summary.status == STOPPED:
            return detail
    return tournaments.get_tournament(tournament)


def _shower(db: str, *, as_json: bool) -> Show:
    """Return what shows a tournament: in a line for each state, on a page of the terminal, or in lines for a log."""
    if as_json:
        lines = EventLines()
        return lambda _state, detail, _speed: lines.write(
            {
                **asdict(detail.summary),
                "standings": translated_rows(detail),
                "answer": conclusion_facts(detail),
                "faults": [asdict(one) for one in detail.faults],
            }
        )
    return _Live(db).show if sys.stdout.isatty() else _Lines().show


class _Lines:
    def __init__(self) -> None:
        self._lines: ProgressDisplay | None = None

    def show(self, state: Operation, _detail: TournamentDetail, speed: float | None) -> None:
        if self._lines is None:
            self._lines = ProgressDisplay(state.done, state.total, sys.stdout)
            if state.state in _GOES_ON:
                typer.echo(progress_text(state.done, state.total, 0.0))
        if state.state in _GOES_ON:
            self._lines.update(state.done, translated(state.sentence), state.total, speed=speed)
        else:
            is_cancelled = state.state is OperationState.CANCELLED
            self._lines.end(state.done, named("tournament.status_", state.state) if is_cancelled else "")


class _Live:
    """Shows progress, answer, faults and the top of the table on one page."""

    def __init__(self, db: str) -> None:
        self._db = db
        self._screen = Screen()

    def show(self, state: Operation, detail: TournamentDetail, speed: float | None) -> None:
        summary = detail.summary
        with self._screen.page():
            status = named("tournament.status_", summary.status)
            progress = progress_text(state.done, state.total, speed if summary.leased else 0.0)
            typer.echo(f"{printable(summary.name)}: {status}, {progress}")
            for line in filter(None, [runner_line(summary), *conclusion_lines(detail)]):
                typer.echo(line)
            if summary.status == PLANNED:
                command = next_command("tournament", "resume", summary.name, db=self._db)
                typer.echo(say("cli_tournament.plays_rest", command=command))
            print_faults(detail, self._db)
            typer.echo()
            rows = detail.standings[:_MOST_ROWS]
            print_table(without_empty(STANDINGS, rows), rows, as_json=False)
