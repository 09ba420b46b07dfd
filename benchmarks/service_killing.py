"""kill -9 of a whole service, again and again: after each restart everything goes on, and in the end nothing is amiss.

    python -m benchmarks.service_killing [--kills 20] [--seed 1]

A service plays a ladder, tournaments are queued and versions are submitted for admission all the while. At random
moments `arena serve` is killed, alone, and started again. It fails if a process or a file outlives a kill, if a
match is lost or counted twice, if an admission is not decided in the end, or if the final table of a tournament
differs from that of an undisturbed one.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import sqlite3
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path

from ratings.ledger.service import ServiceLedger
from ratings.read.bots import all_versions
from ratings.store.database import open_database
from tests.support.patience import ANY_TIME
from tests.support.places import CHOICES, Place, write_quick_bot
from tests.support.serving import plan, serving, wait_for_counts

PATIENCE_S = 600.0
BLOCKS = 4
MOST_DELAY_S = 6.0
GOAL_S = 2.0
OF_TOURNAMENT = (
    'SELECT bot.name, block."index", rotation, seat, rank, game_digest FROM match '
    "JOIN match_seat ON match_seat.match_id = match.id JOIN block ON block.id = match.block_id "
    "JOIN version ON version.id = version_id JOIN bot ON bot.id = version.bot_id "
    "JOIN tournament ON tournament.id = match.tournament_id WHERE tournament.name = ? ORDER BY 2, 3, 4"
)
OPEN_ADMISSIONS = "SELECT count(*) FROM admission WHERE state IN ('queued', 'running')"
OPEN_MATCHES = (
    "SELECT count(*) FROM match JOIN tournament ON tournament.id = match.tournament_id "
    "WHERE tournament.format = 'round-robin' AND state IN ('planned', 'leased')"
)


def _fresh(directory: Path) -> Place:
    directory.mkdir()
    place = Place(directory)
    place.ok("bot", "add", *(write_quick_bot(directory / "sources" / name, name) for name in CHOICES))
    return place


def _ask(place: Place, query: str, *values: object) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(place.db)) as connection:
        return connection.execute(query, values).fetchall()


def _submit(place: Place, number: int) -> None:
    """Queue the admission of a new version, as a submission does."""
    name = f"newcomer{number}"
    source = write_quick_bot(place.directory / "sources" / name, list(CHOICES)[number % len(CHOICES)], name=name)
    with (source / "bot.toml").open("a", encoding="utf-8") as manifest:
        manifest.write('games = ["rex_romanorum"]\n')
    place.ok("bot", "add", source)
    with closing(open_database(place.db)) as database:
        (version,) = [one.version.id for one in all_versions(database) if one.bot.name == name]
        ServiceLedger(database).request_admission(version)


def _kill_once(place: Place, delay_s: float, number: int) -> tuple[float, list[str]]:
    """Serve, queue something, kill after the delay; seconds until all processes had ended, and what was wrong."""
    with serving(place, "--workers", "2") as served:
        plan(place, blocks=BLOCKS, name=f"cup{number}")
        _submit(place, number)
        time.sleep(delay_s)
        os.kill(served.pid, signal.SIGKILL)
        begun = time.perf_counter()
        while place.processes() and time.perf_counter() - begun < PATIENCE_S:
            time.sleep(0.01)
        seconds = time.perf_counter() - begun
    return seconds, [] if seconds <= GOAL_S else [f"processes outlived it by {seconds:.1f} s"]


def _finish(place: Place) -> list[str]:
    """Serve until everything but the ladder is over; what was wrong."""
    with serving(place, "--workers", "2") as served:
        end = time.monotonic() + PATIENCE_S
        while _ask(place, OPEN_MATCHES) != [(0,)] or _ask(place, OPEN_ADMISSIONS) != [(0,)]:
            if time.monotonic() > end:
                return [f"not done in {PATIENCE_S:g} s: {_ask(place, OPEN_MATCHES)}, {_ask(place, OPEN_ADMISSIONS)}"]
            time.sleep(0.2)
        place.ok("ladder", "close", "king3", "--why", "the end")
        code = served.stop()
    return [] if code == 0 else [f"exit code {code}"]


def _check(place: Place, kills: int, expected: Sequence[tuple[object, ...]]) -> list[str]:
    other = [number for number in range(kills) if _ask(place, OF_TOURNAMENT, f"cup{number}") != expected]
    wrong = [f"cup{number} ended otherwise than undisturbed" for number in other]
    checked = place.arena("db", "check")
    if checked.code:
        wrong.append(f"db check: {checked.out.strip()}")
    left = [path.name for path in place.directory.iterdir() if path.name.endswith((".lock", "-wal", "-shm"))]
    left += [path.name for path in (place.directory / "run").iterdir() if path.name != "lock"]
    states = _ask(place, "SELECT state, count(*) FROM admission GROUP BY state")
    if states != [("admitted", kills)]:
        wrong.append(f"admissions: {states}")
    return [*wrong, *([f"left behind: {left}"] if left else [])]


def _undisturbed(home: Path) -> list[tuple[object, ...]]:
    place = _fresh(home / "undisturbed")
    plan(place, blocks=BLOCKS, name="cup0")
    place.ok("tournament", "resume", "cup0")
    wait_for_counts(place, {"finished": 3 * BLOCKS})
    return _ask(place, OF_TOURNAMENT, "cup0")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if nothing was left, lost or doubled."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.service_killing", description=__doc__)
    parser.add_argument("--kills", type=int, default=20)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    rng, wrong, times = random.Random(options.seed), [], []
    with tempfile.TemporaryDirectory(prefix="ka-") as name:
        home = Path(name)
        expected = _undisturbed(home)
        place = _fresh(home / "killed")
        place.ok("ladder", "open", "king3", "--game", "foreign_king", "--seats", "3", *ANY_TIME)
        for number in range(options.kills):
            seconds, faults = _kill_once(place, rng.uniform(0, MOST_DELAY_S), number)
            times.append(seconds)
            wrong += faults
            print(f"  kill {number + 1:>2}: all processes gone after {seconds:.2f} s; {place.counts()}", flush=True)
        wrong += _finish(place)
        wrong += _check(place, options.kills, expected)
    print(f"{len(times)} kills, processes gone after {statistics.median(times):.2f} s, at most {max(times):.2f} s")
    print("\n".join(wrong) or "nothing left, lost or doubled")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
