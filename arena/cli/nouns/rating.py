"""`arena rating`: the official table of a pool and its circles, and pairs that help one another."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict
from math import isnan, log
from typing import Annotated, Any

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.cells import format_percent
from arena.cli.shared.connect import connect
from arena.cli.shared.errors import MisuseError
from arena.cli.shared.language import say
from arena.cli.shared.options import AsCsv, AsJson, Database, example, parse_style, with_options
from arena.cli.shared.output import Style, print_json, print_rows, print_table
from arena.cli.shared.paging import After, more_command, options_given, print_more, rows_wanted
from arena.cli.shared.rating_pools import PoolChoice, describe_pool, short_pool_id
from arena.model.ratings import NOT_COMPARED, Anchor, FairPlay, OfficialTable
from arena.model.table_columns import MIXTURE, OFFICIAL, Column, ColumnKind, without
from engine.translatable import Text
from ratings.values.statistics import Circle, FairPlayAsked, OfficialRow, SeatAdvantage

app = typer.Typer(epilog=example("arena rating rebuild --check"))
VERBS = {"official": None, "overall": "overall", "fairplay": None, "rebuild": "rebuild"}
_SHOWN_IN_A_ROW = 12
_ELO_PER_UNIT = 400 / log(10)
_LEAST_CHANCE = 0.001
_CIRCLES = (
    Column("bots", "circle"),
    Column("shares", "shares", ColumnKind.COUNT),
    Column("elo", "elo", ColumnKind.ELO),
    Column("blocks", "blocks", ColumnKind.COUNT),
    Column("chance", "by_chance", ColumnKind.COUNT),
)
_SUSPICIONS = (
    Column("sentence", "suspicion", ColumnKind.SENTENCE),
    Column("elo", "elo", ColumnKind.ELO),
    Column("z", "z", ColumnKind.COUNT, write="{:.1f}".format),
    Column("chance", "by_chance", ColumnKind.COUNT, write="{:.1g}".format),
    Column("matches", "matches", ColumnKind.COUNT),
)


@app.command(
    epilog=example(
        "arena rating official --pool 3f2a --anchor greedy=1500", "arena rating official --game foreign_king --seats 3"
    )
)
@with_options
def official(
    *,
    choice: PoolChoice,
    anchor: Annotated[list[str] | None, typer.Option("--anchor", metavar="BOT=ELO")] = None,
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
    if style is Style.PEOPLE and table.groups < 2:
        columns = without(columns, "group")
    rows = [_official_row(row) for row in table.rows]
    if style is Style.PEOPLE:
        counts = say("cli_rating.counts", count=table.matches, blocks=say("cli_rating.in_blocks", count=table.blocks))
        typer.echo(
            say("cli_rating.pool", pool=describe_pool(table.pool), counts=counts, id=short_pool_id(table.pool.pool_id))
        )
        print_table(columns, rows, as_json=False, empty=say("cli_rating.no_block"))
        if table.rows:
            typer.echo(say("cli_rating.sure", sure=f"{100 * table.confidence:g}%"))
            if len(table.seats) > 1:
                typer.echo(say("cli_rating.advantage", seats=", ".join(map(_seat_text, table.seats))))
            if table.repeats:
                typer.echo(say("cli_rating.repeats", count=table.repeats))
            if table.unsteady:
                typer.echo(say("cli_rating.unsteady", count=len(table.unsteady), bots=", ".join(table.unsteady)))
            if table.groups > 1:
                typer.echo(say("cli_rating.groups", groups=table.groups))
        if circles:
            print_circles(table)
        else:
            print_warning(table)
        if stronger:
            _print_stronger(table)
    elif style is Style.JSON:
        print_json(_official_facts(table, rows))
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
                Text("--anchor {text} is not BOT=ELO; write for example --anchor greedy=1500", text=repr(text))
            )
        anchors[bot] = value
    return tuple(Anchor(bot, elo) for bot, elo in anchors.items())


def _official_row(row: OfficialRow) -> dict[str, Any]:
    facts = {key: value for key, value in asdict(row).items() if key != "stronger"}
    return {**facts, **{column.key: column.value(row) for column in OFFICIAL if column.of}}


def _chance(row: OfficialRow, other: int) -> float | None:
    """Return the probability that a row's bot is stronger than another's, or `None` if they cannot be compared."""
    chance = row.stronger[other]
    return None if chance == NOT_COMPARED else chance


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


def _official_facts(table: OfficialTable, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
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
        "unsteady": list(table.unsteady),
    }


def _chances(table: OfficialTable, row: OfficialRow) -> dict[str, float | None]:
    """Return how sure it is, by name, that the bot of a row is stronger than each other one."""
    others = enumerate(table.rows)
    return {other.bot: _chance(row, place) for place, other in others if other.version != row.version}


def print_warning(table: OfficialTable) -> None:
    """Say in one line that one number misleads, if there is a circle."""
    if table.circles:
        surest = table.circles[0]
        steps = ", ".join(_step(surest, place) for place in range(len(surest.bots)))
        chance, elo = _bound_text(surest), f"{surest.elo:.0f}"
        typer.echo(say("cli_rating.circle", count=table.circle_count, steps=steps, elo=elo, chance=chance))


def print_circles(table: OfficialTable) -> None:
    """Say what the mixture is, what was asked, and all circles that were found."""
    if not table.rows:
        return
    typer.echo(say("cli_rating.mixture"))
    typer.echo(say("cli_rating.threes_asked", threes=table.threes, circles=table.circle_count))
    if table.circles:
        typer.echo()
        print_table(_CIRCLES, [_circle_row(one) for one in table.circles], as_json=False)


def _step(circle: Circle, place: int) -> str:
    one, other = circle.bots[place], circle.bots[(place + 1) % len(circle.bots)]
    return say("cli_rating.step", one=one, other=other, share=f"{100 * circle.shares[place]:.0f}%")


def _circle_row(circle: Circle) -> dict[str, Any]:
    return {
        "bots": " > ".join([*circle.bots, circle.bots[0]]),
        "shares": " ".join(f"{100 * share:.0f}%" for share in circle.shares),
        "elo": circle.elo,
        "blocks": " ".join(map(str, circle.blocks)),
        "chance": _bound_text(circle),
    }


def _bound_text(circle: Circle) -> str:
    """Write the bound on a circle's chance, which is never told as 0."""
    return format_percent(max(circle.chance, _LEAST_CHANCE))


@app.command(epilog=example("arena rating fairplay --pool 3f2a"))
@with_options
def fairplay(
    *,
    choice: PoolChoice,
    alarm: Annotated[float, typer.Option(min=0.0001, max=0.5)] = 0.005,
    limit: Annotated[int, typer.Option("--limit", min=0, metavar="N")] = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Look for collusion: pairs of bots that help each other."""
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with connect(db) as connection:
        pool = choice.find(connection)
        found = connection.arena.ratings.get_fair_play(pool, alarm, rows_wanted(limit), after)
    if style is Style.JSON:
        hidden = {"pool", "next"}
        print_json(
            {"pool_id": found.pool.pool_id, **{key: value for key, value in asdict(found).items() if key not in hidden}}
        )
    else:
        is_apart = style is not Style.PEOPLE
        counts = say("cli_rating.played", count=found.matches, bots=found.bots)
        described = say(
            "cli_rating.pool", pool=describe_pool(found.pool), counts=counts, id=short_pool_id(found.pool.pool_id)
        )
        typer.echo(described, err=is_apart)
        was_asked = any(one.asked for one in found.asked)
        empty = say("cli_rating.no_pair" if was_asked else "cli_rating.nothing_asked")
        print_rows(_SUSPICIONS, found.suspicions, style, empty=empty)
        for note in _notes(found):
            typer.echo(note, err=is_apart)
    words = ["rating", "fairplay", *options_given(pool=pool, alarm=alarm)]
    more = more_command(*words, limit=limit, cursor=found.next, as_json=as_json, as_csv=as_csv, db=db)
    print_more(more, as_json=style is not Style.PEOPLE)


def _notes(found: FairPlay) -> Iterator[str]:
    if found.suspicions and found.seats == 2:
        yield say("cli_rating.no_third")
    if found.styles:
        yield say("cli_rating.styles", count=found.styles)
    if found.circles:
        yield say("cli_rating.circles", count=found.circles)
    for one in found.asked:
        if one.kind == "together":
            question = say("cli_rating.question_together")
        else:
            question = say("cli_rating.question_helps") if found.seats > 2 else say("cli_rating.question_two")
        yield say("cli_rating.asked", asked=one.asked, possible=one.possible, question=question, reach=_reach(one))
    if found.more_matches:
        yield say("cli_rating.more_matches", count=found.more_matches)
    elif found.more_matches is None:
        yield say("cli_rating.few_bots")


def _reach(one: FairPlayAsked) -> str:
    if not one.asked:
        return say("cli_rating.reach_unasked")
    if one.least_elo is None:
        return say("cli_rating.reach_none")
    return say("cli_rating.reach", elo=f"{one.least_elo:.0f}")
