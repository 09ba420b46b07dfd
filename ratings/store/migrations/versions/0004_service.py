"""What a service keeps: owners' tokens, admissions, ladders and seasons; bots of an owner are named `owner/name`.

Revision 0004.
"""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

COUNTS = (
    "matches",
    "wins",
    "points",
    "forfeits",
    "blocks",
    "block_matches",
    "block_points",
    "equal",
    "leaks",
    "unstable",
    "unknown",
)
COUNT = f"""
INSERT INTO entrant_tally (tournament_id, version_id, {", ".join(COUNTS)})
SELECT
    tournament_id,
    version_id,
    count(*),
    sum(CASE WHEN rank = 1 THEN 1 ELSE 0 END),
    sum(points),
    sum(CASE WHEN forfeit IS NOT NULL THEN 1 ELSE 0 END),
    count(DISTINCT CASE WHEN broken IS NULL THEN block_id END),
    sum(CASE WHEN broken IS NULL THEN 1 ELSE 0 END),
    sum(CASE WHEN broken IS NULL THEN points ELSE 0 END),
    sum(CASE WHEN verdict = 'equal' THEN 1 ELSE 0 END),
    sum(CASE WHEN verdict = 'leak' THEN 1 ELSE 0 END),
    sum(CASE WHEN verdict = 'unstable' THEN 1 ELSE 0 END),
    sum(CASE WHEN verdict NOT IN ('equal', 'leak', 'unstable') THEN 1 ELSE 0 END)
FROM (
    SELECT
        m.tournament_id,
        m.block_id,
        s.version_id,
        s.rank,
        s.forfeit,
        k.verdict,
        b.block_id AS broken,
        (
            SELECT coalesce(sum(CASE WHEN s.rank < o.rank THEN 2 WHEN s.rank = o.rank THEN 1 ELSE 0 END), 0)
            FROM match_seat o
            WHERE o.match_id = s.match_id AND o.seat <> s.seat
        ) AS points
    FROM match m
    JOIN match_seat s ON s.match_id = m.id
    LEFT JOIN (SELECT DISTINCT block_id FROM match WHERE state <> 'finished') b ON b.block_id = m.block_id
    LEFT JOIN leak_check k ON k.match_id = s.match_id AND k.seat = s.seat
    WHERE m.state = 'finished'
) AS seats
GROUP BY tournament_id, version_id
"""
_NEWEST_IS_ACTIVE = "the newest version of the operator's own bots is active"


def upgrade() -> None:

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
        "removal",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column(
            "kind",
            sa.Enum("logs", "replays", "archives", name="removalkind", native_enum=False, length=16),
            nullable=False,
        ),
        sa.Column("before_us", sa.BigInteger(), nullable=False),
        sa.Column("why", sa.Text(), nullable=False),
        sa.Column("announced_at_us", sa.BigInteger(), nullable=False),
        sa.Column("due_at_us", sa.BigInteger(), nullable=False),
        sa.Column("done_at_us", sa.BigInteger(), nullable=True),
        sa.Column("items", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_removal")),
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
        sa.ForeignKeyConstraint(["pool_id"], ["pool.id"], name=op.f("fk_ladder_pool_id_pool")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_ladder")),
    )
    op.create_index(op.f("ix_ladder_name"), "ladder", ["name"], unique=False)
    op.create_index(op.f("ix_ladder_pool_id"), "ladder", ["pool_id"], unique=False)
    op.create_table(
        "notice",
        sa.Column("id", sa.String(), nullable=False),
        sa.Column("owner_id", sa.String(), nullable=True),
        sa.Column("at_us", sa.BigInteger(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("sentence", sa.Text(), nullable=False),
        sa.ForeignKeyConstraint(["owner_id"], ["owner.id"], name=op.f("fk_notice_owner_id_owner")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notice")),
    )
    op.create_index(op.f("ix_notice_owner_id"), "notice", ["owner_id"], unique=False)
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
    op.create_index(op.f("ix_token_owner_id"), "token", ["owner_id"], unique=False)
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
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_admission_version_id_version")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_admission")),
    )
    op.create_index(op.f("ix_admission_state"), "admission", ["state"], unique=False)
    op.create_index(op.f("ix_admission_version_id"), "admission", ["version_id"], unique=False)
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
        sa.ForeignKeyConstraint(["bot_id"], ["bot.id"], name=op.f("fk_bot_event_bot_id_bot")),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_bot_event_version_id_version")),
        sa.PrimaryKeyConstraint("bot_id", "number", name=op.f("pk_bot_event")),
    )
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
    op.create_index(op.f("ix_annulment_match_id"), "annulment", ["match_id"], unique=False)
    op.create_index(op.f("ix_annulment_version_id"), "annulment", ["version_id"], unique=False)
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
    op.create_index(op.f("ix_annulled_block_annulment_id"), "annulled_block", ["annulment_id"], unique=False)
    op.create_table(
        "seat_log",
        sa.Column("match_id", sa.String(), nullable=False),
        sa.Column("seat", sa.Integer(), nullable=False),
        sa.Column("data", sa.LargeBinary(), nullable=False),
        sa.Column("cut_bytes", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["match_id"], ["match.id"], name=op.f("fk_seat_log_match_id_match")),
        sa.PrimaryKeyConstraint("match_id", "seat", name=op.f("pk_seat_log")),
    )
    op.add_column("match", sa.Column("replay_removed_at_us", sa.BigInteger(), nullable=True))
    op.add_column("match", sa.Column("logs_removed_at_us", sa.BigInteger(), nullable=True))
    op.add_column("version", sa.Column("files_removed_at_us", sa.BigInteger(), nullable=True))
    op.add_column("match_seat", sa.Column("runtime", sa.String(), nullable=True))
    op.add_column("owner", sa.Column("disabled_at_us", sa.BigInteger(), nullable=True))
    op.add_column("owner", sa.Column("limits", sa.JSON(none_as_null=True), nullable=True))
    op.add_column("version", sa.Column("message", sa.String(), server_default=sa.text("''"), nullable=False))
    op.add_column("version", sa.Column("predecessor", sa.Integer(), nullable=True))
    op.add_column("version", sa.Column("withdrawn_at_us", sa.BigInteger(), nullable=True))
    op.add_column("wave", sa.Column("memory", sa.JSON(none_as_null=True), nullable=True))
    op.create_index(op.f("ix_fault_cause_match_id"), "fault", ["cause", "match_id"], unique=False)
    op.create_index(op.f("ix_match_state_id"), "match", ["state", "id"], unique=False)
    op.create_index(op.f("ix_tournament_name"), "tournament", ["name"], unique=False)
    _count()
    # Bots of an owner had plain names, which were unique, so these are too.
    op.execute(
        "UPDATE bot SET name = (SELECT owner.name FROM owner WHERE owner.id = bot.owner_id) || '/' || name "
        "WHERE owner_id IS NOT NULL"
    )
    # Who withdrew from a ladder may come back, as another row.
    with op.batch_alter_table("entrant") as entrant:
        entrant.drop_constraint("uq_entrant_tournament_id_version_id", type_="unique")
        entrant.create_index("ix_entrant_tournament_id_version_id", ["tournament_id", "version_id"], unique=False)
    _write_lineage(op.get_bind())


def _count() -> None:
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
        "entrant_tally",
        sa.Column("tournament_id", sa.String(), nullable=False),
        sa.Column("version_id", sa.String(), nullable=False),
        *(sa.Column(name, sa.Integer(), nullable=False) for name in COUNTS),
        sa.ForeignKeyConstraint(
            ["tournament_id"], ["tournament.id"], name=op.f("fk_entrant_tally_tournament_id_tournament")
        ),
        sa.ForeignKeyConstraint(["version_id"], ["version.id"], name=op.f("fk_entrant_tally_version_id_version")),
        sa.PrimaryKeyConstraint("tournament_id", "version_id", name=op.f("pk_entrant_tally")),
    )
    op.execute(COUNT)


def _write_lineage(connection: sa.Connection) -> None:
    """Write what the versions that are there tell of their bots: the newest of the operator's own is active."""
    connection.execute(
        sa.text(
            "UPDATE version SET predecessor = number - 1 "
            "WHERE number > 1 AND bot_id IN (SELECT id FROM bot WHERE owner_id IS NULL)"
        )
    )
    connection.execute(
        sa.text(
            "INSERT INTO active_version (bot_id, version_id) SELECT bot.id, version.id FROM bot "
            "JOIN version ON version.bot_id = bot.id WHERE bot.owner_id IS NULL "
            "AND version.number = (SELECT MAX(newest.number) FROM version AS newest WHERE newest.bot_id = bot.id)"
        )
    )
    events = [event for bot in connection.execute(sa.text("SELECT * FROM bot")) for event in _events(connection, bot)]
    if events:
        columns = "bot_id, number, kind, version_id, at_us, actor, message"
        values = ":bot_id, :number, :kind, :version_id, :at_us, 'operator', :message"
        connection.execute(sa.text(f"INSERT INTO bot_event ({columns}) VALUES ({values})"), events)


def _events(connection: sa.Connection, bot: sa.Row[Any]) -> list[dict[str, Any]]:
    """Return the rows of what happened to a bot, in order."""
    versions = sa.text("SELECT id, created_at_us FROM version WHERE version.bot_id = :bot ORDER BY number")
    happened = []
    for version in connection.execute(versions, {"bot": bot.id}):
        happened.append((version.created_at_us, "submitted", version.id, ""))
        if bot.owner_id is None:
            happened.append((version.created_at_us, "promoted", version.id, _NEWEST_IS_ACTIVE))
    if bot.disabled_at_us is not None:
        happened.append((bot.disabled_at_us, "disabled", None, ""))
        happened.sort(key=lambda event: event[0])
    return [
        {"bot_id": bot.id, "number": number, "kind": kind, "version_id": version, "at_us": at_us, "message": message}
        for number, (at_us, kind, version, message) in enumerate(happened)
    ]
