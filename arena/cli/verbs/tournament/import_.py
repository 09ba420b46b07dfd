"""The command `arena tournament import`: the file of an exported tournament comes into a database."""

from __future__ import annotations

from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json
from arena.cli.shared.saying import say
from arena.cli.shared.storage import open_storage
from arena.cli.shared.suggestions import next_command
from arena.tournament.creation import check_name
from ratings.ledger.ledger import Ledger

app = typer.Typer()


@app.command("import", epilog=example("arena tournament import monday.arena --db copy.db"))
def import_(
    source: Annotated[Path, typer.Argument(metavar="FILE")],
    name: Annotated[str | None, typer.Option("--name")] = None,
    digest: Annotated[str | None, typer.Option("--digest", metavar="HEX")] = None,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Read an exported tournament into a database."""
    if name is not None:
        check_name(name)
    with open_storage(db) as storage:
        imported = Ledger(storage.database).import_tournament(source, name=name, digest=digest)
    if as_json:
        print_json(asdict(imported))
        return
    typer.echo(
        say(
            "cli_tournament.imported",
            name=imported.name,
            count=imported.matches,
            ratings=_ratings(imported.same_ratings),
        )
    )
    show = next_command("tournament", "show", imported.name, db=db)
    typer.echo(say("cli_tournament.shows_it", command=show))


def _ratings(same: bool | None) -> str:
    if same is None:
        return say("cli_tournament.rated_after")
    return say("cli_tournament.rated_same") if same else say("cli_tournament.rated_other")
