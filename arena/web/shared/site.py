"""The site that is shown, and what a request asks of it: the arena as anybody sees it, and the kept answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fastapi import Request
from starlette.datastructures import State

from arena.model.human_play import PlayLimits
from arena.model.port import ShownArena
from arena.model.ratings import OfficialTable, OverallTable
from arena.model.tournaments import TournamentDetail
from arena.web.shared.answer_cache import AnswerCache, CachedAnswer, VersionRecords
from arena.web.shared.helper_process import HelperProcess
from arena.web.shared.official_tables import OfficialTables

NOBODY = PlayLimits(most=0)


@dataclass(frozen=True, slots=True)
class Site:
    """An arena that is shown in browsers."""

    arena: ShownArena
    """As somebody without a login may see it."""
    service: str | None = None
    """Where the service is reached that plays, such as `unix:/srv/arena/run/socket`; `None` where nobody plays."""
    is_secure: bool = False
    """Whether browsers reach it by https, so that cookies must not travel otherwise."""
    official: OfficialTables[OfficialTable] | None = None
    """The official tables, which are fitted in the background; `None` where none are shown."""
    overall: OfficialTables[OverallTable] | None = None
    """The table over all games, in the same way; its methods stand in place of a pool."""
    requests_per_second: float = 10.0
    """The pace that one address is held to; whoever is on this machine is not."""
    requests_at_once: int = 300
    """So many requests of an address may come in a row before they are held to the pace."""

    people: PlayLimits = NOBODY
    """What people may do who play here."""
    names: tuple[str, ...] | None = None
    """The names by which browsers may ask for it, besides addresses and `localhost`; `None` for any name."""
    helper: HelperProcess | None = None
    """Does what takes long in a process of its own; `None` where it is done in this one."""
    counter: HelperProcess | None = None
    """Does in another one what may take many seconds; it is started when there is any."""

    @property
    def takes_people(self) -> bool:
        """Return whether people can sit down here."""
        return self.service is not None and self.people.most > 0

    @property
    def is_live(self) -> bool:
        """Return whether a service plays, which shows its matches while they go on and takes what owners send."""
        return self.service is not None


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
    """Return the answers that are kept, for this request."""
    return RequestAnswers(request.app.state.answers, request.state)


def records_of(request: Request) -> VersionRecords:
    """Return the records of versions that are kept."""
    found: VersionRecords = request.app.state.records
    return found


def home_of(request: Request) -> str:
    """Return the address of the front page as the visitor reaches it, without its last slash."""
    return str(request.base_url).rstrip("/")
