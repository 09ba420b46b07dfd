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
        sa.Column("disabled_at_us", sa.BigInteger(), nullable=True),
        sa.Column("limits", sa.JSON(none_as_null=True), nullable=True),
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
        sa.Column("remote", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_pool")),
    )
    op.create_table(
        "removal",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column(
            "kind",
            sa.Enum("logs", "replays", "archives", name="removalkind", native_enum=False, length=16),
            nullable=False,
        ),
        sa.Column("before_us", sa.BigInteger(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("why_text", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("announced_at_us", sa.BigInteger(), nullable=False),
        sa.Column("due_at_us", sa.BigInteger(), nullable=False),
        sa.Column("done_at_us", sa.BigInteger(), nullable=True),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_removal")),
    )
    op.create_table(
        "runtime",
        sa.Column("hash", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("contents", sa.JSON(), nullable=False),
        sa.Column("seen_at_us", sa.BigInteger(), nullable=False),
        sa.PrimaryKeyConstraint("hash", name=op.f("pk_runtime")),
    )
    op.create_table(
        "bot",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=True),
        sa.Column("created_at_us", sa.BigInteger(), nullable=False),
        sa.Column("disabled_at_us", sa.BigInteger(), nullable=True),
        sa.Column("remote", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name=op.f("fk_bot_owner_id_owner")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_bot")),
        sa.UniqueConstraint("name", name=op.f("uq_bot_name")),
    )
    op.create_table(
        "invitation",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner_name", sa.String(), nullable=False),
        sa.Column(
            "scope",
            sa.Enum("organiser", "competitor", "viewer", "player", name="scope", native_enum=False, length=16),
            nullable=False,
        ),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("created_at_us", sa.BigInteger(), nullable=False),
        sa.Column("expires_at_us", sa.BigInteger(), nullable=False),
        sa.Column("used_at_us", sa.BigInteger(), nullable=True),
        sa.Column("owner_id", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name=op.f("fk_invitation_owner_id_owner")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("digest", name=op.f("uq_invitation_digest")),
    )
    op.create_table(
        "ladder",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("pool_id", sa.String(), nullable=False),
        sa.Column("settings", sa.JSON(), nullable=False),
        sa.Column("opened_at_us", sa.BigInteger(), nullable=False),
        sa.Column("closed_at_us", sa.BigInteger(), nullable=True),
        sa.Column("closed_because", sa.Text(), nullable=True),
        sa.Column("closed_because_text", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_ladder_pool_id_pool")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ladder")),
    )
    op.create_index(op.f("ix_ladder_name"), "ladder", ["name"])
    op.create_index(op.f("ix_ladder_pool_id"), "ladder", ["pool_id"])

    op.create_table(
        "notice",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=True),
        sa.Column("at_us", sa.BigInteger(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("sentence_text", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name=op.f("fk_notice_owner_id_owner")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notice")),
    )
    op.create_index(op.f("ix_notice_owner_id"), "notice", ["owner_id"])

    op.create_table(
        "pending_rating",
        sa.Column("pool_id", sa.String(), nullable=False),
        sa.Column("first_seq", sa.Integer(), nullable=False),
        sa.Column("rated_seq", sa.Integer(), nullable=True),
        sa.Column("asked", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_pending_rating_pool_id_pool")),
        sa.PrimaryKeyConstraint("pool_id", name=op.f("pk_pending_rating")),
    )
    op.create_table(
        "token",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=True),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column(
            "scope",
            sa.Enum("organiser", "competitor", "viewer", "player", name="scope", native_enum=False, length=16),
            nullable=False,
        ),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("created_at_us", sa.BigInteger(), nullable=False),
        sa.Column("expires_at_us", sa.BigInteger(), nullable=True),
        sa.Column("revoked_at_us", sa.BigInteger(), nullable=True),
        sa.Column("used_at_us", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name=op.f("fk_token_owner_id_owner")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_token")),
        sa.UniqueConstraint("digest", name=op.f("uq_token_digest")),
    )
    op.create_index(op.f("ix_token_owner_id"), "token", ["owner_id"])

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
        sa.Column("more_waves", sa.Boolean(), server_default=sa.false(), nullable=False),
        sa.Column("answer", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_tournament_pool_id_pool")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_tournament")),
    )
    op.create_index(op.f("ix_tournament_name"), "tournament", ["name"])
    op.create_index(op.f("ix_tournament_pool_id"), "tournament", ["pool_id"])

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
        "gathering",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("members", sa.String(), nullable=False),
        sa.Column("blocks", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournament.id"], name=op.f("fk_gathering_tournament_id_tournament")
        ),
        sa.PrimaryKeyConstraint("tournament_id", "members", name=op.f("pk_gathering")),
    )
    op.create_table(
        "guest",
        sa.Column("ladder_id", sa.String(), nullable=False),
        sa.Column("bot_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name=op.f("fk_guest_bot_id_bot")),
        sa.ForeignKeyConstraint(["ladder_id"], ["ladder.id"], name=op.f("fk_guest_ladder_id_ladder")),
        sa.PrimaryKeyConstraint("ladder_id", "bot_id", name=op.f("pk_guest")),
    )
    op.create_table(
        "season",
        sa.Column("ladder_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("opened_at_us", sa.BigInteger(), nullable=False),
        sa.Column("freezes_at_us", sa.BigInteger(), nullable=True),
        sa.Column("frozen_at_us", sa.BigInteger(), nullable=True),
        sa.Column("final_tournament_id", sa.String(), nullable=True),
        sa.Column("closed_at_us", sa.BigInteger(), nullable=True),
        sa.Column("table", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(
            ["final_tournament_id"], ["tournament.id"], name=op.f("fk_season_final_tournament_id_tournament")
        ),
        sa.ForeignKeyConstraint(["ladder_id"], ["ladder.id"], name=op.f("fk_season_ladder_id_ladder")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_season_tournament_id_tournament")),
        sa.PrimaryKeyConstraint("ladder_id", "number", name=op.f("pk_season")),
        sa.UniqueConstraint("tournament_id", name=op.f("uq_season_tournament_id")),
    )
    op.create_table(
        "version",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("bot_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("content_hash", sa.String(), nullable=False),
        sa.Column("manifest", sa.JSON(), nullable=False),
        sa.Column("created_at_us", sa.BigInteger(), nullable=False),
        sa.Column("message", sa.String(), server_default=sa.text("''"), nullable=False),
        sa.Column("predecessor", sa.Integer(), nullable=True),
        sa.Column("withdrawn_at_us", sa.BigInteger(), nullable=True),
        sa.Column("files_removed_at_us", sa.BigInteger(), nullable=True),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name=op.f("fk_version_bot_id_bot")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_version")),
        sa.UniqueConstraint("bot_id", "content_hash", name=op.f("uq_version_bot_id_content_hash")),
        sa.UniqueConstraint("bot_id", "number", name=op.f("uq_version_bot_id_number")),
    )
    op.create_table(
        "wave",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("index", sa.Integer(), nullable=False),
        sa.Column("first_block", sa.Integer(), nullable=False),
        sa.Column("blocks", sa.Integer(), nullable=False),
        sa.Column("planned_at_us", sa.BigInteger(), nullable=False),
        sa.Column("memory", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_wave_tournament_id_tournament")),
        sa.PrimaryKeyConstraint("tournament_id", "index", name=op.f("pk_wave")),
    )
    op.create_table(
        "absence",
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("why_text", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("since_us", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_absence_version_id_version")),
        sa.PrimaryKeyConstraint("version_id", name=op.f("pk_absence")),
    )
    op.create_table(
        "active_version",
        sa.Column("bot_id", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name=op.f("fk_active_version_bot_id_bot")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_active_version_version_id_version")),
        sa.PrimaryKeyConstraint("bot_id", name=op.f("pk_active_version")),
    )
    op.create_table(
        "admission",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column(
            "state",
            sa.Enum(
                "queued",
                "running",
                "admitted",
                "refused",
                "withdrawn",
                name="admissionstate",
                native_enum=False,
                length=16,
            ),
            nullable=False,
        ),
        sa.Column("requested_at_us", sa.BigInteger(), nullable=False),
        sa.Column("started_at_us", sa.BigInteger(), nullable=True),
        sa.Column("ended_at_us", sa.BigInteger(), nullable=True),
        sa.Column("checks", sa.JSON(), nullable=False),
        sa.Column("summary", sa.Text(), nullable=True),
        sa.Column("summary_text", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_admission_version_id_version")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_admission")),
    )
    op.create_index(op.f("ix_admission_state"), "admission", ["state"])
    op.create_index(op.f("ix_admission_version_id"), "admission", ["version_id"])

    op.create_table(
        "bot_event",
        sa.Column("bot_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column(
            "kind",
            sa.Enum(
                "submitted",
                "admitted",
                "refused",
                "promoted",
                "not_promoted",
                "withdrawn",
                "rolled_back",
                "disabled",
                "enabled",
                "annulled",
                name="boteventkind",
                native_enum=False,
                length=16,
            ),
            nullable=False,
        ),
        sa.Column("version_id", sa.String(), nullable=True),
        sa.Column("at_us", sa.BigInteger(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("message", sa.Text(), nullable=False),
        sa.Column("message_text", sa.JSON(none_as_null=True), nullable=True),
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name=op.f("fk_bot_event_bot_id_bot")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_bot_event_version_id_version")),
        sa.PrimaryKeyConstraint("bot_id", "number", name=op.f("pk_bot_event")),
    )
    op.create_table(
        "entrant",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("joined_wave", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("withdrawn_wave", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_entrant_tournament_id_tournament")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_entrant_version_id_version")),
        sa.PrimaryKeyConstraint("tournament_id", "position", name=op.f("pk_entrant")),
    )
    op.create_index(op.f("ix_entrant_tournament_id_version_id"), "entrant", ["tournament_id", "version_id"])

    op.create_table(
        "entrant_tally",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("shared", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("draws", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.Column("forfeits", sa.Integer(), nullable=False),
        sa.Column("blocks", sa.Integer(), nullable=False),
        sa.Column("block_matches", sa.Integer(), nullable=False),
        sa.Column("block_points", sa.Integer(), nullable=False),
        sa.Column("equal", sa.Integer(), nullable=False),
        sa.Column("leaks", sa.Integer(), nullable=False),
        sa.Column("unstable", sa.Integer(), nullable=False),
        sa.Column("unknown", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournament.id"], name=op.f("fk_entrant_tally_tournament_id_tournament")
        ),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_entrant_tally_version_id_version")),
        sa.PrimaryKeyConstraint("tournament_id", "version_id", name=op.f("pk_entrant_tally")),
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
        sa.Column("void_reason_text", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("by_rules", sa.Boolean(), nullable=True),
        sa.Column("rated", sa.Boolean(), nullable=True),
        sa.Column("details", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("plies", sa.Integer(), nullable=True),
        sa.Column("decisions", sa.Integer(), nullable=True),
        sa.Column("started_at_us", sa.BigInteger(), nullable=True),
        sa.Column("duration_us", sa.BigInteger(), nullable=True),
        sa.Column("game_digest", sa.String(), nullable=True),
        sa.Column("record_digest", sa.String(), nullable=True),
        sa.Column("sandbox", sa.String(), nullable=True),
        sa.Column("replay_removed_at_us", sa.BigInteger(), nullable=True),
        sa.Column("logs_removed_at_us", sa.BigInteger(), nullable=True),
        sa.Column("pool_id", sa.String(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["block_id"], ["block.id"], name=op.f("fk_match_block_id_block")),
        sa.ForeignKeyConstraint(["tournament_id"], ["tournament.id"], name=op.f("fk_match_tournament_id_tournament")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_match")),
        sa.UniqueConstraint(
            "tournament_id", "block_id", "rotation", name=op.f("uq_match_tournament_id_block_id_rotation")
        ),
        sa.UniqueConstraint("tournament_id", "position", name=op.f("uq_match_tournament_id_position")),
    )
    op.create_index(op.f("ix_match_pool_id_id"), "match", ["pool_id", "id"])
    op.create_index(op.f("ix_match_state_id"), "match", ["state", "id"])
    op.create_index(op.f("ix_match_tournament_id_state_position"), "match", ["tournament_id", "state", "position"])

    op.create_table(
        "rating",
        sa.Column("pool_id", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("mu", sa.Double(), nullable=False),
        sa.Column("sigma", sa.Double(), nullable=False),
        sa.Column("exposure", sa.Double(), nullable=False),
        sa.Column("matches", sa.Integer(), nullable=False),
        sa.Column("wins", sa.Integer(), nullable=False),
        sa.Column("shared", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("draws", sa.Integer(), server_default=sa.text("0"), nullable=False),
        sa.Column("points", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_rating_pool_id_pool")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_rating_version_id_version")),
        sa.PrimaryKeyConstraint("pool_id", "version_id", name=op.f("pk_rating")),
    )
    op.create_index(op.f("ix_rating_pool_id_exposure"), "rating", ["pool_id", "exposure"])

    op.create_table(
        "annulment",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("match_id", sa.String(), nullable=True),
        sa.Column("version_id", sa.String(), nullable=True),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("actor", sa.String(), nullable=False),
        sa.Column("at_us", sa.BigInteger(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_annulment_match_id_match")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_annulment_version_id_version")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_annulment")),
    )
    op.create_index(op.f("ix_annulment_match_id"), "annulment", ["match_id"])
    op.create_index(op.f("ix_annulment_version_id"), "annulment", ["version_id"])

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
        sa.Column("reason_text", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("cause", sa.String(), nullable=True),
        sa.Column("evidence", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("tournament_id", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_attempt_match_id_match")),
        sa.PrimaryKeyConstraint("match_id", "number", name=op.f("pk_attempt")),
    )
    op.create_index(
        op.f("ix_attempt_cause"),
        "attempt",
        ["cause"],
        sqlite_where=sa.text("cause IS NOT NULL"),
        postgresql_where=sa.text("cause IS NOT NULL"),
    )
    op.create_index(
        op.f("ix_attempt_tournament_id"),
        "attempt",
        ["tournament_id"],
        sqlite_where=sa.text("tournament_id IS NOT NULL"),
        postgresql_where=sa.text("tournament_id IS NOT NULL"),
    )

    op.create_table(
        "fault",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("cause", sa.String(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=False),
        sa.Column("explanation", sa.Text(), nullable=False),
        sa.Column("explanation_text", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.Column("tournament_id", sa.String(), server_default=sa.text("''"), nullable=False),
        sa.Column("version_id", sa.String(), server_default=sa.text("''"), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_fault_match_id_match")),
        sa.PrimaryKeyConstraint("match_id", "number", name=op.f("pk_fault")),
    )
    op.create_index(op.f("ix_fault_cause_match_id"), "fault", ["cause", "match_id"])
    op.create_index(
        op.f("ix_fault_tournament_id_version_id_cause_match_id"),
        "fault",
        ["tournament_id", "version_id", "cause", "match_id"],
    )
    op.create_index(op.f("ix_fault_version_id_match_id"), "fault", ["version_id", "match_id"])

    op.create_table(
        "leak_check",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("verdict", sa.String(), nullable=False),
        sa.Column("ply", sa.Integer(), nullable=True),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.Column("sentence_text", sa.JSON(none_as_null=True), nullable=True),
        sa.Column("evidence", sa.JSON(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_leak_check_match_id_match")),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_leak_check")),
    )
    op.create_table(
        "match_seat",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        sa.Column("rank", sa.Integer(), nullable=True),
        sa.Column("forfeit", sa.Integer(), nullable=True),
        sa.Column("resigned", sa.Boolean(), nullable=True),
        sa.Column("runtime", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_match_seat_match_id_match")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_match_seat_version_id_version")),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_match_seat")),
        sqlite_with_rowid=False,
    )
    op.create_index(op.f("ix_match_seat_version_id_match_id"), "match_seat", ["version_id", "match_id"])

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
    op.create_index(
        op.f("ix_rating_change_pool_id_version_id_rating_seq"), "rating_change", ["pool_id", "version_id", "rating_seq"]
    )

    op.create_table(
        "rating_order",
        sa.Column("pool_id", sa.String(), nullable=False),
        sa.Column("rating_seq", sa.Integer(), nullable=False),
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column(
            "verdict",
            sa.Enum(
                "rated",
                "void",
                "void_block",
                "unrated",
                "same_owner",
                "annulled",
                name="ratingverdict",
                native_enum=False,
                length=16,
            ),
            nullable=False,
        ),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_rating_order_match_id_match")),
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_rating_order_pool_id_pool")),
        sa.PrimaryKeyConstraint("pool_id", "rating_seq", name=op.f("pk_rating_order")),
        sa.UniqueConstraint("match_id", name=op.f("uq_rating_order_match_id")),
    )
    op.create_index(
        op.f("ix_rating_order_pool_id_match_id"),
        "rating_order",
        ["pool_id", "match_id"],
        sqlite_where=sa.text("verdict <> 'rated'"),
        postgresql_where=sa.text("verdict <> 'rated'"),
    )

    op.create_table(
        "replay",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_replay_match_id_match")),
        sa.PrimaryKeyConstraint("match_id", name=op.f("pk_replay")),
    )
    op.create_table(
        "seat_log",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("cut_bytes", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_seat_log_match_id_match")),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_seat_log")),
    )
    op.create_table(
        "annulled_block",
        sa.Column("block_id", sa.String(), nullable=False),
        sa.Column("annulment_id", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(
            ["annulment_id"], ["annulment.id"], name=op.f("fk_annulled_block_annulment_id_annulment")
        ),
        sa.ForeignKeyConstraint(["block_id"], ["block.id"], name=op.f("fk_annulled_block_block_id_block")),
        sa.PrimaryKeyConstraint("block_id", name=op.f("pk_annulled_block")),
    )
    op.create_index(op.f("ix_annulled_block_annulment_id"), "annulled_block", ["annulment_id"])
