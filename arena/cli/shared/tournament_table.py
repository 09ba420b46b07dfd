"""The table of a tournament as its format ranks the entrants, and what a command prints when a tournament is over."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import typer

from arena.cli.shared.conclusions import conclusion_lines
from arena.cli.shared.connect import ArenaConnection
from arena.cli.shared.firsts import FIRSTS, without_empty
from arena.cli.shared.output import Column, cell_text, format_percent, print_table, printable
from arena.cli.shared.saying import say, spoken
from arena.i18n.catalogue import words
from arena.i18n.standing import status_words
from arena.model.tournaments import TournamentDetail


def status_text(status: str) -> str:
    """Write what a format says of an entrant, in the language of this process."""
    return printable(status_words(status, words(spoken())))


def _place_text(place: int) -> str:
    return cell_text(place or None)


TOURNAMENT_COLUMNS = (
    Column("place", "place", right=True, write=_place_text),
    Column("bot", "bot"),
    Column("number", "version", right=True),
    Column("matches", "matches", right=True),
    *FIRSTS,
    Column("blocks", "blocks", right=True),
    Column("points", "points", right=True),
    Column("score", "score", right=True, write=format_percent),
    Column("forfeits", "forfeits", right=True),
    Column("status", "note", write=status_text),
)
"""Blocks, points and score count whole blocks only; matches, firsts and forfeits count all that was played."""


def print_standings(detail: TournamentDetail, *, as_json: bool = False) -> None:
    """Print the table of a tournament and, for people, what it has found out."""
    rows = translated_rows(detail) if as_json else [asdict(row) for row in detail.standings]
    print_table(without_empty(TOURNAMENT_COLUMNS, rows), rows, as_json=as_json)
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
