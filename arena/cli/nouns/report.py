"""`arena report`: a tournament as one file."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.connect import connect
from arena.cli.shared.options import Database, Language, example, write_file
from arena.cli.shared.saying import spoken

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

    del language  # it is in the environment by now
    with connect(db) as connection:
        gathered = TournamentReport(connection.arena, tournament, spoken())
        told = None
        for told in gathered.tell():
            if told.done % 50 == 0:
                typer.echo(f"told {told.done} of {told.total} matches", err=True)
        write_file(html, gathered.write(), "--html")
    done, left_out = (0, 0) if told is None else (told.done, told.left_out)
    missing = f", {left_out} left out (hidden, or kept no longer)" if left_out else ""
    size = html.stat().st_size / 1000
    typer.echo(f"written to {html}: {done - left_out} matches{missing}, {size:.0f} kB; open it in a browser")
