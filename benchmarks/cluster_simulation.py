"""How large a cluster one coordinator keeps busy: its own work for real, the matches only as time that passes.

    python -m benchmarks.cluster_simulation [--workers 1,2,4,1000] [--durations instant,1s,10s] [--db URL]
        [--call-ms 0.3]

Runner, planner, ledger, database, pool, nodes and relays are the arena's own; only the workers are not there. Each
answers a match after a duration (as measured of instant bots, in the same run; 1 s and 10 s, give or take 30 %) with a
report that was made by a real match. Every call of an actor takes the processor time that one of Ray takes, measured in
the same run on a cluster of one core unless `--call-ms` tells it. Time is what the coordinator works and waits for its
database, and jumps while it has nothing to do. The database is a private PostgreSQL with its durability, or SQLite
where that is not installed, or the one at the URL, which must be empty.

The goal: of 1,000 workers 90 % play matches of 10 s all the time.
"""

from __future__ import annotations

import argparse
import asyncio
import shutil
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from random import Random

import sqlalchemy

from arena.executor.local import LocalExecutor
from arena.hosting.sandbox.limits import NONE
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.match.programs import program_seat
from arena.match.report import MatchReport
from arena.match.time_control import parse_time_control
from arena.tournament.creation import TournamentTerms, create_tournament
from arena.tournament.formats.roundrobin import RoundRobin
from arena.tournament.runner import run_tournament
from benchmarks.arena import BOT
from benchmarks.call_cost import measure_calls
from benchmarks.simulated_cluster import SimulatedCluster
from benchmarks.simulated_slots import Calls, Workers
from benchmarks.virtual_time import VirtualClock, VirtualLoop
from ratings.ledger.ledger import Ledger
from ratings.store.database import Database, open_database
from ratings.store.sessions import read
from ratings.store.waves import count_progress
from tests.support import postgres
from tests.support.specs import king_spec

SEATS, BOTS = 3, 4
MATCHES_A_BLOCK = 4 * 3
ROUNDS = 14
"""How many matches each worker plays in the mean; in the first ones and the last ones nothing is measured."""
LEAST_MATCHES = 48
WORKERS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512, 1000)
GOAL_WORKERS, GOAL_DURATION, GOAL = 1000, "10s", 0.9
BUSY = 0.9
TRIP_S = 0.001
SPREAD = 0.3


@dataclass(frozen=True, slots=True)
class Measured:
    """What one number of workers came to."""

    workers: int
    matches_a_second: float
    busy: float
    """The part of the workers' time in which they played."""
    work_s: float
    """For how long a match kept the coordinator busy, waiting for the database included."""
    load: float
    """The part of the coordinator's time in which it was busy."""
    commits_a_second: float


class Watch:
    """Looks at a run from when each worker has played one match to when the first has none any more.

    What counts are the results that are in the database by then, and not the matches that were played.
    """

    def __init__(self, clock: VirtualClock, database: Database, tournament_id: str, workers: int, matches: int) -> None:
        self._clock = clock
        self._database, self._tournament_id = database, tournament_id
        self._workers = workers
        self._first, self._last = workers, matches - 2 * workers
        self._commits = 0
        self._spans: list[tuple[float, float]] = []
        self._marks: list[tuple[float, float, int, int]] = []
        sqlalchemy.event.listen(database.engine, "commit", self._count)

    def _count(self, _: object) -> None:
        self._commits += 1

    def note(self, began: float, ended: float) -> None:
        """Note a match that was played."""
        self._spans.append((began, ended))
        if len(self._spans) in (self._first, self._last):
            now, skipped_s = self._clock.time(), self._clock.skipped_s
            self._marks.append((now, skipped_s, self._commits, self._recorded()))

    def _recorded(self) -> int:
        with read(self._database) as session:
            return count_progress(session, self._tournament_id).finished

    def measured(self) -> Measured:
        """What was seen."""
        (since, skipped, commits, recorded), (until, skipped_then, commits_then, recorded_then) = self._marks
        seconds, matches = until - since, recorded_then - recorded
        played = sum(max(0.0, min(ended, until) - max(began, since)) for began, ended in self._spans)
        worked = seconds - (skipped_then - skipped)
        return Measured(
            self._workers,
            matches / seconds,
            played / (self._workers * seconds),
            worked / matches,
            worked / seconds,
            (commits_then - commits) / seconds,
        )


class Field:
    """A database with bots, and what matches of theirs are like."""

    def __init__(self, home: Path, database: Database, samples: int) -> None:
        self.database = database
        self.programs = StoredPrograms(VersionStore(home / "versions"))
        self.names = [f"instant-{number}" for number in range(BOTS)]
        for name in self.names:
            directory = home / name
            shutil.copytree(BOT, directory, ignore=shutil.ignore_patterns("__pycache__"))
            manifest = directory / "bot.toml"
            manifest.write_text(manifest.read_text("utf-8").replace('"instant"', f'"{name}"'), "utf-8")
            stored = self.programs.store.add(directory)
            Ledger(database).add_version(bot=name, content_hash=stored.hash, manifest=stored.manifest.to_json())
        self.samples = asyncio.run(self._play(stored.hash, samples))

    async def _play(self, content: str, count: int) -> list[MatchReport]:
        """Play matches on one worker of this machine; the first, in which bots start, does not count."""
        seat = program_seat("instant", content, self.programs.find(content), NONE)
        async with LocalExecutor(1) as executor:
            return [
                await executor.run(king_spec(f"m{number}", [replace(seat, seed=number + one) for one in range(SEATS)]))
                for number in range(count + 1)
            ][1:]

    def durations(self, kind: str, random: Random) -> Callable[[], float]:
        """Return what draws the seconds of a match: `instant`, or a mean in seconds such as `10s`."""
        if kind == "instant":
            return lambda: random.choice(self.samples).duration_us / 1e6
        mean_s = float(kind.removesuffix("s"))
        return lambda: mean_s * random.uniform(1 - SPREAD, 1 + SPREAD)


def simulate(field: Field, clock: VirtualClock, kind: str, workers: int, calls: Calls) -> Measured:
    """Play a tournament on so many workers."""
    blocks = -(-max(ROUNDS * workers, LEAST_MATCHES) // MATCHES_A_BLOCK)
    terms = TournamentTerms(game="foreign_king", seats=SEATS, clock=parse_time_control("1s"), seed=workers)
    tournament = create_tournament(
        field.database,
        field.programs,
        terms,
        RoundRobin(SEATS, blocks),
        bots=field.names,
        choose_name=lambda taken: f"{kind}-{workers}-{len(taken)}",
    )
    watch = Watch(clock, field.database, tournament.id, workers, blocks * MATCHES_A_BLOCK)

    async def play() -> None:
        durations = field.durations(kind, Random(workers))
        async with SimulatedCluster(Workers(clock, calls, durations, field.samples, watch.note), workers) as cluster:
            await run_tournament(field.database, tournament.id, cluster, field.programs)

    with asyncio.Runner(loop_factory=lambda: VirtualLoop(clock)) as runner:
        runner.run(play())
    return watch.measured()


@contextmanager
def opened(url: str | None, home: Path, clock: VirtualClock) -> Iterator[Database]:
    """Open the database, with a server of its own if there is no URL."""
    server = None if url or postgres.why_not() else postgres.Server(postgres.DURABLE)
    try:
        if server is not None:
            server.start()
            url = server.url
        database = open_database(url or home / "arena.db")
        if server is not None:
            _follow(clock, database)
        yield database
        database.close()
    finally:
        if server is not None:
            server.close()


def _follow(clock: VirtualClock, database: Database) -> None:
    """Have the clock know the server's processes for each connection."""

    def connected(connection: object, _: object) -> None:
        clock.follow(connection.info.backend_pid)  # type: ignore[attr-defined]

    database.engine.dispose()
    sqlalchemy.event.listen(database.engine, "connect", connected)


def show(kind: str, rows: Sequence[Measured]) -> None:
    """Print at how many workers it is saturated."""
    enough = [row.workers for row in rows if row.busy >= BUSY]
    most = max(row.matches_a_second for row in rows)
    kept = f"{max(enough):,} workers busy" if enough else "no number of workers busy"
    print(f"{kind}: one coordinator keeps {kept} ({BUSY:.0%}), and has at most {most:,.0f} matches/s\n", flush=True)


def run(field: Field, clock: VirtualClock, kinds: Sequence[str], counts: Sequence[int], calls: Calls) -> bool:
    """Print the table, and return whether the goal is met where it was looked at."""
    is_met = True
    for kind in kinds:
        rows = []
        print(f"{kind:>8} workers   matches/s    busy   ms of coordinator a match   its load   commits/s")
        for workers in counts:
            row = simulate(field, clock, kind, workers, calls)
            rows.append(row)
            print(
                f"{'':8}{row.workers:8,}{row.matches_a_second:12,.1f}{row.busy:8.1%}{1000 * row.work_s:28.2f}"
                f"{row.load:11.0%}{row.commits_a_second:12,.1f}",
                flush=True,
            )
            if (kind, workers) == (GOAL_DURATION, GOAL_WORKERS):
                is_met = row.busy >= GOAL
        show(kind, rows)
    return is_met


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 if the goal is missed."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.cluster_simulation",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--workers", default=",".join(map(str, WORKERS)))
    parser.add_argument("--durations", default="instant,1s,10s")
    parser.add_argument("--db", default=None)
    parser.add_argument("--call-ms", type=float, default=None)
    parser.add_argument("--samples", type=int, default=100)
    options = parser.parse_args(arguments)
    counts = [int(count) for count in options.workers.split(",")]
    calls = measure_calls() if options.call_ms is None else Calls(options.call_ms / 1000, TRIP_S)
    print(f"a call costs {1000 * calls.cost_s:.2f} ms of the coordinator, and takes {1000 * calls.trip_s:.2f} ms")
    clock = VirtualClock()
    with tempfile.TemporaryDirectory() as directory, opened(options.db, Path(directory), clock) as database:
        field = Field(Path(directory), database, options.samples)
        mean_s = sum(report.duration_us for report in field.samples) / len(field.samples) / 1e6
        print(f"an instant match takes {mean_s:.3f} s, its replay has {len(field.samples[0].replay):,} bytes")
        is_met = run(field, clock, options.durations.split(","), counts, calls)
    clock.close()
    return 0 if is_met else 1


if __name__ == "__main__":
    sys.exit(main())
