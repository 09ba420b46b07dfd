"""The options that several commands share, and how their texts are read."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.cli.shared.errors import MISUSE, MisuseError
from arena.cli.shared.output import Style

Database = Annotated[
    str, typer.Option("--db", envvar=settings.DB.variable, metavar="FILE", help="The database; made when missing.")
]
AsJson = Annotated[bool, typer.Option("--json", help="Write JSON, for programs.")]
AsCsv = Annotated[bool, typer.Option("--csv", help="Write comma-separated values, for spreadsheets.")]
Language = Annotated[
    str, typer.Option("--lang", envvar=settings.LANG.variable, metavar="LANG", help="Language of names for people.")
]
PoolOption = Annotated[
    str | None,
    typer.Option("--pool", "-p", metavar="ID", help="Which pool, by the beginning of its id; the only one by default."),
]
SvgFile = Annotated[Path | None, typer.Option("--svg", metavar="FILE", help="Also draw the position into this file.")]
GameOptions = Annotated[
    list[str] | None,
    typer.Option("--option", "-o", metavar="KEY=VALUE", help="An option of the game; may be repeated."),
]
Workers = Annotated[
    int,
    typer.Option(
        envvar=settings.WORKERS.variable, min=0, max=256, metavar="N", help="Matches at once; 0 = one per core."
    ),
]


def example(*lines: str) -> str:
    """The epilog of a command's help: its examples, kept line by line."""
    return "\b\nExample:\n" + "\n".join(f"  {line}" for line in lines)


def print_help_without_verb(context: typer.Context) -> None:
    """The callback of a noun: alone it shows its help, and counts as misuse."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help(), err=True)
        raise typer.Exit(MISUSE)


def parse_style(*, as_json: bool, as_csv: bool) -> Style:
    """What `--json` and `--csv` ask for. Raises MisuseError."""
    if as_json and as_csv:
        raise MisuseError("--json and --csv exclude each other; give one of them")
    return Style.JSON if as_json else Style.CSV if as_csv else Style.PEOPLE


def parse_assignments(texts: Sequence[str] | None) -> dict[str, str]:
    """`["a=1", "b=x"]` as a mapping. Raises MisuseError."""
    values: dict[str, str] = {}
    for text in texts or ():
        key, equals, value = text.partition("=")
        if not key or not equals:
            raise MisuseError(
                f"--option {text!r} is not KEY=VALUE; write --option {key or 'NAME'}=VALUE, "
                "`arena game show GAME` lists names and values"
            )
        if key in values:
            raise MisuseError(f"--option {key} is given twice; give it once")
        values[key] = value
    return values


def parse_names(text: str, what: str) -> list[str]:
    """`a,b,c` as a list without blanks. Raises MisuseError."""
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise MisuseError(f"--{what} names nothing; write for example --{what} random,greedy")
    return names


def worker_count(workers: int) -> int:
    """The number of workers meant by `--workers`: 0 is one for each core this process may use."""
    return workers or len(os.sched_getaffinity(0))


def write_svg(file: Path, picture: str) -> None:
    """Write a picture. Raises MisuseError when the place cannot be written to."""
    try:
        file.write_text(picture, encoding="utf-8")
    except OSError as error:
        raise MisuseError(f"cannot write {file}: {error.strerror}; name another file after --svg") from error
