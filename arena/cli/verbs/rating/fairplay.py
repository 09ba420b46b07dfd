"""The command `arena rating fairplay`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.connect import connect
from arena.cli.shared.options import AsCsv, AsJson, Database, PoolOption, example, parse_style
from arena.cli.shared.output import Column, write_told
from arena.cli.shared.paging import After, more_command, options_given, print_rows_of_page, rows_wanted
from arena.cli.shared.pool_choice import PoolGame, PoolSeats, PoolTime, choose_pool
from arena.cli.shared.saying import say

app = typer.Typer()

_COLUMNS = (
    Column("sentence", "suspicion", write=write_told),
    Column("elo", "elo", right=True, write="{:.0f}".format),
    Column("z", "z", right=True, write="{:.1f}".format),
    Column("chance", "by_chance", right=True, write="{:.1g}".format),
    Column("matches", "matches", right=True),
)


@app.command(epilog=example("arena rating fairplay --pool 3f2a"))
def fairplay(
    pool: PoolOption = None,
    game: PoolGame = None,
    seats: PoolSeats = None,
    time: PoolTime = None,
    alarm: Annotated[float, typer.Option(min=0.0001, max=0.5)] = 0.005,
    limit: Annotated[int, typer.Option("--limit", min=0, metavar="N")] = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Look for pairs of bots that help one another."""
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with connect(db) as connection:
        pool = choose_pool(connection, pool, game, seats, time)
        page = connection.arena.ratings.list_suspicions(pool, alarm, rows_wanted(limit), after)
    rows, words = [asdict(one) for one in page.items], ["rating", "fairplay", *options_given(pool=pool, alarm=alarm)]
    more = more_command(*words, limit=limit, cursor=page.next, as_json=as_json, as_csv=as_csv, db=db)
    print_rows_of_page(_COLUMNS, rows, more, style, empty=say("cli_rating.no_pair"))
