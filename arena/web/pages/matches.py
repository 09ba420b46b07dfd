"""The search for matches: by who played, where, how it ended, what went wrong, and how long it took."""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Annotated, Any
from urllib.parse import urlencode

from fastapi import APIRouter, Depends, Query, Request
from starlette.responses import Response

from arena.match.result import FaultCause
from arena.model.matches import ANY_FAULT, MatchSummary
from arena.web.middleware.errors import status_of
from arena.web.shared.rendering import render
from arena.web.shared.site import arena_of
from engine.text import Text
from ratings.values.page import Page
from ratings.values.states import Fared, MatchState

router = APIRouter()
Written = Annotated[str, Query(max_length=200)]
_MOST_PLIES = 2**31 - 1


@dataclass(frozen=True, slots=True)
class MatchSearch:
    """What stands in the form; an empty field asks for nothing."""

    bot: Written = ""
    opponent: Written = ""
    fared: Written = ""
    tournament: Written = ""
    pool: Written = ""
    fault: Written = ""
    least_plies: Written = ""
    most_plies: Written = ""
    state: Written = ""

    def search(self) -> dict[str, Any]:
        """Return it as arguments of `Matches.list_matches`. Raises ValueError for what makes no sense."""
        return {
            "bot": self.bot or None,
            "opponent": self.opponent or None,
            "fared": Fared(self.fared) if self.fared else None,
            "tournament": self.tournament or None,
            "pool": self.pool or None,
            "fault": self.fault or None,
            "least_plies": _number(self.least_plies),
            "most_plies": _number(self.most_plies),
            "state": MatchState(self.state) if self.state else None,
        }

    def query(self, **more: str) -> str:
        """Return it as the query of an address, without what is empty."""
        given = {field.name: getattr(self, field.name) for field in fields(self)} | more
        return urlencode({name: value for name, value in given.items() if value})


def _number(text: str) -> int | None:
    if not text:
        return None
    number = int(text[:20])
    if not 0 <= number <= _MOST_PLIES:
        raise ValueError(
            Text(
                "web.no_number_actions_write_one",
                "{number} is no number of actions; write one from 0 to {most}",
                number=number,
                most=_MOST_PLIES,
            )
        )
    return number


@router.get("/matches")
def search_matches(
    request: Request,
    wanted: Annotated[MatchSearch, Depends()],
    after: Annotated[str | None, Query(max_length=2000)] = None,
) -> Response:
    """Show the matches that are searched for, those planned last first; what is wrong is told above the form."""
    arena = arena_of(request)
    page: Page[MatchSummary] = Page(())
    status, wrong = 200, ""
    try:
        page = arena.matches.list_matches(**wanted.search(), after=after or None)
    except ValueError as error:
        status, wrong = 400, str(error)
    except Exception as error:
        status, wrong = status_of(error), str(error)
        if status >= 500:
            raise
    return render(
        request,
        "pages/matches.html",
        status=status,
        wrong=wrong,
        page=page,
        wanted=wanted,
        pools=arena.overview.list_pools(),
        any_fault=ANY_FAULT,
        causes=[cause.value for cause in FaultCause],
        states=[state.value for state in MatchState],
        more="" if page.next is None else f"/matches?{wanted.query(after=page.next)}",
    )
