"""kill -9 at random moments of a tournament: who is killed, and how long until the survivors have cleared up.

    python -m benchmarks.killing [--moments 30] [--seed 1] [--sandbox standard]

The bots fork, ignore TERM and flood stderr. In turn the arena, a worker, the launcher and all three at once are
killed. It fails if a process, a file, a socket or a mount of the dead is left after 2 s (after all three: a process
at once, and anything after the next start), or if the final table differs from that of an undisturbed tournament.
"""

from __future__ import annotations

import argparse
import random
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from tests.support.killing import ALL, ARENA, VICTIMS, Field, add_fierce_bots, kill, order, survivors

GOAL_S = 2.0
PATIENCE_S = 60.0
BLOCKS = 3
MATCHES = 3 * BLOCKS
MOST_DELAY_S = 0.3
TOO_LATE = "everything was played before it was killed"


def _wait(until: float, field: Field, before: dict[int, str], *, files: bool) -> float:
    """Seconds until nothing of before is left; infinite if that does not happen."""
    started = time.perf_counter()
    while time.perf_counter() < until:
        if not survivors(field, before) and not (files and field.left_behind()):
            return time.perf_counter() - started
        time.sleep(0.01)
    return float("inf")


def _one(field: Field, victim: str, matches: int, delay_s: float) -> tuple[float, list[str]]:
    """Kill once after so many matches, play on to the end; seconds until all was cleared, and what was wrong."""
    wrong, code = [], 0
    with field.on_terminal(*order(BLOCKS)) as terminal:
        if matches:
            # The line of progress leaves out what follows at once.
            terminal.wait_for(rf"(?:{'|'.join(map(str, range(matches, MATCHES + 1)))})/{MATCHES} matches, ")
        time.sleep(delay_s)
        end = time.perf_counter() + PATIENCE_S
        while (before := kill(field, terminal.process.pid, victim)) is None and terminal.process.poll() is None:
            time.sleep(0.01)
        if before is None:
            return 0.0, [TOO_LATE]
        # Where the arena lives it starts another worker, whose files are nobody's leftovers.
        seconds = _wait(end, field, before, files=victim == ARENA)
        code = terminal.end()
    if field.counts() == {"finished": MATCHES} and victim in (ARENA, ALL):
        return 0.0, [TOO_LATE]
    if victim in (ARENA, ALL):
        # Killed before it had planned anything, it is ordered again.
        field.ok(*(["tournament", "resume", "monday"] if field.counts() else order(BLOCKS)))
    elif code != 0:
        wrong.append(f"exit code {code}: {terminal.lines[-1:]}")
    field.wait_until_nothing_runs()
    if left := field.left_behind():
        wrong.append(f"left behind: {left}")
    if field.counts() != {"finished": MATCHES}:
        wrong.append(f"matches: {field.counts()}")
    return seconds, wrong


def _fresh(home: Path, name: str, temporary: Path, level: str) -> Field:
    directory = home / name
    directory.mkdir()
    field = Field(directory, temporary, level)
    add_fierce_bots(field)
    return field


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if nothing was left and every table was the same."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.killing", description=__doc__)
    parser.add_argument("--moments", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--sandbox", default="standard", choices=["standard", "none"])
    options = parser.parse_args(arguments)
    rng = random.Random(options.seed)
    times: dict[str, list[float]] = {victim: [] for victim in VICTIMS if options.sandbox != "none" or victim != ALL}
    faults = 0
    with tempfile.TemporaryDirectory(prefix="ka-") as name, tempfile.TemporaryDirectory(prefix="ka-") as temporary:
        home = Path(name)
        undisturbed = _fresh(home, "undisturbed", Path(temporary), options.sandbox)
        undisturbed.ok(*order(BLOCKS))
        table = [row[:1] + row[2:] for row in undisturbed.table()]  # the versions' hashes name their directory
        for number in range(options.moments):
            victim = list(times)[number % len(times)]
            field = _fresh(home, f"moment-{number}", Path(temporary), options.sandbox)
            matches, delay_s = rng.randrange(MATCHES - 4), rng.uniform(0, MOST_DELAY_S)
            seconds, wrong = _one(field, victim, matches, delay_s)
            if wrong == [TOO_LATE]:
                print(f"  {victim:>10}: {TOO_LATE}", flush=True)
                continue
            if [row[:1] + row[2:] for row in field.table()] != table:
                wrong.append("another table")
            times[victim].append(seconds)
            faults += bool(wrong)
            when = f"after {matches} matches and {delay_s:.2f} s"
            print(f"  {victim:>10} {when}: cleared in {seconds:.2f} s {'; '.join(wrong)}", flush=True)
    worst = max(second for cleared in times.values() for second in cleared)
    for victim, cleared in times.items():
        if cleared:
            median_s = statistics.median(cleared)
            print(f"{victim:>10}: {len(cleared)} kills, median {median_s:.2f} s, at most {max(cleared):.2f} s")
    print(f"sandbox {options.sandbox}; wrong in the end: {faults}; at most {worst:.2f} s (goal {GOAL_S:g} s)")
    return 0 if not faults and worst <= GOAL_S else 1


if __name__ == "__main__":
    sys.exit(main())
