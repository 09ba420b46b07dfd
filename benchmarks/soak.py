"""20,000 matches between instant bots by one arena command: what grows, and who lost on time.

    python -m benchmarks.soak [--matches 20000] [--workers 1] [--time 200ms]

Runs the real command line in a fresh directory, with a directory for temporary files of its own, and looks from
outside after every so many matches: memory (PSS), open files and threads of the arena's own processes (coordinator,
workers, launchers), memory of the bots, entries among the temporary files. It fails if anything has grown after the
first 1,000 matches by a tenth or more (memory), or at all (the rest), or if anybody lost on time.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from dataclasses import astuple, dataclass, fields
from pathlib import Path
from statistics import median

from sqlmodel import func, select

from arena.hosting.procfs.processes import list_descendants, list_threads
from arena.hosting.procfs.usage import count_descriptors, proportional_bytes
from benchmarks.arena import ARENA, add_bots, own_processes
from ratings.read.tournaments import list_tournaments
from ratings.store.database import open_database
from ratings.store.models import FaultRecord
from ratings.store.sessions import read

SAMPLES = 40
WARM_MATCHES = 1000
INTERVAL_S = 0.2
MATCHES_A_BLOCK = 2
MOST_GROWTH = 0.10


@dataclass(frozen=True, slots=True)
class Sample:
    """What was in use after so many matches."""

    matches: int
    memory_kb: int
    bots_memory_kb: int
    open_files: int
    threads: int
    temporary_files: int


def _entries(directory: Path) -> int:
    return sum(len(names) + len(files) for _, names, files in os.walk(directory))


def _finished(database: Path) -> int:
    book = open_database(database)
    finished = sum(row.progress.finished for row in list_tournaments(book, limit=None).items)
    book.close()
    return finished


def _watch(process: subprocess.Popen[bytes], home: Path, step: int) -> Iterator[Sample]:
    """Samples that are `step` matches apart, until it ends."""
    due = min(step, WARM_MATCHES)
    while process.poll() is None:
        matches = _finished(home / "arena.db")
        if matches >= due:
            own = own_processes(process.pid)
            bots = set(list_descendants(process.pid)) - set(own)
            sample = Sample(
                matches,
                sum(map(proportional_bytes, own)) // 1024,
                sum(map(proportional_bytes, bots)) // 1024,
                sum(map(count_descriptors, own)),
                sum(len(list_threads(one)) for one in own),
                _entries(home / "tmp"),
            )
            if process.poll() is None:
                yield sample
            due = matches + step
        time.sleep(INTERVAL_S)


def _grown(samples: Sequence[Sample]) -> list[str]:
    """What has grown from the first to the last tenth of what was seen after the warm-up; medians, for it breathes."""
    after = [sample for sample in samples if sample.matches >= WARM_MATCHES] or list(samples)
    tenth = max(len(after) // 10, 1)
    grown = []
    for field in fields(Sample)[1:]:
        first = median(getattr(sample, field.name) for sample in after[:tenth])
        last = median(getattr(sample, field.name) for sample in after[-tenth:])
        print(f"{field.name:>16}: {first:10,.0f} -> {last:10,.0f} ({(last / first - 1) if first else 0:+.1%})")
        allowed = MOST_GROWTH * first if field.name.endswith("_kb") else 0
        if last - first > allowed:
            grown.append(field.name)
    return grown


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if nothing grew and nobody lost on time."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.soak", description=__doc__)
    parser.add_argument("--matches", type=int, default=20_000)
    parser.add_argument("--workers", type=int, default=1)
    parser.add_argument("--time", default="200ms")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory(prefix="arena-soak-") as directory:
        home = Path(directory)
        (home / "tmp").mkdir()
        environment = {**os.environ, "TMPDIR": str(home / "tmp")}
        command = [*ARENA, "tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2"]
        command += ["--bots", ",".join(add_bots(home, 2)), "--blocks", str(options.matches // MATCHES_A_BLOCK)]
        command += ["--time", options.time, "--seed", "1", "--workers", str(options.workers)]
        started = time.perf_counter()
        samples = []
        with subprocess.Popen(
            command, cwd=home, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as process:
            for sample in _watch(process, home, max(options.matches // SAMPLES, 1)):
                samples.append(sample)
                print("  matches {}: {} kB, bots {} kB, {} files, {} threads, {} temporary".format(*astuple(sample)))
                sys.stdout.flush()
        seconds = time.perf_counter() - started
        played = _finished(home / "arena.db")
        left = _entries(home / "tmp")
        with read(open_database(home / "arena.db")) as session:
            faults = session.exec(select(FaultRecord.cause, func.count()).group_by(FaultRecord.cause)).all()
    print(f"{played:,} matches in {seconds:.0f} s, {options.workers} workers, {options.time} a decision")
    grown = _grown(samples)
    print(f"faults: {dict(faults) or 'none'}; temporary files left at the end: {left}")
    print(f"grown: {', '.join(grown) or 'nothing'}")
    return 0 if played == options.matches and not grown and not faults and not left else 1


if __name__ == "__main__":
    sys.exit(main())
