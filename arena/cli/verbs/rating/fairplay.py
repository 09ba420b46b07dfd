"""The command `arena rating fairplay`."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect
from arena.cli.shared.options import AsCsv, AsJson, Database, PoolOption, example, parse_style
from arena.cli.shared.output import Column, print_rows

app = typer.Typer()

_COLUMNS = (
    Column("sentence", "SUSPICION"),
    Column("elo", "ELO", right=True, write="{:.0f}".format),
    Column("z", "Z", right=True, write="{:.1f}".format),
    Column("chance", "BY CHANCE", right=True, write="{:.1g}".format),
    Column("matches", "MATCHES", right=True),
)


@app.command(epilog=example("arena rating fairplay --pool 3f2a"))
def fairplay(
    pool: PoolOption = None,
    alarm: Annotated[
        float, typer.Option(min=0.0001, max=0.5, help="Chance of any alarm in an honest field, at most.")
    ] = 0.005,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Look for pairs of bots that help one another.

    Pairs that do better at common tables than chance allows; false alarms are rare.

    An alarm is a reason to look at matches, not a proof.
    """
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with connect(db) as connection:
        rows = [asdict(one) for one in connection.arena.ratings.list_suspicions(pool, alarm)]
    print_rows(_COLUMNS, rows, style, empty="no pair does better at common tables than chance allows")
