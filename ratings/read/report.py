"""What is shown of one tournament besides its matches, in one consistent view that costs the same however many."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from ratings.read.leaks import LeakRow, count_leak_checks, flagged_checks
from ratings.read.tournaments import EntrantRow, TournamentRow, standings, tournament_row
from ratings.read.waves import entrants_of
from ratings.store.sessions import Source, read
from ratings.store.waves import EnteredVersion


@dataclass(frozen=True, slots=True)
class TournamentReport:
    """A tournament, how far it is, its entrants (best score first), and what leak checks found."""

    row: TournamentRow
    entrants: list[EntrantRow]
    entered: list[EnteredVersion]
    """Everybody who ever entered, in the order of entry."""
    leak_counts: Mapping[str, int]
    """How many leak checks came to which verdict."""
    leak_checks: list[LeakRow]
    """Those that found something, in schedule order."""


def tournament_report(source: Source, tournament_id: str) -> TournamentReport:
    """Return what is shown of one tournament. Raises NotFoundError."""
    with read(source) as session:
        return TournamentReport(
            tournament_row(session, tournament_id),
            standings(session, tournament_id),
            entrants_of(session, tournament_id),
            count_leak_checks(session, tournament_id),
            flagged_checks(session, tournament_id),
        )
