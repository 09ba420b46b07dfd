"""An index of the attempts that their hosts lost.

Revision 0007.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"


def upgrade() -> None:
    lost = sa.text("cause IS NOT NULL")
    op.create_index(op.f("ix_attempt_cause"), "attempt", ["cause"], sqlite_where=lost, postgresql_where=lost)
