"""What a command says after it took results out of the count."""

from __future__ import annotations

from dataclasses import asdict
from typing import Annotated

import typer

from arena.cli.shared.output import print_json
from arena.cli.shared.saying import say
from ratings.values.tournaments import Annulled

Why = Annotated[str, typer.Option("--why", metavar="TEXT")]


def print_annulled(done: Annulled, *, as_json: bool) -> None:
    """Print how many matches count no more, and in how many pools the ratings were computed anew."""
    if as_json:
        print_json(asdict(done))
    elif not done.matches:
        typer.echo(say("cli_shared.annulled_already", why=done.annulment.why))
    else:
        typer.echo(say("cli_shared.annulled", count=done.matches, pools=len(done.pools)))
