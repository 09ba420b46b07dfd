"""Tells which schema a database has, and brings it to ours. Alembic's migrations are the only way to a schema."""

from __future__ import annotations

import shlex
from dataclasses import dataclass
from pathlib import Path

from sqlalchemy import Connection, Engine, inspect, text

from engine.translatable import Text
from ratings.errors import EmptyDatabaseError, NotADatabaseError, SchemaVersionError, UnfinishedCopyError
from ratings.store.dialects import dialect_of

REVISIONS = ("0001", "0002", "0003", "0004")
"""All schemas so far, the oldest first; listed here so that opening a database does not import Alembic."""

HEAD = REVISIONS[-1]
_COPYING = " copying"
"""What follows the revision while a database is copied into: no older program takes it for a whole one either."""
MIGRATIONS = Path(__file__).parent / "migrations"


@dataclass(frozen=True, slots=True)
class SchemaChange:
    """What an upgrade did: the revisions before (`None` for a fresh database) and after it."""

    before: str | None
    after: str


def revision(engine: Engine) -> str | None:
    """Return the schema's revision, or `None` for an empty database.

    Raises NotADatabaseError for a database of another program.
    """
    with engine.connect() as connection:
        tables = inspect(connection).get_table_names()
        if not tables:
            return None
        if "alembic_version" in tables and "rating_order" in tables:
            found = connection.execute(text("SELECT version_num FROM alembic_version")).scalars().all()
            if len(found) == 1:
                return str(found[0])
    raise NotADatabaseError(Text("{path} is a database of another program; name another", path=name_of(engine)))


def ensure(engine: Engine, *, makes: bool = True, copies: bool = False) -> None:
    """Migrate a fresh database to our schema, and raise SchemaVersionError for one that has another.

    Unless it `makes` tables, a fresh one is left as it is: raises EmptyDatabaseError. Raises UnfinishedCopyError for a
    copy that was cut off, unless it `copies`, which goes on with one that has our schema.
    """
    found = revision(engine)
    if copies and found == f"{HEAD}{_COPYING}":
        return
    _need_whole(engine, found, copies=copies)
    if found is None and not makes:
        raise EmptyDatabaseError(
            Text("{path} is empty; name a database that something was played in", path=name_of(engine))
        )
    if found is None:
        upgrade(engine)
    elif found in REVISIONS[:-1]:
        raise SchemaVersionError(
            Text(
                "{path} has schema {found}, this arena needs {needed}; run: arena db upgrade --db {where}",
                path=name_of(engine),
                found=found,
                needed=HEAD,
                where=_as_option(engine) + (", with its password in place of ***" if engine.url.password else ""),
            )
        )
    elif found != HEAD:
        raise _too_new(engine, found)


def _need_whole(engine: Engine, found: str | None, *, copies: bool = False) -> None:
    if found is None or not found.endswith(_COPYING):
        return
    if copies:
        raise UnfinishedCopyError(
            Text(
                "{name} is a copy that another version of the arena began; name an empty database", name=name_of(engine)
            )
        )
    raise UnfinishedCopyError(
        Text(
            "{name} is a copy that is not finished; run the same `arena db copy` again, which goes on",
            name=name_of(engine),
        )
    )


def begin_copy(connection: Connection) -> None:
    """Have everybody but who copies refuse a database of our schema, from the end of this transaction."""
    _change_revision(connection, HEAD, f"{HEAD}{_COPYING}")


def end_copy(connection: Connection) -> None:
    """Have everybody take the database for a whole one, from the end of this transaction."""
    _change_revision(connection, f"{HEAD}{_COPYING}", HEAD)


def _change_revision(connection: Connection, old: str, new: str) -> None:
    query = text("UPDATE alembic_version SET version_num = :new WHERE version_num = :old")
    connection.execute(query, {"old": old, "new": new})


def name_of(engine: Engine) -> str:
    """Return the database as people know it: its file, or its name on its server."""
    return str(engine.url.database)


def _as_option(engine: Engine) -> str:
    """Return the database as `--db` names it, for the shell; a password is not shown."""
    return shlex.quote(str(engine.url.database) if engine.url.get_backend_name() == "sqlite" else str(engine.url))


def upgrade(engine: Engine) -> SchemaChange:
    """Bring the schema to HEAD in one transaction.

    Raises SchemaVersionError if it is newer than this program, and UnfinishedCopyError for a copy that was cut off.
    """
    found = revision(engine)
    _need_whole(engine, found)
    if found == HEAD:
        return SchemaChange(found, HEAD)
    if found is not None and found not in REVISIONS:
        raise _too_new(engine, found)
    if found is None:
        dialect_of(engine.url).prepare_fresh(engine)
    _migrate(engine)
    return SchemaChange(found, HEAD)


def _too_new(engine: Engine, found: str) -> SchemaVersionError:
    return SchemaVersionError(
        f"{name_of(engine)} has schema {found}, which this arena (schema {HEAD}) does not know: "
        "it is older than the database; update it (git pull, make setup)"
    )


def _migrate(engine: Engine) -> None:
    # Imported here because Alembic is slow to import, and needed once in a database's life.
    from alembic import command
    from alembic.config import Config

    config = Config()
    config.set_main_option("script_location", str(MIGRATIONS).replace("%", "%%"))
    # As a writer from the beginning: of two processes that find a fresh file, the second waits and has nothing to do.
    writing = dialect_of(engine.url).WRITING
    with engine.connect().execution_options(**writing) as connection, connection.begin():
        config.attributes["connection"] = connection
        command.upgrade(config, HEAD)
        dialect_of(engine.url).finish_schema(connection)
