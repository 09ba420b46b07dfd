"""What it costs to check and to rebuild a book with 200,000 matches in one tournament, each with its replay.

    python -m benchmarks.checking
    python -m benchmarks.checking --matches 1000000
    python -m benchmarks.checking --books DIR    (keeps the database there, and takes it from there)

A round robin of 30 bots is written with attempts, ratings and replays of the usual size. `arena db check` looks at it,
`arena db check --rebuild` mends every seventh of its ratings, and `arena rating rebuild` finds nothing to mend. Each is
a process of its own; processor time and memory are those of that process, and the time on the wall is told besides.
"""

from __future__ import annotations

import argparse
import os
import shlex
import sqlite3
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from pathlib import Path
from random import Random

from benchmarks.arena import ARENA
from benchmarks.ladders import make

GOAL_S = 60
"""Seconds of processor time for 200,000 matches."""
GOAL_MB = 150
_MATCHES = 200_000
_REPLAY_BYTES = 4_000
"""As long as the replay of a match of two at The Foreign King is."""


def book(path: Path, matches: int) -> None:
    """Write the book, unless it is there."""
    if path.exists():
        return
    make(path, matches, format_name="round-robin", is_rated=True).close()
    noise = Random(1).randbytes(2 * _REPLAY_BYTES)
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("PRAGMA synchronous = OFF")
        over = [id_ for (id_,) in connection.execute("SELECT id FROM match WHERE state = 'finished' ORDER BY id")]
        replays = ((id_, noise[n % _REPLAY_BYTES :][:_REPLAY_BYTES]) for n, id_ in enumerate(over))
        connection.executemany("INSERT INTO replay (match_id, data) VALUES (?, ?)", replays)
        connection.execute(
            "INSERT INTO attempt (match_id, number, worker, state, leased_at_us, deadline_us, ended_at_us) "
            "SELECT id, 1, 'w', 'finished', 0, 1, 1 FROM match WHERE state = 'finished'"
        )
        connection.execute("UPDATE version SET files_removed_at_us = 1")  # there are none


def spoil(path: Path) -> None:
    """Have every seventh rating be wrong."""
    with closing(sqlite3.connect(path)) as connection, connection:
        connection.execute("UPDATE rating_change SET mu_after = mu_after + 1 WHERE rating_seq % 7 = 0")


def run(words: Sequence[str], db: Path, limit_s: float) -> bool:
    """Run a command, print what it costs, and return whether it keeps the goals."""
    start = time.perf_counter()
    with tempfile.TemporaryFile() as output:
        actions = [(os.POSIX_SPAWN_DUP2, output.fileno(), 1), (os.POSIX_SPAWN_DUP2, output.fileno(), 2)]
        pid = os.posix_spawn(ARENA[0], [*ARENA, *words], {**os.environ, "ARENA_DB": str(db)}, file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
        output.seek(0)
        written = output.read().decode()
    if status:
        raise SystemExit(f"arena {shlex.join(words)} failed: {written}")
    cpu_s, memory_mb = usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024
    is_well = cpu_s < limit_s and memory_mb < GOAL_MB
    print(
        f"arena {shlex.join(words):<22} {cpu_s:7.1f} s CPU (goal {limit_s:.0f}), {memory_mb:4.0f} MB (goal {GOAL_MB}), "
        f"{time.perf_counter() - start:.1f} s{'' if is_well else '  MISSED'}",
        flush=True,
    )
    return is_well


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=_MATCHES)
    parser.add_argument("--books", type=Path, help="a directory that keeps the database for the next time")
    options = parser.parse_args(arguments)
    limit_s = max(GOAL_S * options.matches / _MATCHES, 5)
    with tempfile.TemporaryDirectory() as temporary:
        db = (options.books or Path(temporary)) / f"checking-{options.matches}.db"
        book(db, options.matches)
        kept = [run(["db", "check"], db, limit_s)]
        spoil(db)
        kept.append(run(["db", "check", "--rebuild"], db, limit_s))
        kept.append(run(["rating", "rebuild"], db, limit_s))
    return 0 if all(kept) else 1


if __name__ == "__main__":
    sys.exit(main())
