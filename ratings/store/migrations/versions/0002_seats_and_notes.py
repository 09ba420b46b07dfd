"""The sandbox of each seat, and how much the notes of bots take.

Revision 0002.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"


def upgrade() -> None:
    """Add what is not known of matches that were played before."""
    op.add_column("match_seat", sa.Column("sandbox", sa.String(), nullable=True))
    op.add_column("match_seat", sa.Column("note_bytes", sa.Integer(), nullable=True))
    op.add_column("match_seat", sa.Column("notes_left_out", sa.Boolean(), nullable=True))
    op.add_column("owner", sa.Column("note_bytes", sa.BigInteger(), nullable=True))
