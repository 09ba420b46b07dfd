"""The whole arena: a round robin of instant bots, from the command to the last rating, and where its time goes.

    python -m benchmarks.arena [--matches 300] [--workers 2] [--rounds 3] [--seconds 5] [--record]

Runs the real command line in a fresh directory with three instant bots in processes of their own, and measures from
outside: wall time (start-up included), decisions per second (forced ones included), and the arena's own memory, that
is the proportional set size (PSS) of the coordinator, its workers and launchers, bots apart, at its highest.

Then `arena doctor --profile` splits a decision's processor time by parts, in turn with a bare gRPC echo, and what each
part costs is compared, in echoes, with the last entry of this kind of machine in benchmarks/history/arena.jsonl. A part
that costs more than a tenth more, and more than chance explains, is marked as a LOSS. With `--record` the figures are
added there: do that once for each version that may become slower or faster, and commit the file.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks import split, split_history
from benchmarks.processes import arenas_own, memory_kb
from ratings.read.match_list import MatchFilter, list_matches
from ratings.store.database import open_database
from ratings.values.states import MatchState

BOT = Path(__file__).with_name("instant")
NAMES = ("instant-a", "instant-b", "instant-c")
ARENA = (sys.executable, "-m", "arena.cli.main")
SAMPLE_INTERVAL_S = 0.25
MATCHES_A_BLOCK = 3


def add_bots(home: Path, count: int = len(NAMES)) -> Sequence[str]:
    """Put so many instant bots into the database of a directory; their names."""
    for name in NAMES[:count]:
        directory = home / name
        shutil.copytree(BOT, directory, ignore=shutil.ignore_patterns("__pycache__"))
        manifest = directory / "bot.toml"
        manifest.write_text(manifest.read_text().replace('"instant"', f'"{name}"'))
        subprocess.run([*ARENA, "bot", "add", str(directory)], cwd=home, check=True, stdout=subprocess.DEVNULL)
    return NAMES[:count]


def _watch(process: subprocess.Popen[bytes]) -> int:
    """The highest memory of the arena's own processes until it ends, in kB."""
    highest = 0
    while process.poll() is None:
        highest = max(highest, sum(map(memory_kb, arenas_own(process.pid))))
        time.sleep(SAMPLE_INTERVAL_S)
    return highest


def _played(database: Path) -> tuple[int, int, int]:
    """Matches finished, their plies, and the decisions asked of bots."""
    book = open_database(database)
    finished = [row.match for row in list_matches(book, MatchFilter(state=MatchState.FINISHED), limit=None).items]
    book.close()
    plies, decisions = (sum(getattr(match, name) or 0 for match in finished) for name in ("plies", "decisions"))
    return len(finished), plies, decisions


def _play(matches: int, workers: int) -> bool:
    """Run the tournament and print its figures. Return whether every match was recorded."""
    with tempfile.TemporaryDirectory(prefix="arena-benchmark-") as directory:
        home = Path(directory)
        add_bots(home)
        command = [*ARENA, "tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "3"]
        command += ["--bots", ",".join(NAMES), "--blocks", str(matches // MATCHES_A_BLOCK)]
        command += ["--time", "1s", "--seed", "1", "--workers", str(workers)]
        started = time.perf_counter()
        with subprocess.Popen(command, cwd=home, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
            memory_kb = _watch(process)
        seconds = time.perf_counter() - started
        played, plies, decisions = _played(home / "arena.db")
    print(f"{played} matches by {workers} workers in {seconds:.1f} s, start-up included")
    print(f"{plies / seconds:,.0f} decisions/s, forced ones included ({decisions / seconds:,.0f} asked of bots)")
    print(f"the arena's own memory, at most: {memory_kb / 1024:.0f} MB")
    return process.returncode == 0 and played == matches


def _split(options: argparse.Namespace) -> None:
    """Print where time goes and what changed since the last entry, and add an entry if that is wanted."""
    entry = split.measure(options.rounds, options.seconds, options.workers)
    history = split_history.read_history(options.history)
    if history.damaged:
        lines = ", ".join(map(str, history.damaged))
        print(f"{options.history}: passed over what is no entry, in line {lines}; mend or remove it")
    split.show(entry, history.last_like(entry))
    if options.record:
        split_history.add_entry(options.history, entry)
        print(f"recorded in {options.history}; commit it")


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if every match was recorded."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.arena", description=__doc__)
    parser.add_argument("--matches", type=int, default=300, help="0 measures the split alone")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1)
    parser.add_argument("--rounds", type=int, default=3, help="of the split; 0 leaves it out")
    parser.add_argument("--seconds", type=float, default=5.0, help="of each round")
    parser.add_argument("--record", action="store_true", help="add the split to the history")
    parser.add_argument("--history", type=Path, default=split_history.FILE, metavar="FILE")
    options = parser.parse_args(arguments)
    is_whole = not options.matches or _play(options.matches, options.workers)
    if options.rounds:
        print()
        _split(options)
    return 0 if is_whole else 1


if __name__ == "__main__":
    sys.exit(main())
