"""The seats of a match lie together in the file, and what live rating did not rate has an index.

Revision 0009.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"


def upgrade() -> None:
    # SQLite keeps rows in the order of their primary key only where a table has no hidden row ids, which is said when
    # it is made. Other databases have no such table.
    if op.get_bind().dialect.name == "sqlite":
        with op.batch_alter_table("match_seat", recreate="always", table_kwargs={"sqlite_with_rowid": False}):
            pass
    not_rated = sa.text("verdict <> 'rated'")
    op.create_index(
        op.f("ix_rating_order_pool_id_match_id"),
        "rating_order",
        ["pool_id", "match_id"],
        sqlite_where=not_rated,
        postgresql_where=not_rated,
    )
