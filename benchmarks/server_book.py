"""How fast 10,000,000 matches on a PostgreSQL server are recorded upon, asked about and fitted.

    python -m benchmarks.server_book
    python -m benchmarks.server_book --matches 1000000
    python -m benchmarks.server_book --db postgresql://HOST/NAME   (fills that database if it is empty, and keeps it)

Without --db it starts a server of its own, with the durability that servers have, and removes it; a match needs 3 kB of
disk. The book is generated on the server (`benchmarks.server_rows`): five pools, the largest with four of ten matches,
ladders that run and round robins that are over, 1,000 bots of two versions, void matches, faults, replays of 96 bytes;
ratings are plausible, and computed by nobody. Then, in one run:

* recording: a result and a lease in a transaction of their own (`Ledger.settle`), in the ladder of the largest pool,
  by turns with the commit of one small row through the driver alone;
* questions: what commands and pages ask, as somebody who only looks, warm: the median of several calls with different
  arguments, and the slowest argument;
* the official table of the largest pool, in a process of its own: its seconds, and the most memory that it held.

On a machine that does other work, root can let it come before everything else: chrt -f 1 python -m ...
"""

from __future__ import annotations

import argparse
import resource
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from pathlib import Path
from random import Random
from statistics import mean, median, quantiles

from arena.app.arena import LocalArena
from arena.app.policy import Viewer
from arena.hosting.sandbox.programs import StoredPrograms
from arena.hosting.store import VersionStore
from benchmarks.database import report_of
from benchmarks.server_fill import fill
from benchmarks.server_layout import LARGEST, Size
from benchmarks.server_questions import Ask, questions
from benchmarks.server_rows import TOURNAMENT, text_id
from ratings.ledger.check import check_facts
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.ledger import LeaseRequest, Ledger
from ratings.read.tournaments import count_matches
from ratings.store.database import Database, open_database
from ratings.values.states import Scope
from tests.support.postgres import Server

RECORD_MS, ASK_MS, FIT_S, FIT_MB = 5.0, 30.0, 60.0, 2000.0
"""The bounds: of the median of recording and of every question, and of the official table."""
_RECORDED, _IN_FLIGHT, _ROUNDS, _WARM = 600, 32, 3, 100
_SETTINGS = ("shared_buffers=512MB", "max_wal_size=16GB", "wal_level=minimal", "max_wal_senders=0")
_LADDER = text_id(TOURNAMENT, 0)
_CHECKED = 100_000
"""A book that is not larger passes the check of its facts first, which takes a larger one too long."""


class Figures:
    """What was measured, beside its bound."""

    def __init__(self) -> None:
        self.all_kept = True

    def add(self, label: str, value: float, most: float, unit: str, more: str = "") -> None:
        """Print a figure."""
        is_kept = value < most
        self.all_kept &= is_kept
        bound = f"bound {most:,.0f} {unit}"
        print(f"{label:<46}{value:10,.2f} {unit:<3} {bound:<16} {more}{'' if is_kept else '  MISSED'}", flush=True)


def record(database: Database, figures: Figures) -> None:
    """Record results one by one upon the book, each with the lease of another match."""
    ledger, random = Ledger(database), Random(1)
    leased = list(ledger.start_run(_LADDER, _request(_IN_FLIGHT)).leased)
    ours, bare = [], []
    with _bare_commits(database) as commit:
        for turn in range(_WARM + _RECORDED):
            report = report_of(_any(leased, random), random)
            start = time.perf_counter()
            leased += ledger.settle(_LADDER, results=[report], request=_request(1)).leased
            between = time.perf_counter()
            commit()
            if turn >= _WARM:
                ours.append((between - start) * 1000)
                bare.append((time.perf_counter() - between) * 1000)
    late, late_bare = (quantiles(took, n=100)[98] for took in (ours, bare))
    beside = f"mean {mean(ours):.1f}, p99 {late:.1f}; one small row alone {median(bare):.2f}, p99 {late_bare:.1f}"
    figures.add(f"record a match and lease another ({_RECORDED})", median(ours), RECORD_MS, "ms", beside)


def _any(leased: list[LeasedMatch], random: Random) -> LeasedMatch:
    if not leased:
        raise SystemExit("all matches of the ladder are played; generate the book anew")
    return leased.pop(random.randrange(len(leased)))


def _request(limit: int) -> LeaseRequest:
    return LeaseRequest("benchmark", limit, 3600 * 1_000_000)


@contextmanager
def _bare_commits(database: Database) -> Iterator[Ask]:
    import psycopg

    url = database.url.set(drivername="postgresql").render_as_string(hide_password=False)
    with psycopg.connect(url) as connection:
        connection.execute("CREATE TABLE IF NOT EXISTS benchmark_row (number int)")
        connection.commit()

        def commit() -> None:
            connection.execute("INSERT INTO benchmark_row VALUES (1)")
            connection.commit()

        yield commit
        connection.execute("DROP TABLE benchmark_row")


def ask(database: Database, size: Size, figures: Figures) -> None:
    """Ask every question some times, in each of its ways."""
    programs = StoredPrograms(VersionStore(Path("arena.bots")))
    for question in questions(LocalArena(database, programs, Viewer(Scope.VIEWER)), size):
        took = [[_ms(one) for _ in range(1 + _ROUNDS)][1:] for one in question.asks]
        if took:
            slowest = max(median(one) for one in took)
            figures.add(
                question.label,
                median([ms for one in took for ms in one]),
                ASK_MS,
                "ms",
                f"slowest argument {slowest:.1f}",
            )


def _ms(call: Ask) -> float:
    start = time.perf_counter()
    call()
    return (time.perf_counter() - start) * 1000


def fit(url: str) -> None:
    """Print seconds and megabytes of the official table of the largest pool, with the start of this process."""
    start = time.perf_counter()
    with closing(open_database(url)) as database:
        programs = StoredPrograms(VersionStore(Path("arena.bots")))
        found = LocalArena(database, programs).ratings.get_official_table(pool=LARGEST)
    most = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1000
    print(time.perf_counter() - start, most, found.matches)


def fit_apart(url: str, figures: Figures) -> None:
    """Measure the official table in a process of its own."""
    words = [sys.executable, "-m", "benchmarks.server_book", "--db", url, "--only-official"]
    done = subprocess.run(words, capture_output=True, text=True, check=True)
    took, most, matches = map(float, done.stdout.split())
    figures.add(f"official table of {matches:,.0f} matches", took, FIT_S, "s")
    figures.add("official table, memory", most, FIT_MB, "MB")


@contextmanager
def _server(given: str | None) -> Iterator[str]:
    if given is not None:
        yield given
        return
    server = Server(_SETTINGS)
    try:
        server.start()
        yield server.url
    finally:
        server.close()


def run(url: str, size: Size) -> bool:
    """Fill the database if it is empty, print every figure, and return whether all bounds hold."""
    with closing(open_database(url)) as database:
        if not count_matches(database, _LADDER):
            start = time.perf_counter()
            fill(database, size, lambda text: print(text, flush=True))
            print(f"{size.matches:,} matches generated: {time.perf_counter() - start:.0f} s", flush=True)
            if size.matches <= _CHECKED and (problems := check_facts(database)):
                raise SystemExit("\n".join(problems))
        figures = Figures()
        record(database, figures)
        ask(database, size, figures)
        fit_apart(url, figures)
        return figures.all_kept


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 if a bound is broken."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=10_000_000)
    parser.add_argument("--bots", type=int, default=1000)
    parser.add_argument("--db", help="the URL of a database on a server, which is filled if it is empty, and kept")
    parser.add_argument("--only-official", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args(arguments)
    if options.only_official:
        fit(options.db)
        return 0
    with _server(options.db) as url:
        return 0 if run(url, Size(options.matches, options.bots)) else 1


if __name__ == "__main__":
    sys.exit(main())
