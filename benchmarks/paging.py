"""What lists and tables of a book with 200,000 matches cost beyond the start of the program.

    python -m benchmarks.paging
    python -m benchmarks.paging --matches 1000000
    python -m benchmarks.paging --books DIR    (keeps the databases there, and takes them from there)

A ladder and a round robin of 30 bots are written into two databases, and the commands that people type are run on them,
each in a process of its own. Processor time and memory are compared with those of a list of an empty database.
"""

from __future__ import annotations

import argparse
import os
import re
import shlex
import sys
import tempfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.arena import ARENA
from benchmarks.ladders import POOL, make
from ratings.store.database import open_database

GOAL_S = 0.3
GOAL_MB = 150
_REPEATS = 5
_END = 1 << 16
_NEXT = re.compile(r"there are more: arena (.*)")


@dataclass(frozen=True)
class Cost:
    """What a command costs, the least of some runs."""

    cpu_s: float
    memory_mb: float
    written: str


def run(words: Sequence[str], db: Path, empty: Path, repeats: int = _REPEATS) -> tuple[Cost, Cost]:
    """Run the start of the program and a command in turn, some times; what the cheapest run of each cost.

    In turn, because processor time itself depends on what else the machine does, and that changes within a minute.
    """
    pairs = [(_once(["tournament", "list"], empty), _once(words, db)) for _ in range(repeats)]
    start, cost = (min(costs, key=lambda cost: cost.cpu_s) for costs in zip(*pairs, strict=True))
    return start, cost


def _once(words: Sequence[str], db: Path) -> Cost:
    with tempfile.TemporaryFile() as output:
        actions = [(os.POSIX_SPAWN_DUP2, output.fileno(), 1), (os.POSIX_SPAWN_DUP2, output.fileno(), 2)]
        environment = {**os.environ, "ARENA_DB": str(db)}
        pid = os.posix_spawn(ARENA[0], [*ARENA, *words], environment, file_actions=actions)
        _, status, usage = os.wait4(pid, 0)
        # The end is enough, and all of a long list would count as memory of the commands that follow.
        output.seek(max(0, output.seek(0, os.SEEK_END) - _END))
        written = output.read().decode(errors="replace")
    if status:
        raise SystemExit(f"arena {shlex.join(words)} failed: {written}")
    return Cost(usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1024, written)


def commands() -> Iterator[list[str]]:
    """Yield the commands of which also the next page is asked for, if there is one."""
    yield ["tournament", "show", "long"]
    yield ["tournament", "show", "long", "--matches"]
    yield ["match", "list"]
    yield ["match", "list", "long"]
    yield ["match", "list", "long", "--json"]
    yield ["match", "list", "--state", "finished"]
    yield ["match", "list", "--bot", "bot7"]
    yield ["match", "list", "long", "--bot", "bot7"]
    yield ["match", "list", "--pool", POOL]
    yield ["match", "list", "--fault", "ILLEGAL_ACTION"]
    yield ["match", "list", "--fault"]
    yield ["match", "list", "long", "--fault"]
    yield ["tournament", "list"]


def _check(title: str, db: Path, empty: Path) -> bool:
    """Run all commands on one database; whether all kept the goals."""
    kept = True
    for words in commands():
        following: list[str] | None = words
        for page in ("first page", "next page"):
            if following is None:
                continue
            start, cost = run(following, db, empty)
            more, is_well = cost.cpu_s - start.cpu_s, cost.cpu_s - start.cpu_s < GOAL_S and cost.memory_mb < GOAL_MB
            kept = kept and is_well
            print(
                f"{title}: {' '.join(words):<36} {page:<10} {cost.cpu_s / start.cpu_s:6.2f} x start "
                f"(+{1000 * more:4.0f} ms) {cost.memory_mb:6.0f} MB{'' if is_well else '  MISSED'}",
                flush=True,
            )
            named = _NEXT.search(cost.written)
            following = shlex.split(named[1]) if named else None
    return kept


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 if a goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=200_000)
    parser.add_argument("--books", type=Path, help="a directory that keeps the databases for the next time")
    options = parser.parse_args(arguments)
    with tempfile.TemporaryDirectory() as temporary:
        folder = options.books or Path(temporary)
        empty = folder / "empty.db"
        open_database(empty).close()
        kept = [
            _check(format_name, _book(folder, format_name, options.matches), empty)
            for format_name in ("ladder", "round-robin")
        ]
    return 0 if all(kept) else 1


def _book(folder: Path, format_name: str, matches: int) -> Path:
    """Return the database with that many matches, made if the directory does not have it."""
    path = folder / f"{format_name}-{matches}.db"
    if not path.exists():
        make(path, matches, format_name=format_name).close()
    return path


if __name__ == "__main__":
    sys.exit(main())
