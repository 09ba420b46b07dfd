"""Sentences say which text of the catalogue they are, and with which parts, so that they can be translated.

Those that are stored already stay English.

Revision 0012.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

_SENTENCES = (
    ("match", "void_reason"),
    ("attempt", "reason"),
    ("fault", "explanation"),
    ("leak_check", "sentence"),
    ("admission", "summary"),
    ("notice", "sentence"),
    ("removal", "why"),
    ("absence", "why"),
    ("bot_event", "message"),
    ("ladder", "closed_because"),
)


def upgrade() -> None:
    for table, column in _SENTENCES:
        op.add_column(table, sa.Column(f"{column}_text", sa.JSON(none_as_null=True), nullable=True))
