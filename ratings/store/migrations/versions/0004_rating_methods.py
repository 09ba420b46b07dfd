"""The method of each pool's live rating.

Revision 0004.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add it; all pools so far are rated by TrueSkill."""
    method = sa.Enum("trueskill", "openskill", name="ratingmethod", native_enum=False, length=16)
    op.add_column("pool", sa.Column("rating_method", method, server_default="trueskill", nullable=False))
