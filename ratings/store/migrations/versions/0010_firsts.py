"""First ranks that were shared, and draws, apart from wins: of every rating, and of every entrant of a tournament.

Revision 0010.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

# How many others are first as well is asked only of seats that are first themselves, by the key of their match.
_LEVEL = "(SELECT count(*) FROM match_seat o WHERE o.match_id = s.match_id AND o.rank = 1) AS level"
_KINDS = """
    sum(CASE WHEN level = 1 THEN 1 ELSE 0 END) AS wins,
    sum(CASE WHEN level > 1 AND level < seats THEN 1 ELSE 0 END) AS shared,
    sum(CASE WHEN level > 1 AND level = seats THEN 1 ELSE 0 END) AS draws
"""
# Of rows that are limited the database makes each once: else it would count who is level at every mention.
_ONCE = f"LIMIT {2**63 - 1}"
# While a pool is rated anew, its ratings tell how it stood before some place; what is behind it is added again later.
OF_RATINGS = f"""
SELECT pool_id AS whose, version_id, {_KINDS}
FROM (
    SELECT c.pool_id, c.version_id, p.seats, {_LEVEL}
    FROM rating_change c
    JOIN match_seat s ON s.match_id = c.match_id AND s.seat = c.seat
    JOIN pool p ON p.id = c.pool_id
    LEFT JOIN pending_rating w ON w.pool_id = c.pool_id
    WHERE s.rank = 1 AND (w.rated_seq IS NULL OR c.rating_seq < w.rated_seq)
    {_ONCE}
) AS firsts
GROUP BY pool_id, version_id
"""
OF_TALLIES = f"""
SELECT tournament_id AS whose, version_id, {_KINDS}
FROM (
    SELECT m.tournament_id, s.version_id, p.seats, {_LEVEL}
    FROM match m
    JOIN tournament t ON t.id = m.tournament_id
    JOIN pool p ON p.id = t.pool_id
    JOIN match_seat s ON s.match_id = m.id
    WHERE m.state = 'finished' AND s.rank = 1 AND m.block_id NOT IN (SELECT block_id FROM annulled_block)
    {_ONCE}
) AS firsts
GROUP BY tournament_id, version_id
"""


def upgrade() -> None:
    for table, whose, counted in (
        ("rating", "pool_id", OF_RATINGS),
        ("entrant_tally", "tournament_id", OF_TALLIES),
    ):
        for name in ("shared", "draws"):
            op.add_column(table, sa.Column(name, sa.Integer(), server_default=sa.text("0"), nullable=False))
        fill(op.get_bind(), table, whose, counted)


def fill(connection: sa.Connection, table: str, whose: str, counted: str) -> None:
    """Write what was counted of each version: as many rows as it has played in pools, or in tournaments."""
    connection.execute(sa.text(f"UPDATE {table} SET wins = 0"))
    found = [dict(row) for row in connection.execute(sa.text(counted)).mappings()]
    if found:
        values = "wins = :wins, shared = :shared, draws = :draws"
        its = f"{whose} = :whose AND version_id = :version_id"
        connection.execute(sa.text(f"UPDATE {table} SET {values} WHERE {its}"), found)
