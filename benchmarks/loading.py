"""How fast the matches of a pool come out of the book of record.

python -m benchmarks.loading                        # a million matches of two seats, 50 bots; a minute to make them
python -m benchmarks.loading --matches 100000 --seats 4
"""

from __future__ import annotations

import argparse
import hashlib
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from sqlalchemy import Connection, Table, insert

from ratings.ledger.bots import NewVersion, add_version
from ratings.ledger.rating import pool_for, pool_of
from ratings.read.loading import load_results
from ratings.statistics.official_table import official_table
from ratings.statistics.results import Results
from ratings.store import tables
from ratings.store.database import Database, open_database
from ratings.store.identifiers import IdSource, now_us
from ratings.store.models import TournamentRecord
from ratings.store.sessions import write
from ratings.values.states import MatchState, RatingVerdict
from tests.support.simulations.official import big_results

BATCH = 50_000


def fill(database: Database, results: Results) -> str:
    """Write the matches as a finished and rated tournament; the pool's id."""
    key = pool_of(game="benchmark", rules_version="1", seats=results.seats.shape[1])
    with write(database) as session:
        versions = [add_version(session, NewVersion(name, name, {}))[0].id for name in results.versions]
        pool_for(session, key)
        tournament = TournamentRecord(
            id=IdSource()(),
            name="benchmark",
            format="round-robin",
            pool_id=key.pool_id,
            secret="00",
            seeded=True,
            settings={},
            rated=True,
            created_at_us=now_us(),
            rated_through=len(results.seats),
        )
        session.add(tournament)
        session.flush()
        _write_all(session.connection(), results, versions, tournament.id, key.pool_id)
    return key.pool_id


def _write_all(connection: Connection, results: Results, versions: list[str], tournament: str, pool: str) -> None:
    new_id = IdSource()
    blocks = [new_id() for _ in range(int(results.blocks.max()) + 1)]
    _insert(
        connection,
        tables.block,
        (
            {"id": block, "tournament_id": tournament, "index": index, "opening": [], "chance_seed": index}
            for index, block in enumerate(blocks)
        ),
    )
    order = results.blocks.argsort(kind="stable").tolist()
    ids = [new_id() for _ in order]
    _insert(connection, tables.match, _matches(results, order, ids, blocks, tournament))
    _insert(connection, tables.match_seat, _seats(results, order, ids, versions))
    _insert(
        connection,
        tables.rating_order,
        (
            {"pool_id": pool, "rating_seq": seq, "match_id": one, "verdict": RatingVerdict.RATED}
            for seq, one in enumerate(ids, start=1)
        ),
    )


def _matches(
    results: Results, order: list[int], ids: list[str], blocks: list[str], tournament: str
) -> Iterator[dict[str, Any]]:
    labels = results.blocks.tolist()
    for position, (index, one) in enumerate(zip(order, ids, strict=True)):
        yield {
            "id": one,
            "tournament_id": tournament,
            "block_id": blocks[labels[index]],
            "rotation": position % results.seats.shape[1],
            "position": position,
            "state": MatchState.FINISHED,
            "attempt": 1,
            "rated": True,
            "game_digest": hashlib.sha256(one.encode()).hexdigest(),
        }


def _seats(results: Results, order: list[int], ids: list[str], versions: list[str]) -> Iterator[dict[str, Any]]:
    sitting, ranks = results.seats.tolist(), results.ranks.tolist()
    for index, one in zip(order, ids, strict=True):
        for seat, (version, rank) in enumerate(zip(sitting[index], ranks[index], strict=True)):
            yield {"match_id": one, "seat": seat, "version_id": versions[version], "rank": rank}


def _insert(connection: Connection, table: Table, rows: Iterator[dict[str, Any]]) -> None:
    while batch := [row for _, row in zip(range(BATCH), rows, strict=False)]:
        connection.execute(insert(table), batch)


def main(arguments: Sequence[str] | None = None) -> int:
    """Make a database, load it, print the times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--seats", type=int, default=2)
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as folder:
        database = open_database(Path(folder) / "arena.db")
        pool = fill(database, big_results(options.matches, options.seats))
        start, cpu = time.perf_counter(), time.process_time()
        results = load_results(database, pool)
        print(
            f"{len(results.seats):,} matches of {options.seats} seats loaded: {time.perf_counter() - start:.2f} s",
            end="",
        )
        print(f" (processor {time.process_time() - cpu:.2f} s)", flush=True)
        start = time.perf_counter()
        table = official_table(results)
        print(f"their official table, {len(table.rows)} bots: {time.perf_counter() - start:.2f} s")
        database.close()
    return 0


if __name__ == "__main__":
    sys.exit(main())
