"""How many entrants a format needs, and how many matches one tournament may have. Pure, no I/O."""

from __future__ import annotations

from arena.tournament.formats.errors import ScheduleError
from engine.text import Text

MAX_MATCHES = 250_000


def check_entrants(entrants: int, seats: int) -> None:
    """Raise ScheduleError if so many entrants do not fill one table of `seats`."""
    if entrants < seats:
        raise ScheduleError(
            Text(
                "tournaments.seats_need_least_entrants_not",
                "{seats} seats need at least {least} entrants, not {entrants}; name more bots",
                seats=seats,
                least=seats,
                entrants=entrants,
            )
        )


def check_size(matches: int) -> None:
    """Raise ScheduleError if one tournament would have too many matches."""
    if matches > MAX_MATCHES:
        raise ScheduleError(
            Text(
                "tournaments.makes_matches_over_one_tournament",
                "that makes {matches} matches, over the {most} of one tournament; enter fewer bots or ask for "
                "fewer blocks",
                matches=matches,
                most=MAX_MATCHES,
            )
        )
