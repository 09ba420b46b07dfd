"""How fast a large database answers: 1,000,000 matches of two seats.

    python -m benchmarks.large_database
    python -m benchmarks.large_database --matches 100000 --bots 1000

The rows are written straight into SQLite (no match is played); replays are left out, since no table reads them. Three
databases are made, one after another. Of 10,000 bots on a ladder: first page of the leaderboard, history of one bot,
crosstable of 50 bots, medians of many calls. Of 1,000 bots and 100,000 matches: their live rating from facts, beside
the trueskill package alone. Of 50 bots: reading all matches of the pool, and the official table of them.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from itertools import islice
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from sqlalchemy import Table, insert

from ratings.ledger.ledger import Ledger
from ratings.ledger.rating import pool_for, pool_of, settings_of
from ratings.read import leaderboard
from ratings.read.official_table_input import load_results
from ratings.read.pool_lookup import MatchScope, find_pool
from ratings.read.statistics import history, meetings
from ratings.statistics.official_table import official_table
from ratings.statistics.results import Results
from ratings.statistics.skill import newcomer, rate, rate_by_package
from ratings.store import tables
from ratings.store.database import Database, open_database
from ratings.store.identifiers import IdSource
from ratings.store.sessions import write
from ratings.values.states import MatchState, RatingVerdict
from tests.support.simulations.official import big_results

PAGE = 50
REPEATS = 31
RATED = 100_000
_NEAR = 40  # on a ladder bots meet others whose places are at most so far from theirs
_BATCH = 20_000


def ladder_results(bots: int, matches: int, seed: int) -> Results:
    """Draw the results of so many matches of a ladder, each a block of its own."""
    random = np.random.default_rng(seed)
    ones = random.integers(bots, size=matches)
    others = (ones + random.integers(1, min(_NEAR, bots), size=matches)) % bots
    ranks = np.array([(1, 2), (2, 1), (1, 1)])[random.integers(3, size=matches)]
    numbers = np.arange(matches)
    versions = tuple(f"{number:064x}" for number in range(bots))
    return Results(versions, np.stack([ones, others], axis=1), ranks, numbers, numbers)


def fill(database: Database, results: Results) -> tuple[str, Sequence[str]]:
    """Write these results as those of a finished tournament that is not rated yet; the pool's id and the versions'."""
    new_id = IdSource()
    seats, order = results.seats.shape[1], results.blocks.argsort(kind="stable").tolist()
    versions, tournament = [new_id() for _ in results.versions], new_id()
    blocks = [new_id() for _ in range(int(results.blocks.max()) + 1)]
    matches = [new_id() for _ in order]
    with write(database) as session:
        pool = pool_for(session, pool_of("benchmark", "1", seats)).id

        def add(table: Table, rows: Iterator[dict[str, Any]]) -> None:
            while part := list(islice(rows, _BATCH)):
                session.connection().execute(insert(table), part)

        bots = [new_id() for _ in versions]
        add(tables.bot, ({"id": bot, "name": f"bot{n}", "created_at_us": 0} for n, bot in enumerate(bots)))
        version = {"number": 1, "manifest": {}, "created_at_us": 0}
        hashed = zip(versions, bots, results.versions, strict=True)
        add(tables.version, ({"id": one, "bot_id": bot, "content_hash": sha, **version} for one, bot, sha in hashed))
        whole = {"id": tournament, "name": "large", "format": "ladder", "pool_id": pool, "secret": "00", "seeded": True}
        whole |= {"settings": {}, "rated": True, "rates_same_owner": False, "created_at_us": 0}
        add(tables.tournament, iter([{**whole, "rated_through": len(matches)}]))
        opened = {"tournament_id": tournament, "opening": []}
        add(tables.block, ({"id": one, "index": n, "chance_seed": n, **opened} for n, one in enumerate(blocks)))
        done = {
            "tournament_id": tournament,
            "state": MatchState.FINISHED,
            "attempt": 1,
            "by_rules": True,
            "rated": True,
        }
        done |= {"plies": 80, "decisions": 60, "started_at_us": 0, "duration_us": 50_000, "details": {}}
        labels, turns = results.blocks.tolist(), seats if len(blocks) < len(matches) else 1
        played = (
            {
                "id": one,
                "block_id": blocks[labels[index]],
                "rotation": position % turns,
                "position": position,
                "game_digest": f"{position:064x}",
                "record_digest": f"{position:064x}",
                **done,
            }
            for position, (index, one) in enumerate(zip(order, matches, strict=True))
        )
        add(tables.match, played)
        sitting, ranks = results.seats.tolist(), results.ranks.tolist()
        add(
            tables.match_seat,
            (
                {"match_id": one, "seat": seat, "version_id": versions[bot], "rank": rank, "resigned": False}
                for index, one in zip(order, matches, strict=True)
                for seat, (bot, rank) in enumerate(zip(sitting[index], ranks[index], strict=True))
            ),
        )
        rated = {"pool_id": pool, "verdict": RatingVerdict.RATED}
        add(tables.rating_order, ({"rating_seq": n, "match_id": one, **rated} for n, one in enumerate(matches, 1)))
    return pool, versions


def show(label: str, call: Callable[[], object], goal_ms: float) -> bool:
    """Print the median of many calls; return whether it meets the goal."""
    took_ms = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        took_ms.append((time.perf_counter() - start) * 1000)
    print(f"{label:<52}{median(took_ms):10.2f} ms   goal {goal_ms:g} ms", flush=True)
    return median(took_ms) <= goal_ms


def ask_questions(path: Path, bots: int, matches: int, seed: int) -> bool:
    """Print how long it takes to answer what people ask of a large database; return whether the goals are met."""
    with closing(open_database(path)) as database:
        start = time.perf_counter()
        pool, versions = fill(database, ladder_results(bots, matches, seed))
        print(f"{f'{bots} bots, {matches} matches written':<52}{time.perf_counter() - start:10.2f} s", flush=True)
        start = time.perf_counter()
        Ledger(database).rebuild(pool)
        print(f"{'rated from facts':<52}{time.perf_counter() - start:10.2f} s", flush=True)
        scope, some = MatchScope(pool_id=pool), versions[:PAGE]
        best = [row.version_id for row in leaderboard.table(database, pool_id=pool, limit=PAGE)]
        return all(
            [
                show("leaderboard, first page", lambda: leaderboard.table(database, pool_id=pool, limit=PAGE), 20),
                show("rating history of a bot", lambda: history(database, pool_id=pool, version_id=versions[7]), 20),
                show(f"crosstable of {PAGE} bots", lambda: meetings(database, scope, some), 200),
                show(f"crosstable of the best {PAGE}", lambda: meetings(database, scope, best), 200),
            ]
        )


def rate_from_facts(path: Path, bots: int, matches: int, seed: int) -> bool:
    """Print what rating from facts costs, and the package alone; return whether our equations are ten times as fast."""
    with closing(open_database(path)) as database:
        pool, _ = fill(database, ladder_results(bots, matches, seed))
        start = time.process_time()
        Ledger(database).rebuild(pool)
        whole_s = time.process_time() - start
        settings = settings_of(find_pool(database, pool))
    pair = [newcomer(settings), newcomer(settings)]
    start = time.process_time()
    for number in range(matches):
        rate_by_package(settings, pair, (1, 1 + number % 2))
    package_s = time.process_time() - start
    start = time.process_time()
    for number in range(matches):
        rate(settings, pair, (1, 1 + number % 2))
    ours_s = time.process_time() - start
    print(f"{f'rate {matches} matches from facts, tallies too':<52}{whole_s:10.2f} s CPU, reading and writing")
    print(f"{'the package alone, nothing read or written':<52}{package_s:10.2f} s CPU")
    print(f"{'our equations alone':<52}{ours_s:10.2f} s CPU, {package_s / ours_s:.1f} times faster   goal 10 times")
    return package_s / ours_s >= 10


def load_all(path: Path, matches: int, seats: int) -> None:
    """Print how long it takes to read all matches of a pool, and to make their official table."""
    with closing(open_database(path)) as database:
        pool, _ = fill(database, big_results(matches, seats))
        start, cpu = time.perf_counter(), time.process_time()
        results = load_results(database, pool)
        wall_s, cpu_s = time.perf_counter() - start, time.process_time() - cpu
        print(f"{f'{matches} matches of {seats} seats and 50 bots read':<52}{wall_s:10.2f} s   {cpu_s:.2f} s CPU")
        start = time.perf_counter()
        official_table(results)
        print(f"{'their official table':<52}{time.perf_counter() - start:10.2f} s")


def main(argv: Sequence[str]) -> int:
    """Print the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description="Measure a large database.")
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--bots", type=int, default=10_000)
    parser.add_argument("--seats", type=int, default=2, help="of the matches that are read for the official table")
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as directory:
        is_met = rate_from_facts(
            Path(directory) / "rated.db", min(options.bots, 1000), min(options.matches, RATED), options.seed
        )
        is_met &= ask_questions(Path(directory) / "large.db", options.bots, options.matches, options.seed)
        load_all(Path(directory) / "pool.db", options.matches, options.seats)
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
