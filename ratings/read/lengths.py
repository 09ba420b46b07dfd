"""How long matches are: in plies, in decisions, in time."""

from __future__ import annotations

from dataclasses import dataclass
from statistics import fmean

from sqlalchemy import select

from ratings.read.scope import Scope
from ratings.store import tables
from ratings.store.sessions import Source, read

_m = tables.match
_MEASURES = ("plies", "decisions", "duration_us")


@dataclass(frozen=True, slots=True)
class Spread:
    """The distribution of one measure over all matches; the quantiles are values that occurred."""

    measure: str
    """`plies`, `decisions` or `duration_us` (microseconds of wall time)."""
    matches: int
    least: int
    median: int
    mean: float
    most: int
    p95: int
    """The value that 95 % of the matches do not exceed."""


def lengths(source: Source, scope: Scope) -> list[Spread]:
    """Return the distribution of every measure, or an empty list before the first match."""
    with read(source) as session:
        query = select(*(_m.c[name] for name in _MEASURES)).where(scope.holds(_m.c.id), _m.c.plies.is_not(None))
        columns = list(zip(*session.connection().execute(query), strict=True))
        return [_spread(name, sorted(values)) for name, values in zip(_MEASURES, columns, strict=bool(columns))]


def _spread(name: str, values: list[int]) -> Spread:
    count = len(values)
    middle, high = values[(count - 1) // 2], values[-(-95 * count // 100) - 1]
    return Spread(name, count, values[0], middle, fmean(values), values[-1], high)
