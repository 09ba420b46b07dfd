"""Reads which runtimes the commands of this machine know."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from arena.cli.shared import settings
from arena.hosting.runtimes.catalog import NO_RUNTIMES, RuntimeCatalog
from arena.hosting.runtimes.runtime import SYSTEM_PATH, read_runtimes

RuntimesFile = Annotated[
    str,
    typer.Option(
        "--runtimes",
        envvar=settings.RUNTIMES.variable,
        metavar="FILE",
    ),
]


def local_runtimes(file: str = "") -> RuntimeCatalog:
    """Return the runtimes that a file defines, or that of the setting if it is empty. Raise RuntimeSettingsError.

    Node.js counts as installed wherever PATH leads to it: authors have it in their home directory, too.
    """
    place = file or settings.RUNTIMES.value
    defined = NO_RUNTIMES if place == settings.NO_FILE else read_runtimes(Path(place))
    own_places = [place for place in os.get_exec_path() if Path(place).is_absolute()]
    return RuntimeCatalog(defined, path=os.pathsep.join((SYSTEM_PATH, *own_places)))
