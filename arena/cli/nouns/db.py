"""`arena db`: the database itself: upgraded, backed up, copied with the files of its bots, and checked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Annotated

import typer

from arena.app.bot_store import copy_files, other_key
from arena.cli.shared import errors, settings
from arena.cli.shared.connect import need_here, next_command, refuse_server
from arena.cli.shared.errors import CliError, MisuseError
from arena.cli.shared.interrupt import InterruptedRunError, run_in_thread
from arena.cli.shared.language import say
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json
from arena.cli.shared.progress import CopyDisplay, StageDisplay
from arena.cli.shared.storage import Storage, open_existing_storage, open_storage
from arena.hosting.store import StoreError
from arena.tournament.locks import players_beside
from arena.tournament.stored import memory_problems
from engine.translatable import Text
from ratings.ledger.check import check_facts, check_ratings
from ratings.ledger.copying import copy_database
from ratings.read.bots import all_versions
from ratings.store import database
from ratings.store.urls import without_password
from ratings.values.states import OnWorkProgress, WorkStage

app = typer.Typer(epilog=example("arena db check", "arena db backup arena-monday.db"))


@app.command(epilog=example("arena db upgrade --db arena.db"))
def upgrade(db: Database = settings.DB.default) -> None:
    """Upgrade a database to the current schema; make a backup first."""
    change = database.upgrade(need_here(db))
    if change.before == change.after:
        typer.echo(say("cli_db.same_schema", db=db, schema=change.after))
    else:
        typer.echo(say("cli_db.upgraded", db=db, before=change.before or "nothing", after=change.after))


@app.command(epilog=example("arena db backup arena-monday.db", "arena db backup copy.db --db demo.db"))
def backup(target: Annotated[Path, typer.Argument(metavar="TARGET")], db: Database = settings.DB.default) -> None:
    """Copy a database into a new file, even while a tournament runs."""
    with open_existing_storage(db) as storage:
        database.backup(storage.database, target)
        typer.echo(say("cli_db.copied", db=db, file=target, store=storage.store.root))


@app.command(epilog=example("arena db copy arena.db postgresql://db.example/arena", "arena db copy arena.db other.db"))
def copy(
    context: typer.Context,
    source: Annotated[str, typer.Argument(metavar="FROM")],
    target: Annotated[str, typer.Argument(metavar="TO")],
) -> None:
    """Copy a database and the files of its bots into an empty database."""
    refuse_server(context)
    here, there = without_password(source), without_password(target)
    if here == there:
        raise MisuseError(Text("a database is copied into another one; name two"))
    with open_existing_storage(need_here(source)) as old, open_storage(need_here(target), copies=True) as new:
        if players := players_beside(old.database):  # the copy would lack what they play
            (first, *_) = sorted(players, key=lambda player: player.since_us)
            raise CliError(
                Text(
                    "process {pid} on {host} plays in {place}; stop it, or wait for its end, then copy",
                    pid=first.pid,
                    host=first.host,
                    place=here,
                )
            )
        try:
            copied = run_in_thread(old.database, partial(_copy_all, old, new), CopyDisplay())
        except KeyboardInterrupt as error:
            again = next_command("db", "copy", here, there, db=settings.usual_database())
            raise InterruptedRunError(say("cli_db.copy_goes_on", command=again)) from error
    typer.echo(
        say("cli_db.copied_rows", source=here, target=there, rows=copied.rows, before=copied.before, hash=copied.digest)
    )
    typer.echo(say("cli_db.copied_files", versions=copied.versions, store=new.store.root))


@app.command(epilog=example("arena db check", "arena db check --db demo.db --rebuild"))
def check(
    rebuild: Annotated[bool, typer.Option("--rebuild")] = False,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Check whether a database is consistent."""
    with open_existing_storage(db) as storage:
        found = run_in_thread(storage.database, partial(_look, storage, rebuild=rebuild), StageDisplay())
    problems = [*found.facts, *found.files, *found.derived]
    if as_json:
        print_json({"problems": problems}, table="problems")
    else:
        can_rebuild = bool(found.derived)
        for problem in problems:
            typer.echo(problem)
        typer.echo(
            f"{db}: {say('cli_shared.problems', count=len(problems))}" if problems else say("cli_db.in_order", db=db)
        )
        if can_rebuild:
            remedy = next_command("db", "check", "--rebuild", db=db)
            typer.echo(say("cli_db.writes_anew", command=remedy))
    if problems:
        raise typer.Exit(errors.FAILED)


@dataclass(frozen=True, slots=True)
class _Found:
    facts: Sequence[str]
    files: Sequence[str]
    derived: Sequence[str]


def _look(storage: Storage, report: OnWorkProgress, *, rebuild: bool) -> _Found:
    """Return what is wrong, after a rebuild of what follows from the facts if these are sound."""
    facts = check_facts(storage.database, report)
    if rebuild and not facts:
        from ratings.ledger.ledger import Ledger  # all that writes, which a check alone does not need

        Ledger(storage.database).rebuild(report=report)
        Ledger(storage.database).forget_memories({wrong for wrong, _ in memory_problems(storage.database, report)})
    files = []
    for found in all_versions(storage.database):
        report(WorkStage.FILES, 0, 0)
        if found.bot.remote:
            continue  # its author has its files
        is_without = found.version.files_removed_at_us is not None
        if is_without and not storage.store.directory(found.version.content_hash).exists():
            continue  # its files were given up, or never came
        try:
            storage.store.get(found.version.content_hash)
        except StoreError as error:
            files.append(f"bot {found.bot.name} version {found.version.number}: {error}")
    if facts:
        return _Found(facts, files, ())
    memories = [problem for _, problem in memory_problems(storage.database, report)]
    return _Found((), files, [*check_ratings(storage.database, report=report), *memories])


@dataclass(frozen=True, slots=True)
class CopiedArena:
    """What was copied."""

    rows: int
    before: int
    """How many of the rows were there already."""
    digest: str
    """The hash of all rows, equal in both databases."""
    versions: int
    """How many versions of bots have their files there."""


def _copy_all(old: Storage, new: Storage, report: OnWorkProgress) -> CopiedArena:
    """Copy rows and files. Raises the errors of `copy_database`, and CliError if files cannot be copied."""
    if (other := other_key(old.store, new.store)) is not None:
        raise CliError(
            Text(
                "{other} is the key of another arena, by which a seed makes other tournaments; move it away, and "
                "copy again",
                other=other,
            )
        )
    versions = 0

    def copy_the_files() -> None:
        nonlocal versions
        try:
            versions = copy_files(old.store, new.store, lambda done, total: report(WorkStage.FILES, done, total))
        except OSError as error:
            raise CliError(
                Text("the files of the bots cannot be copied ({why}); mend that, and copy again", why=error)
            ) from error

    # The rows come first: a database with something else in it gets no files. It is finished when it has both.
    copied = copy_database(old.database, new.database, report, copy_the_files)
    return CopiedArena(sum(copied.rows.values()), copied.begun_with, copied.digest, versions)
