"""`arena bot admission`: what the checks of a version found."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import format_instant
from arena.cli.shared.connect import connect
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_facts, print_json
from arena.cli.shared.saying import named, say, told
from arena.cli.verbs.bot.findings import finding_lines
from ratings.values.states import AdmissionState

app = typer.Typer()


@app.command(epilog=example("arena --server club bot admission my-bot", "arena bot admission ada/fox@3f9a01c2"))
def admission(
    version: Annotated[str, typer.Argument(metavar="BOT")],
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Show what the checks of a version found."""
    with connect(db) as connection:
        found = connection.arena.admissions.get_admission(version)
    if as_json:
        print_json(asdict(found))
        return
    print_facts(
        {
            "bot": say("cli_bot.version_of", bot=found.bot, version=found.version, hash=found.content_hash[:12]),
            "state": named("admission.", found.state.value),
            "asked_for": format_instant(found.requested_at_us),
            "ended": format_instant(found.ended_at_us),
            "waits" if found.state is AdmissionState.QUEUED else "verdict": found.summary and told(found.summary),
        }
    )
    for line in finding_lines(found):
        typer.echo(line)
