"""What a version has behind it in a pool of a database."""

from __future__ import annotations

from dataclasses import asdict

from arena.model.overview import CurvePoint, FaultCount, Opponent, Record
from arena.model.statistics import SeatResult
from ratings.read import crosstable, forms
from ratings.read.bots import named_versions
from ratings.read.scope import Scope
from ratings.store.database import Database

_OPPONENTS = 20


def record_of(database: Database, pool_id: str, version_id: str, points: int) -> Record:
    """Return the record of a version, its curve thinned to about so many points."""
    scope = Scope(pool_id=pool_id)
    met = crosstable.by_opponent(database, scope, version_id)[:_OPPONENTS]
    known = named_versions(database, [one.opponent_id for one in met])
    opponents = (
        Opponent(found.bot.name, found.version.number, one.matches, one.score)
        for one in met
        for found in [known[one.opponent_id]]
    )
    return Record(
        curve=tuple(
            CurvePoint(row.matches, row.mu, row.sigma) for row in forms.curve(database, pool_id, version_id, points)
        ),
        opponents=tuple(opponents),
        seats=tuple(SeatResult(**asdict(row)) for row in crosstable.by_seat(database, scope, version_id)),
        faults=tuple(FaultCount(**asdict(row)) for row in forms.faults_by_cause(database, pool_id, version_id)),
    )
