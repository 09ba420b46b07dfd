"""How the verbs of `arena tournament` are told which tournament and which bot."""

from __future__ import annotations

from typing import Annotated

import typer

TournamentText = Annotated[
    str, typer.Argument(metavar="TOURNAMENT", help="Its name, or its id, or a beginning or end of the id.")
]
BotText = Annotated[str, typer.Argument(metavar="BOT", help="Its name, or name@hash for one version of it.")]
