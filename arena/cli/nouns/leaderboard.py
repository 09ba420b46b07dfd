"""`arena leaderboard`: the ratings of the bots, one table for each pool."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.games import get_game
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json, print_table
from arena.cli.shared.pools import LEADERBOARD_COLUMNS, describe_pool, short_pool_id
from arena.cli.shared.storage import Storage, open_existing_storage
from arena.cli.shared.suggestions import demo_command, next_command
from ratings.read.leaderboard import Leaderboard, leaderboards, pools
from ratings.read.pools import find_pool
from ratings.store.models import Pool

app = typer.Typer()


@app.command(epilog=example("arena leaderboard", "arena leaderboard --db demo.db --game foreign_king"))
def leaderboard(
    game: Annotated[str | None, typer.Option(help="Only pools of this game.")] = None,
    seats: Annotated[int | None, typer.Option(help="Only pools with so many seats.")] = None,
    pool: Annotated[
        str | None, typer.Option(metavar="ID", help="Only this pool; a beginning of its id will do.")
    ] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Only the best so many.")] = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show the ratings of the bots, a table for each pool: same game, rules, seats, options and clock."""
    with open_existing_storage(db) as storage:
        boards, is_empty = _read_boards(storage, _Filter(game, seats, pool), limit)
    if as_json:
        print_json([_facts(board) for board in boards])
    elif boards:
        _print_boards(boards)
    else:
        typer.echo(_nothing(db, is_empty=is_empty))


@dataclass(frozen=True, slots=True)
class _Filter:
    """Which pools are shown; `None` admits all."""

    game: str | None
    seats: int | None
    pool: str | None


def _read_boards(storage: Storage, wanted: _Filter, limit: int | None) -> tuple[list[Leaderboard], bool]:
    """Return the leaderboards of the pools that were asked for, and whether there is no rated match at all."""
    rows = pools(storage.database)
    if wanted.game is not None and wanted.game not in {row.pool.game for row in rows}:
        get_game(wanted.game)  # raises if there is no such game; otherwise nothing of it was rated
    only = None if wanted.pool is None else find_pool(storage.database, wanted.pool).id
    chosen = [
        row.pool.id
        for row in rows
        if only in (None, row.pool.id)
        and wanted.game in (None, row.pool.game)
        and wanted.seats in (None, row.pool.seats)
    ]
    return leaderboards(storage.database, chosen, limit=limit), not rows


def _facts(board: Leaderboard) -> dict[str, Any]:
    lines = [asdict(line) for line in board.table]
    return {**_pool_facts(board.row.pool), "matches": board.row.matches, "table": lines}


def _print_boards(boards: Sequence[Leaderboard]) -> None:
    for index, board in enumerate(boards):
        if index > 0:
            typer.echo()
        _print_board(board)
    typer.echo("rating = mu - 3 sigma; score = part of the opponents met that was beaten")


def _print_board(board: Leaderboard) -> None:
    pool, matches = board.row.pool, board.row.matches
    typer.echo(f"{describe_pool(pool)}: {matches} matches (pool {short_pool_id(pool.id)})")
    print_table(LEADERBOARD_COLUMNS, [asdict(line) for line in board.table], as_json=False)


def _nothing(db: str, *, is_empty: bool) -> str:
    if is_empty:
        return f"no rated matches in {db} yet; `{demo_command(db)}` plays some"
    return f"no rated matches in {db} fit these filters; `{next_command('leaderboard', db=db)}` shows all"


def _pool_facts(pool: Pool) -> dict[str, Any]:
    return {
        "pool_id": pool.id,
        "game": pool.game,
        "rules_version": pool.rules_version,
        "seats": pool.seats,
        "options": pool.options,
        "time_control": pool.time_control,
        "cores": pool.cores,
    }
