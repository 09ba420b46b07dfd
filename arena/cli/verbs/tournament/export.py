"""`arena tournament export` and `import`: a whole tournament as one file."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json
from arena.cli.shared.request import find_tournament
from arena.cli.shared.storage import open_book, open_existing_book
from arena.cli.shared.suggestions import next_command
from arena.tournament.create import check_name
from ratings.read.archive.exporting import export_tournament
from ratings.read.archive.importing import import_tournament
from ratings.store.database import read, write


def export(
    tournament: Annotated[str, typer.Argument(metavar="TOURNAMENT", help="Its name, or its id.")],
    target: Annotated[Path, typer.Argument(metavar="FILE", help="The new file; it must not exist yet.")],
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Write a tournament that is over into one file.

    Matches, replays, faults and ratings; the programs of the bots are not part of it.
    """
    with open_existing_book(db) as book, read(book.engine) as session:
        found = find_tournament(session, tournament)
        digest = export_tournament(session, found, target)
    if as_json:
        print_json({"tournament": found.id, "name": found.name, "file": str(target), "digest": digest})
        return
    typer.echo(f"tournament {found.name} written to {target}")
    typer.echo(f"digest {digest}")
    typer.echo(f"`arena tournament import {target} --db OTHER.db` reads it; --digest there makes sure it is this one")


def import_(
    source: Annotated[Path, typer.Argument(metavar="FILE", help="What `arena tournament export` wrote.")],
    name: Annotated[str | None, typer.Option("--name", help="Call it so here, when its own name is taken.")] = None,
    digest: Annotated[
        str | None, typer.Option("--digest", metavar="HEX", help="Refuse a file that has another digest.")
    ] = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Read an exported tournament into a database.

    All of it or nothing; its matches are rated anew, after what the pool has.
    """
    if name is not None:
        check_name(name)
    with open_book(db) as book, write(book.engine) as session:
        imported = import_tournament(session, source, name=name, digest=digest)
    if as_json:
        print_json(asdict(imported))
        return
    typer.echo(f"tournament {imported.name} imported: {imported.matches} matches, {_ratings(imported.same_ratings)}")
    show = next_command("tournament", "show", imported.name, db=db)
    typer.echo(f"`{show}` shows it")


def _ratings(same: bool | None) -> str:
    if same is None:
        return "rated after what the pool has"
    return "with the ratings of the file" if same else "but its ratings are not those of the file"


def add_to(app: typer.Typer) -> None:
    """Give the noun its two verbs."""
    lines = ("arena tournament export monday monday.arena", "arena tournament import monday.arena --db copy.db")
    app.command("export", epilog=example(lines[0]))(export)
    app.command("import", epilog=example(lines[1]))(import_)
