"""Waves: tournaments that are planned step by step, and entrants that come and go.

Revision 0003.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"


def upgrade() -> None:
    # A tournament older than this was planned whole, in one wave, and its entrants were there from the start.
    op.add_column("tournament", sa.Column("more_waves", sa.Boolean(), nullable=False, server_default=sa.false()))
    op.add_column("entrant", sa.Column("joined_wave", sa.Integer(), nullable=False, server_default=sa.text("0")))
    op.add_column("entrant", sa.Column("withdrawn_wave", sa.Integer(), nullable=True))
    op.create_table(
        "wave",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column("first_block", sa.Integer(), nullable=False),
        sa.Column("blocks", sa.Integer(), nullable=False),
        sa.Column("planned_at_us", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_wave_tournament_id_tournament")),
        sa.PrimaryKeyConstraint("tournament_id", "index", name=op.f("pk_wave")),
    )
    op.execute(
        'INSERT INTO wave (tournament_id, "index", first_block, blocks, planned_at_us) '
        'SELECT tournament.id, 0, MIN(block."index"), COUNT(*), tournament.created_at_us '
        "FROM tournament JOIN block ON block.tournament_id = tournament.id "
        "GROUP BY tournament.id, tournament.created_at_us"
    )
