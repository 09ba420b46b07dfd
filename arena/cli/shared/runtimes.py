"""Reads which runtimes the commands of this machine know."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.hosting.runtimes.book import Runtimes
from arena.hosting.runtimes.settings import read_runtimes

RuntimesFile = Annotated[
    str,
    typer.Option(
        "--runtimes",
        envvar=settings.RUNTIMES.variable,
        metavar="FILE",
        help="A file that defines runtimes besides arena and bundled.",
    ),
]


def local_runtimes(file: str = "") -> Runtimes:
    """Return the runtimes that a file defines, or that of the setting if it is empty. Raise RuntimeSettingsError."""
    place = file or settings.RUNTIMES.value
    return Runtimes() if place == settings.NO_FILE else Runtimes(read_runtimes(Path(place)))
