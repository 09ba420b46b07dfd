"""`arena report`: a tournament as one file."""

from __future__ import annotations

from contextlib import closing
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect
from arena.cli.shared.errors import CliError
from arena.cli.shared.files import written
from arena.cli.shared.language import language_of_names, say
from arena.cli.shared.options import Database, Language, example
from arena.cli.shared.progress import ProgressDisplay
from engine.translatable import Text

app = typer.Typer()


@app.command("report", epilog=example("arena report monday --html monday.html"))
def report(
    tournament: Annotated[str, typer.Argument(metavar="TOURNAMENT")],
    html: Annotated[Path, typer.Option("--html", metavar="FILE")],
    language: Language = settings.LANG.default,
    db: Database = settings.DB.default,
) -> None:
    """Write a tournament and its replays into one HTML file."""
    from arena.web.report.match_packing import PackingError
    from arena.web.report.report_file import is_report
    from arena.web.report.tournament_report import (
        TournamentReportFile,  # the web's libraries are imported by nobody else
    )

    with connect(db) as connection:
        gathered = TournamentReportFile(connection.arena, tournament, language_of_names(language, as_json=False))
        with written(html, "--html", is_report) as file:
            try:
                with closing(gathered.pack()) as packing:
                    told = next(packing)
                    display = ProgressDisplay(0, told.total)
                    for told in packing:
                        display.update(told.done)
                display.end(told.done)
            except PackingError as error:
                raise CliError(
                    Text("a process that packs matches was killed; try again with less beside it")
                ) from error
            file.write(gathered.write())
    missing = say("cli_report.left_out", count=told.left_out) if told.left_out else ""
    size = html.stat().st_size / 1000
    typer.echo(
        say("cli_report.written", file=html, count=told.done - told.left_out, missing=missing, size=f"{size:.0f}")
    )
