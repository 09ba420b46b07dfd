"""The command `arena rating overall`."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import format_percent
from arena.cli.shared.connect import connect
from arena.cli.shared.language import say
from arena.cli.shared.options import AsCsv, AsJson, Database, example, parse_style, with_options
from arena.cli.shared.output import Style, print_json, print_rows, print_table
from arena.cli.shared.rating_pools import describe_pool, short_pool_id
from arena.model.ratings import OverallTable
from arena.model.table_columns import OVERALL, Column, ColumnKind, pick
from ratings.values.statistics import Method, OverallPool, OverallRow

app = typer.Typer()
_POOLS = (
    Column("pool", "pool"),
    Column("bots", "bots", ColumnKind.COUNT),
    Column("matches", "matches", ColumnKind.COUNT),
    Column("spread", "spread", ColumnKind.RATING),
    Column("interval", "interval", ColumnKind.COUNT),
)


@app.command(
    epilog=example(
        "arena rating overall",
        "arena rating overall --game foreign_king --game rex_romanorum --method mean-rank --method nash",
        "arena rating overall 3f2a 81c0 --json",
    )
)
@with_options
def overall(
    pools: Annotated[list[str] | None, typer.Argument(metavar="[POOL]...")] = None,
    *,
    game: Annotated[list[str] | None, typer.Option("--game", metavar="GAME")] = None,
    method: Annotated[list[str] | None, typer.Option("--method", metavar="NAME", help=", ".join(Method))] = None,
    confidence: Annotated[float, typer.Option(min=50, max=99.9, metavar="%")] = 95.0,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show one table over several games."""
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with connect(db) as connection:
        table = connection.arena.ratings.get_overall_table(
            tuple(pools or ()), tuple(game or ()), tuple(method or ()), confidence / 100
        )
    columns = (
        *OVERALL,
        *(Column(f"places.{name}", name, ColumnKind.PLACE, is_name=True) for name in table.methods),
    )
    rows = [_facts_of(row, table.methods) for row in table.rows]
    if style is Style.JSON:
        print_json(_json_of(table))
    elif style is Style.PEOPLE:
        typer.echo(say("cli_rating.overall_title", count=len(table.pools)))
        print_table(columns, rows, as_json=False, empty=say("cli_rating.overall_nobody"))
        if table.apart:
            typer.echo()
            typer.echo(say("cli_rating.overall_apart"))
            apart = [_facts_of(row, ()) for row in table.apart]
            print_table(pick(OVERALL, "bot", "pools", "met", "known", "matches"), apart, as_json=False)
        typer.echo()
        print_table(_POOLS, list(map(_pool_row, table.pools)), as_json=False)
        for note in _notes(table):
            typer.echo(note)
    else:
        print_rows(columns, rows, style, empty="")


def _facts_of(row: OverallRow, methods: Sequence[str]) -> dict[str, Any]:
    facts = {column.key: column.value(row) for column in OVERALL}
    return {**facts, **{f"places.{name}": place for name, place in zip(methods, row.places, strict=False)}}


def _pool_row(one: OverallPool) -> dict[str, Any]:
    return {
        "pool": f"{describe_pool(one.pool)} ({short_pool_id(one.pool.pool_id)})",
        "bots": one.bots,
        "matches": one.matches,
        "spread": one.spread,
        "interval": f"{one.low:.2f}..{one.high:.2f}",
    }


def _notes(table: OverallTable) -> Iterator[str]:
    """Yield what the figures mean, what was not compared, and what depends on the method."""
    yield say("cli_rating.overall_sure", sure=f"{100 * table.confidence:g}%")
    yield say("cli_rating.overall_met", met=format_percent(table.met), share=format_percent(table.share))
    if table.groups > 1:
        yield say("cli_rating.groups", groups=table.groups)
    if missing := [row for row in table.rows if row.missing]:
        bots = "; ".join(f"{row.bot}: {' '.join(map(short_pool_id, row.missing))}" for row in missing)
        yield say("cli_rating.overall_missing", bots=bots)
    for row in (*table.rows, *table.apart):
        if row.copies:
            yield say("cli_rating.overall_copies", bot=row.bot, copies=", ".join(row.copies))
    if table.left_out:
        yield say("cli_rating.overall_left_out", count=table.left_out)
    if table.methods:
        yield dependence(table)


def dependence(table: OverallTable) -> str:
    """Say in one line which places depend on the method."""
    places = table.places_by_method()
    differ = [f"{bot} {best}-{worst}" for bot, (best, worst) in places.items() if best != worst]
    count = len(table.methods)
    if not differ:
        return say("cli_rating.overall_agree", count=count)
    return say("cli_rating.overall_differ", count=count, bots=", ".join(differ))


def _json_of(table: OverallTable) -> dict[str, Any]:
    facts = {key: value for key, value in asdict(table).items() if key not in ("rows", "apart")}

    def of(row: OverallRow) -> dict[str, Any]:
        known = {key: value for key, value in asdict(row).items() if key not in ("figures", "places")}
        methods = zip(table.methods, row.figures, row.places, strict=False)
        return {**known, "methods": {name: {"figure": figure, "place": place} for name, figure, place in methods}}

    return {**facts, "rows": list(map(of, table.rows)), "apart": list(map(of, table.apart))}
