"""`arena leaderboard`: the ratings of the bots, one table for each pool."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from typing import Annotated, Any

import typer

from arena.cli.shared import paging, settings
from arena.cli.shared.connect import connect, demo_command, next_command, service_name
from arena.cli.shared.language import say
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json, print_table
from arena.cli.shared.paging import After, more_command, options_given, print_more, rows_wanted
from arena.cli.shared.rating_pools import describe_pool, print_ladder_note, short_pool_id
from arena.model.table_columns import LEADERBOARD, without, without_empty
from ratings.values.leaderboards import Leaderboard

app = typer.Typer()


@app.command(epilog=example("arena leaderboard", "arena leaderboard --db demo.db --game foreign_king"))
def leaderboard(
    game: Annotated[str | None, typer.Option()] = None,
    seats: Annotated[int | None, typer.Option()] = None,
    pool: Annotated[str | None, typer.Option(metavar="ID")] = None,
    limit: paging.Best = paging.DEFAULT,
    after: After = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show the ratings of the bots, in one table for each pool."""
    with connect(db) as connection:
        found = connection.arena.leaderboards.list_leaderboards(game, seats, pool, rows_wanted(limit), after)
        ladders = () if found.boards or as_json else connection.arena.ladders.list_ladders().items
    words = ["leaderboard", *options_given(game=game, seats=seats, pool=pool)]
    more = partial(more_command, *words, limit=limit, as_json=as_json, db=db)
    if as_json:
        print_json([_facts(board) for board in found.boards], table="table")
    elif found.boards:
        for index, board in enumerate(found.boards):
            if index > 0:
                typer.echo()
            described, pool_id = describe_pool(board.pool), short_pool_id(board.pool.pool_id)
            typer.echo(say("cli_leaderboard.pool", pool=described, count=board.matches, id=pool_id))
            if board.behind:
                typer.echo(say("cli_leaderboard.behind", count=board.behind))
            print_table(without_empty(without(LEADERBOARD, "owner"), board.table), board.table, as_json=False)
        typer.echo(say("cli_leaderboard.legend"))
    else:
        is_played = any(ladder.closed_at_us is None for ladder in ladders)
        typer.echo(_nothing(db, is_empty=found.is_empty, is_played=is_played))
        for ladder in ladders:
            print_ladder_note(ladder)
    for board in found.boards:
        print_more(
            more(cursor=board.next),
            as_json=as_json,
            what=say("cli_leaderboard.more_in_pool", id=short_pool_id(board.pool.pool_id)),
        )
    print_more(more(cursor=found.next), as_json=as_json, what=say("cli_leaderboard.more_pools"))


def _facts(board: Leaderboard) -> dict[str, Any]:
    return {
        **asdict(board.pool),
        "matches": board.matches,
        "behind": board.behind,
        "table": [asdict(line) for line in board.table],
    }


def _nothing(db: str, *, is_empty: bool, is_played: bool) -> str:
    service = service_name(db)
    if is_empty and service is not None:
        shows = next_command("ladder", "list", db=db)
        return say("cli_leaderboard.none_there", service=repr(service), command=shows)
    if is_empty and is_played:
        return say("cli_leaderboard.none_played", db=db, command=next_command("ladder", "list", db=db))
    if is_empty:
        return say("cli_leaderboard.none_demo", db=db, command=demo_command(db))
    return say("cli_leaderboard.no_fit", db=db, command=next_command("leaderboard", db=db))
