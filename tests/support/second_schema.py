"""A schema later than ours, for the tests of upgrading: it adds a column, fills it, and renames another."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from unittest import mock

from ratings.store import schema

REVISION = "9000"
_MIGRATION = """
import sqlalchemy as sa
from alembic import op

revision, down_revision = "{revision}", "{before}"


def upgrade() -> None:
    op.add_column("version", sa.Column("label", sa.String(), server_default=sa.text("''"), nullable=False))
    op.execute("UPDATE version SET label = 'version ' || number")
    with op.batch_alter_table("wave", recreate="auto") as wave:
        wave.alter_column("planned_at_us", new_column_name="made_at_us")
    op.create_index("ix_version_label", "version", ["label"])
    {last}
"""


@contextmanager
def second_schema(directory: Path, *, last: str = "pass") -> Iterator[None]:
    """Give the program one more schema while this is open; its migration ends with the statement `last`."""
    migrations = directory / "migrations"
    shutil.copytree(schema.MIGRATIONS, migrations, ignore=shutil.ignore_patterns("__pycache__"))
    code = _MIGRATION.format(revision=REVISION, before=schema.HEAD, last=last)
    (migrations / "versions" / f"{REVISION}_labels.py").write_text(code, encoding="utf-8")
    with (
        mock.patch.object(schema, "MIGRATIONS", migrations),
        mock.patch.object(schema, "REVISIONS", (*schema.REVISIONS, REVISION)),
        mock.patch.object(schema, "HEAD", REVISION),
    ):
        yield
