"""The signed log of a tournament.

Revision 0003.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    """Add the log; tournaments that were planned before have none."""
    op.create_table(
        "proof_entry",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("text", sa.Text(), nullable=False),
        sa.Column("signature", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournament.id"], name=op.f("fk_proof_entry_tournament_id_tournament")
        ),
        sa.PrimaryKeyConstraint("tournament_id", "number", name=op.f("pk_proof_entry")),
    )
