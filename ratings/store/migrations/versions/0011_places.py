"""Matches say their pool, faults their tournament and version, lost attempts their tournament, each with an index.

Revision 0011.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"

_OF_MATCHES = "UPDATE match SET pool_id = (SELECT t.pool_id FROM tournament t WHERE t.id = match.tournament_id)"
_OF_FAULTS = """
UPDATE fault SET
    tournament_id = (SELECT m.tournament_id FROM match m WHERE m.id = fault.match_id),
    version_id = (SELECT s.version_id FROM match_seat s WHERE s.match_id = fault.match_id AND s.seat = fault.seat)
"""
_OF_ATTEMPTS = """
UPDATE attempt SET tournament_id = (SELECT m.tournament_id FROM match m WHERE m.id = attempt.match_id)
WHERE cause IS NOT NULL
"""


def upgrade() -> None:
    for table, name in (("match", "pool_id"), ("fault", "tournament_id"), ("fault", "version_id")):
        op.add_column(table, sa.Column(name, sa.String(), server_default=sa.text("''"), nullable=False))
    op.add_column("attempt", sa.Column("tournament_id", sa.String(), nullable=True))
    for statement in (_OF_MATCHES, _OF_FAULTS, _OF_ATTEMPTS):
        op.execute(statement)
    for table, columns in (
        ("match", ("pool_id", "id")),
        ("fault", ("version_id", "match_id")),
        ("fault", ("tournament_id", "version_id", "cause", "match_id")),
    ):
        op.create_index(op.f(f"ix_{table}_{'_'.join(columns)}"), table, list(columns))
    lost = sa.text("tournament_id IS NOT NULL")
    name = op.f("ix_attempt_tournament_id")
    op.create_index(name, "attempt", ["tournament_id"], sqlite_where=lost, postgresql_where=lost)
