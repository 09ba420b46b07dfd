"""What a page asks, on behalf of whoever looks at it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import Request
from starlette.datastructures import State

from arena.model.port import ShownArena
from arena.model.tournaments import TournamentDetail
from arena.web.shared.answer_cache import AnswerCache, CachedAnswer
from arena.web.shared.site import Site
from arena.web.shared.version_records import VersionRecords


def site_of(request: Request) -> Site:
    """Return the site that a request came to."""
    site: Site = request.app.state.site
    return site


def arena_of(request: Request) -> ShownArena:
    """Return the arena as everybody may see it."""
    return site_of(request).arena


@dataclass(frozen=True, slots=True)
class RequestAnswers:
    """The answers that are kept, for one request, which notes how old they are."""

    kept: AnswerCache
    state: State

    def get_tournament(self, arena: ShownArena, tournament: str) -> TournamentDetail:
        """Return a tournament by name or id. Raises what `Tournaments.get_tournament` does, and AnswerPendingError."""
        found: TournamentDetail = self.of_tournament(arena, tournament, "tournaments.get_tournament")
        return found

    def of_tournament(self, arena: ShownArena, tournament: str, question: str, **more: Any) -> Any:
        """Return the answer to a question about a tournament as `AnswerCache.of_tournament` does."""
        return self._noted(self.kept.of_tournament(arena, tournament, question, **more))

    def ask(self, arena: ShownArena, question: str, *arguments: Any, **more: Any) -> Any:
        """Return the answer to any question as `AnswerCache.ask` does."""
        return self._noted(self.kept.ask(arena, question, *arguments, **more))

    def ask_soon(self, arena: ShownArena, question: str, *arguments: Any) -> Any:
        """Return the answer to a question as `AnswerCache.ask_soon` does."""
        return self._noted(self.kept.ask_soon(arena, question, *arguments))

    def _noted(self, given: CachedAnswer) -> Any:
        self.state.age_s = max(age_of(self.state), given.age_s)
        return given.answer


def age_of(state: State) -> float:
    """Return how many seconds old the oldest answer is that a request was given so far; 0 if none is old."""
    found: float = getattr(state, "age_s", 0.0)
    return found


def answers_of(request: Request) -> RequestAnswers:
    """Return the answers that are kept."""
    return RequestAnswers(request.app.state.answers, request.state)


def records_of(request: Request) -> VersionRecords:
    """Return the records of versions that are kept."""
    found: VersionRecords = request.app.state.records
    return found


def home_of(request: Request) -> str:
    """Return the address of the front page as the visitor reaches it, without its last slash."""
    return str(request.base_url).rstrip("/")
