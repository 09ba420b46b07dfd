"""The options of `arena doctor --profile`, and what is refused of them."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated

import typer

from arena.cli.shared.connect import was_written
from arena.cli.shared.errors import CliError, MisuseError
from arena.cli.shared.options import Workers
from arena.hosting.procfs.processes import has_proc
from engine.text import Text

DEFAULT_SECONDS = 5.0
MOST_SECONDS = 600.0


@dataclass(frozen=True, slots=True, kw_only=True)
class ProfileOptions:
    """Whether time is measured, and of what."""

    profile: Annotated[bool, typer.Option("--profile")] = False
    seconds: Annotated[float, typer.Option("--seconds", min=1.0, max=MOST_SECONDS, metavar="N")] = DEFAULT_SECONDS
    game: Annotated[str | None, typer.Option("--game", metavar="GAME")] = None
    workers: Workers = 0

    def check(self, context: typer.Context) -> None:
        """Raise MisuseError for an option that has no part in this, and CliError where nothing can be measured."""
        written = [field.name for field in fields(self) if was_written(context.get_parameter_source(field.name))]
        if not self.profile and written:
            raise MisuseError(
                Text(
                    "command.belongs_profile_add_profile_leave",
                    "--{name} belongs to --profile; add --profile, or leave it out",
                    name=written[0],
                )
            )
        if self.profile and was_written(context.get_parameter_source("db")):
            raise MisuseError(
                Text(
                    "command.profile_plays_database_own_leave",
                    "--profile plays in a database of its own; leave out --db",
                )
            )
        if self.profile and not has_proc():
            raise CliError(
                Text(
                    "command.what_processes_use_read_proc",
                    "what processes use is read from /proc, which is not here; measure on Linux",
                )
            )
