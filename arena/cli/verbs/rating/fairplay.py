"""The command `arena rating fairplay`."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import asdict
from typing import Annotated, Any

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.connect import connect
from arena.cli.shared.option_groups import with_options
from arena.cli.shared.options import AsCsv, AsJson, Database, example, parse_style
from arena.cli.shared.output import print_json, print_rows
from arena.cli.shared.paging import After, more_command, options_given, print_more, rows_wanted
from arena.cli.shared.pool_choice import PoolChoice
from arena.cli.shared.pools import describe_pool, short_pool_id
from arena.cli.shared.saying import say
from arena.cli.shared.styles import Style
from arena.model.columns import Column, ColumnKind
from arena.model.ratings import FairPlay
from ratings.values.statistics import FairPlayAsked

app = typer.Typer()

_COLUMNS = (
    Column("sentence", "suspicion", ColumnKind.SENTENCE),
    Column("elo", "elo", ColumnKind.ELO),
    Column("z", "z", ColumnKind.COUNT, write="{:.1f}".format),
    Column("chance", "by_chance", ColumnKind.COUNT, write="{:.1g}".format),
    Column("matches", "matches", ColumnKind.COUNT),
)


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
    """Look for pairs of bots that help one another."""
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with connect(db) as connection:
        pool = choice.find(connection)
        found = connection.arena.ratings.get_fair_play(pool, alarm, rows_wanted(limit), after)
    if style is Style.JSON:
        print_json(_facts(found))
    else:
        _print_report(found, style)
    words = ["rating", "fairplay", *options_given(pool=pool, alarm=alarm)]
    more = more_command(*words, limit=limit, cursor=found.next, as_json=as_json, as_csv=as_csv, db=db)
    print_more(more, as_json=style is not Style.PEOPLE)


def _facts(found: FairPlay) -> dict[str, Any]:
    hidden = {"pool", "next"}
    return {"pool_id": found.pool.pool_id, **{key: value for key, value in asdict(found).items() if key not in hidden}}


def _print_report(found: FairPlay, style: Style) -> None:
    """Write the suspicions, and what was asked: around the table for people, on stderr beside the other forms."""
    is_apart = style is not Style.PEOPLE
    counts = say("cli_rating.played", count=found.matches, bots=found.bots)
    pool = say("cli_rating.pool", pool=describe_pool(found.pool), counts=counts, id=short_pool_id(found.pool.pool_id))
    typer.echo(pool, err=is_apart)
    was_asked = any(one.asked for one in found.asked)
    empty = say("cli_rating.no_pair" if was_asked else "cli_rating.nothing_asked")
    print_rows(_COLUMNS, found.suspicions, style, empty=empty)
    for note in _notes(found):
        typer.echo(note, err=is_apart)


def _notes(found: FairPlay) -> Iterator[str]:
    """Yield what a reader must know beside the suspicions, in words for so many seats."""
    if found.suspicions and found.seats == 2:
        yield say("cli_rating.no_third")
    if found.styles:
        yield say("cli_rating.styles", count=found.styles)
    if found.circles:
        yield say("cli_rating.circles", count=found.circles)
    for one in found.asked:
        question = _question(one.kind, found.seats)
        yield say("cli_rating.asked", asked=one.asked, possible=one.possible, question=question, reach=_reach(one))
    if found.more_matches:
        yield say("cli_rating.more_matches", count=found.more_matches)
    elif found.more_matches is None:
        yield say("cli_rating.few_bots")


def _question(kind: str, seats: int) -> str:
    if kind == "together":
        return say("cli_rating.question_together")
    return say("cli_rating.question_helps") if seats > 2 else say("cli_rating.question_two")


def _reach(one: FairPlayAsked) -> str:
    if not one.asked:
        return say("cli_rating.reach_unasked")
    if one.least_elo is None:
        return say("cli_rating.reach_none")
    return say("cli_rating.reach", elo=f"{one.least_elo:.0f}")
