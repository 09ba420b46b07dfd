"""`arena bot add`: add bots from their directories, or samples by their names.

Each of several bots is added on its own, and reported, whatever becomes of the others.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import asdict, dataclass, fields, replace
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from arena.cli.shared import settings
from arena.cli.shared.cells import format_note_limit, printable
from arena.cli.shared.connect import ArenaConnection, connect, need_here, usage_of
from arena.cli.shared.errors import CliError, MisuseError, one_line
from arena.cli.shared.hosting import RuntimesFile, build_added, local_runtimes, notes_on_games, print_notes
from arena.cli.shared.language import say, translated
from arena.cli.shared.options import AsJson, Database, example
from arena.cli.shared.output import print_json
from arena.hosting.manifest import MANIFEST_NAME, BotManifest
from arena.hosting.manifest_fields import is_name
from arena.hosting.sample_bots import sample_directory, sample_names
from arena.model.bots import AddedBot
from engine.translatable import Text, without_place

if TYPE_CHECKING:
    from arena.hosting.runtimes.catalog import RuntimeCatalog

app = typer.Typer()

_SUBMIT = "`arena bot submit DIRECTORY` sends a bot to a service"
_SHOWN_DIGITS = 12


@dataclass(frozen=True, slots=True)
class _Outcome:
    """What came of adding one directory: the version, or why there is none."""

    directory: Path
    added: AddedBot | None
    error: str | None = None
    """One line in English, as errors are."""
    notes: Sequence[str] = ()
    """What its author should know although it was added."""

    def facts(self) -> dict[str, Any]:
        """Return it for programs; it has the same keys whether the bot was added or not."""
        nothing: dict[str, Any] = {**dict.fromkeys(field.name for field in fields(AddedBot)), "new": False}
        found = nothing if self.added is None else asdict(self.added)
        return {**found, "directory": str(self.directory), "error": self.error}


@app.command(epilog=example("arena bot add my-bot", "arena bot add greedy search", "arena bot add my-bot --owner ada"))
def add(
    directories: Annotated[list[Path] | None, typer.Argument(metavar="DIRECTORY...")] = None,
    owner: Annotated[str | None, typer.Option()] = None,
    runtimes: RuntimesFile = settings.RUNTIMES.default,
    db: Database = settings.DB.default,
    as_json: AsJson = False,
) -> None:
    """Add bots, or new versions of bots."""
    if not directories:
        raise MisuseError(
            Text("name a directory with a bot.toml, or a sample bot: {known}", known=", ".join(sample_names()))
        )
    outcomes = []
    place, known = need_here(db, _SUBMIT), local_runtimes(runtimes)
    with connect(place, makes=True) as connection:
        for outcome in _add_each(connection, directories, owner, known):
            outcomes.append(outcome)
            _print_outcome(outcome, as_json=as_json)
        if as_json:
            print_json([outcome.facts() for outcome in outcomes])
        if owner is not None and any(outcome.added for outcome in outcomes):
            typer.echo(format_note_limit(usage_of(connection, owner)), nl=False, err=True)
    failed = sum(outcome.added is None for outcome in outcomes)
    if failed:
        raise CliError(
            Text(
                "{count} of {number} bots were not added; mend them and add them again, what was added stays",
                count=failed,
                number=len(directories),
            )
        )


def _add_each(
    connection: ArenaConnection, named: Sequence[Path], owner: str | None, known: RuntimeCatalog
) -> Iterator[_Outcome]:
    """Add one directory after the other, and yield what came of each.

    The error of a directory that is alone is raised; so is one of the database, which none of them could escape.
    """
    from arena.app.bot_store import add_bot  # only who adds bots here imports the database
    from ratings.errors import DatabaseError

    assert connection.storage is not None
    programs = replace(connection.storage.programs, runtimes=known)
    for name in named:
        try:
            directory = bot_directory(name)
            added = add_bot(connection.storage.database, programs, directory, owner, build_added)
            manifest = BotManifest.from_json(added.manifest)
            notes = [*notes_on_games(manifest.games), *known.notes_on_packages(manifest, directory)]
            yield _Outcome(name, added, notes=notes)
        except DatabaseError:
            raise
        except Exception as error:
            line = one_line(error)
            if line is None or len(named) == 1:
                raise
            yield _Outcome(name, None, without_place(line, name))


def _print_outcome(outcome: _Outcome, *, as_json: bool) -> None:
    """Say what came of a directory; for programs, only what they are not told in JSON."""
    added = outcome.added
    if added is None:
        if not as_json:
            why = translated(outcome.error or "")
            typer.echo(say("cli_bot.not_added", directory=printable(str(outcome.directory)), why=why), err=True)
        return
    print_notes(outcome.notes)
    if not as_json:
        version = {"bot": added.bot, "version": added.number, "hash": added.content_hash[:_SHOWN_DIGITS]}
        typer.echo(say("cli_bot.added" if added.new else "cli_bot.already_there", **version))


def bot_directory(named: Path) -> Path:
    """Return the directory that is named: what lies here goes first, then the sample bot of that name.

    A note on stderr tells when both are there. Raise MisuseError, which lists the samples, if neither is.
    """
    if not is_name(str(named)):
        return named
    samples = sample_names()
    if named.exists():
        if str(named) in samples:
            _print_which(named)
        return named
    if str(named) in samples:
        return sample_directory(str(named))
    raise MisuseError(
        Text(
            "{name}: there is no such directory, and no sample bot of that name; the samples are {known}",
            name=named,
            known=", ".join(samples),
        )
    )


def _print_which(named: Path) -> None:
    """Say that the directory is taken and not the sample. Raise MisuseError if it holds no bot."""
    if not (named / MANIFEST_NAME).is_file():
        raise MisuseError(
            Text(
                "{name}: what lies here under that name has no {file}; to add the sample bot {name_2}, call this "
                "from another directory",
                name=named,
                file=MANIFEST_NAME,
                name_2=named,
            )
        )
    typer.echo(say("cli_shared.takes_directory", name=named), err=True)
