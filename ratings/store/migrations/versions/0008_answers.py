"""The answer that ended a tournament which asks a question.

Revision 0008.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"


def upgrade() -> None:
    op.add_column("tournament", sa.Column("answer", sa.JSON(none_as_null=True), nullable=True))
