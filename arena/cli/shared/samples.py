"""Finds the directory of a bot that a command names: one that is here, or that of a sample by its name."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import typer

from arena.cli.shared.errors import MisuseError
from arena.cli.shared.saying import say
from arena.hosting.manifest import MANIFEST_NAME
from arena.hosting.manifest_fields import is_name
from arena.hosting.sample_bots import sample_directory, sample_names
from engine.text import Text


def need_some(directories: Sequence[Path] | None) -> Sequence[Path]:
    """Return the directories. Raise MisuseError, which lists the samples, if none was named."""
    if not directories:
        raise MisuseError(
            Text(
                "command.name_directory_bot_toml_sample",
                "name a directory with a bot.toml, or a sample bot: {known}",
                known=", ".join(sample_names()),
            )
        )
    return directories


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
            "command.no_such_directory_no_sample",
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
                "command.what_lies_here_under_name",
                "{name}: what lies here under that name has no {file}; to add the sample bot {name_2}, call this "
                "from another directory",
                name=named,
                file=MANIFEST_NAME,
                name_2=named,
            )
        )
    typer.echo(say("cli_shared.takes_directory", name=named), err=True)
