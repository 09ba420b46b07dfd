"""What Alembic executes: it runs the migrations on the connection it is given, inside that connection's transaction."""

from __future__ import annotations

from typing import Any, Literal

from alembic import context
from sqlmodel import AutoString

from ratings.store import tables


def _render(kind: str, item: Any, _context: object) -> str | Literal[False]:
    """Write plain SQLAlchemy types into migrations, which must still run when SQLModel has changed."""
    return "sa.String()" if kind == "type" and isinstance(item, AutoString) else False


context.configure(
    connection=context.config.attributes["connection"],
    target_metadata=tables.metadata,
    render_item=_render,
    # SQLite can only alter a table by writing it anew.
    render_as_batch=True,
)
with context.begin_transaction():
    context.run_migrations()
