"""How fast a large book of record answers: 10,000 bots, 1,000,000 matches of two seats.

    python -m benchmarks.book
    python -m benchmarks.book --matches 100000 --bots 1000

The rows are written straight into SQLite (no match is played); replays are left out, since no table reads them. Then:
first page of the leaderboard, history of one bot, crosstable of 50 bots, medians of many calls; and the live rating of
100,000 matches from facts, against the trueskill package alone in the same run. `benchmarks.skill` looks at the ratings
themselves, and `benchmarks.checking` at the check of a large book.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from pathlib import Path
from random import Random
from statistics import median
from typing import Any

from sqlalchemy import insert

from ratings.ledger.ledger import Ledger
from ratings.ledger.rating import pool_for, pool_of, settings_of
from ratings.read import leaderboard
from ratings.read.pools import MatchScope, find_pool
from ratings.read.statistics import history, meetings
from ratings.statistics.skill import newcomer, rate, rate_by_package
from ratings.store import tables
from ratings.store.database import Database, open_database
from ratings.store.sessions import write
from ratings.values.states import MatchState, RatingVerdict

PAGE = 50
REPEATS = 31
RATED = 100_000
_BATCH = 20_000


def fill(database: Database, bots: int, matches: int, seed: int) -> str:
    """Write the facts and rate nothing; the pool's id. Bots meet others of about their place, as on a ladder."""
    random = Random(seed)
    with write(database) as session:
        pool = pool_for(session, pool_of("benchmark", "1", 2)).id
        connection = session.connection()
        for table, people in _people(bots):
            connection.execute(insert(table), people)
        tournament = {"id": "t", "name": "large", "format": "ladder", "pool_id": pool, "secret": "00", "seeded": True}
        extra = {"settings": {}, "rated": True, "rates_same_owner": False, "created_at_us": 0, "rated_through": matches}
        connection.execute(insert(tables.tournament), [{**tournament, **extra}])
        for start in range(0, matches, _BATCH):
            numbers = range(start, min(start + _BATCH, matches))
            pairs = [_pair(random, bots) for _ in numbers]
            for table, rows in _matches(pool, numbers, pairs, random):
                connection.execute(insert(table), list(rows))
    return pool


def _people(bots: int) -> Iterator[tuple[Any, list[dict[str, Any]]]]:
    yield tables.bot, [{"id": f"b{n}", "name": f"bot{n}", "created_at_us": 0} for n in range(bots)]
    version = {"number": 1, "manifest": {}, "created_at_us": 0}
    yield (
        tables.version,
        [{"id": f"v{n}", "bot_id": f"b{n}", "content_hash": f"{n:064x}", **version} for n in range(bots)],
    )


def _pair(random: Random, bots: int) -> tuple[int, int]:
    one = random.randrange(bots)
    return one, (one + random.randrange(1, min(40, bots))) % bots


def _matches(
    pool: str, numbers: range, pairs: Sequence[tuple[int, int]], random: Random
) -> Iterator[tuple[Any, Iterable[dict[str, Any]]]]:
    done = {
        "tournament_id": "t",
        "rotation": 0,
        "state": MatchState.FINISHED,
        "attempt": 1,
        "by_rules": True,
        "rated": True,
    }
    figures = {"plies": 80, "decisions": 60, "started_at_us": 0, "duration_us": 50_000}
    digests = {"game_digest": "a" * 64, "record_digest": "b" * 64, "details": {}}
    yield (
        tables.block,
        ({"id": f"k{n}", "tournament_id": "t", "index": n, "opening": [], "chance_seed": n} for n in numbers),
    )
    yield (
        tables.match,
        ({"id": f"m{n}", "block_id": f"k{n}", "position": n, **done, **figures, **digests} for n in numbers),
    )
    ranks = [random.choice(((1, 2), (2, 1), (1, 1))) for _ in numbers]
    yield (
        tables.match_seat,
        (
            {"match_id": f"m{n}", "seat": seat, "version_id": f"v{pair[seat]}", "rank": rank[seat], "resigned": False}
            for n, pair, rank in zip(numbers, pairs, ranks, strict=True)
            for seat in (0, 1)
        ),
    )
    order = {"pool_id": pool, "verdict": RatingVerdict.RATED}
    yield tables.rating_order, ({"rating_seq": n + 1, "match_id": f"m{n}", **order} for n in numbers)


def show(label: str, call: Callable[[], object], goal_ms: float) -> None:
    """Print the median of many calls."""
    took = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        call()
        took.append((time.perf_counter() - start) * 1000)
    print(f"{label:<52}{median(took):10.2f} ms   goal {goal_ms:g} ms")


def questions(database: Database, pool: str, bots: int) -> None:
    """What people ask of the large book; each call opens its own view."""
    some = [f"v{n}" for n in range(min(PAGE, bots))]
    scope = MatchScope(pool_id=pool)
    show("leaderboard, first page", lambda: leaderboard.table(database, pool_id=pool, limit=PAGE), 20)
    show("rating history of a bot", lambda: history(database, pool_id=pool, version_id="v7"), 20)
    show(f"crosstable of {PAGE} bots", lambda: meetings(database, scope, some), 200)
    best = [row.version_id for row in leaderboard.table(database, pool_id=pool, limit=PAGE)]
    show(f"crosstable of the best {PAGE}", lambda: meetings(database, scope, best), 200)


def rate_from_facts(directory: Path, bots: int, seed: int) -> None:
    """Print what the live rating of many matches from facts costs, and the package alone, in CPU time."""
    database = open_database(directory / "rated.db")
    pool = fill(database, bots, RATED, seed)
    start = time.process_time()
    Ledger(database).rebuild(pool)
    ours = time.process_time() - start
    settings = settings_of(find_pool(database, pool))
    pair = [newcomer(settings), newcomer(settings)]
    start = time.process_time()
    for number in range(RATED):
        rate_by_package(settings, pair, (1, 1 + number % 2))
    alone = time.process_time() - start
    start = time.process_time()
    for number in range(RATED):
        rate(settings, pair, (1, 1 + number % 2))
    flat = time.process_time() - start
    print(f"{f'rate {RATED} matches from facts, tallies too':<52}{ours:10.2f} s CPU, reading and writing")
    print(f"{'the package alone, nothing read or written':<52}{alone:10.2f} s CPU")
    print(f"{'the flat equations alone':<52}{flat:10.2f} s CPU, {alone / flat:.1f} times faster   goal 10 times")
    database.close()


def main(argv: Sequence[str]) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Measure a large book of record.")
    parser.add_argument("--matches", type=int, default=1_000_000)
    parser.add_argument("--bots", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as directory:
        rate_from_facts(Path(directory), min(options.bots, 1000), options.seed)
        database = open_database(Path(directory) / "large.db")
        start = time.perf_counter()
        pool = fill(database, options.bots, options.matches, options.seed)
        print(f"{f'{options.bots} bots, {options.matches} matches written':<52}{time.perf_counter() - start:10.2f} s")
        start = time.perf_counter()
        Ledger(database).rebuild(pool)
        print(f"{'rated from facts':<52}{time.perf_counter() - start:10.2f} s")
        questions(database, pool, options.bots)
        database.close()
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
