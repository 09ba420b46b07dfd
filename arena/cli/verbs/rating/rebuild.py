"""`arena rating`: the ratings against the results they come from."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.shared import errors, settings
from arena.cli.shared.options import AsJson, Database, PoolOption, example
from arena.cli.shared.output import print_json
from arena.cli.shared.storage import Book, open_existing_book
from arena.cli.shared.suggestions import next_command
from arena.cli.verbs.rating import official
from ratings.ledger.check import check_facts, rating_problems
from ratings.ledger.pools import resolve_pool
from ratings.ledger.rebuild import rebuild as rebuild_pool
from ratings.read.leaderboard import pools
from ratings.store.database import read, write

app = typer.Typer(epilog=example("arena rating rebuild --check"))

official.add_to(app)


@app.command(epilog=example("arena rating rebuild --check", "arena rating rebuild --pool 3f2a --db demo.db"))
def rebuild(
    check: Annotated[bool, typer.Option("--check", help="Write nothing; say what differs, to the last digit.")] = False,
    pool: PoolOption = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Compute the ratings anew from the results.

    In the order in which they were rated; the same figures come out, to the last digit.
    """
    with open_existing_book(db) as book:
        problems = check_facts(book.engine)
        what = "nothing was rebuilt: the results themselves have problems" if problems else ""
        if not problems and check:
            problems = _differences(book, pool)
            what = (
                f"{len(problems)} ratings differ from the results"
                if problems
                else "all ratings are what the results give"
            )
        elif not problems:
            what = f"rebuilt from {_rebuild(book, pool)} matches"
    if as_json:
        print_json({"problems": problems})
    else:
        for problem in problems:
            typer.echo(problem)
        typer.echo(f"{db}: {what}")
        if problems and check:
            typer.echo(f"`{next_command('rating', 'rebuild', db=db)}` writes them anew; make a backup first")
    if problems:
        raise typer.Exit(errors.FAILED)


def _differences(book: Book, pool: str | None) -> list[str]:
    with read(book.engine) as session:
        return list(rating_problems(session, resolve_pool(session, pool).id if pool else None))


def _rebuild(book: Book, pool: str | None) -> int:
    """How many matches were rated."""
    with write(book.engine) as session:
        ids = [resolve_pool(session, pool).id] if pool else [row.pool.id for row in pools(session)]
        return sum(rebuild_pool(session, id_) for id_ in ids)
