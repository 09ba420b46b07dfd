"""How long matches are: in plies, in decisions, in time."""

from __future__ import annotations

from statistics import fmean

from sqlalchemy import select

from ratings.read.scope import MatchScope
from ratings.store import tables
from ratings.store.sessions import Source, read
from ratings.values.statistics import Spread

_m = tables.match
_MEASURES = ("plies", "decisions", "duration_us")


def lengths(source: Source, scope: MatchScope) -> tuple[Spread, ...]:
    """Return the distribution of every measure, or nothing before the first match."""
    with read(source) as session:
        query = select(*(_m.c[name] for name in _MEASURES)).where(scope.holds(_m.c.id), _m.c.plies.is_not(None))
        columns = list(zip(*session.connection().execute(query), strict=True))
        found = zip(_MEASURES, columns, strict=bool(columns))
        return tuple(_spread(name, sorted(values)) for name, values in found)


def _spread(name: str, values: list[int]) -> Spread:
    count = len(values)
    middle, high = values[(count - 1) // 2], values[-(-95 * count // 100) - 1]
    return Spread(name, count, values[0], middle, fmean(values), values[-1], high)
