"""`arena ladder`: the standing ladders that `arena serve` plays, opened, closed and listed."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any

import typer

from arena.cli.shared import options, paging, request, settings
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import Column, format_instant, print_facts, print_json
from arena.cli.shared.request import Request, tournament_request
from arena.cli.shared.storage import open_existing_storage, open_storage
from arena.client.here.creating import plan_ladder
from arena.tournament.formats.ladder import Ladder
from arena.tournament.formats.swiss import RETIRE_AFTER
from arena.tournament.planner import planner_of
from ratings.ledger.ladder_ledger import LadderLedger
from ratings.ledger.ladders import LadderPlan
from ratings.read.ladders import LadderRow, list_ladders
from ratings.read.paging import each
from ratings.read.unfinished import present_entrants
from ratings.store.database import Database as OpenDatabase

app = typer.Typer(epilog=example("arena ladder list", "arena ladder open king3 --game foreign_king --seats 3"))

Name = Annotated[str, typer.Argument(metavar="NAME", help="What the ladder is called: a-z, 0-9, - and _.")]

_COLUMNS = (
    Column("name", "LADDER"),
    Column("state", "STATE"),
    Column("game", "GAME"),
    Column("seats", "SEATS", right=True),
    Column("time_control", "TIME"),
    Column("season", "SEASON"),
    Column("bots", "BOTS", right=True),
    Column("matches_per_day", "A DAY"),
    Column("opened_at_us", "OPENED (UTC)", write=format_instant),
    Column("pool", "POOL"),
)


@app.command(
    "open",
    epilog=example(
        "arena ladder open king3 --game foreign_king --seats 3",
        "arena ladder open rex --game rex_romanorum --seats 4 --time 60+1 --matches-per-day 2000",
    ),
)
def open_(
    name: Name,
    game: request.GameOption,
    seats: request.Seats,
    time: request.TimeText = request.DEFAULT_TIME,
    start_limit: request.StartLimit = request.DEFAULT_START_LIMIT,
    option: options.GameOptions = None,
    opening_plies: request.OpeningPlies = None,
    matches_per_day: Annotated[
        int | None,
        typer.Option("--matches-per-day", min=0, metavar="N", help="Its pace; 0 = none; the service's by default."),
    ] = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Open a ladder for every bot that plays its game.

    A service that runs on the database begins to play it at once.
    """
    asked = Request(game=game, time=time, start_limit=start_limit, options=option, opening_plies=opening_plies)
    plan = plan_ladder(tournament_request(asked, Ladder(seats, 0, RETIRE_AFTER), ()))
    kept = {} if matches_per_day is None else {"matches_per_day": matches_per_day}
    with open_storage(db) as storage:
        opened = LadderLedger(storage.database).open_ladder(LadderPlan(name, plan, kept), planner_of)
        bots = len(present_entrants(storage.database, opened.tournament.id))
    facts = {"ladder": name, "pool": opened.pool.id, "season": opened.season.name, "bots": bots}
    if as_json:
        print_json(facts)
    else:
        print_facts({**facts, "pool": opened.pool.id[:8]})


@app.command(epilog=example('arena ladder close king3 --why "the class is over"'))
def close(
    name: Name,
    why: Annotated[str, typer.Option("--why", metavar="TEXT", help="What owners and pages are told.")],
    db: Database = settings.DB.default,
) -> None:
    """Close a ladder for good.

    Its results stay, and the secret of its season is public from now on.
    """
    with open_existing_storage(db) as storage:
        LadderLedger(storage.database).close_ladder(name, why)
    typer.echo(f"ladder {name} is closed")


@app.command("list", epilog=example("arena ladder list", "arena ladder list --json"))
def list_(
    limit: paging.Limit = paging.DEFAULT,
    after: paging.After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """List the ladders, the newest first, closed ones too."""
    with open_existing_storage(db) as storage:
        page = list_ladders(storage.database, limit=paging.rows_wanted(limit), after=after)
        shown = each(page, lambda row: _row(storage.database, row))
    more = paging.more_command("ladder", "list", limit=limit, cursor=shown.next, as_json=as_json, db=db)
    paging.print_page(
        _COLUMNS, list(shown.items), more, as_json=as_json, empty="no ladders; `arena ladder open` opens one"
    )


def _row(database: OpenDatabase, row: LadderRow) -> Mapping[str, Any]:
    season = row.seasons[-1] if row.seasons else None
    is_open = row.ladder.closed_at_us is None
    return {
        "name": row.ladder.name,
        "state": "open" if is_open else "closed",
        "game": row.pool.game,
        "rules_version": row.pool.rules_version,
        "seats": row.pool.seats,
        "time_control": row.pool.time_control,
        "options": dict(row.pool.options),
        "season": season.name if season else None,
        "bots": len(present_entrants(database, season.tournament_id)) if season and is_open else None,
        "matches_per_day": row.ladder.settings.get("matches_per_day"),
        "opened_at_us": row.ladder.opened_at_us,
        "closed_at_us": row.ladder.closed_at_us,
        "closed_because": row.ladder.closed_because,
        "pool": row.pool.id[:8],
    }
