"""Reads a tournament from a file into a database, in the caller's transaction: all of it or nothing.

Owners, bots and pools that are here already are recognised, a bot by its name, a version by its content hash. Matches
are rated in the order in which they were rated where they come from, after what is rated in the pool already.
"""

from __future__ import annotations

import hashlib
import reprlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from sqlalchemy import ColumnElement, func, insert, select
from sqlalchemy import Table as CoreTable
from sqlalchemy.exc import DataError, IntegrityError
from sqlmodel import Session

from engine.os_errors import os_error_text
from engine.translatable import Text
from ratings.errors import ArchiveError, NotFoundError
from ratings.ledger.annulments import cover_tournament
from ratings.ledger.check import facts_problems
from ratings.ledger.proof import check_log
from ratings.ledger.rating import pool_of
from ratings.ledger.rebuild import rebuild
from ratings.statistics.errors import SkillError
from ratings.store import schema, tables
from ratings.store.export_format import FORMAT, HEADER, PUBLIC, ColumnError, archived_tables, decode_row, read_chain
from ratings.store.identifiers import now_us
from ratings.store.models import PoolRecord, TournamentRecord
from ratings.store.tables import AnyRow
from ratings.values.pools import Pool
from ratings.values.states import OnWorkProgress, WorkStage, no_progress

_BATCH = 200
_HEADER_KEYS = {"format", "schema", "tournament", "name"}
_RATING_FIGURES = ("match_id", "seat", "mu_before", "sigma_before", "mu_after", "sigma_after")
_TABLES = {table.name: table for table in archived_tables()}
Row = dict[str, Any]
Line = tuple[int, str, Any]
"""A line of the file: its number, the kind of its record, and the record."""
Check = Callable[[TournamentRecord, PoolRecord], object]
"""Raises ValueError, KeyError or TypeError for a tournament of which the arena cannot read what only it understands."""


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import."""

    tournament_id: str
    name: str
    matches: int
    rated: int
    same_ratings: bool | None
    """Whether every rating came out as in the file, or `None` if the pool had other matches here or there."""
    is_public: bool = False
    """Whether it is a file for everybody, from which the evidence of faults is withheld."""


def import_tournament(
    session: Session,
    source: Path,
    *,
    name: str | None = None,
    digest: str | None = None,
    report: OnWorkProgress = no_progress,
    check: Check = lambda *_: None,
) -> Imported:
    """Read an exported tournament, under another `name` if given, only a file of that `digest` if given.

    `report` is told how far it is. Raises ArchiveError; then nothing may be committed.
    """
    work = _Import(session, str(source), name, report, check)
    try:
        with source.open(encoding="ascii", newline="\n") as file:
            lines = read_chain(file, str(source), digest)
            work.read_header(next(lines, None))
            work.read_rows(lines)
    except (IntegrityError, DataError) as error:
        why = str(error.orig).splitlines()[0]
        raise ArchiveError(
            Text("{file} does not fit this database ({why}); nothing was imported", file=source, why=why)
        ) from error
    except OSError as error:
        raise ArchiveError(
            Text(
                "{file} cannot be read: {why}; give the path of an exported tournament",
                file=source,
                why=os_error_text(error),
            )
        ) from error
    return work.finish()


def check_header(file: str, header: Any) -> str:
    """Return the name of the tournament of a file, given its header. Raises ArchiveError if it does not fit us."""
    if not (isinstance(header, dict) and header.keys() >= _HEADER_KEYS and str(header["tournament"]).isascii()):
        raise ArchiveError(Text("{file}, line 1: it is no header; nothing was imported", file=file))
    if header["format"] != FORMAT or header["schema"] != schema.HEAD:
        raise ArchiveError(
            Text(
                "{file} was exported with schema {schema}, format {form}; this arena has schema {own}, "
                "format {own_form}; export it with this version of the arena",
                file=file,
                schema=header["schema"],
                form=header["format"],
                own=schema.HEAD,
                own_form=FORMAT,
            )
        )
    return str(header["name"])


class _Import:
    """One import: what was read so far, and the rows that wait to be written."""

    def __init__(self, session: Session, file: str, name: str | None, report: OnWorkProgress, check: Check) -> None:
        self._session, self._connection, self._check = session, session.connection(), check
        self._file, self._new_name, self._report = file, name, report
        self._tournament_id = self._pool_id = self._told_name = ""
        self._seats = 0
        self._is_public = False
        # Of ids their hashes: of 200,000 matches they take half the memory of the ids.
        self._matches: set[int] = set()
        self._blocks: set[int] = set()
        # Ids of owners, bots and versions in the file -> their ids here.
        self._ids: dict[str, str] = {}
        self._remote_bots: set[str] = set()
        self._now_us = now_us()
        self._waiting: dict[str, list[Row]] = {}
        # Whether no other match is, or was, rated in the pool, here and where the file comes from.
        self._is_alone = True
        self._next_seq = 1
        self._changes = _Sum()
        self._actions: dict[str, Callable[[Row], object]] = {
            "owner": lambda row: self._recognise(tables.owner, row, tables.owner.c.name == row["name"]),
            "bot": self._add_bot,
            "version": self._add_version,
            "pool": self._add_pool,
            "tournament": self._add_tournament,
            "block": self._add_block,
            "match": self._add_match,
            "annulment": self._add_annulment,
            "rating_order": self._add_order,
            "rating_change": self._changes.add,
        }

    def read_header(self, line: Line | None) -> None:
        """Check that the file is an export that fits this arena, of a tournament that is not here yet."""
        if line is None or line[1] != HEADER:
            raise ArchiveError(
                Text("{file} is no exported tournament; `arena tournament export` writes one", file=self._file)
            )
        header = line[2]
        check_header(self._file, header)
        self._is_public = header.get(PUBLIC) is True
        self._tournament_id = str(header["tournament"])
        if self._find(tables.tournament, tables.tournament.c.id == self._tournament_id) is not None:
            raise ArchiveError(
                Text("tournament {name} is in this database already; nothing was imported", name=repr(header["name"]))
            )

    def read_rows(self, lines: Iterator[Line]) -> None:
        """Write all rows. Raises ArchiveError for one that is not of this tournament, or no row at all."""
        for number, kind, data in lines:
            try:
                row = decode_row(_TABLES[kind], data)
                of_match = kind != "match" and row.get("match_id") is not None
                if (
                    row.get("tournament_id") not in (None, self._tournament_id)
                    or (kind == "tournament" and row["id"] != self._tournament_id)
                    or row.get("pool_id", self._pool_id) != self._pool_id
                    or (of_match and hash(row["match_id"]) not in self._matches)
                    or (kind == "annulled_block" and hash(row["block_id"]) not in self._blocks)
                ):
                    raise ValueError("it is of another tournament")
                if kind in self._actions:
                    self._actions[kind](row)
                else:
                    self._keep(kind, row)
            except ArchiveError:
                raise
            except ColumnError as error:
                raise ArchiveError(
                    Text(
                        "{file}, line {number}: {column} of {kind} cannot be {value}; nothing was imported",
                        file=self._file,
                        number=number,
                        column=error.column,
                        kind=kind,
                        value=reprlib.repr(error.value),
                    )
                ) from error
            except (KeyError, ValueError, TypeError) as error:
                raise ArchiveError(
                    Text(
                        "{file}, line {number}: it is no row of {kind}; nothing was imported",
                        file=self._file,
                        number=number,
                        kind=kind,
                    )
                ) from error
        self._flush()

    def finish(self) -> Imported:
        """Rate what the pool has anew. Raises ArchiveError if the facts do not agree with each other."""
        self._check_settings()
        try:
            self._report(WorkStage.FACTS, 0, 0)
            cover_tournament(self._session, self._tournament_id)
            if problem := next(facts_problems(self._session), None):
                raise ArchiveError(
                    Text(
                        "{file} does not agree with itself ({why}); nothing was imported", file=self._file, why=problem
                    )
                )
            rated = rebuild(self._session, self._pool_id, self._report)
        except (SkillError, NotFoundError) as error:
            raise ArchiveError(
                Text("{file} cannot be rated ({why}); nothing was imported", file=self._file, why=error)
            ) from error
        has_same_ratings = None
        if self._is_alone:
            change, here = tables.rating_change, _Sum()
            query = select(*(change.c[key] for key in _RATING_FIGURES)).where(change.c.pool_id == self._pool_id)
            for row in self._connection.execute(query, execution_options={"yield_per": _BATCH}).mappings():
                here.add(row)
            has_same_ratings = here == self._changes
        return Imported(
            self._tournament_id, self._told_name, len(self._matches), rated, has_same_ratings, self._is_public
        )

    def _check_settings(self) -> None:
        tournament = self._session.get(TournamentRecord, self._tournament_id)
        pool = self._session.get(PoolRecord, self._pool_id)
        if tournament is None or pool is None:
            raise ArchiveError(Text("{file} has no tournament in it; nothing was imported", file=self._file))
        try:
            self._check(tournament, pool)
            check_log(self._connection, self._tournament_id)
        except (KeyError, TypeError, ValueError, ArithmeticError, AttributeError) as error:
            raise ArchiveError(
                Text(
                    "{file}: the settings of its tournament cannot be read ({why}); nothing was imported",
                    file=self._file,
                    why=error,
                )
            ) from error

    def _keep(self, kind: str, row: Row) -> None:
        """Write a row, in a batch with others, that nobody here can have yet, with the ids that people have here."""
        for key in ("owner_id", "bot_id", "version_id"):
            if row.get(key) is not None:
                row[key] = self._ids.get(row[key], row[key])
        waiting = self._waiting.setdefault(kind, [])
        waiting.append(row)
        if len(waiting) == _BATCH:
            self._flush()

    def _flush(self) -> None:
        self._report(WorkStage.LINES, 0, 0)
        for kind, rows in self._waiting.items():
            self._connection.execute(insert(_TABLES[kind]), rows)
        self._waiting.clear()

    def _find(self, table: CoreTable, condition: ColumnElement[bool]) -> AnyRow | None:
        return self._connection.execute(select(table).where(condition)).first()

    def _recognise(self, table: CoreTable, row: Row, same: ColumnElement[bool]) -> AnyRow | None:
        """Return the row that stands for it here already, or write it and return `None`."""
        known = self._find(table, same)
        if known is None:
            self._keep(table.name, row)
            self._flush()
        else:
            self._ids[row["id"]] = known.id
        return known

    def _add_bot(self, row: Row) -> None:
        known = self._recognise(tables.bot, row, tables.bot.c.name == row["name"])
        owner = self._ids.get(row["owner_id"], row["owner_id"]) if row["owner_id"] else None
        if row["remote"]:
            self._remote_bots.add(row["id"])
        if known is not None and known.remote != row["remote"]:
            raise ArchiveError(
                Text(
                    "{file}: of bot {bot} one is hosted and one remote, in the file and in this database; import "
                    "it into another database",
                    file=self._file,
                    bot=repr(row["name"]),
                )
            )
        if known is not None and known.owner_id != owner:
            raise ArchiveError(
                Text(
                    "{file}: bot {bot} belongs to another owner in this database; import it into another database",
                    file=self._file,
                    bot=repr(row["name"]),
                )
            )

    def _add_version(self, row: Row) -> None:
        version, bot_id = tables.version, self._ids.get(row["bot_id"], row["bot_id"])
        numbers = select(version.c.number).where(version.c.bot_id == bot_id)
        taken = set(self._connection.execute(numbers).scalars())
        if row["number"] in taken:
            row = {**row, "number": max(taken) + 1}
        if row["bot_id"] not in self._remote_bots:
            row = {**row, "files_removed_at_us": self._now_us}  # no files come along; `bot add` brings them
        same = (version.c.bot_id == bot_id) & (version.c.content_hash == row["content_hash"])
        self._recognise(version, row, same)

    def _add_pool(self, row: Row) -> None:
        key = {field.name: row[field.name] for field in fields(Pool) if field.name != "pool_id"}
        if self._pool_id or pool_of(**key).pool_id != row["id"]:
            raise ArchiveError(
                Text("{file}: the name of its pool is not that of its key; nothing was imported", file=self._file)
            )
        self._pool_id, self._seats = row["id"], row["seats"]
        order = tables.rating_order
        last = select(func.max(order.c.rating_seq)).where(order.c.pool_id == row["id"])
        self._next_seq = (self._connection.execute(last).scalar_one() or 0) + 1
        self._is_alone = self._next_seq == 1
        known = self._find(tables.pool, tables.pool.c.id == row["id"])
        if known is None:
            self._keep("pool", row)
        elif any(getattr(known, key) != value for key, value in row.items() if key != "created_at_us"):
            raise ArchiveError(
                Text(
                    "{file}: its pool has other rating constants in this database; import it into another database",
                    file=self._file,
                )
            )

    def _add_tournament(self, row: Row) -> None:
        row["name"] = self._told_name = self._new_name or row["name"]
        if self._find(tables.tournament, tables.tournament.c.name == row["name"]) is not None:
            raise ArchiveError(
                Text(
                    "there is a tournament {name} already; give the imported one another --name", name=repr(row["name"])
                )
            )
        self._keep("tournament", row)

    def _add_block(self, row: Row) -> None:
        self._blocks.add(hash(row["id"]))
        self._keep("block", row)

    def _add_annulment(self, row: Row) -> None:
        """Keep why matches do not count; an annulled version may be known from another tournament."""
        self._flush()
        self._recognise(tables.annulment, row, tables.annulment.c.id == row["id"])

    def _add_match(self, row: Row) -> None:
        if row["rotation"] >= self._seats:
            raise ColumnError("rotation", row["rotation"])
        self._matches.add(hash(row["id"]))
        self._keep("match", row)

    def _add_order(self, row: Row) -> None:
        """Have the match rated after all that is rated here, in the order of the file."""
        self._is_alone = self._is_alone and row["rating_seq"] == self._next_seq
        self._keep("rating_order", {**row, "rating_seq": self._next_seq})
        self._next_seq += 1


@dataclass(slots=True)
class _Sum:
    """What rows of `rating_change` say, as a number that is equal for equal rows in whatever order they come.

    It is the sum of their hashes: a large tournament has too many rows to keep them all.
    """

    total: int = 0

    def add(self, row: Mapping[Any, Any]) -> None:
        text = repr([row[key] for key in _RATING_FIGURES])
        self.total += int.from_bytes(hashlib.sha256(text.encode()).digest(), "big")
