"""The command `arena bot remove`: for what was added by mistake and has not played."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json
from arena.cli.shared.saying import say

app = typer.Typer()


@app.command(epilog=example("arena bot remove foxx", "arena bot remove fox@3f9a01c2"))
def remove(
    text: Annotated[str, typer.Argument(metavar="BOT")],
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Take a bot away that has not played."""
    with connect(db) as connection:
        removed = connection.arena.bots.remove_bot(text)
    if as_json:
        print_json(asdict(removed))
    elif removed.is_whole:
        typer.echo(say("cli_bot.removed", bot=removed.bot, versions=removed.versions))
    else:
        typer.echo(say("cli_bot.removed_version", bot=text))
