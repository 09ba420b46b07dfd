"""The old place of `ratings.read.tournaments` and `ratings.read.matches`."""

from ratings.read.matches import (
    MatchDetail,
    MatchRow,
    SeatRow,
    list_matches,
    match_detail,
    replay_of,
    replays,
)
from ratings.read.matches import find_match as resolve_match
from ratings.read.tournaments import (
    EntrantRow,
    TournamentRow,
    list_tournaments,
    owned_entrants,
    standings,
    tournament_row,
)
from ratings.read.tournaments import find_tournament as resolve_tournament

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
