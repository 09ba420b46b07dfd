"""Ratings that are computed anew piece by piece, and versions that a ladder goes on without.

Revision 0005.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"


def upgrade() -> None:
    op.create_table(
        "pending_rating",
        sa.Column("pool_id", sa.String(), nullable=False),
        sa.Column("first_seq", sa.Integer(), nullable=False),
        sa.Column("rated_seq", sa.Integer(), nullable=True),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_pending_rating_pool_id_pool")),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_pending_rating")),
    )
    op.create_table(
        "absence",
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("since_us", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_absence_version_id_version")),
        sa.PrimaryKeyConstraint("version_id", name=op.f("pk_absence")),
    )
