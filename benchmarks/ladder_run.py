"""A service that plays a standing ladder of 30 bots for 5,000 matches: what grows, do all tables agree.

    python -m benchmarks.ladder_run [--bots 30] [--matches 5000] [--every 5] [--workers 2]

One `arena serve` plays the ladder; bots of six owners and of the operator take part, owners' ones in the sandbox. All
the while versions are submitted over the network, admitted and withdrawn, and tournaments created and cancelled.
Memory, files, threads and processes are seen from outside every few seconds. It fails if one of them grew by more than
stands in BOUNDS, from the first to the last third of the run, or if the official table or the leaderboard differ from
those of a database into which the exported ladder was imported, a rating from one computed anew, or `arena db check`
complains.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from arena.hosting.store import VersionStore
from arena.rpc.channel import Endpoint
from arena.rpc.login import meet
from benchmarks.churn import Churn, Entrant, write_bot
from benchmarks.flatness import Bound, trend
from benchmarks.processes import arenas_own, descendants, memory_kb, open_files, threads
from ratings.ledger.ledger import Ledger
from ratings.ledger.service import ServiceLedger
from ratings.store.database import Database, open_database
from ratings.values.states import Scope
from tests.support.places import Place
from tests.support.serving import Served, serving

LADDER = "king2"
OWNERS = ("ada", "bob", "cyd", "dan", "eve", "fay")
SAMPLES = 120
LEAST_PAUSE_S = 1.0
GIVE_UP_S = 3600.0
FINISHED = "SELECT count(*) FROM match WHERE tournament_id = ? AND state = 'finished'"
SEASON = "SELECT tournament_id FROM season"


@dataclass(frozen=True, slots=True)
class Sample:
    """What was in use after so many matches."""

    matches: int
    service_kb: int
    """Memory of the service's own process."""
    arena_kb: int
    """That and its workers and launchers."""
    tree_kb: int
    """All processes, bots too."""
    service_files: int
    arena_files: int
    service_threads: int
    arena_threads: int
    processes: int
    loose_files: int
    """Entries among temporary files, uploads and what only a running service needs."""
    wal_kb: int
    database_kb: int


BOUNDS = {
    "service_kb": Bound(0.10, 8_000),
    "arena_kb": Bound(0.10, 16_000),
    "tree_kb": Bound(0.10, 100_000),
    "service_files": Bound(0.0, 6),
    "arena_files": Bound(0.10, 10),
    "service_threads": Bound(0.0, 2),
    "arena_threads": Bound(0.0, 6),
    "processes": Bound(0.10, 8),
    "loose_files": Bound(0.10, 8),
    "wal_kb": Bound(0.10, 8_000),
}
"""The database itself grows with its matches; by how much is printed.

Six files are two connections to the database more: a pool keeps five, and opens them when so many threads ask at once.
"""


def entrants(count: int) -> list[Entrant]:
    """Return the bots: every sixth is the operator's own, no two of an owner are equally strong."""
    owners: list[str | None] = [None, *OWNERS]
    return [Entrant(owners[n % len(owners)], f"bot{n:02}", 0.5 + n / count) for n in range(count)]


def _add(place: Place, database: Database, bots: Sequence[Entrant]) -> None:
    """Register and admit the bots."""
    store, ledger, service = VersionStore.of_database(place.db), Ledger(database), ServiceLedger(database)
    for bot in bots:
        stored = store.add(write_bot(place.directory / "first" / bot.name, bot.name, bot.power, 1))
        manifest = stored.manifest.to_json()
        version, _ = ledger.add_version(bot=bot.name, owner=bot.owner, content_hash=stored.hash, manifest=manifest)
        if bot.owner is not None:
            service.request_admission(version.id)
            taken = service.take_admission()
            assert taken is not None
            service.finish_admission(taken.admission.id, is_admitted=True, summary="Admitted.", findings=[])


def _prepare(place: Place, bots: Sequence[Entrant]) -> dict[str, str]:
    """Fill the home of a service that does not run yet; return the tokens of the owners."""
    with closing(open_database(place.db)) as database:
        service = ServiceLedger(database)
        for owner in OWNERS:
            service.add_owner(owner)
        _add(place, database, bots)
        tokens = {
            owner: service.new_token(owner, name="churn", scope=Scope.COMPETITOR).secret
            for owner in {bot.owner for bot in bots if bot.owner is not None}
        }
    place.ok("ladder", "open", LADDER, "--game", "foreign_king", "--seats", "2", "--time", "1s", "--start-limit", "60s")
    return tokens


def _entries(directory: Path) -> int:
    return sum(len(names) + len(files) for _, names, files in os.walk(directory))


def _look(place: Place, pid: int, matches: int) -> Sample:
    own, wal = arenas_own(pid), Path(f"{place.db}-wal")
    below = descendants(pid)
    return Sample(
        matches,
        memory_kb(pid),
        sum(map(memory_kb, own)),
        memory_kb(pid) + sum(map(memory_kb, below)),
        open_files(pid),
        sum(map(open_files, own)),
        threads(pid),
        sum(map(threads, own)),
        1 + len(below),
        sum(_entries(place.directory / name) for name in ("tmp", "uploads", "run")),
        wal.stat().st_size // 1024 if wal.exists() else 0,
        place.db.stat().st_size // 1024,
    )


def _samples(place: Place, pid: int, wanted: int) -> Iterator[Sample]:
    """Yield what is in use until so many matches are over, or there is no hope."""
    end = time.monotonic() + GIVE_UP_S
    with closing(sqlite3.connect(place.db, timeout=60)) as connection:
        (season,) = connection.execute(SEASON).fetchone()
        due = 0
        while time.monotonic() < end:
            (matches,) = connection.execute(FINISHED, (season,)).fetchone()
            if matches >= min(due, wanted):
                yield _look(place, pid, matches)
                due = matches + max(wanted // SAMPLES, 1)
            if matches >= wanted:
                return
            time.sleep(LEAST_PAUSE_S)


@contextmanager
def _churning(
    place: Place, served: Served, tokens: dict[str, str], bots: Sequence[Entrant], every_s: float
) -> Iterator[Churn]:
    endpoint = meet(served.addresses["owners"], served.addresses["fingerprint"], lambda _: False)
    socket = Endpoint(f"unix:{place.directory / 'run' / 'owners.sock'}")
    churn = Churn(endpoint, tokens, socket, bots, place.directory / "sources", every_s)
    churn.start()
    try:
        yield churn
    finally:
        churn.stop()


def _grown(samples: Sequence[Sample]) -> list[str]:
    """Print how everything went; what grew by more than it may."""
    matches, grown = [one.matches for one in samples], []
    for name in [field.name for field in fields(Sample)[1:]]:
        found = trend(matches, [getattr(one, name) for one in samples])
        bound = BOUNDS.get(name)
        may = "" if bound is None else f", may grow by {bound.allowed(found.first):,.0f}"
        print(
            f"{name:>16}: {found.first:10,.0f} -> {found.last:10,.0f}; "
            f"{found.slope:+,.1f} +- {found.margin:,.1f} in 1,000 matches{may}"
        )
        if bound is not None and found.breaks(bound):
            grown.append(name)
    return [f"grown: {', '.join(grown)}"] if grown else []


def _tables(place: Place) -> tuple[Any, Any]:
    """The official table and the leaderboard of the ladder's pool, as programs read them."""
    with closing(sqlite3.connect(place.db)) as connection:
        query = "SELECT pool_id FROM tournament WHERE name LIKE ?"
        (pool,) = connection.execute(query, (f"{LADDER}-1%",)).fetchone()
    words = ("--pool", str(pool), "--json")
    return place.ok("rating", "official", *words).json, place.ok("leaderboard", *words).json


def _check(place: Place) -> list[str]:
    """What does not agree after the service has stopped."""
    wrong = []
    for words in (("db", "check"), ("rating", "rebuild", "--check")):
        done = place.arena(*words)
        if done.code:
            wrong.append(f"{' '.join(words)}: {done.out.strip()}")
    other = Place(place.directory / "other")
    other.directory.mkdir()
    file = place.directory / "ladder.export"
    place.ok("tournament", "export", f"{LADDER}-1", file)
    other.ok("tournament", "import", file)
    for what, ours, theirs in zip(("official table", "leaderboard"), _tables(place), _tables(other), strict=True):
        if ours != theirs:
            wrong.append(f"the {what} differs from that of the exported facts")
    return wrong


def _run(place: Place, options: argparse.Namespace) -> list[str]:
    """Play, and return what was wrong."""
    bots = entrants(options.bots)
    tokens = _prepare(place, bots)
    words = ["--tls-self-signed", "--workers", str(options.workers), "--matches-per-day", "0"]
    words += ["--set", "limits.uploads_per_hour=10000", "--set", "limits.versions=10000"]
    samples: list[Sample] = []
    with serving(place, *words, address="127.0.0.1:0") as served:
        begun = time.monotonic()
        with _churning(place, served, tokens, bots, options.every) as churn:
            for one in _samples(place, served.pid, options.matches):
                samples.append(one)
                print("  ", *(f"{field.name}={getattr(one, field.name)}" for field in fields(Sample)), flush=True)
        seconds = time.monotonic() - begun
        faults = [line for line in served.get("/metrics")[1].splitlines() if line.startswith("arena_faults_total{")]
        place.ok("ladder", "close", LADDER, "--why", "the end")
        code = served.stop()
    played = samples[-1].matches
    print(f"{played:,} matches of {options.bots} bots in {seconds:.0f} s: {played / seconds:.1f}/s")
    print(f"meanwhile {dict(churn.done)}; faults: {faults or 'none'}")
    wrong = _grown(samples) + churn.failures + _check(place)
    if played < options.matches:
        wrong.append(f"only {played} matches in {seconds:.0f} s")
    return wrong if code == 0 else [*wrong, f"exit code {code}"]


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if nothing grew and everything agrees."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.ladder_run",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--bots", type=int, default=30)
    parser.add_argument("--matches", type=int, default=5000)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--every", type=float, default=5.0, help="seconds between two things that people do")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="ka-") as name:
        place = Place(Path(name) / "home")
        (place.directory / "tmp").mkdir(parents=True)
        place.environment["TMPDIR"] = str(place.directory / "tmp")
        wrong = _run(place, options)
    print("\n".join(wrong) or "nothing grew, and all tables agree")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
