"""The first schema.

Revision 0001.
"""

from __future__ import annotations

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    op.create_table(
        "owner",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("created_at_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_owner")),
        sa.UniqueConstraint("name", name=op.f("uq_owner_name")),
    )
    op.create_table(
        "pool",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("game", sa.String(), nullable=False),
        sa.Column("rules_version", sa.String(), nullable=False),
        sa.Column("seats", sa.Integer(), nullable=False),
        sa.Column("options", sa.JSON(), nullable=False),
        sa.Column("time_control", sa.String(), nullable=False),
        sa.Column("cores", sa.Integer(), nullable=False),
        sa.Column("mu", sa.Double(), nullable=False),
        sa.Column("sigma", sa.Double(), nullable=False),
        sa.Column("beta", sa.Double(), nullable=False),
        sa.Column("tau", sa.Double(), nullable=False),
        sa.Column("draw_probability", sa.Double(), nullable=False),
        sa.Column("created_at_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pool")),
    )
    op.create_table(
        "bot",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=True),
        sa.Column("created_at_us", sa.BigInteger(), nullable=False),
        sa.Column("disabled_at_us", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name=op.f("fk_bot_owner_id_owner")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bot")),
        sa.UniqueConstraint("name", name=op.f("uq_bot_name")),
    )
    op.create_table(
        "tournament",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("format", sa.String(), nullable=False),
        sa.Column("pool_id", sa.String(), nullable=False),
        sa.Column("secret", sa.String(), nullable=False),
        sa.Column("seeded", sa.Boolean(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("rated", sa.Boolean(), nullable=False),
        sa.Column("rates_same_owner", sa.Boolean(), nullable=False),
        sa.Column("created_at_us", sa.BigInteger(), nullable=False),
        sa.Column("cancelled_at_us", sa.BigInteger(), nullable=True),
        sa.Column("rated_through", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_tournament_pool_id_pool")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tournament")),
    )
    with op.batch_alter_table("tournament", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_tournament_pool_id"), ["pool_id"], unique=False)

    op.create_table(
        "block",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column("opening", sa.JSON(), nullable=False),
        sa.Column("chance_seed", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_block_tournament_id_tournament")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_block")),
        sa.UniqueConstraint("tournament_id", "index", name=op.f("uq_block_tournament_id_index")),
    )
    op.create_table(
        "version",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("bot_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.String(), nullable=False),
        sa.Column("manifest", sa.JSON(), nullable=False),
        sa.Column("created_at_us", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name=op.f("fk_version_bot_id_bot")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_version")),
        sa.UniqueConstraint("bot_id", "content_hash", name=op.f("uq_version_bot_id_content_hash")),
        sa.UniqueConstraint("bot_id", "number", name=op.f("uq_version_bot_id_number")),
    )
    op.create_table(
        "entrant",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_entrant_tournament_id_tournament")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_entrant_version_id_version")),
        sa.PrimaryKeyConstraint("tournament_id", "position", name=op.f("pk_entrant")),
        sa.UniqueConstraint("tournament_id", "version_id", name=op.f("uq_entrant_tournament_id_version_id")),
    )
    op.create_table(
        "match",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("block_id", sa.String(), nullable=False),
        sa.Column("rotation", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column(
            "state",
            sa.Enum("planned", "leased", "finished", "void", name="matchstate", native_enum=False, length=16),
            nullable=False,
        ),
        sa.Column("attempt", sa.Integer(), nullable=False),
        sa.Column("void_reason", sa.String(), nullable=True),
        sa.Column("by_rules", sa.Boolean(), nullable=True),
        sa.Column("rated", sa.Boolean(), nullable=True),
        sa.Column("details", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("plies", sa.Integer(), nullable=True),
        sa.Column("decisions", sa.Integer(), nullable=True),
        sa.Column("started_at_us", sa.BigInteger(), nullable=True),
        sa.Column("duration_us", sa.BigInteger(), nullable=True),
        sa.Column("game_digest", sa.String(), nullable=True),
        sa.Column("record_digest", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["block_id"], ["block.id"], name=op.f("fk_match_block_id_block")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_match_tournament_id_tournament")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_match")),
        sa.UniqueConstraint(
            "tournament_id", "block_id", "rotation", name=op.f("uq_match_tournament_id_block_id_rotation")
        ),
        sa.UniqueConstraint("tournament_id", "position", name=op.f("uq_match_tournament_id_position")),
    )
    with op.batch_alter_table("match", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_match_tournament_id_state_position"), ["tournament_id", "state", "position"], unique=False
        )

    op.create_table(
        "rating",
        sa.Column("pool_id", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("mu", sa.Double(), nullable=False),
        sa.Column("sigma", sa.Double(), nullable=False),
        sa.Column("exposure", sa.Double(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_rating_pool_id_pool")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_rating_version_id_version")),
        sa.PrimaryKeyConstraint("pool_id", "version_id", name=op.f("pk_rating")),
    )
    with op.batch_alter_table("rating", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_rating_pool_id_exposure"), ["pool_id", "exposure"], unique=False)

    op.create_table(
        "attempt",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("worker", sa.String(), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "running",
                "finished",
                "failed",
                "expired",
                "released",
                name="attemptstate",
                native_enum=False,
                length=16,
            ),
            nullable=False,
        ),
        sa.Column("leased_at_us", sa.BigInteger(), nullable=False),
        sa.Column("deadline_us", sa.BigInteger(), nullable=False),
        sa.Column("ended_at_us", sa.BigInteger(), nullable=True),
        sa.Column("reason", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_attempt_match_id_match")),
        sa.PrimaryKeyConstraint("match_id", "number", name=op.f("pk_attempt")),
    )
    op.create_table(
        "fault",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_fault_match_id_match")),
        sa.PrimaryKeyConstraint("match_id", "number", name=op.f("pk_fault")),
    )
    op.create_table(
        "match_seat",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("forfeit", sa.Integer(), nullable=True),
        sa.Column("resigned", sa.Boolean(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_match_seat_match_id_match")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_match_seat_version_id_version")),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_match_seat")),
    )
    with op.batch_alter_table("match_seat", schema=None) as batch_op:
        batch_op.create_index(batch_op.f("ix_match_seat_version_id_match_id"), ["version_id", "match_id"], unique=False)

    op.create_table(
        "rating_change",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("pool_id", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("rating_seq", sa.Integer(), nullable=False),
        sa.Column("mu_before", sa.Double(), nullable=False),
        sa.Column("sigma_before", sa.Double(), nullable=False),
        sa.Column("mu_after", sa.Double(), nullable=False),
        sa.Column("sigma_after", sa.Double(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_rating_change_match_id_match")),
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_rating_change_pool_id_pool")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_rating_change_version_id_version")),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_rating_change")),
    )
    with op.batch_alter_table("rating_change", schema=None) as batch_op:
        batch_op.create_index(
            batch_op.f("ix_rating_change_pool_id_version_id_rating_seq"),
            ["pool_id", "version_id", "rating_seq"],
            unique=False,
        )

    op.create_table(
        "rating_order",
        sa.Column("pool_id", sa.String(), nullable=False),
        sa.Column("rating_seq", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column(
            "verdict",
            sa.Enum("rated", "void", "unrated", "same_owner", name="verdict", native_enum=False, length=16),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_rating_order_match_id_match")),
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_rating_order_pool_id_pool")),
        sa.PrimaryKeyConstraint("pool_id", "rating_seq", name=op.f("pk_rating_order")),
        sa.UniqueConstraint("match_id", name=op.f("uq_rating_order_match_id")),
    )
    op.create_table(
        "replay",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_replay_match_id_match")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_replay")),
    )
