"""Why attempts failed, how bots were kept, and what the leak checks found.

Revision 0002.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    # Columns that may be empty are added in place, so that no row is written anew.
    op.add_column("attempt", sa.Column("cause", sa.String(), nullable=True))
    op.add_column("attempt", sa.Column("evidence", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("match", sa.Column("sandbox", sa.String(), nullable=True))
    op.create_table(
        "leak_check",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=True),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_leak_check_match_id_match")),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_leak_check")),
    )
