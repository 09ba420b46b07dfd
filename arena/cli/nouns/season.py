"""`arena season`: the seasons of a ladder, opened, frozen, decided in a final, closed and shown."""

from __future__ import annotations

from dataclasses import asdict
from datetime import UTC, datetime
from typing import Annotated, Any

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.cells import format_instant
from arena.cli.shared.connect import connect
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.language import named, say
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_facts, print_json, print_table
from arena.cli.shared.paging import After, Limit, more_command, print_more, print_page, rows_wanted
from arena.model.ladders import Season
from arena.model.table_columns import STANDINGS, TOGETHER, Column, ColumnKind, pick, without_empty
from arena.tournament.seasons import DEFAULT_FINAL_BLOCKS
from engine.translatable import Text

app = typer.Typer(epilog=example("arena season list king3", "arena season freeze king3 --at 2027-01-31T18:00"))

LadderName = Annotated[str, typer.Argument(metavar="LADDER")]

_SEASONS = (
    Column("number", "season", ColumnKind.COUNT),
    Column("name", "name"),
    Column("state", "state", ColumnKind.NAME, names="cli_state."),
    Column("opened_at_us", "opened_utc", ColumnKind.INSTANT),
    Column("freezes_at_us", "freezes_utc", ColumnKind.INSTANT),
    Column("frozen_at_us", "frozen_utc", ColumnKind.INSTANT),
    Column("closed_at_us", "closed_utc", ColumnKind.INSTANT),
)
_TABLE = pick(STANDINGS, "place", "bot", "version", "matches", "wins", *TOGETHER, "score", "note")


@app.command("open", epilog=example("arena season open king3", 'arena season open king3 --name "spring 2027"'))
def open_(
    ladder: LadderName,
    name: Annotated[str | None, typer.Option("--name")] = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Open the next season of a ladder."""
    with connect(db) as connection:
        _print(connection.arena.seasons.open_season(ladder, name), as_json=as_json)


@app.command(
    epilog=example("arena season freeze king3", "arena season freeze king3 --at 2027-01-31T18:00Z --final-blocks 24")
)
def freeze(
    ladder: LadderName,
    at: Annotated[str | None, typer.Option("--at", metavar="TIME")] = None,
    final_blocks: Annotated[
        int | None, typer.Option("--final-blocks", min=0, metavar="N", help=str(DEFAULT_FINAL_BLOCKS))
    ] = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Close a season to new versions, and plan its final."""
    with connect(db) as connection:
        seasons = connection.arena.seasons
        if at is None:
            season = seasons.freeze_season(ladder, final_blocks)
        else:
            blocks = DEFAULT_FINAL_BLOCKS if final_blocks is None else final_blocks
            try:
                read = datetime.fromisoformat(at)
            except ValueError:
                raise MisuseError(
                    Text("--at {text} is no instant; write one like 2027-01-31T18:00, in UTC", text=repr(at))
                ) from None
            instant = read if read.tzinfo else read.replace(tzinfo=UTC)
            season = seasons.announce_freeze(ladder, round(instant.timestamp() * 1_000_000), blocks)
        _print(season, as_json=as_json)


@app.command(epilog=example("arena season close king3"))
def close(ladder: LadderName, db: Database = settings.DB.default, as_json: AsJson = False) -> None:
    """Close a season, keep its table and publish its secret."""
    with connect(db) as connection:
        _print(connection.arena.seasons.close_season(ladder), as_json=as_json)


@app.command("list", epilog=example("arena season list king3"))
def list_(
    ladder: LadderName,
    limit: Limit = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """List the seasons of a ladder, newest first."""
    with connect(db) as connection:
        page = connection.arena.ladders.list_seasons(ladder, rows_wanted(limit), after)
    more = more_command("season", "list", ladder, limit=limit, cursor=page.next, as_json=as_json, db=db)
    print_page(_SEASONS, [_facts(season) for season in page.items], more, as_json=as_json)


@app.command(epilog=example("arena season show king3 1", "arena season show king3 1 --json"))
def show(
    ladder: LadderName,
    number: Annotated[int, typer.Argument(metavar="NUMBER")],
    limit: paging.Best = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show the final table of a closed season, and its secret."""
    with connect(db) as connection:
        kept = connection.arena.ladders.get_season_table(ladder, number, rows_wanted(limit), after)
    rows, words = [dict(row.facts) for row in kept.rows], ("season", "show", ladder, str(number))
    # What was closed before they were counted apart knows of wins alone, among which are shared firsts.
    told = [{"shared": None, "draws": None, **row} for row in rows]
    if as_json:
        print_json({"season": _facts(kept.season), "table": rows}, table="table")
    else:
        _print(kept.season, as_json=False)
        typer.echo()
        print_table(without_empty(_TABLE, told), told, as_json=False, empty=say("cli_season.nobody"))
    print_more(more_command(*words, limit=limit, cursor=kept.next, as_json=as_json, db=db), as_json=as_json)


def _state(season: Season) -> str:
    if season.closed_at_us is not None:
        return "closed"
    if season.final_tournament is not None:
        return "final"
    return "frozen" if season.frozen_at_us is not None else "open"


def _facts(season: Season) -> dict[str, Any]:
    return {**asdict(season), "state": _state(season)}


def _print(season: Season, *, as_json: bool) -> None:
    if as_json:
        print_json(_facts(season))
        return
    facts = {
        "season": say("cli_season.numbered", name=season.name, number=season.number),
        "ladder": season.ladder,
        "state": named("cli_state.", _state(season)),
    }
    if season.freezes_at_us is not None and season.frozen_at_us is None:
        facts["freezes_utc"] = format_instant(season.freezes_at_us)
    if season.final_tournament is not None:
        facts["final"] = season.final_tournament
    print_facts({**facts, "secret": season.secret or say("cli_season.secret_later")})
