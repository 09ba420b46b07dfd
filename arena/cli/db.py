"""`arena db`: the database itself."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli import errors, settings
from arena.cli.book import open_book
from arena.cli.options import AsJson, Database, example
from arena.cli.output import print_json
from ratings import database
from ratings.check import check as problems_of

app = typer.Typer(epilog=example("arena db check", "arena db backup arena-monday.db"))


@app.command(epilog=example("arena db upgrade --db arena.db"))
def upgrade(db: Database = settings.DB.default) -> None:
    """Bring a database to the schema of this arena; make a backup first."""
    change = database.upgrade(db)
    if change.before == change.after:
        typer.echo(f"{db} has schema {change.after} already")
    else:
        typer.echo(f"{db} upgraded from schema {change.before or 'nothing'} to {change.after}")


@app.command(epilog=example("arena db backup arena-monday.db", "arena db backup copy.db --db demo.db"))
def backup(
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The new file; it must not exist yet.")],
    db: Database = settings.DB.default,
) -> None:
    """Copy a database into a new file, also while a tournament runs."""
    with open_book(db) as book:
        database.backup(book.engine, target)
        typer.echo(f"{db} copied to {target}; the files of the bots lie in {book.store.root}")


@app.command(epilog=example("arena db check", "arena db check --db demo.db --json"))
def check(db: Database = settings.DB.default, as_json: AsJson = False) -> None:
    """Check the file, its references, and whether results and ratings agree."""
    with open_book(db) as book:
        problems = problems_of(book.engine)
    if as_json:
        print_json({"problems": problems})
    else:
        for problem in problems:
            typer.echo(problem)
        typer.echo(f"{db}: {len(problems)} problems" if problems else f"{db} is in order")
    if problems:
        raise typer.Exit(errors.FAILED)
