"""Writes a large book of record into a fresh PostgreSQL database, which ends with exactly the schema it began with.

Indexes and constraints of the large tables are dropped, and made anew from the server's own words behind the rows.
"""

from __future__ import annotations

import time
from collections import defaultdict
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import astuple, fields
from typing import TYPE_CHECKING, Any

from sqlmodel import Session

from benchmarks.server_layout import POOLS, TOURNAMENTS_A_POOL, Segment, Size, segments
from benchmarks.server_memory import remember
from benchmarks.server_rows import BOT, TOURNAMENT, VERSION, rows, staging, text_id
from ratings.ledger.rating import pool_for
from ratings.store.database import Database
from ratings.store.models import BotRecord, EntrantRecord, TournamentRecord, VersionRecord, WaveRecord
from ratings.store.sessions import write

if TYPE_CHECKING:
    import psycopg

_AT_ONCE = 2
_SETTINGS = ("synchronous_commit = off", "maintenance_work_mem = '1GB'", "work_mem = '256MB'")
_CONSTRAINTS = """
SELECT c.conrelid::regclass::text, c.conname, c.contype, pg_get_constraintdef(c.oid)
FROM pg_constraint c JOIN pg_namespace n ON n.oid = c.connamespace
WHERE n.nspname = current_schema() AND (c.conrelid::regclass::text = ANY(%(tables)s)
    OR c.contype = 'f' AND c.confrelid::regclass::text = ANY(%(tables)s))
ORDER BY c.contype = 'f', c.oid
"""
_INDEXES = """
SELECT i.indrelid::regclass::text, c.relname, pg_get_indexdef(i.indexrelid)
FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
WHERE i.indrelid::regclass::text = ANY(%(tables)s)
    AND NOT EXISTS (SELECT FROM pg_constraint o WHERE o.conindid = i.indexrelid AND o.contype IN ('p', 'u'))
ORDER BY c.oid
"""
Tell = Callable[[str], None]


def fill(database: Database, size: Size, tell: Tell) -> None:
    """Write the book; `tell` is told what is done, with the seconds that it took."""
    found = segments(size)
    with write(database) as session:
        _write_frame(session, size, found)
    _Loading(database, size, found, tell).run()
    with write(database) as session:
        remember(session, found)


def _write_frame(session: Session, size: Size, found: Iterable[Segment]) -> None:
    """Write all that is small: bots, pools, tournaments, who entered them, their waves."""
    for number in range(size.bots):
        session.add(BotRecord(id=text_id(BOT, number), name=f"bot{number}", created_at_us=0))
    session.flush()
    for number in range(2 * size.bots):
        bot, before = divmod(number, 2)
        manifest = {"games": ["*"], "deterministic": bot % 2 == 0}
        who: dict[str, Any] = {"bot_id": text_id(BOT, bot), "number": before + 1, "content_hash": f"{number:064x}"}
        session.add(VersionRecord(id=text_id(VERSION, number), manifest=manifest, created_at_us=0, **who))
    for key in POOLS:
        pool_for(session, key)
    of_each: dict[int, list[Segment]] = defaultdict(list)
    for segment in found:
        of_each[segment.tournament].append(segment)
    for number, waves in of_each.items():
        session.add(_tournament(number, waves))
    session.flush()
    for number, waves in of_each.items():
        for position in range(waves[0].entrants):
            version = text_id(VERSION, (waves[0].first_version + position * waves[0].step) % (2 * size.bots))
            session.add(EntrantRecord(tournament_id=text_id(TOURNAMENT, number), position=position, version_id=version))
        for wave in waves:
            blocks = {"first_block": wave.first_place // 2, "blocks": wave.matches // 2}
            session.add(
                WaveRecord(
                    tournament_id=text_id(TOURNAMENT, number), index=wave.wave, planned_at_us=0, memory=None, **blocks
                )
            )


def _tournament(number: int, waves: list[Segment]) -> TournamentRecord:
    is_ladder = number % TOURNAMENTS_A_POOL == 0
    settings = {"waves": 0, "retire_after": 3} if is_ladder else {"blocks": 1}
    return TournamentRecord(
        id=text_id(TOURNAMENT, number),
        name=f"{'ladder' if is_ladder else 'robin'}-{number}",
        format="ladder" if is_ladder else "round-robin",
        pool_id=waves[0].pool,
        secret="00" * 32,
        seeded=True,
        settings={**settings, "seed": 1, "opening_plies": 4, "start_limit_us": 60_000_000, "margin_us": 0},
        rated=True,
        created_at_us=1_700_000_000_000_000 + waves[0].first_match * 3_000_000,
        rated_through=sum(wave.matches for wave in waves if wave.first_seq is not None),
        more_waves=waves[-1].first_seq is None,
    )


class _Loading:
    """The large tables of a book, to be filled on the server."""

    def __init__(self, database: Database, size: Size, found: list[Segment], tell: Tell) -> None:
        self._url = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
        self._size, self._segments, self._tell = size, found, tell
        self._fills = rows(size.bots)

    def run(self) -> None:
        """Fill the large tables."""
        with self._connect() as connection:
            tables = {"tables": list(self._fills)}
            constraints = connection.execute(_CONSTRAINTS, tables).fetchall()
            indexes = connection.execute(_INDEXES, tables).fetchall()
            for table, name, *_ in reversed(constraints):
                connection.execute(f"ALTER TABLE {table} DROP CONSTRAINT {name}".encode())
            for _, name, _ in indexes:
                connection.execute(f"DROP INDEX {name}".encode())
            self._stage(connection)
        self._each("rows", [_in_one(f"TRUNCATE {table}", sql) for table, sql in self._fills.items()])
        self._at_last("DROP TABLE plan, segment")
        by_table: dict[str, list[str]] = {table: [] for table in self._fills}
        references: list[str] = []
        for table, name, kind, words in constraints:
            (references if kind == "f" else by_table[table]).append(
                f"ALTER TABLE {table} ADD CONSTRAINT {name} {words}"
            )
        for table, _, words in indexes:
            by_table[table].append(words)
        self._each("keys and indexes", [tuple(words) for words in by_table.values()])
        for words in references:  # one after the other, since each locks two tables
            self._at_last(words)
        self._each("statistics", [(f"VACUUM (ANALYZE) {table}",) for table in self._fills])
        self._at_last("VACUUM (ANALYZE)")
        self._at_last("CHECKPOINT")

    def _stage(self, connection: psycopg.Connection[Any]) -> None:
        columns = ", ".join(f"{field.name} {'text' if field.name == 'pool' else 'bigint'}" for field in fields(Segment))
        connection.execute("DROP TABLE IF EXISTS segment, plan")
        connection.execute(f"CREATE UNLOGGED TABLE segment ({columns})".encode())
        with connection.cursor().copy("COPY segment FROM STDIN") as copy:
            for segment in self._segments:
                copy.write_row(astuple(segment))
        for words in staging(self._size.bots):
            self._execute(connection, words)

    def _each(self, what: str, works: Iterable[tuple[str, ...]]) -> None:
        """Do pieces of work, some at once, each in a connection of its own."""
        start = time.perf_counter()
        with ThreadPoolExecutor(_AT_ONCE) as threads:
            list(threads.map(lambda work: self._at_last(*work), works))
        self._tell(f"{what}: {time.perf_counter() - start:.0f} s")

    def _at_last(self, *statements: str) -> None:
        with self._connect() as connection:
            for words in statements:
                self._execute(connection, words)

    def _execute(self, connection: psycopg.Connection[Any], words: str) -> None:
        start = time.perf_counter()
        connection.execute(words.encode())
        if (took := time.perf_counter() - start) > 1:
            self._tell(f"    {' '.join(words.split())[:90]}: {took:.1f} s")

    def _connect(self) -> psycopg.Connection[Any]:
        import psycopg

        connection = psycopg.connect(self._url, autocommit=True)
        for setting in _SETTINGS:
            connection.execute(f"SET {setting}".encode())
        return connection


def _in_one(*statements: str) -> tuple[str, ...]:
    """Return the statements so that they are one transaction: rows of a table emptied in it need no log."""
    return ("; ".join(statements),)
