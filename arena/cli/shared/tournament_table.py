"""The table of a tournament as its format sees it, and what a command ends with."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import typer

from arena.cli.shared.conclusions import answer_lines
from arena.cli.shared.output import Column, print_table
from arena.cli.shared.storage import Book
from arena.cli.shared.suggestions import next_command
from arena.tournament.stored import standings_of
from ratings.read import queries
from ratings.read.waves import tournament_waves
from ratings.store.database import Source, read
from ratings.store.models import Tournament

COLUMNS = (
    Column("place", "PLACE", right=True),
    Column("bot", "BOT"),
    Column("number", "VERSION", right=True),
    Column("matches", "MATCHES", right=True),
    Column("wins", "WINS", right=True),
    Column("blocks", "BLOCKS", right=True),
    Column("points", "POINTS", right=True),
    Column("score", "SCORE", right=True, write=lambda score: f"{100 * score:.1f}%"),
    Column("forfeits", "FORFEITS", right=True),
    Column("status", "NOTE"),
)
"""Blocks, points and score are of whole blocks; matches, wins and forfeits of all that were played."""


def standing_facts(source: Source, tournament: Tournament) -> list[dict[str, Any]]:
    """A row for each entrant, best first; of a single match without what only formats know."""
    rows = {row.version_id: asdict(row) for row in queries.standings(source, tournament.id)}
    standings = standings_of(tournament_waves(source, tournament.id))
    if standings is None:
        none = {"blocks": 0, "points": 0, "status": ""}
        return [{"place": place, **row, **none} for place, row in enumerate(rows.values(), start=1)]
    return [
        {
            **rows[standing.entrant],
            "place": standing.place,
            "blocks": standing.blocks,
            "points": standing.points,
            "score": standing.score,
            "status": standing.status,
        }
        for standing in standings
    ]


def print_end(book: Book, tournament: Tournament, *, as_json: bool = False) -> None:
    """The standings, and where to look next."""
    with read(book.engine) as session:
        facts = standing_facts(session, tournament)
        answers = answer_lines(session, tournament.id)
    print_table(COLUMNS, facts, as_json=as_json)
    if not as_json:
        for line in answers:
            typer.echo(line)
        typer.echo(f"\n`{next_command('leaderboard', db=book.place)}` shows the ratings")
        show = next_command("tournament", "show", tournament.name, "--matches", db=book.place)
        typer.echo(f"`{show}` shows the matches")
