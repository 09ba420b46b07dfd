"""The command `arena tournament list`."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.connect import connect, next_command
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.paging import After, Limit, ask_for, more_command, print_page
from arena.cli.shared.saying import say
from arena.model.columns import TOURNAMENTS, without
from arena.model.tournaments import STOPPED

if TYPE_CHECKING:  # a table needs no more than its rows
    from arena.model.tournaments import TournamentSummary

app = typer.Typer()

_COLUMNS = without(TOURNAMENTS, "progress")


@app.command("list", epilog=example("arena tournament list", "arena tournament list --limit 10 --json"))
def list_tournaments(
    limit: Limit = paging.DEFAULT, after: After = None, db: Database = settings.DB.default, as_json: AsJson = False
) -> None:
    """List the tournaments, the newest first."""
    with connect(db) as connection:
        page, rest = ask_for(connection.arena.tournaments.list_tournaments, limit, after)
        more = more_command("tournament", "list", limit=limit, cursor=page.next, as_json=as_json, db=db)
        empty = say("cli_tournament.none_yet")
        seen = set[str]()
        rows = list(_noting(page.items, seen))
        columns = _COLUMNS if any(row.played_by for row in rows) else without(_COLUMNS, "played_by")
        print_page(columns, rows, more, as_json=as_json, empty=empty, rest=_noting(rest, seen))
    if not as_json and STOPPED in seen:
        typer.echo(say("cli_tournament.resumes", command=next_command("tournament", "resume", "NAME", db=db)))


def _noting(page: Iterable[TournamentSummary], seen: set[str]) -> Iterator[TournamentSummary]:
    """Yield the tournaments, and add to `seen` what the status of each is."""
    for summary in page:
        seen.add(summary.status)
        yield summary
