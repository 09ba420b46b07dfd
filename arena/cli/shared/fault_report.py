"""What a run says of the faults of bots: who did what, how often, and how to see one of them with its evidence."""

from __future__ import annotations

import typer

from arena.cli.shared.matches import short_match_id
from arena.cli.shared.output import print_table
from arena.cli.shared.saying import say
from arena.cli.shared.suggestions import next_command
from arena.model.columns import BOT_FAULTS
from arena.model.matches import ANY_FAULT
from arena.model.tournaments import TournamentDetail

_MOST_SHOWN = 10


def print_faults(detail: TournamentDetail, db: str, *, err: bool = False) -> None:
    """Print what bots did wrong in a tournament of the arena at `db`, by bot and cause; nothing if none did.

    Below stands which commands show one of these matches, and all of them.
    """
    if not detail.faults:
        return
    typer.echo("\n" + say("cli_shared.faults"), err=err)
    print_table(BOT_FAULTS, detail.faults[:_MOST_SHOWN], as_json=False, err=err)
    one = next_command("match", "show", short_match_id(detail.faults[0].match_id), db=db)
    every = next_command("match", "list", detail.summary.name, "--fault", ANY_FAULT, db=db)
    typer.echo(say("cli_shared.shows_faults", one=one, every=every), err=err)
