"""`arena report`: a tournament as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect
from arena.cli.shared.options import Database, Language, check_page, example, write_file
from arena.cli.shared.saying import language_of_names, say

app = typer.Typer()


@app.command("report", epilog=example("arena report monday --html monday.html"))
def report(
    tournament: Annotated[str, typer.Argument(metavar="TOURNAMENT")],
    html: Annotated[Path, typer.Option("--html", metavar="FILE")],
    language: Language = settings.LANG.default,
    db: Database = settings.DB.default,
) -> None:
    """Write a tournament into one HTML file, with its replays."""
    from arena.web.report.gathering import TournamentReport  # the web's libraries are imported by nobody else

    check_page(html, "--html")
    with connect(db) as connection:
        gathered = TournamentReport(connection.arena, tournament, language_of_names(language, as_json=False))
        told = None
        for told in gathered.tell():
            if told.done % 50 == 0:
                typer.echo(say("cli_report.told", done=told.done, total=told.total), err=True)
        write_file(html, gathered.write(), "--html")
    done, left_out = (0, 0) if told is None else (told.done, told.left_out)
    missing = say("cli_report.left_out", count=left_out) if left_out else ""
    size = html.stat().st_size / 1000
    typer.echo(say("cli_report.written", file=html, count=done - left_out, missing=missing, size=f"{size:.0f}"))
