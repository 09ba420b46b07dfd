"""Writes a tournament into a file: all that is known of it but the programs of its bots."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO, Any, TypeVar

from sqlalchemy import ColumnElement, Select, select
from sqlalchemy import Table as CoreTable
from sqlmodel import Session

from engine.os_errors import os_error_text
from engine.translatable import Text
from ratings.errors import ArchiveError
from ratings.read.tournaments import TournamentRow, published_secret, tournament_row
from ratings.store import schema, tables
from ratings.store.export_format import FORMAT, HEADER, PUBLIC, archived_tables, row_encoder, write_chain
from ratings.store.models import TournamentRecord
from ratings.store.sessions import Source, read

T = TypeVar("T")
OnProgress = Callable[[int, int], None]
"""Told of about how many matches everything is written, of how many."""
Withhold = Callable[[str, dict[str, Any]], dict[str, Any]]
_PART = 200


def export_tournament(
    source: Source,
    tournament: TournamentRecord,
    target: Path,
    on_progress: OnProgress = lambda _done, _total: None,
    withhold: Withhold | None = None,
) -> str:
    """Write a tournament that is over into the new file `target`; return the digest of the file in hexadecimal digits.

    With `withhold` it is a file for everybody, which says so: each row is what that returns for its kind and the row.
    Raises ArchiveError, also if the file exists or cannot be written; then there is no file.
    """
    try:
        with read(source) as session, _new_file(target) as file:
            row = tournament_row(session, tournament.id)
            return write_chain(file, _watched(records(session, tournament, withhold), row, on_progress))
    except FileExistsError:
        raise ArchiveError(Text("{file} exists; name a new file", file=target)) from None
    except OSError as error:
        raise ArchiveError(
            Text("{file} cannot be written: {why}; name another file", file=target, why=os_error_text(error))
        ) from error


def _watched(lines: Iterator[T], row: TournamentRow, on_progress: OnProgress) -> Iterator[T]:
    """Yield the lines, and tell how far they are: a match has about so many, and its replay may be gone."""
    total, seats = row.progress.total, row.pool.seats
    lines_a_match = 4 + 2 * seats + 1 / seats  # itself, attempt, replay, place in the order; seats; its part of a block
    for number, line in enumerate(lines):
        if number % _PART == 0:
            on_progress(min(total, int(number / lines_a_match)), total)
        yield line


@contextmanager
def _new_file(target: Path) -> Iterator[IO[str]]:
    """Open a file that gets its name when it is complete. Raises OSError."""
    if target.exists():
        raise FileExistsError
    descriptor, name = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
    try:
        with os.fdopen(descriptor, "w", encoding="ascii", newline="\n") as file:
            yield file
            file.flush()
            os.fsync(descriptor)
        umask = os.umask(0)
        os.umask(umask)
        Path(name).chmod(0o666 & ~umask)
        os.link(name, target)
    finally:
        with suppress(OSError):
            Path(name).unlink()


def records(
    session: Session, tournament: TournamentRecord, withhold: Withhold | None = None
) -> Iterator[tuple[str, Any]]:
    """Yield kind and data of every line. Raises ArchiveError if the tournament is not over."""
    row = tournament_row(session, tournament.id)
    if row.status not in ("finished", "cancelled"):
        raise ArchiveError(
            Text(
                "tournament {tournament} is not over ({finished} of {total} matches played); `arena tournament "
                "resume {name}` plays what is left, `cancel` gives it up",
                tournament=repr(tournament.name),
                finished=row.progress.finished,
                total=row.progress.total,
                name=tournament.name,
            )
        )
    if published_secret(session, tournament.id) is None:
        raise ArchiveError(
            Text(
                "tournament {name} belongs to a season that is not closed, and its secret is not public yet; "
                "export it afterwards",
                name=repr(tournament.name),
            )
        )
    header = {"format": FORMAT, "schema": schema.HEAD, "tournament": tournament.id, "name": tournament.name}
    yield HEADER, header if withhold is None else {**header, PUBLIC: True}
    for table in archived_tables():
        query = select(table).where(_condition(table, tournament)).order_by(*table.primary_key.columns)
        encode = row_encoder(table)
        parts = session.connection().execute(query, execution_options={"yield_per": _PART}).partitions()
        rows = (encode(found) for part in parts for found in part)
        yield from ((table.name, row if withhold is None else withhold(table.name, row)) for row in rows)


def _condition(table: CoreTable, tournament: TournamentRecord) -> ColumnElement[bool]:
    """Return which rows of a table belong to the tournament."""
    columns = table.c
    if table is tables.tournament:
        return columns.id == tournament.id
    if table is tables.pool:
        return columns.id == tournament.pool_id
    if table in (tables.annulled_block, tables.annulment):
        marked, block = tables.annulled_block.c, tables.block.c
        its_blocks = select(block.id).where(block.tournament_id == tournament.id)
        if table is tables.annulled_block:
            return marked.block_id.in_(its_blocks)
        return table.c.id.in_(select(marked.annulment_id).where(marked.block_id.in_(its_blocks)))
    if "match_id" in columns:
        return columns.match_id.in_(select(tables.match.c.id).where(tables.match.c.tournament_id == tournament.id))
    if "tournament_id" in columns:
        return columns.tournament_id == tournament.id
    return columns.id.in_(_people(table, tournament))


def _people(table: CoreTable, tournament: TournamentRecord) -> Select[Any]:
    """Select the ids of the versions that took part, of their bots, or of their owners."""
    entrant, version, bot = tables.entrant, tables.version, tables.bot
    if table is version:
        return select(entrant.c.version_id).where(entrant.c.tournament_id == tournament.id)
    joined = select(version.c.bot_id).join(entrant, entrant.c.version_id == version.c.id)
    bots = joined.where(entrant.c.tournament_id == tournament.id)
    if table is bot:
        return bots
    assert table is tables.owner, f"a table whose rows are of no tournament: {table.name}"
    return select(bot.c.owner_id).where(bot.c.id.in_(bots), bot.c.owner_id.is_not(None))
