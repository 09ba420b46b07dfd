"""The command `arena replay html`."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import short_match_id
from arena.cli.shared.errors import CliError
from arena.cli.shared.files import written
from arena.cli.shared.options import Database, Language, example
from arena.cli.shared.saying import language_of_names, say
from arena.cli.verbs.replay.finding import ReplayName, find_document
from arena.story.errors import StoryError
from engine.text import Text

app = typer.Typer()


@app.command("html", epilog=example("arena replay html 3f9a01c2", "arena replay html 3f9a01c2 --output match.html"))
def html(
    match: ReplayName,
    output: Annotated[Path | None, typer.Option("--output", metavar="FILE")] = None,
    language: Language = settings.LANG.default,
    db: Database = settings.DB.default,
) -> None:
    """Write a match with its viewer into one HTML file."""
    document = find_document(match, db)
    from arena.web.report.page import is_report
    from arena.web.report.tournament_report import write_match  # the web's libraries are imported by nobody else

    file = output or Path(f"match-{short_match_id(document['match_id'])}.html")
    with written(file, "--output", is_report) as stream:
        try:
            stream.write(write_match(document, language_of_names(language, as_json=False)))
        except StoryError as error:
            raise CliError(Text("command.match_cannot_shown", "the match cannot be shown: {why}", why=error)) from error
    typer.echo(say("cli_replay.written", file=file, size=f"{file.stat().st_size / 1000:.0f}"))
