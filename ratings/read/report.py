"""All that is shown of one tournament, in one consistent view."""

from __future__ import annotations

from dataclasses import dataclass

from ratings.read.leaks import LeakRow, leak_checks
from ratings.read.match_list import MatchFilter, MatchRow, list_matches
from ratings.read.tournaments import EntrantRow, TournamentRow, standings, tournament_row
from ratings.read.waves import TournamentWaves, tournament_waves
from ratings.store.sessions import Source, read


@dataclass(frozen=True, slots=True)
class TournamentReport:
    """A tournament, how far it is, its entrants (best score first), matches and leak checks (in schedule order)."""

    row: TournamentRow
    entrants: list[EntrantRow]
    waves: TournamentWaves
    matches: list[MatchRow]
    leak_checks: list[LeakRow]


def tournament_report(source: Source, tournament_id: str) -> TournamentReport:
    """Return all that is shown of one tournament. Raises NotFoundError."""
    with read(source) as session:
        return TournamentReport(
            tournament_row(session, tournament_id),
            standings(session, tournament_id),
            tournament_waves(session, tournament_id),
            list(list_matches(session, MatchFilter(tournament_id), limit=None, newest_first=False).items),
            leak_checks(session, tournament_id),
        )
