"""How many entrants a format needs, and how many matches one tournament may have. Pure, no I/O."""

from __future__ import annotations

from arena.tournament.formats.errors import ScheduleError

MAX_MATCHES = 250_000


def check_entrants(entrants: int, seats: int) -> None:
    """Raise ScheduleError if so many entrants do not fill one table of `seats`."""
    if entrants < seats:
        raise ScheduleError(f"{seats} seats need at least {seats} entrants, not {entrants}; name more bots")


def check_size(matches: int) -> None:
    """Raise ScheduleError if one tournament would have too many matches."""
    if matches > MAX_MATCHES:
        raise ScheduleError(
            f"that makes {matches} matches, over the {MAX_MATCHES} of one tournament; enter fewer bots or "
            "ask for fewer blocks"
        )
