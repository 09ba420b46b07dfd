"""`arena db`: the database itself."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import errors, settings
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json
from arena.cli.shared.places import need_here
from arena.cli.shared.saying import say
from arena.cli.shared.storage import Storage, open_existing_storage
from arena.cli.shared.suggestions import next_command
from arena.hosting.store import StoreError
from arena.tournament.memories import memory_problems
from ratings.ledger.check import check as problems_of
from ratings.ledger.check import check_facts
from ratings.read.bots import all_versions
from ratings.store import database

app = typer.Typer(epilog=example("arena db check", "arena db backup arena-monday.db"))


@app.command(epilog=example("arena db upgrade --db arena.db"))
def upgrade(db: Database = settings.DB.default) -> None:
    """Bring a database to this schema; make a backup first."""
    change = database.upgrade(need_here(db))
    if change.before == change.after:
        typer.echo(say("cli_db.same_schema", db=db, schema=change.after))
    else:
        typer.echo(say("cli_db.upgraded", db=db, before=change.before or "nothing", after=change.after))


@app.command(epilog=example("arena db backup arena-monday.db", "arena db backup copy.db --db demo.db"))
def backup(
    target: Annotated[Path, typer.Argument(metavar="TARGET")],
    db: Database = settings.DB.default,
) -> None:
    """Copy a database into a new file, also while a tournament runs."""
    with open_existing_storage(db) as storage:
        database.backup(storage.database, target)
        typer.echo(say("cli_db.copied", db=db, file=target, store=storage.store.root))


@app.command(epilog=example("arena db check", "arena db check --db demo.db --rebuild"))
def check(
    rebuild: Annotated[bool, typer.Option("--rebuild")] = False,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Check whether everything in a database agrees."""
    with open_existing_storage(db) as storage:
        facts = check_facts(storage.database)
        if rebuild and not facts:
            from ratings.ledger.ledger import Ledger  # all that writes, which a check alone does not

            Ledger(storage.database).rebuild()
            Ledger(storage.database).forget_memories({wrong for wrong, _ in memory_problems(storage.database)})
        derived = [] if facts else [*problems_of(storage.database), *_memory_problems(storage)]
        problems = [*facts, *_file_problems(storage), *derived]
    if as_json:
        print_json({"problems": problems}, table="problems")
    else:
        _print(problems, db, can_rebuild=bool(derived))
    if problems:
        raise typer.Exit(errors.FAILED)


def _print(problems: Sequence[str], db: str, *, can_rebuild: bool) -> None:
    for problem in problems:
        typer.echo(problem)
    typer.echo(
        f"{db}: {say('cli_shared.problems', count=len(problems))}" if problems else say("cli_db.in_order", db=db)
    )
    if can_rebuild:
        remedy = next_command("db", "check", "--rebuild", db=db)
        typer.echo(say("cli_db.writes_anew", command=remedy))


def _memory_problems(storage: Storage) -> list[str]:
    return [problem for _, problem in memory_problems(storage.database)]


def _file_problems(storage: Storage) -> list[str]:
    """Return a line for every version whose files are gone or were changed."""
    problems = []
    for found in all_versions(storage.database):
        if found.bot.remote:
            continue  # its author has its files
        is_without = found.version.files_removed_at_us is not None
        if is_without and not storage.store.directory(found.version.content_hash).exists():
            continue  # its files were given up, or never came
        try:
            storage.store.get(found.version.content_hash)
        except StoreError as error:
            problems.append(f"bot {found.bot.name} version {found.version.number}: {error}")
    return problems
