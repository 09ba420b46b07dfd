"""The table of a tournament as its format ranks the entrants, and what a command prints when a tournament is over."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import typer

from arena.cli.shared.conclusions import conclusion_lines
from arena.cli.shared.connect import ArenaConnection
from arena.cli.shared.output import print_table
from arena.cli.shared.saying import say
from arena.model.columns import STANDINGS, without_empty
from arena.model.tournaments import TournamentDetail


def print_standings(detail: TournamentDetail, *, as_json: bool = False) -> None:
    """Print the table of a tournament and, for people, what it has found out."""
    rows = translated_rows(detail) if as_json else detail.standings
    print_table(without_empty(STANDINGS, rows), rows, as_json=as_json)
    if not as_json:
        for line in conclusion_lines(detail):
            typer.echo(line)


def translated_rows(detail: TournamentDetail) -> list[dict[str, Any]]:
    """Return the rows of the table for programs, each with what its bot did wrong."""
    faults: dict[tuple[str, int], list[dict[str, Any]]] = {}
    for one in detail.faults:
        told = {"cause": one.cause, "matches": one.matches, "match_id": one.match_id}
        faults.setdefault((one.bot, one.version), []).append(told)
    return [{**asdict(row), "faults": faults.get((row.bot, row.number), [])} for row in detail.standings]


def print_end(connection: ArenaConnection, detail: TournamentDetail, *, as_json: bool = False) -> None:
    """Print the table and the conclusion of a tournament, and where to look next."""
    print_standings(detail, as_json=as_json)
    if not as_json:
        typer.echo("\n" + say("cli_shared.shows_ratings", command=connection.command("leaderboard")))
        show = connection.command("tournament", "show", detail.summary.name, "--matches")
        typer.echo(say("cli_shared.shows_matches", command=show))
