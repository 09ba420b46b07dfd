"""`arena stats`: what can be counted over the matches of a tournament or a pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.cells import format_percent
from arena.cli.shared.connect import connect
from arena.cli.shared.language import say
from arena.cli.shared.options import AsCsv, AsJson, Database, example, parse_style, with_options
from arena.cli.shared.output import Style, print_rows, print_table
from arena.cli.shared.paging import After, Limit, ask_for, more_command, options_given, print_rows_of_page, rows_wanted
from arena.cli.shared.rating_pools import PoolChoice
from arena.model.table_columns import OPPONENTS, SEATS, Column, ColumnKind, without, without_empty
from ratings.values.statistics import MOST_IN_CROSSTABLE, Crosstable, Meeting

app = typer.Typer(epilog=example("arena stats crosstable --tournament monday"))

MOST_BOTS = 50

TournamentOption = Annotated[str | None, typer.Option("--tournament", "-t", metavar="NAME")]
BotArgument = Annotated[str, typer.Argument(metavar="BOT")]
_HISTORY = (
    Column("rating_seq", "no", ColumnKind.COUNT),
    Column("match_id", "match", ColumnKind.MATCH),
    Column("seat", "seat", ColumnKind.COUNT),
    Column("mu_before", "mu_before", ColumnKind.RATING),
    Column("mu_after", "mu", ColumnKind.RATING),
    Column("sigma_after", "sigma", ColumnKind.RATING),
    Column("exposure", "rating", ColumnKind.RATING),
)
_OPPONENTS = without(OPPONENTS, "bot")
_QUANTITIES = ("least", "median", "mean", "p95", "most")
_LENGTHS = (
    Column("measure", "measure", write=lambda name: say(f"cli_stats.measure_{name}")),
    Column("matches", "matches", ColumnKind.COUNT),
    *(Column(key, key, ColumnKind.COUNT, write=lambda value: f"{value:,.0f}".replace(",", " ")) for key in _QUANTITIES),
)


@app.command(epilog=example("arena stats crosstable --tournament monday", "arena stats crosstable --pool 3f2a --csv"))
@with_options
def crosstable(
    *,
    tournament: TournamentOption = None,
    choice: PoolChoice,
    limit: Annotated[int, typer.Option(min=2, max=MOST_IN_CROSSTABLE)] = MOST_BOTS,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show how every bot did against every other."""
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with connect(db) as connection:
        pool = choice.find(connection)
        found = connection.arena.statistics.get_crosstable(tournament, pool, limit)
    if style in (Style.PEOPLE, Style.MARKDOWN):
        _print_crosstable(found, as_json=style is Style.MARKDOWN)
    else:
        print_rows(_OPPONENTS, found.meetings, style, empty="")


def _print_crosstable(found: Crosstable, *, as_json: bool) -> None:
    met = {(one.version_id, one.opponent_id): one for one in found.meetings}
    # Columns are keyed by id: a bot may be called like any key.
    columns = [
        Column(other.version_id, other.name, ColumnKind.COUNT, write=_cell, is_name=True) for other in found.versions
    ]
    rows = [
        {"": mine.name, **{other.version_id: met.get((mine.version_id, other.version_id)) for other in found.versions}}
        for mine in found.versions
    ]
    print_table([Column("", "bot"), *columns], rows, as_json=as_json)
    typer.echo(say("cli_stats.legend"), err=as_json)


def _cell(meeting: Meeting | None) -> str:
    if meeting is None:
        return "-"
    return f"{format_percent(meeting.score)} ({meeting.wins}-{meeting.ties}-{meeting.losses})"


@app.command(epilog=example("arena stats history search", "arena stats history search --pool 3f2a --csv"))
@with_options
def history(
    *,
    bot: BotArgument,
    choice: PoolChoice,
    limit: Limit = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show the history of a bot's rating."""
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with connect(db) as connection:
        pool = choice.find(connection)
        # Its name may mean another version by the time of the next page.
        version = connection.arena.bots.find_version(bot)
        named = f"{version.bot}@{version.content_hash}"
        page, rest = ask_for(partial(connection.arena.statistics.list_history, named, pool), limit, after)
        words = ["stats", "history", bot, *options_given(pool=pool)]
        more = more_command(*words, limit=limit, cursor=page.next, as_json=as_json, as_csv=as_csv, db=db)
        empty = say("cli_stats.unrated", bot=bot)
        print_rows_of_page(_HISTORY, page.items, more, style, empty=empty, rest=rest)


@app.command(epilog=example("arena stats opponents search --tournament monday", "arena stats opponents search --json"))
@with_options
def opponents(
    *,
    bot: BotArgument,
    tournament: TournamentOption = None,
    choice: PoolChoice,
    limit: Annotated[int, typer.Option("--limit", min=0, metavar="N")] = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show how a bot did against each opponent."""
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with connect(db) as connection:
        pool = choice.find(connection)
        page = connection.arena.statistics.list_opponents(bot, tournament, pool, rows_wanted(limit), after)
    rows = [{key: value for key, value in asdict(one).items() if key != "bot"} for one in page.items]
    words = ["stats", "opponents", bot, *options_given(tournament=tournament, pool=pool)]
    more = more_command(*words, limit=limit, cursor=page.next, as_json=as_json, as_csv=as_csv, db=db)
    print_rows_of_page(_OPPONENTS, rows, more, style, empty=say("cli_stats.met_nobody", bot=bot))


@app.command(
    epilog=example("arena stats seats --tournament monday", "arena stats seats search --game foreign_king --seats 3")
)
@with_options
def seats(
    *,
    bot: Annotated[str | None, typer.Argument(metavar="[BOT]")] = None,
    tournament: TournamentOption = None,
    choice: PoolChoice,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show the results in each seat, of one bot or of all."""
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with connect(db) as connection:
        rows = connection.arena.statistics.list_seats(bot, tournament, choice.find(connection))
    print_rows(without_empty(SEATS, rows), rows, style, empty=say("cli_stats.no_matches"))


@app.command(epilog=example("arena stats lengths --tournament monday", "arena stats lengths --json"))
@with_options
def lengths(
    *,
    tournament: TournamentOption = None,
    choice: PoolChoice,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show how long matches are, in plies, decisions and time."""
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with connect(db) as connection:
        found = connection.arena.statistics.list_lengths(tournament, choice.find(connection))
    rows: Sequence[dict[str, Any]] = [asdict(row) for row in found]
    if style in (Style.PEOPLE, Style.MARKDOWN):
        rows = [
            {key: value / 1000 if key in _QUANTITIES else value for key, value in row.items()}
            if row["measure"] == "duration_us"
            else row
            for row in rows
        ]
    print_rows(_LENGTHS, rows, style, empty=say("cli_stats.no_matches"))
