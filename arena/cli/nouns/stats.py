"""`arena stats`: what can be counted over the matches of a tournament or a pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict
from typing import Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.lookup import find_pool_id, find_scope, find_version
from arena.cli.shared.matches import short_match_id
from arena.cli.shared.options import AsCsv, AsJson, Database, PoolOption, example, parse_style
from arena.cli.shared.output import Column, Style, format_percent, format_two_places, print_rows, print_table
from arena.cli.shared.storage import open_existing_storage
from ratings.read import crosstable as counts
from ratings.read import leaderboard
from ratings.read.crosstable import Crosstable
from ratings.read.lengths import lengths as spreads
from ratings.store.models import RatingChange

app = typer.Typer(epilog=example("arena stats crosstable --tournament monday"))

MOST_BOTS = 50

TournamentOption = Annotated[
    str | None, typer.Option("--tournament", "-t", metavar="NAME", help="Count the matches of this tournament.")
]
BotArgument = Annotated[str, typer.Argument(metavar="BOT", help="Name of a bot, or name@hash for one version of it.")]


def _number(value: float) -> str:
    return f"{value:,.0f}".replace(",", " ")


@app.command(epilog=example("arena stats crosstable --tournament monday", "arena stats crosstable --pool 3f2a --csv"))
def crosstable(
    tournament: TournamentOption = None,
    pool: PoolOption = None,
    limit: Annotated[int, typer.Option(min=2, max=500, help="Only the best so many.")] = MOST_BOTS,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show how every bot fared against every other.

    The score of the row against the column, and in how many matches they met.
    """
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with open_existing_storage(db) as storage:
        found = counts.crosstable(storage.database, find_scope(storage.database, tournament, pool), limit)
    if style is Style.PEOPLE:
        _print_crosstable(found)
        return
    names = found.names
    rows = [
        {"bot": names[one.version_id], "opponent": names[one.opponent_id], **asdict(one), "score": one.score}
        for one in found.meetings
    ]
    print_rows(_OPPONENTS, rows, style, empty="")


def _print_crosstable(found: Crosstable) -> None:
    met = {(one.version_id, one.opponent_id): one for one in found.meetings}
    # Columns are keyed by id: a bot may be called like any key.
    columns = [Column(other, found.names[other], right=True, write=_cell) for other in found.versions]
    rows = [
        {"": found.names[mine], **{other: met.get((mine, other)) for other in found.versions}}
        for mine in found.versions
    ]
    print_table([Column("", "BOT"), *columns], rows, as_json=False)
    typer.echo("score of the row against the column, and in how many matches they met")


def _cell(meeting: counts.Meeting | None) -> str:
    return "-" if meeting is None else f"{format_percent(meeting.score)} ({meeting.matches})"


_HISTORY = (
    Column("rating_seq", "NO", right=True),
    Column("match_id", "MATCH", write=short_match_id),
    Column("seat", "SEAT", right=True),
    Column("mu_before", "MU BEFORE", right=True, write=format_two_places),
    Column("mu_after", "MU", right=True, write=format_two_places),
    Column("sigma_after", "SIGMA", right=True, write=format_two_places),
    Column("exposure", "RATING", right=True, write=format_two_places),
)


@app.command(epilog=example("arena stats history search", "arena stats history search --pool 3f2a --csv"))
def history(
    bot: BotArgument,
    pool: PoolOption = None,
    last: Annotated[int | None, typer.Option("--last", min=1, metavar="N", help="Only the last so many.")] = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show how a bot's rating came about, match by match."""
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with open_existing_storage(db) as storage:
        pool_id, found = find_pool_id(storage.database, pool), find_version(storage.database, bot)
        changes = leaderboard.history(storage.database, pool_id=pool_id, version_id=found.version.id)
    rows = [_change_facts(change) for change in changes[-last if last else 0 :]]
    print_rows(_HISTORY, rows, style, empty=f"{bot} has no rated match in that pool")


def _change_facts(change: RatingChange) -> dict[str, Any]:
    return {
        "match_id": change.match_id,
        "seat": change.seat,
        "pool_id": change.pool_id,
        "version_id": change.version_id,
        "rating_seq": change.rating_seq,
        "mu_before": change.mu_before,
        "sigma_before": change.sigma_before,
        "mu_after": change.mu_after,
        "sigma_after": change.sigma_after,
        "exposure": change.mu_after - 3 * change.sigma_after,
    }


_OPPONENTS = (
    Column("opponent", "OPPONENT"),
    Column("matches", "MATCHES", right=True),
    Column("score", "SCORE", right=True, write=format_percent),
)


@app.command(epilog=example("arena stats opponents search --tournament monday", "arena stats opponents search --json"))
def opponents(
    bot: BotArgument,
    tournament: TournamentOption = None,
    pool: PoolOption = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show how a bot fared against each opponent."""
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with open_existing_storage(db) as storage:
        scope, found = find_scope(storage.database, tournament, pool), find_version(storage.database, bot)
        meetings = counts.by_opponent(storage.database, scope, found.version.id)
        names = counts.names(storage.database, [meeting.opponent_id for meeting in meetings])
    rows = [{"opponent": names[one.opponent_id], **asdict(one), "score": one.score} for one in meetings]
    print_rows(_OPPONENTS, rows, style, empty=f"{bot} met nobody there")


_SEATS = (
    Column("seat", "SEAT", right=True),
    Column("matches", "MATCHES", right=True),
    Column("wins", "WINS", right=True),
    Column("score", "SCORE", right=True, write=format_percent),
    Column("forfeits", "FORFEITS", right=True),
)


@app.command(epilog=example("arena stats seats --tournament monday", "arena stats seats search --csv"))
def seats(
    bot: Annotated[str | None, typer.Argument(metavar="[BOT]", help="Only this bot; all of them by default.")] = None,
    tournament: TournamentOption = None,
    pool: PoolOption = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show the results in each seat, of one bot or of all."""
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with open_existing_storage(db) as storage:
        scope = find_scope(storage.database, tournament, pool)
        version_id = None if bot is None else find_version(storage.database, bot).version.id
        rows = [asdict(row) for row in counts.by_seat(storage.database, scope, version_id)]
    print_rows(_SEATS, rows, style, empty="no matches there yet")


_QUANTITIES = ("least", "median", "mean", "p95", "most")
_LENGTHS = (
    Column("measure", "MEASURE", write=lambda name: {"duration_us": "milliseconds"}.get(name, name)),
    Column("matches", "MATCHES", right=True),
    *(Column(key, key.upper(), right=True, write=_number) for key in _QUANTITIES),
)


@app.command(epilog=example("arena stats lengths --tournament monday", "arena stats lengths --json"))
def lengths(
    tournament: TournamentOption = None,
    pool: PoolOption = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
    as_csv: AsCsv = False,
) -> None:
    """Show how long matches are: plies, decisions, time."""
    style = parse_style(as_json=as_json, as_csv=as_csv)
    with open_existing_storage(db) as storage:
        scope = find_scope(storage.database, tournament, pool)
        rows: Sequence[dict[str, Any]] = [asdict(row) for row in spreads(storage.database, scope)]
    if style is Style.PEOPLE:
        rows = [_in_milliseconds(row) if row["measure"] == "duration_us" else row for row in rows]
    print_rows(_LENGTHS, rows, style, empty="no matches there yet")


def _in_milliseconds(row: dict[str, Any]) -> dict[str, Any]:
    return {key: value / 1000 if key in _QUANTITIES else value for key, value in row.items()}
