"""How many matches of a tournament are in which state, counted in an open session."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

from sqlalchemy import ScalarSelect, func, select
from sqlmodel import Session

from ratings.store import tables
from ratings.values.states import MatchState

_m, _t = tables.match, tables.tournament
_OTHERS = (MatchState.PLANNED, MatchState.LEASED, MatchState.VOID)


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
    return count_each(session, [tournament_id])[tournament_id]


def count_each(session: Session, tournament_ids: Collection[str]) -> dict[str, Progress]:
    """Count the matches of several tournaments by state.

    Finished matches, of which there may be very many, are not counted: they are what is left of all.
    """
    query = select(_t.c.id, _t.c.more_waves, _last_place(), *map(_count, _OTHERS)).where(_t.c.id.in_(tournament_ids))
    found = {id_: _progress(*counts) for id_, *counts in session.connection().execute(query)}
    return {id_: found.get(id_) or _progress(False, None, 0, 0, 0) for id_ in tournament_ids}


def _last_place() -> ScalarSelect[int]:
    """Return the last place in the schedule; places count from 0 without a gap."""
    return select(func.max(_m.c.position)).where(_m.c.tournament_id == _t.c.id).scalar_subquery()


def _count(state: MatchState) -> ScalarSelect[int]:
    return select(func.count()).where(_m.c.tournament_id == _t.c.id, _m.c.state == state).scalar_subquery()


def _progress(more_waves: bool, last: int | None, planned: int, leased: int, void: int) -> Progress:
    total = 0 if last is None else last + 1
    return Progress(planned, leased, total - planned - leased - void, void, more_waves=bool(more_waves))
