"""The whole road of many short matches, from `tournament run` to the last rating: how much of the time is play.

    python -m benchmarks.end_to_end [--matches 10000] [--workers 2]

A round robin of three instant bots of The Foreign King by the real command line, in a fresh directory, watched from
outside. Printed is the share of the wall time, from the start of the command to its end, in which each worker has a
match whose bots are asked, as the book tells when each match began and how long it was played; what of the rest comes
before the first match and after the last one; and the processor time of the coordinator, workers, launchers and bots.
The coordinator hands matches out, records and rates them, so its share is what that costs.
"""

from __future__ import annotations

import argparse
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from collections.abc import Mapping, Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from arena.profiling.split import Role, cpu_by_role
from benchmarks.arena import ARENA, MATCHES_A_BLOCK, add_bots

GOAL_DECIDING, GOAL_COORDINATOR = 0.95, 0.05
LOOK_EVERY_S = 0.5


@dataclass(frozen=True, slots=True)
class Played:
    """What the book tells of a tournament. Instants are of the clock of the day, in seconds."""

    matches: int
    rated: int
    decisions: int
    played_s: float
    """The durations of all matches, added up."""
    first_s: float
    """When the first match began."""
    last_s: float
    """When the last one was over."""


def _read(database: Path) -> Played:
    with closing(sqlite3.connect(database)) as book:
        matches, decisions, played_us, first_us, last_us = book.execute(
            "SELECT count(*), sum(decisions), sum(duration_us), min(started_at_us), max(started_at_us + duration_us)"
            " FROM match WHERE state = 'finished'"
        ).fetchone()
        (rated,) = book.execute("SELECT count(DISTINCT match_id) FROM rating_change").fetchone()
    return Played(matches, rated, decisions, played_us / 1e6, first_us / 1e6, last_us / 1e6)


def _run(command: Sequence[str], home: Path) -> tuple[int, Mapping[Role, float]]:
    """Return the exit code of a run, and the processor time of its processes when it was last seen."""
    used: Mapping[Role, float] = {}
    with subprocess.Popen(command, cwd=home, stdout=subprocess.DEVNULL) as process:
        while process.poll() is None:
            seen = cpu_by_role(process.pid)
            used = {role: max(seen[role], used.get(role, 0.0)) for role in Role}
            time.sleep(LOOK_EVERY_S)
    return process.returncode, used


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if every match was recorded and the goals are met."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.end_to_end", description=__doc__)
    parser.add_argument("--matches", type=int, default=10_000)
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    options = parser.parse_args(arguments)
    blocks = -(-options.matches // MATCHES_A_BLOCK)
    with tempfile.TemporaryDirectory(prefix="arena-benchmark-") as directory:
        home = Path(directory)
        names = add_bots(home)
        command = [*ARENA, "tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "3"]
        command += ["--bots", ",".join(names), "--blocks", str(blocks), "--time", "1s", "--seed", "1"]
        command += ["--workers", str(options.workers)]
        began_s = time.time()
        code, used = _run(command, home)
        ended_s = time.time()
        played = _read(home / "arena.db")
    wall_s, cpu_s = ended_s - began_s, sum(used.values())
    deciding, own = played.played_s / (wall_s * options.workers), used[Role.COORDINATOR] / cpu_s
    print(f"{played.matches} matches in {wall_s:.1f} s, start-up included: {played.matches / wall_s:.1f} matches/s,")
    print(f"{played.decisions / wall_s:,.0f} decisions/s asked of bots, {cpu_s / wall_s:.2f} cores busy")
    print(f"each worker had a match whose bots were asked: {deciding:.1%} of the time (goal {GOAL_DECIDING:.0%});")
    print(
        f"before the first match {played.first_s - began_s:.2f} s, after the last one {ended_s - played.last_s:.2f} s"
    )
    shares = ", ".join(f"{role.value} {seconds / cpu_s:.1%}" for role, seconds in used.items())
    costs = ", ".join(f"{role.value} {seconds / played.matches * 1e3:.2f} ms" for role, seconds in used.items())
    print(f"processor time: {shares} (goal for the coordinator {GOAL_COORDINATOR:.0%}),")
    print(f"a match: {costs}")
    is_whole = code == 0 and played.matches == played.rated == blocks * MATCHES_A_BLOCK
    return 0 if is_whole and deciding >= GOAL_DECIDING and own <= GOAL_COORDINATOR else 1


if __name__ == "__main__":
    sys.exit(main())
