"""What the commands of all formats have in common: they order a tournament, see it to its end, and print its table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

import typer

from arena.cli.shared.connect import connect
from arena.cli.shared.forecast import print_forecast
from arena.cli.shared.granting import check_cores
from arena.cli.shared.hosting_options import LOCAL, HostingOptions
from arena.cli.shared.options import example
from arena.cli.shared.play import announce, play
from arena.cli.shared.request import Request, tournament_request
from arena.cli.shared.tournament_table import print_end
from arena.tournament.formats.format import Format

Unrated = Annotated[bool, typer.Option("--unrated")]
RetireAfter = Annotated[
    int,
    typer.Option("--retire-after", min=0, metavar="N"),
]


@dataclass(frozen=True, slots=True, kw_only=True)
class Target:
    """Where a tournament is written to, under which name, and how its table is printed."""

    db: str
    name: str | None
    rated: bool
    same_owner: bool
    """Whether bots of one owner may meet although it is rated."""
    dry_run: bool
    """Whether only to say what would be played."""
    as_json: bool


def run_example(*lines: str) -> str:
    """Return the epilog of a format's help: examples, each given by what follows `--game foreign_king`."""
    words = (line.partition(" ") for line in lines)
    return example(*(f"arena tournament run {verb} --game foreign_king {rest}" for verb, _, rest in words))


def run_tournament(
    form: Format, entrants: Sequence[str], request: Request, hosting: HostingOptions, target: Target
) -> None:
    """Order a tournament of these entrants, in this order, see it to its end, and print its table.

    In a dry run, only what would be played is printed.
    """
    order = tournament_request(
        request, form, entrants, name=target.name, rated=target.rated, same_owner=target.same_owner
    )
    if target.dry_run:
        print_forecast(target.db, order, hosting.workers, as_json=target.as_json)
        return
    with connect(target.db, makes=True) as connection:
        if hosting.executor == LOCAL:
            check_cores(connection, request.cores, hosting.workers)
        planned = connection.arena.tournaments.create_tournament(order)
        announce(planned)
        detail = play(connection, planned.id, hosting)
        print_end(connection, detail, as_json=target.as_json)
