"""The command `arena rating official`: what all matches of a pool say together, in whatever order they came."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from math import isnan, log
from typing import Annotated, Any

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.connect import connect
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.option_groups import with_options
from arena.cli.shared.options import AsCsv, AsJson, Database, example, parse_style
from arena.cli.shared.output import print_json, print_rows, print_table
from arena.cli.shared.paging import After, more_command, options_given, print_more, rows_wanted
from arena.cli.shared.pool_choice import PoolChoice
from arena.cli.shared.pools import describe_pool, short_pool_id
from arena.cli.shared.saying import say
from arena.cli.shared.styles import Style
from arena.cli.verbs.rating.circles import print_circles, print_warning
from arena.model.columns import MIXTURE, OFFICIAL, Column, ColumnKind, without
from arena.model.ratings import NOT_COMPARED, Anchor, OfficialTable
from engine.text import Text
from ratings.values.statistics import OfficialRow, SeatAdvantage

app = typer.Typer()

_SHOWN_IN_A_ROW = 12
_ELO_PER_UNIT = 400 / log(10)


@app.command(
    epilog=example(
        "arena rating official --pool 3f2a --anchor greedy=1500", "arena rating official --game foreign_king --seats 3"
    )
)
@with_options
def official(
    *,
    choice: PoolChoice,
    anchor: Annotated[
        list[str] | None,
        typer.Option("--anchor", metavar="BOT=ELO"),
    ] = None,
    confidence: Annotated[float, typer.Option(min=50, max=99.9, metavar="%")] = 95.0,
    stronger: Annotated[bool, typer.Option("--stronger")] = False,
    circles: Annotated[bool, typer.Option("--circles")] = False,
    limit: paging.Best = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show the official table: one joint fit of all matches of a pool."""
    style = parse_style(as_json=as_json, as_csv=as_csv)
    anchors = _parse_anchors(anchor)
    with connect(db) as connection:
        pool = choice.find(connection)
        ratings = connection.arena.ratings
        table = ratings.get_official_table(pool, anchors, confidence / 100, rows_wanted(limit), after, circles)
    columns = OFFICIAL if circles else without(OFFICIAL, *MIXTURE)
    rows = [_row(row) for row in table.rows]
    if style is Style.PEOPLE:
        _print_table(table, rows, columns)
        if circles:
            print_circles(table)
        else:
            print_warning(table)
        if stronger:
            _print_stronger(table)
    elif style is Style.JSON:
        print_json(_facts(table, rows))
    else:
        _print_rows(table, rows, columns, style, stronger=stronger)
    flags = [flag for flag, is_given in (("--stronger", stronger), ("--circles", circles)) if is_given]
    fixed = [word for text in anchor or () for word in ("--anchor", text)]
    words = ["rating", "official", *options_given(pool=pool, confidence=confidence), *fixed, *flags]
    more = more_command(*words, limit=limit, cursor=table.next, as_json=as_json, as_csv=as_csv, db=db)
    print_more(more, as_json=style is not Style.PEOPLE)


def _parse_anchors(texts: Sequence[str] | None) -> tuple[Anchor, ...]:
    """Return the Elo of every bot named by `--anchor`, by the name as it was written. Raise MisuseError."""
    anchors: dict[str, float] = {}
    for text in texts or ():
        bot, _, elo = text.rpartition("=")
        try:
            value = float(elo)
        except ValueError:
            value = float("nan")
        if not bot or isnan(value):
            raise MisuseError(
                Text(
                    "command.anchor_not_bot_elo_write",
                    "--anchor {text} is not BOT=ELO; write for example --anchor greedy=1500",
                    text=repr(text),
                )
            )
        anchors[bot] = value
    return tuple(Anchor(bot, elo) for bot, elo in anchors.items())


def _row(row: OfficialRow) -> dict[str, Any]:
    facts = {key: value for key, value in asdict(row).items() if key != "stronger"}
    return {**facts, **{column.key: column.value(row) for column in OFFICIAL if column.of}}


def _chance(row: OfficialRow, other: int) -> float | None:
    """Return the probability that a row's bot is stronger than another's, or `None` if they cannot be compared."""
    chance = row.stronger[other]
    return None if chance == NOT_COMPARED else chance


def _print_table(table: OfficialTable, rows: Sequence[dict[str, Any]], columns: Sequence[Column]) -> None:
    counts = say("cli_rating.counts", count=table.matches, blocks=say("cli_rating.in_blocks", count=table.blocks))
    typer.echo(
        say("cli_rating.pool", pool=describe_pool(table.pool), counts=counts, id=short_pool_id(table.pool.pool_id))
    )
    print_table(columns, rows, as_json=False, empty=say("cli_rating.no_block"))
    _print_notes(table)


def _print_notes(table: OfficialTable) -> None:
    if not table.rows:
        return
    sure = f"{100 * table.confidence:g}%"
    typer.echo(say("cli_rating.sure", sure=sure))
    if len(table.seats) > 1:
        typer.echo(say("cli_rating.advantage", seats=", ".join(map(_seat_text, table.seats))))
    if table.repeats:
        typer.echo(say("cli_rating.repeats", count=table.repeats))
    if table.groups > 1:
        typer.echo(say("cli_rating.groups", groups=table.groups))


def _seat_text(seat: SeatAdvantage) -> str:
    mean, low, high = (value * _ELO_PER_UNIT for value in (seat.advantage, seat.low, seat.high))
    return f"{seat.seat}: {mean:+.0f} ({low:+.0f}..{high:+.0f})"


def _print_stronger(table: OfficialTable) -> None:
    shown = table.rows[:_SHOWN_IN_A_ROW]
    columns = [Column("", "stronger_than")]
    columns += [Column(row.version, row.bot, ColumnKind.SHARE, is_name=True) for row in shown]
    rows = []
    for mine in table.rows:
        chances = {row.version: _chance(mine, place) for place, row in enumerate(shown)}
        rows.append({"": mine.bot, **chances})
    typer.echo()
    print_table(columns, rows, as_json=False)


def _print_rows(
    table: OfficialTable, rows: Sequence[dict[str, Any]], columns: Sequence[Column], style: Style, *, stronger: bool
) -> None:
    """Print one table of the rows; if it is asked for with a column for each bot: how sure the row's is stronger."""
    bots = list(dict.fromkeys(row.bot for row in table.rows)) if stronger else []
    than = say("cli_heading.stronger_than")
    more = [Column(f"stronger.{bot}", f"{than} {bot}", ColumnKind.SHARE, is_name=True) for bot in bots]
    whole = [
        {**row, **{f"stronger.{bot}": chances.get(bot) for bot in bots}}
        for row, chances in zip(rows, (_chances(table, row) for row in table.rows), strict=True)
    ]
    print_rows((*columns, *more), whole, style, empty="")


def _facts(table: OfficialTable, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
    only_for_people = {"ranks", "interval"}
    return {
        "pool_id": table.pool.pool_id,
        "confidence": table.confidence,
        "matches": table.matches,
        "blocks": table.blocks,
        "repeats": table.repeats,
        "groups": table.groups,
        "dispersion": table.dispersion,
        "rows": [{key: value for key, value in row.items() if key not in only_for_people} for row in rows],
        "seats": [asdict(seat) for seat in table.seats],
        "stronger": {row.bot: _chances(table, row) for row in table.rows},
        "circles": [asdict(circle) for circle in table.circles],
        "circle_count": table.circle_count,
        "threes": table.threes,
    }


def _chances(table: OfficialTable, row: OfficialRow) -> dict[str, float | None]:
    """Return how sure it is, by name, that the bot of a row is stronger than each other one."""
    others = enumerate(table.rows)
    return {other.bot: _chance(row, place) for place, other in others if other.version != row.version}
