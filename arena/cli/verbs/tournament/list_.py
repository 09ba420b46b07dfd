"""The command `arena tournament list`, and the facts about a tournament that `show` repeats."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import Column, format_instant
from arena.cli.shared.paging import After, Limit, more_command, print_page, rows_wanted
from arena.cli.shared.storage import open_existing_storage
from ratings.read import tournaments
from ratings.read.tournaments import TournamentRow

app = typer.Typer()

_COLUMNS = (
    Column("name", "TOURNAMENT"),
    Column("format", "FORMAT"),
    Column("game", "GAME"),
    Column("seats", "SEATS", right=True),
    Column("time_control", "TIME"),
    Column("finished", "PLAYED", right=True),
    Column("total", "MATCHES", right=True),
    Column("status", "STATUS"),
    Column("created_at_us", "PLANNED (UTC)", write=format_instant),
)


@app.command("list", epilog=example("arena tournament list", "arena tournament list --limit 10 --json"))
def list_tournaments(
    limit: Limit = paging.DEFAULT, after: After = None, db: Database = settings.DB.default, as_json: AsJson = False
) -> None:
    """List the tournaments, the newest first.

    With --json, the command for the next page is written to stderr.
    """
    with open_existing_storage(db) as storage:
        page = tournaments.list_tournaments(storage.database, limit=rows_wanted(limit), after=after)
    more = more_command("tournament", "list", limit=limit, cursor=page.next, as_json=as_json, db=db)
    empty = "no tournaments yet; `arena tournament run --help` tells more"
    print_page(_COLUMNS, [tournament_facts(row) for row in page.items], more, as_json=as_json, empty=empty)


def tournament_facts(row: TournamentRow) -> dict[str, Any]:
    """Return what is known of a tournament without its matches, for programs."""
    tournament = row.tournament
    return {
        "id": tournament.id,
        "name": tournament.name,
        "format": tournament.format,
        "status": row.status,
        "game": row.pool.game,
        "seats": row.pool.seats,
        "time_control": row.pool.time_control,
        "pool_id": row.pool.id,
        "rated": tournament.rated,
        "created_at_us": tournament.created_at_us,
        "cancelled_at_us": tournament.cancelled_at_us,
        **asdict(row.progress),
        "total": row.progress.total,
        "more_waves": row.progress.more_waves,
    }
