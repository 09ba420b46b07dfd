"""What is shown of one tournament besides its matches, in one consistent view that costs the same however many."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ratings.read.answers import recorded_answer
from ratings.read.tournaments import EntrantRow, TournamentRow, standings, tournament_row
from ratings.read.waves import entrants_of
from ratings.store.sessions import Source, read
from ratings.store.waves import EnteredVersion


@dataclass(frozen=True, slots=True)
class TournamentReport:
    """A tournament, how far it is, and its entrants (best score first)."""

    row: TournamentRow
    entrants: list[EntrantRow]
    entered: list[EnteredVersion]
    """Everybody who ever entered, in the order of entry."""
    answer: dict[str, Any] | None = None
    """What ended it, for a format that plays until it knows something."""


def tournament_report(source: Source, tournament_id: str) -> TournamentReport:
    """Return what is shown of one tournament. Raises NotFoundError."""
    with read(source) as session:
        row = tournament_row(session, tournament_id)
        return TournamentReport(
            row,
            standings(session, tournament_id),
            entrants_of(session, tournament_id),
            recorded_answer(session, row.tournament),
        )
