"""What looking at something costs: the processor time of commands against that of `python -c "import sqlmodel"`.

    python -m benchmarks.start_up
    python -m benchmarks.start_up --runs 40 --db demo.db    (a database that `arena demo` made, which is left as it is)
    python -m benchmarks.start_up --only "rating" --only "db check"    (the command lines that begin like that)

Every command that only reads is run in a process of its own, in turn with the baseline, because processor time itself
depends on what else the machine does; printed are the medians. Without `--db` a tournament of each game is
played first.
"""

from __future__ import annotations

import argparse
import os
import shlex
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from pathlib import Path

from benchmarks.arena import ARENA
from ratings.read.match_list import list_matches
from ratings.read.tournaments import list_tournaments
from ratings.store.database import open_database

GOAL = 1.3
BASELINE = [sys.executable, "-c", "import sqlmodel"]


def commands(db: Path) -> list[str]:
    """Return the command lines that only read, for a database in which something was played."""
    database = open_database(db)
    try:
        row = list_tournaments(database, limit=1).items[0]
        match = list_matches(database, limit=1).items[0].match.id
    finally:
        database.close()
    name, game = row.tournament.name, row.pool.game
    return [
        "--help",
        "tournament --help",
        "match list --help",
        f"game show {game}",
        "game list",
        "leaderboard",
        "tournament list",
        f"tournament standings {name}",
        f"tournament show {name}",
        f"tournament show {name} --matches",
        f"tournament leaks {name}",
        "match list",
        f"match show {match}",
        "bot list",
        "bot show greedy",
        "bot log greedy",
        f"stats crosstable --game {game}",
        f"stats history greedy --game {game}",
        f"stats opponents greedy --game {game}",
        f"stats lengths --game {game}",
        f"stats seats --game {game}",
        f"replay show {match}",
        f"rating official --game {game}",
        f"rating fairplay --game {game}",
        "db check",
        "ladder list",
        "owner list",
        "token list",
        "notice",
    ]


def cpu_s(argv: list[str], environment: Mapping[str, str]) -> float:
    """Return the processor time of a process. Raises RuntimeError if it fails."""
    nowhere = [(os.POSIX_SPAWN_OPEN, number, os.devnull, os.O_WRONLY, 0) for number in (1, 2)]
    pid = os.posix_spawn(argv[0], argv, environment, file_actions=nowhere)
    _, status, usage = os.wait4(pid, 0)
    if status:
        raise RuntimeError(f"`{shlex.join(argv)}` failed")
    return usage.ru_utime + usage.ru_stime


def measure(lines: Sequence[str], environment: Mapping[str, str], runs: int) -> list[tuple[str, float]]:
    """Return the ratio of each command line to the baseline; both are run in turn, after one run that warms up."""
    found = []
    for line in lines:
        argv = [*ARENA, *shlex.split(line)]
        cpu_s(argv, environment)
        pairs = [(cpu_s(BASELINE, environment), cpu_s(argv, environment)) for _ in range(runs)]
        baseline, command = map(statistics.median, zip(*pairs, strict=True))
        print(
            f"{command / baseline:5.2f}   {command * 1000:6.0f} ms of {baseline * 1000:4.0f}   arena {line}", flush=True
        )
        found.append((line, command / baseline))
    return found


def main(argv: Sequence[str]) -> int:
    """Print the ratios; 1 if one is above the goal."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=20)
    parser.add_argument("--db", type=Path, default=None)
    parser.add_argument("--only", action="append", default=[])
    arguments = parser.parse_args(argv)
    with tempfile.TemporaryDirectory() as directory:
        db = arguments.db or Path(directory) / "arena.db"
        # Compiled files are kept, as everywhere but where the variable forbids it: without them all is compiled anew.
        environment = {**os.environ, "ARENA_DB": str(db)}
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        if arguments.db is None:
            subprocess.run([*ARENA, "demo", "--db", str(db)], env=environment, check=True, stdout=subprocess.DEVNULL)
        lines = [line for line in commands(db) if line.startswith(tuple(arguments.only or [""]))]
        if not lines:
            parser.error(f"no command line begins with {' or '.join(map(repr, arguments.only))}")
        found = measure(lines, environment, arguments.runs)
    missed = [line for line, ratio in found if ratio > GOAL]
    for line in missed:
        print(f"MISSED: `arena {line}` takes more than {GOAL} times the baseline")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
