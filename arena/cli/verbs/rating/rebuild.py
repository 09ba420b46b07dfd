"""The command `arena rating rebuild`."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial
from typing import Annotated

import typer

from arena.cli.shared import errors, settings
from arena.cli.shared.connect import connect, next_command
from arena.cli.shared.interrupt import run_in_thread
from arena.cli.shared.language import say, translated
from arena.cli.shared.options import AsJson, Database, example, with_options
from arena.cli.shared.output import print_json
from arena.cli.shared.progress import StageDisplay
from arena.cli.shared.rating_pools import PoolChoice
from arena.cli.shared.storage import Storage, open_existing_storage
from ratings.ledger.check import check_facts, check_ratings
from ratings.ledger.ledger import Ledger
from ratings.read.pool_lookup import find_pool
from ratings.values.states import OnWorkProgress

app = typer.Typer()


@app.command(epilog=example("arena rating rebuild --check", "arena rating rebuild --pool 3f2a --db demo.db"))
@with_options
def rebuild(
    *,
    check: Annotated[bool, typer.Option("--check")] = False,
    choice: PoolChoice,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Recompute the ratings from the results."""
    with open_existing_storage(db) as storage, connect(db) as connection:
        work = partial(_check if check else _rebuild, storage, choice.find(connection))
        problems, outcome = run_in_thread(storage.database, work, StageDisplay())
    if as_json:
        print_json({"problems": problems}, table="problems")
    else:
        for problem in problems:
            typer.echo(translated(problem))
        typer.echo(f"{db}: {outcome}")
        if problems and check:
            typer.echo(say("cli_rating.writes_anew", command=next_command("rating", "rebuild", db=db)))
    if problems:
        raise typer.Exit(errors.FAILED)


def _check(storage: Storage, pool: str | None, report: OnWorkProgress) -> tuple[Sequence[str], str]:
    """Return what is wrong with the ratings or the results they come from, and what that means in one line."""
    if problems := check_facts(storage.database, report):
        return problems, say("cli_rating.broken_results")
    problems = check_ratings(storage.database, _pool_id(storage, pool), report)
    differ = say("cli_rating.differ", count=len(problems))
    return problems, differ if problems else say("cli_rating.all_agree")


def _rebuild(storage: Storage, pool: str | None, report: OnWorkProgress) -> tuple[Sequence[str], str]:
    """Write the ratings anew if the results are sound; return what is wrong with these, and what was done."""
    if problems := check_facts(storage.database, report):
        return problems, say("cli_rating.broken_results")
    rated = Ledger(storage.database).rebuild(_pool_id(storage, pool), report)
    return [], say("cli_rating.rebuilt", count=rated)


def _pool_id(storage: Storage, pool: str | None) -> str | None:
    return find_pool(storage.database, pool).id if pool else None
