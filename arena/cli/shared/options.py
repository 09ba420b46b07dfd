"""The options that several commands share, and how their texts are read.

What a match or a tournament is made of stands in `request`, how its bots are hosted in `hosting_options`.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.errors import MISUSE, MisuseError
from arena.cli.shared.files import write_file
from arena.cli.shared.forms import excluding, take_json
from arena.cli.shared.places import read_place
from arena.cli.shared.styles import Style, wanted_style
from arena.hosting.procfs.machine import count_cores
from engine.text import Text

Database = Annotated[
    str,
    typer.Option(
        "--db",
        envvar=settings.DB.variable,
        metavar="FILE",
        callback=read_place,
    ),
]
Server = Annotated[
    str,
    typer.Option("--server", envvar=settings.SERVER.variable, metavar="NAME"),
]
AsJson = Annotated[bool, typer.Option("--json", callback=take_json)]
DryRun = Annotated[bool, typer.Option("--dry-run")]
AsCsv = Annotated[bool, typer.Option("--csv")]
Language = Annotated[str, typer.Option("--lang", envvar=settings.LANG.variable, metavar="LANG", show_default=False)]
PoolOption = Annotated[str | None, typer.Option("--pool", "-p", metavar="ID")]
SvgFile = Annotated[Path | None, typer.Option("--svg", metavar="FILE")]
GameOptions = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="KEY=VALUE"),
]
Workers = Annotated[
    int,
    typer.Option(envvar=settings.WORKERS.variable, min=0, max=256, metavar="N"),
]


def example(*lines: str) -> str:
    """Return the epilog of a command's help: its examples, line by line; the heading comes with the help's texts."""
    return "\n".join(f"  {line}" for line in lines)


def print_help_without_verb(context: typer.Context) -> None:
    """Show the help of a noun that was called without a verb, and end as misuse. This is a noun's callback."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(MISUSE)


def parse_style(*, as_json: bool, as_csv: bool) -> Style:
    """Return what `--json`, `--csv` and `--markdown` ask for. Raise MisuseError if several are given."""
    if as_json and as_csv:
        raise excluding()
    return wanted_style() if as_json else Style.CSV if as_csv else Style.PEOPLE


def parse_assignments(texts: Sequence[str] | None) -> dict[str, str]:
    """Return `["a=1", "b=x"]` as a mapping. Raise MisuseError for a text without key, or a key given twice."""
    values: dict[str, str] = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise MisuseError(
                Text(
                    "command.option_not_key_value_write",
                    "--option {text} is not KEY=VALUE; write --option {key}=VALUE, `arena game show GAME` lists "
                    "names and values",
                    text=repr(text),
                    key=key or "NAME",
                )
            )
        if key in values:
            raise MisuseError(
                Text("command.option_given_twice_give_once", "--option {key} is given twice; give it once", key=key)
            )
        values[key] = value
    return values


def parse_names(text: str, what: str) -> list[str]:
    """Return the names in `a,b,c`, the value of the option `what`. Raise MisuseError if there is none."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise MisuseError(
            Text(
                "command.names_nothing_write_example_random",
                "--{option} names nothing; write for example --{option_2} random,greedy",
                option=what,
                option_2=what,
            )
        )
    return names


def worker_count(workers: int) -> int:
    """Return the number of workers that `--workers` means: 0 is one for each core this process may use."""
    return workers or count_cores()


def write_svg(file: Path, picture: str) -> None:
    """Write a picture into a file. Raise MisuseError if the place cannot be written to."""
    write_file(file, picture, "--svg")
