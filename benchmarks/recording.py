"""How fast the database is: planning, leasing, recording with rating, reading, checking.

    python -m benchmarks.recording
    python -m benchmarks.recording --matches 20000 --seats 4

Every match is recorded in a transaction of its own, with a replay of about 3 kB, signed, and rated at once. The floor,
measured in the same run on the same disk, is Python's sqlite3 alone storing the same bytes with the same durability,
unrated.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from random import Random
from statistics import median, quantiles

from arena.match.result import MatchResult
from arena.match.worker_report import MatchReport
from arena.tournament.seed_key import SeedKey
from ratings.ledger.check import check
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.ledger import LeaseRequest, Ledger
from ratings.ledger.rating import pool_of
from ratings.ledger.tournaments import TournamentPlan, WaveLedger
from ratings.read import leaderboard
from ratings.read.match_list import MatchFilter, list_matches
from ratings.statistics.blocks import Block
from ratings.store.database import open_database

REPLAY_BYTES = 3000
IN_FLIGHT = 32


@contextmanager
def timed(label: str) -> Iterator[None]:
    """Print how long the block took."""
    start = time.perf_counter()
    yield
    print(f"{label:<46}{(time.perf_counter() - start) * 1000:10.2f} ms")


@dataclass
class Samples:
    """What many repetitions of one thing took, in seconds."""

    wall: list[float] = field(default_factory=list)
    cpu: float = 0.0

    @contextmanager
    def one(self) -> Iterator[None]:
        """Measure the block."""
        wall, cpu = time.perf_counter(), time.process_time()
        yield
        self.wall.append(time.perf_counter() - wall)
        self.cpu += time.process_time() - cpu

    def show(self, label: str) -> None:
        """Print median, 99th percentile, mean CPU and rate."""
        late = quantiles(self.wall, n=100)[98] * 1000
        cpu = self.cpu / len(self.wall) * 1000
        rate = len(self.wall) / sum(self.wall)
        print(f"{label:<46}{median(self.wall) * 1000:10.2f} ms   p99 {late:7.2f}   cpu {cpu:6.2f}   {rate:8.0f}/s")


class OneWave:
    """Plans one wave of blocks of every circle of neighbours, until there are enough matches."""

    def __init__(self, versions: Sequence[str], matches: int, seats: int) -> None:
        size = len(versions)
        self._blocks = [
            Block(index, tuple(versions[(index + place) % size] for place in range(seats)), (1, 2, 3), index)
            for index in range(matches // seats)
        ]

    def plan_ready(self, waves: WaveLedger) -> int:
        """Add the wave, and that none follows."""
        waves.add_wave(0, self._blocks)
        waves.add_wave(1, [])
        return sum(len(block.rotations()) for block in self._blocks)


def report_of(match: LeasedMatch, random: Random) -> MatchReport:
    """A result with random ranks."""
    ranks = list(range(1, len(match.seats) + 1))
    random.shuffle(ranks)
    return MatchReport(
        match_id=match.match_id,
        attempt=match.attempt,
        result=MatchResult(tuple(ranks), True, True, (), (), (), {"scores": ranks}),
        plies=80,
        decisions=60,
        started_at_us=time.time_ns() // 1000,
        duration_us=50_000,
        game_digest="a" * 64,
        record_digest="b" * 64,
        replay=os.urandom(REPLAY_BYTES),
    )


def record_all(ledger: Ledger, tournament: str) -> None:
    """Play the tournament out of thin air; print the cost of a match."""
    random = Random(1)
    taking, recording, together = Samples(), Samples(), Samples()
    request = LeaseRequest("benchmark", IN_FLIGHT, 3600 * 1_000_000)
    turn = 0
    while True:
        with taking.one():
            matches = list(ledger.settle(tournament, request=request).leased)
        if not matches:
            break
        random.shuffle(matches)
        reports = [report_of(match, random) for match in matches]
        turn += 1
        if turn % 2:
            for report in reports:
                with recording.one():
                    ledger.settle(tournament, results=[report])
        else:
            with together.one():
                ledger.settle(tournament, results=reports)
    taking.show(f"lease {IN_FLIGHT} matches")
    recording.show("record and rate a match")
    together.show(f"record and rate {IN_FLIGHT} matches together")


def floor(directory: Path, matches: int, seats: int) -> None:
    """The same bytes through sqlite3 alone."""
    connection = sqlite3.connect(directory / "floor.db", isolation_level=None)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("PRAGMA synchronous=FULL")
    connection.execute("CREATE TABLE match (id TEXT PRIMARY KEY, a TEXT, b TEXT, plies INTEGER)")
    connection.execute("CREATE TABLE seat (match TEXT, seat INTEGER, rank INTEGER, PRIMARY KEY (match, seat))")
    connection.execute("CREATE TABLE replay (match TEXT PRIMARY KEY, data BLOB)")
    samples = Samples()
    for number in range(matches):
        replay = os.urandom(REPLAY_BYTES)
        with samples.one():
            connection.execute("BEGIN IMMEDIATE")
            connection.execute("INSERT INTO match VALUES (?, ?, ?, 80)", (f"{number:036}", "a" * 64, "b" * 64))
            connection.executemany("INSERT INTO seat VALUES (?, ?, ?)", [(f"{number:036}", k, k) for k in range(seats)])
            connection.execute("INSERT INTO replay VALUES (?, ?)", (f"{number:036}", replay))
            connection.execute("COMMIT")
    connection.close()
    samples.show("floor: sqlite3 alone, unrated")


def run(directory: Path, matches: int, seats: int) -> None:
    """Every figure once."""
    path = directory / "arena.db"
    with timed("make and migrate a fresh database"):
        open_database(path).close()
    with timed("open it again"):
        database = open_database(path)
    ledger = Ledger(database, signer=SeedKey(directory / "arena.key").signing_key())
    versions = [
        ledger.add_version(bot=f"bot{number}", content_hash=f"{number:064x}", manifest={})[0].id
        for number in range(seats + 1)
    ]
    pool = pool_of(game="benchmark", rules_version="1", seats=seats)
    plan = TournamentPlan("benchmark", "round-robin", pool, "00", True, {}, versions)
    with timed(f"plan {matches} matches of {seats} seats"):
        tournament = ledger.create_tournament(plan, OneWave(versions, matches, seats)).id
    record_all(ledger, tournament)
    floor(directory, matches, seats)
    with timed("leaderboard"):
        leaderboard.table(database, pool_id=pool.pool_id)
    with timed(f"list {matches} matches"):
        list_matches(database, MatchFilter(tournament), limit=None)
    with timed("check everything, ratings rebuilt"):
        problems = check(database)
    database.close()
    print(f"{'database size':<46}{path.stat().st_size / matches / 1000:10.2f} kB a match")
    if problems:
        raise SystemExit("\n".join(problems))


def main(argv: Sequence[str]) -> int:
    """Print the figures."""
    parser = argparse.ArgumentParser(description="Measure planning, recording and reading of matches.")
    parser.add_argument("--matches", type=int, default=2000)
    parser.add_argument("--seats", type=int, default=3)
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as directory:
        run(Path(directory), arguments.matches, arguments.seats)
    return 0


if __name__ == "__main__":
    main(sys.argv[1:])
