"""`arena leaderboard`: the ratings of the bots, one table for each pool."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated, Any

import typer

from arena.cli.nouns.game import get_game
from arena.cli.shared import settings
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import Column, print_json, print_table, yes_or_no
from arena.cli.shared.storage import open_existing_book
from arena.cli.shared.suggestions import demo_command, next_command
from engine import registry
from engine.core import EngineError
from ratings.ledger.pools import resolve_pool
from ratings.read import leaderboard as ratings_table
from ratings.store.database import read
from ratings.store.models import Pool

app = typer.Typer()

SHORT = 12


def _two_places(value: float) -> str:
    return f"{value:.2f}"


def _percent(value: float) -> str:
    return f"{100 * value:.1f}%"


COLUMNS = (
    Column("rank", "RANK", right=True),
    Column("bot", "BOT"),
    Column("number", "VERSION", right=True),
    Column("exposure", "RATING", right=True, write=_two_places),
    Column("mu", "MU", right=True, write=_two_places),
    Column("sigma", "SIGMA", right=True, write=_two_places),
    Column("matches", "MATCHES", right=True),
    Column("wins", "WINS", right=True),
    Column("score", "SCORE", right=True, write=_percent),
)


def describe_pool(pool: Pool) -> str:
    """The pool for people: game, seats, clock, and the options that are not the default."""
    return ", ".join([_title(pool.game), f"{pool.seats} seats", f"time {pool.time_control}", *_special_options(pool)])


def _title(game: str) -> str:
    return registry.get(game).title if game in registry.names() else game


def _special_options(pool: Pool) -> list[str]:
    try:
        game = registry.get(pool.game)
        defaults = game.options_json(game.parse_options({}))
    except EngineError:
        defaults = {}
    return [f"{name}={yes_or_no(value)}" for name, value in pool.options.items() if defaults.get(name) != value]


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
    with open_existing_book(db) as book, read(book.engine) as session:
        rows = ratings_table.pools(session)
        if game is not None and game not in {row.pool.game for row in rows}:
            get_game(game)  # says that there is none
        wanted = resolve_pool(session, pool).id if pool is not None else None
        found = [
            (row, [asdict(line) for line in ratings_table.table(session, pool_id=row.pool.id, limit=limit)])
            for row in rows
            if wanted in (None, row.pool.id) and game in (None, row.pool.game) and seats in (None, row.pool.seats)
        ]
    if as_json:
        print_json([{**_pool_facts(row.pool), "matches": row.matches, "table": lines} for row, lines in found])
        return
    if not found:
        typer.echo(_nothing(db, is_empty=not rows))
    for index, (row, lines) in enumerate(found):
        typer.echo(
            f"{chr(10) * (index > 0)}{describe_pool(row.pool)}: {row.matches} matches (pool {row.pool.id[:SHORT]})"
        )
        print_table(COLUMNS, lines, as_json=False)
    if found:
        typer.echo("rating = mu - 3 sigma; score = part of the opponents met that was beaten")


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
