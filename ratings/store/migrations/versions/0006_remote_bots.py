"""Bots that their authors run elsewhere, the pools in which they play, and hosted guests on their ladders.

Revision 0006.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"


def upgrade() -> None:
    # Every bot and every pool before this is hosted; pools keep their ids, in which only what is remote is named.
    for table in ("bot", "pool"):
        op.add_column(table, sa.Column("remote", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.create_table(
        "guest",
        sa.Column("ladder_id", sa.String(), nullable=False),
        sa.Column("bot_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["ladder_id"], ["ladder.id"], name=op.f("fk_guest_ladder_id_ladder")),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name=op.f("fk_guest_bot_id_bot")),
        sa.PrimaryKeyConstraint("ladder_id", "bot_id", name=op.f("pk_guest")),
    )
