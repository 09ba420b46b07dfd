"""How the verbs of `arena tournament` are told which tournament and which bot."""

from __future__ import annotations

from typing import Annotated

import typer

TournamentText = Annotated[str, typer.Argument(metavar="TOURNAMENT")]
BotText = Annotated[str, typer.Argument(metavar="BOT")]
