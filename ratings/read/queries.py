"""The old place of `ratings.read.tournaments`."""

from ratings.read.tournaments import (
    EntrantRow,
    MatchDetail,
    MatchRow,
    SeatRow,
    TournamentRow,
    list_matches,
    list_tournaments,
    match_detail,
    owned_entrants,
    replay_of,
    replays,
    resolve_match,
    resolve_tournament,
    standings,
    tournament_row,
)

__all__ = [
    "EntrantRow",
    "MatchDetail",
    "MatchRow",
    "SeatRow",
    "TournamentRow",
    "list_matches",
    "list_tournaments",
    "match_detail",
    "owned_entrants",
    "replay_of",
    "replays",
    "resolve_match",
    "resolve_tournament",
    "standings",
    "tournament_row",
]
