"""A tournament from a file into a database, in the caller's transaction: all of it or nothing.

Bots, owners and pools that are there already are recognised: a bot by its name, a version by its content hash. Matches
are rated in the order in which they were rated where they come from, after what is rated in the pool already.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from sqlalchemy import func, insert, select
from sqlalchemy.exc import DataError, IntegrityError
from sqlmodel import Session

from ratings.errors import ArchiveError, NotFoundError
from ratings.ledger.check import facts_problems
from ratings.ledger.pools import PoolKey
from ratings.ledger.rebuild import rebuild
from ratings.statistics.errors import SkillError
from ratings.store import schema, tables
from ratings.store.archive.chain import read_chain
from ratings.store.archive.rows import FORMAT, HEADER, archived_tables, decode_row

_BATCH = 200
_HEADER_KEYS = {"format", "schema", "tournament", "name"}
Row = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Imported:
    """What came of an import."""

    tournament_id: str
    name: str
    matches: int
    rated: int
    same_ratings: bool | None
    """Whether every rating came out as in the file; None if the pool had other matches here or there."""


@dataclass(slots=True)
class _Import:
    """The state of one import."""

    session: Session
    file: str
    name: str | None
    tournament_id: str = ""
    match_ids: set[str] = field(default_factory=set)
    ids: dict[str, str] = field(default_factory=dict)
    """Ids of the file -> ids here, of owners, bots and versions."""
    waiting: dict[str, list[Row]] = field(default_factory=dict)
    pool_id: str = ""
    is_alone: bool = True
    """Whether no other match is, or was, rated in the pool, here and where the file comes from."""
    next_seq: int = 1
    changes: list[Row] = field(default_factory=list)


def import_tournament(
    session: Session, source: Path, *, name: str | None = None, digest: str | None = None
) -> Imported:
    """Read an exported tournament; under another `name` if given, only a file of that `digest` if given.

    Raises ArchiveError, with nothing to be committed.
    """
    work = _Import(session, str(source), name)
    try:
        with source.open(encoding="ascii", newline="\n") as file:
            lines = read_chain(file, str(source), digest)
            header = _check_header(work, next(lines, None))
            _import_rows(work, lines)
    except (IntegrityError, DataError) as error:
        why = str(error.orig).splitlines()[0]
        raise ArchiveError(f"{source} does not fit this database ({why}); nothing was imported") from error
    except OSError as error:
        raise ArchiveError(
            f"{source} cannot be read: {error.strerror}; give the path of an exported tournament"
        ) from error
    rated = _rate(work)
    return Imported(work.tournament_id, name or header["name"], len(work.match_ids), rated, _is_as_told(work))


def _rate(work: _Import) -> int:
    """Rate what the pool has anew; how many matches. Facts that do not agree with each other are refused."""
    try:
        if problem := next(facts_problems(work.session), None):
            raise ArchiveError(f"{work.file} does not agree with itself ({problem}); nothing was imported")
        return rebuild(work.session, work.pool_id)
    except (SkillError, NotFoundError) as error:
        raise ArchiveError(f"{work.file} cannot be rated ({error}); nothing was imported") from error


def _check_header(work: _Import, line: tuple[int, str, Any] | None) -> Mapping[str, Any]:
    if line is None or line[1] != HEADER:
        raise ArchiveError(f"{work.file} is no exported tournament; `arena tournament export` writes one")
    header = line[2]
    if not (isinstance(header, dict) and header.keys() >= _HEADER_KEYS and str(header["tournament"]).isascii()):
        raise ArchiveError(f"{work.file}, line 1: it is no header; nothing was imported")
    if header["format"] != FORMAT or header["schema"] != schema.HEAD:
        raise ArchiveError(
            f"{work.file} was exported with schema {header['schema']}, format {header['format']}; this arena has "
            f"schema {schema.HEAD}, format {FORMAT}; export it with this version of the arena"
        )
    if (
        work.session.connection()
        .execute(select(tables.tournament.c.id).where(tables.tournament.c.id == str(header["tournament"])))
        .one_or_none()
    ):
        raise ArchiveError(f"tournament {header['name']!r} is in this database already; nothing was imported")
    work.tournament_id = str(header["tournament"])
    return header


def _import_rows(work: _Import, lines: Iterator[tuple[int, str, Any]]) -> None:
    by_name = {table.name: table for table in archived_tables()}
    for number, kind, data in lines:
        try:
            row = decode_row(by_name[kind], data)
            _check_belongs(work, kind, row)
            _ACTIONS.get(kind, _keep)(work, kind, row)
        except ArchiveError:
            raise
        except (KeyError, ValueError, TypeError) as error:
            raise ArchiveError(f"{work.file}, line {number}: it is no row of {kind}; nothing was imported") from error
    _flush(work)


def _check_belongs(work: _Import, kind: str, row: Row) -> None:
    """Raises ValueError for a row of another tournament: a file adds nothing to what is here already."""
    of_match = kind != "match" and "match_id" in row
    if (
        row.get("tournament_id", work.tournament_id) != work.tournament_id
        or (kind == "tournament" and row["id"] != work.tournament_id)
        or row.get("pool_id", work.pool_id) != work.pool_id
        or (of_match and row["match_id"] not in work.match_ids)
    ):
        raise ValueError("it is of another tournament")


def _keep(work: _Import, kind: str, row: Row) -> None:
    """A row that nobody here can have: written as it is, but for the ids of people."""
    for key in ("owner_id", "bot_id", "version_id"):
        if row.get(key) is not None:
            row[key] = work.ids.get(row[key], row[key])
    waiting = work.waiting.setdefault(kind, [])
    waiting.append(row)
    if len(waiting) == _BATCH:
        _flush(work)


def _flush(work: _Import) -> None:
    """Write what waits, parents first."""
    by_name = {table.name: table for table in archived_tables()}
    for kind, rows in work.waiting.items():
        work.session.connection().execute(insert(by_name[kind]), rows)
    work.waiting.clear()


def _owner(work: _Import, kind: str, row: Row) -> None:
    _meet(work, kind, row, tables.owner.c.name == row["name"])


def _bot(work: _Import, kind: str, row: Row) -> None:
    known = _meet(work, kind, row, tables.bot.c.name == row["name"])
    owner = work.ids.get(row["owner_id"], row["owner_id"]) if row["owner_id"] else None
    if known is not None and known.owner_id != owner:
        raise ArchiveError(
            f"{work.file}: bot {row['name']!r} belongs to another owner in this database; "
            "import it into another database"
        )


def _version(work: _Import, kind: str, row: Row) -> None:
    version, bot_id = tables.version, work.ids.get(row["bot_id"], row["bot_id"])
    numbers = select(version.c.number).where(version.c.bot_id == bot_id)
    taken = set(work.session.connection().execute(numbers).scalars())
    if row["number"] in taken:
        row = {**row, "number": max(taken) + 1}
    _meet(work, kind, row, (version.c.bot_id == bot_id) & (version.c.content_hash == row["content_hash"]))


def _meet(work: _Import, kind: str, row: Row, same: Any) -> Any:
    """Recognise one that is here already, or write it."""
    table = next(table for table in archived_tables() if table.name == kind)
    known = work.session.connection().execute(select(table).where(same)).one_or_none()
    if known is None:
        _keep(work, kind, row)
        _flush(work)
    else:
        work.ids[row["id"]] = known.id
    return known


def _pool(work: _Import, kind: str, row: Row) -> None:
    keys = {key.name: row[key.name] for key in fields(PoolKey)}
    if work.pool_id or PoolKey(**keys).pool_id() != row["id"]:
        raise ArchiveError(f"{work.file}: the name of its pool is not that of its key; nothing was imported")
    work.pool_id = row["id"]
    order = tables.rating_order
    last = select(func.max(order.c.rating_seq)).where(order.c.pool_id == row["id"])
    work.next_seq = (work.session.connection().execute(last).scalar_one() or 0) + 1
    work.is_alone = work.next_seq == 1
    known = work.session.connection().execute(select(tables.pool).where(tables.pool.c.id == row["id"])).one_or_none()
    if known is None:
        _keep(work, kind, row)
    elif any(getattr(known, key) != value for key, value in row.items() if key != "created_at_us"):
        raise ArchiveError(
            f"{work.file}: its pool has other TrueSkill constants in this database; import it into another database"
        )


def _tournament(work: _Import, kind: str, row: Row) -> None:
    row["name"] = work.name or row["name"]
    names = select(tables.tournament.c.id).where(tables.tournament.c.name == row["name"])
    if work.session.connection().execute(names).first() is not None:
        raise ArchiveError(f"there is a tournament {row['name']!r} already; give the imported one another --name")
    _keep(work, kind, row)


def _match(work: _Import, kind: str, row: Row) -> None:
    work.match_ids.add(row["id"])
    _keep(work, kind, row)


def _order(work: _Import, kind: str, row: Row) -> None:
    """Rated after all that is rated here, in the order of the file."""
    work.is_alone = work.is_alone and row["rating_seq"] == work.next_seq
    _keep(work, kind, {**row, "rating_seq": work.next_seq})
    work.next_seq += 1


def _change(work: _Import, _kind: str, row: Row) -> None:
    work.changes.append(row)


_ACTIONS = {
    "owner": _owner,
    "bot": _bot,
    "version": _version,
    "pool": _pool,
    "tournament": _tournament,
    "match": _match,
    "rating_order": _order,
    "rating_change": _change,
}


def _is_as_told(work: _Import) -> bool | None:
    if not work.is_alone:
        return None
    figures = ("mu_before", "sigma_before", "mu_after", "sigma_after")
    change = tables.rating_change
    query = select(change).where(change.c.pool_id == work.pool_id)
    here = {
        (row["match_id"], row["seat"]): [row[key] for key in figures]
        for row in work.session.connection().execute(query).mappings()
    }
    return here == {(row["match_id"], row["seat"]): [row[key] for key in figures] for row in work.changes}
