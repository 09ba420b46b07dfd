"""The command `arena bot build-log`."""

from __future__ import annotations

from dataclasses import asdict

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import format_instant
from arena.cli.shared.connect import connect
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json, print_lines
from arena.cli.shared.saying import say
from arena.cli.verbs.bot.lineage import VersionText

app = typer.Typer()

_SHOWN_DIGITS = 12


@app.command("build-log", epilog=example("arena bot build-log fox", "arena --server club bot build-log fox@3f9a01c2"))
def build_log(text: VersionText, db: Database = settings.DB.default, as_json: AsJson = False) -> None:
    """Show what the build command of a version said."""
    with connect(db) as connection:
        log = connection.arena.bots.get_build_log(text)
    if as_json:
        print_json(asdict(log))
        return
    version = say("cli_bot.built_version", bot=log.bot, version=log.version, hash=log.content_hash[:_SHOWN_DIGITS])
    typer.echo(
        say("cli_bot.built", version=version, at=format_instant(log.built_at_us), runtime=log.runtime[:_SHOWN_DIGITS])
    )
    print_lines(log.text)
