"""`arena home`: the directory of a service as a whole: backed up, restored, kept within its limits."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import asdict
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import errors, settings
from arena.cli.shared.language import knows, say, translated
from arena.cli.shared.options import AsJson, example
from arena.cli.shared.output import print_json, print_note
from arena.service.home import Home, with_book

HomeDirectory = Annotated[Path, typer.Option("--home", envvar=settings.HOME.variable, metavar="DIR")]
_HERE = Path(settings.HOME.default)

app = typer.Typer(
    epilog=example("arena home backup monday.tar.gz", "arena home restore monday.tar.gz --home /srv/arena-2")
)


@app.command(epilog=example("arena home backup monday.tar.gz --home /srv/arena"))
def backup(
    target: Annotated[Path, typer.Argument(metavar="FILE")], home: HomeDirectory = _HERE, as_json: AsJson = False
) -> None:
    """Copy a service into one archive, even while it runs."""
    from arena.service.maintenance.backup import back_up_home

    place = _home_at(home)
    done = back_up_home(place, target, print_note)
    if as_json:
        print_json({"file": str(target), "bytes": done.size_bytes, **asdict(done.counts), "missing": done.missing})
        return
    typer.echo(
        say(
            "cli_home.backed_up",
            home=place.directory,
            file=target,
            size=f"{done.size_bytes / 1000000.0:.1f}",
            counts=_counted(asdict(done.counts)),
        )
    )
    typer.echo(say("cli_home.holds_password" if done.has_password else "cli_home.holds_secrets", file=target))


@app.command(epilog=example("arena home restore monday.tar.gz --home /srv/arena-2"))
def restore(
    archive: Annotated[Path, typer.Argument(metavar="FILE")],
    home: Annotated[Path, typer.Option("--home", metavar="NEWDIR")],
    as_json: AsJson = False,
) -> None:
    """Restore a service from an archive into a new directory."""
    from arena.service.maintenance.restore import restore_home

    done = restore_home(archive, home, print_note)
    from arena.service.settings import load_settings

    said = load_settings(done.home.settings_file, {}, os.environ).resolved
    played = next(one for one in said if one.row.key == "service.database")
    if as_json:
        print_json(
            {
                "home": str(done.home.directory),
                "made_at": done.archive.made_at,
                **done.archive.counts,
                "missing": done.archive.missing,
                "problems": done.problems,
                "database": played.shown or str(done.home.database),
                "database_was": done.database_was,
            }
        )
    else:
        for problem in done.problems:
            typer.echo(translated(problem))
        state = say("cli_shared.problems", count=len(done.problems)) if done.problems else say("cli_home.in_order")
        typer.echo(
            say(
                "cli_home.restored",
                home=done.home.directory,
                at=done.archive.made_at,
                counts=_counted(done.archive.counts),
            )
        )
        typer.echo(say("cli_home.goes_on", state=state, home=done.home.directory))
        if played.value:
            typer.echo(say("cli_home.plays_another", origin=played.origin, database=played.shown))
        elif done.database_was:
            typer.echo(say("cli_home.plays_file", file=done.home.database, settings=done.home.settings_file))
    if done.problems:
        raise typer.Exit(errors.FAILED)


@app.command(epilog=example("arena home retention --home /srv/arena", "arena home retention --apply"))
def retention(
    home: HomeDirectory = _HERE, apply: Annotated[bool, typer.Option("--apply")] = False, as_json: AsJson = False
) -> None:
    """Show what is due for removal under [retention], when and why."""
    from arena.service.maintenance.retention import RetentionReport, retention_report

    place = _home_at(home)
    report: RetentionReport = retention_report(place, os.environ, applies=apply)
    if as_json:
        print_json(report.to_json())
        return
    for line in report.lines():
        typer.echo(translated(line))


def _home_at(directory: Path) -> Home:
    from arena.service.settings import load_settings

    home = Home(directory.absolute())
    if not home.settings_file.is_file():
        return home
    return with_book(home, load_settings(home.settings_file, {}, os.environ).values.service.database)


def _counted(counts: Mapping[str, int]) -> str:
    return ", ".join(_count_text(name, count) for name, count in counts.items())


def _count_text(name: str, count: int) -> str:
    text_id = f"cli_home.count_{name}"
    return say(text_id, count=count) if knows(text_id) else f"{count} {name.replace('_', ' ')}"  # a later release's
