"""The command `arena bot rename`: for what was added under a wrong name and has not played."""

from __future__ import annotations

from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json
from arena.cli.shared.saying import say

app = typer.Typer()


@app.command(epilog=example("arena bot rename foxx fox"))
def rename(
    name: Annotated[str, typer.Argument(metavar="BOT")],
    new: Annotated[str, typer.Argument(metavar="NEW_NAME")],
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Give a bot that has not played another name."""
    with connect(db) as connection:
        renamed = connection.arena.bots.rename_bot(name, new)
    stated = renamed.newest.manifest.get("name")
    if as_json:
        print_json({"name": renamed.name, "owner": renamed.owner, "named_in_bot_toml": stated})
        return
    typer.echo(say("cli_bot.renamed", bot=renamed.name))
    if not renamed.remote and stated != new:
        typer.echo(say("cli_bot.rename_there_too", bot=renamed.name, name=stated, new=new), err=True)
