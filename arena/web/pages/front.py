"""The front page: what is played now or was last, who leads, which tournaments go on, and who came last."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fastapi import APIRouter, Request
from starlette.responses import Response

from arena.model.matches import MatchDetail, MatchSeat
from arena.model.port import ArenaPort, ShownArena
from arena.model.tournaments import TournamentSummary
from arena.web.shared.rendering import render
from arena.web.shared.site import answers_of, arena_of, site_of
from arena.web.shared.visitor import language_of
from arena.web.viewer.payload import board_size
from arena.web.viewer.stories import story_id
from engine import registry
from ratings.values.leaderboards import Leaderboard, RecentVersion
from ratings.values.states import MatchState

router = APIRouter()
_BOARD_ROWS = 5
_BOARDS = 4
_LOOKED_AT = 24
"""So many matches are looked through for boards to show."""
_TOURNAMENTS = 6
_NEWEST = 6
NEWS = f"{__name__}:gather"
"""The question for all of it."""


@dataclass(frozen=True, slots=True)
class BoardCard:
    """A match that is played now, or that was played last, as a small board."""

    match: MatchDetail
    size: tuple[int, int] | None
    """Of its picture, so that its place is kept free."""
    picture: str = ""
    """Where its last position lies; empty while it is played."""

    @property
    def standing(self) -> Sequence[MatchSeat]:
        """Return who plays: by rank once it is over, else seat by seat."""
        return sorted(self.match.seats, key=lambda seat: (seat.rank or 0, seat.seat))


@dataclass(frozen=True, slots=True)
class FrontPageContent:
    """What stands on the front page, in no language yet."""

    boards: Sequence[Leaderboard]
    live: Sequence[BoardCard]
    hidden: int
    """How many matches are played that cannot be watched."""
    last: Sequence[MatchDetail]
    tournaments: Sequence[TournamentSummary]
    newest: Sequence[RecentVersion]


@router.get("/")
def front(request: Request) -> Response:
    """Show what goes on or was played last, and the leaderboards of the busiest pools."""
    arena, language = arena_of(request), language_of(request)
    news: FrontPageContent = answers_of(request).ask_soon(arena, NEWS, site_of(request).is_live)
    # Before anything was played the games are shown, but for families of many.
    games = [] if news.live or news.last else [registry.get(name) for name in registry.single_names()]
    return render(
        request,
        "pages/front.html",
        boards=news.boards,
        live=news.live,
        hidden=news.hidden,
        last=[_played(match, language) for match in news.last],
        games=[(game, board_size(game.name, game.seats[0])) for game in games],
        tournaments=news.tournaments,
        newest=news.newest,
    )


def gather(arena: ShownArena, is_live: bool) -> FrontPageContent:
    """Return what is to be told now: some dozens of readings of the database."""
    live, hidden = _live(arena) if is_live else ([], 0)
    most = _BOARDS - len(live)
    found = arena.matches.list_matches(state=MatchState.FINISHED, limit=_LOOKED_AT).items
    seen = [match for match in found if not match.hidden and match.annulled is None]
    newest = {match.tournament: match for match in reversed(seen)}.values()
    others = [match for match in seen if match not in newest]
    details = (arena.matches.get_match(match.id) for match in [*reversed(newest), *others][:most])
    return FrontPageContent(
        boards=arena.leaderboards.list_leaderboards(limit=_BOARD_ROWS).boards,
        live=live,
        hidden=hidden,
        last=[match for match in details if match.replay_removed_at_us is None],
        tournaments=arena.overview.list_running(_TOURNAMENTS),
        newest=arena.overview.list_newest(_NEWEST),
    )


def _live(arena: ArenaPort) -> tuple[Sequence[BoardCard], int]:
    """Return matches that can be watched, and how many are played that cannot be."""
    found = arena.matches.list_matches(state=MatchState.LEASED, limit=_LOOKED_AT).items
    watched = [match for match in found if not match.hidden][:_BOARDS]
    details = [arena.matches.get_match(match.id) for match in watched]
    boards = [BoardCard(match, board_size(match.pool.game, len(match.seats))) for match in details]
    return boards, sum(match.hidden for match in found)


def _played(match: MatchDetail, language: str) -> BoardCard:
    picture = f"/matches/{match.match_id}/board.svg?lang={language}&v={story_id(match, language)}"
    return BoardCard(match, board_size(match.pool.game, len(match.seats)), picture)
