"""How many matches of a tournament are in which state, counted in an open session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlalchemy import bindparam, func, select
from sqlmodel import Session

from ratings.store import tables
from ratings.store.states import MatchState

_m = tables.match
_MORE_WAVES = select(tables.tournament.c.more_waves).where(tables.tournament.c.id == bindparam("tournament"))


@dataclass(frozen=True, slots=True)
class Progress:
    """How many matches of a tournament are in which state."""

    planned: int
    leased: int
    finished: int
    void: int
    more_waves: bool = False
    """Whether further matches will be planned once there are results."""

    @property
    def total(self) -> int:
        """Return how many matches are planned so far, in whatever state."""
        return self.planned + self.leased + self.finished + self.void

    @property
    def is_over(self) -> bool:
        """Return whether nothing is left to play."""
        return self.planned == self.leased == 0 and not self.more_waves


def count_progress(session: Session, tournament_id: str) -> Progress:
    """Count the tournament's matches by state."""
    query = (
        select(_m.c.state, func.count().label("matches"))
        .where(_m.c.tournament_id == tournament_id)
        .group_by(_m.c.state)
    )
    counts = {row.state: row.matches for row in session.connection().execute(query)}
    more_waves = session.connection().execute(_MORE_WAVES, {"tournament": tournament_id}).scalar_one_or_none()
    return progress_of(counts, more_waves=bool(more_waves))


def progress_of(counts: Mapping[str, int], *, more_waves: bool) -> Progress:
    """Return the progress with these counts by state; a state that is missing has no match."""
    return Progress(**{state.value: counts.get(state, 0) for state in MatchState}, more_waves=more_waves)
