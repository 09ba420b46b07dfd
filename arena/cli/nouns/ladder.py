"""`arena ladder`: the standing ladders that `arena serve` plays, opened, closed and listed."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Annotated, Any

import typer

from arena.cli.shared import match_order as request
from arena.cli.shared import options, paging, settings
from arena.cli.shared.cells import format_instant, write_named
from arena.cli.shared.connect import connect
from arena.cli.shared.language import say, translated
from arena.cli.shared.match_order import MatchTerms, tournament_request
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_facts, print_json
from arena.cli.shared.rating_pools import print_ladder_note
from arena.model.ladders import Ladder, LadderRequest
from arena.model.table_columns import Column, ColumnKind
from arena.tournament.formats.ladder import LadderFormat
from arena.tournament.formats.swiss import RETIRE_AFTER

app = typer.Typer(epilog=example("arena ladder list", "arena ladder open king3 --game foreign_king --seats 3"))

Name = Annotated[str, typer.Argument(metavar="NAME")]


def _kind_text(kind: str) -> str:
    return say(f"cli_shared.{kind}")


def _pace_text(pace: object) -> str:
    return say("cli_ladder.any_pace") if pace == _ANY_PACE else "-" if pace is None else str(pace)


_ANY_PACE = "any"
_COLUMNS = (
    Column("name", "ladder"),
    Column("state", "state", ColumnKind.NAME, names="cli_state."),
    Column("bots_are", "for", write=_kind_text),
    Column("game", "game"),
    Column("seats", "seats", ColumnKind.COUNT),
    Column("time_control", "time"),
    Column("season", "season", ColumnKind.COUNT),
    Column("bots", "bots", ColumnKind.COUNT),
    Column("absentees", "absent", ColumnKind.COUNT),
    Column("a_day", "a_day", ColumnKind.COUNT, write=_pace_text),
    Column("opened_at_us", "opened_utc", ColumnKind.INSTANT),
    Column("short_pool", "pool"),
)

_WORDED: Mapping[str, Callable[[Any], str]] = {
    "state": write_named("cli_state."),
    "bots_are": _kind_text,
    "a_day": _pace_text,
    "closed_because": translated,
    "note": translated,
}
"""What people are told in words."""
_SHOWN = (
    *("name", "state", "closed_because", "bots_are", "game", "seats", "time_control", "season", "bots", "a_day"),
    "short_pool",
    "note",
)


@app.command(
    "open",
    epilog=example(
        "arena ladder open king3 --game foreign_king --seats 3",
        "arena ladder open rex --game rex_romanorum --seats 4 --time 60+1 --matches-per-day 2000",
        "arena ladder open homes --game foreign_king --seats 2 --time 1s --remote",
        "arena ladder open king2 --game foreign_king --seats 2 --rating-method openskill",
    ),
)
def open_(
    name: Name,
    game: request.GameOption,
    seats: request.Seats = None,
    time: request.TimeText = request.DEFAULT_TIME,
    start_limit: request.StartLimit = request.DEFAULT_START_LIMIT,
    option: options.GameOptions = None,
    opening_plies: request.OpeningPlies = None,
    matches_per_day: Annotated[int | None, typer.Option("--matches-per-day", min=0, metavar="N")] = None,
    season: Annotated[str | None, typer.Option("--season", metavar="NAME")] = None,
    remote: Annotated[bool, typer.Option("--remote")] = False,
    same_owner: request.SameOwner = False,
    rating_method: request.RatingMethodName = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Open a ladder for all bots that play its game."""
    terms = MatchTerms(
        time=time,
        start_limit=start_limit,
        option=option,
        opening_plies=opening_plies,
        rating_method=rating_method,
    )
    form = LadderFormat(request.need_seats(game, seats), 0, RETIRE_AFTER)
    order = tournament_request(terms, form, game, (), same_owner=same_owner)
    wanted = LadderRequest(name, order, matches_per_day, season, remote)
    with connect(db, makes=True) as connection:
        opened = connection.arena.seasons.open_ladder(wanted)
    if as_json:
        print_json(asdict(opened))
    else:
        print_facts(
            {"ladder": opened.name, "pool": opened.pool.pool_id[:8], "season": opened.season, "bots": opened.bots}
        )


@app.command(epilog=example('arena ladder close king3 --why "the class is over"'))
def close(
    name: Name, why: Annotated[str, typer.Option("--why", metavar="TEXT")], db: Database = settings.DB.default
) -> None:
    """Close a ladder for good."""
    with connect(db) as connection:
        connection.arena.seasons.close_ladder(name, why)
    typer.echo(say("cli_ladder.closed", name=name))


@app.command(epilog=example("arena ladder show king3", "arena ladder show king3 --json"))
def show(name: Name, db: Database = settings.DB.default, as_json: AsJson = False) -> None:
    """Show a ladder and which of its bots are absent."""
    with connect(db) as connection:
        ladder = connection.arena.ladders.get_ladder(name)
    if as_json:
        print_json(asdict(ladder))
        return
    facts = _facts(ladder)
    print_facts({name: _WORDED.get(name, str)(facts[name]) for name in _SHOWN if facts[name] is not None})
    for one in ladder.absent:
        typer.echo(
            say(
                "cli_ladder.absent",
                since=format_instant(one.since_us),
                bot=one.bot,
                version=one.content_hash[:12],
                why=translated(one.why),
            )
        )


@app.command("list", epilog=example("arena ladder list", "arena ladder list --json"))
def list_(
    limit: paging.Limit = paging.DEFAULT,
    after: paging.After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """List the ladders, newest first, including closed ones."""
    with connect(db) as connection:
        page = connection.arena.ladders.list_ladders(paging.rows_wanted(limit), after)
    rows = [_facts(ladder) for ladder in page.items]
    more = paging.more_command("ladder", "list", limit=limit, cursor=page.next, as_json=as_json, db=db)
    paging.print_page(_COLUMNS, rows, more, as_json=as_json, empty=say("cli_ladder.none"))
    if not as_json:
        for ladder in page.items:
            print_ladder_note(ladder)


def _facts(ladder: Ladder) -> Mapping[str, Any]:
    pool = ladder.pool
    return {
        **asdict(ladder),
        "state": "open" if ladder.closed_at_us is None else "closed",
        "bots_are": "remote" if pool.remote else "hosted",
        "game": pool.game,
        "seats": pool.seats,
        "time_control": pool.time_control,
        "matches_per_day": ladder.settings.get("matches_per_day"),
        "a_day": _ANY_PACE if ladder.pace == 0 else ladder.pace,
        "short_pool": pool.pool_id[:8],
        "absentees": len(ladder.absent),
    }
