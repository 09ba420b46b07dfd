"""What a decision costs in all processes of the arena, beside a commit before, in the same run.

    python -m benchmarks.decision_cost [--before c8b185a] [--matches 300] [--rounds 3] [--compiled build/compiled]

A round robin of instant bots of The Foreign King by the real command line, two matches at once, by turns with the code
of the commit (`benchmarks.baseline`) and with the code as it is here; then with bots that answer whole turns. Processor
time is that of the command and all that it started, to the last bot, start-up included; a decision is one that a bot
chose, however many an answer holds. Figures are medians of the rounds. Python compiles nothing meanwhile: both have
their bytecode, as after an installation.
"""

from __future__ import annotations

import argparse
import os
import resource
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from contextlib import closing
from dataclasses import dataclass
from pathlib import Path

from arena.hosting.prctl import PR_SET_CHILD_SUBREAPER, prctl
from arena.match.decisions import DecidedBy
from arena.match.replay import load
from benchmarks.arena import MATCHES_A_BLOCK, add_bots
from benchmarks.baseline import ROOT, BaselineError, code_of, compile_code, environment_of

BEFORE = "c8b185a"
GOAL_CPU, GOAL_SPEED, GOAL_TURNS = 0.42, 3.0, 6.0
SAMPLED = 20
"""How many replays are read to count decisions by asked ones."""


@dataclass(frozen=True, slots=True)
class Cost:
    """What one tournament cost."""

    cpu_us: float
    """Processor time of all processes for a decision."""
    speed: float
    """Decisions a second."""


class _Arena:
    def __init__(self, code: Path, bot: str, engine: Path | None = None) -> None:
        self._bot = code / "benchmarks" / bot
        self._environment = environment_of(*([] if engine is None else [engine]), code)

    def measure(self, matches: int) -> Cost:
        """Play a tournament in a fresh directory. Raises CalledProcessError."""
        with tempfile.TemporaryDirectory(prefix="arena-benchmark-") as directory:
            home, quiet = Path(directory), subprocess.DEVNULL
            names = add_bots(home, bot=self._bot, environment=self._environment)
            command = [sys.executable, "-P", "-m", "arena.cli.main", "tournament", "run", "round-robin"]
            command += ["--game", "foreign_king", "--seats", "3", "--time", "1s", "--bots", ",".join(names)]
            command += ["--blocks", str(matches // MATCHES_A_BLOCK), "--seed", "1", "--workers", "2"]
            before_s, began = _used_s(), time.perf_counter()
            subprocess.run(command, cwd=home, env=self._environment, check=True, stdout=quiet, stderr=quiet)
            took_s = time.perf_counter() - began
            # Decisions that bots chose: the asked ones, times those that an answer held in some of the replays.
            with closing(sqlite3.connect(home / "arena.db")) as book:
                (asked,) = book.execute("SELECT sum(decisions) FROM match").fetchone()
                replays = book.execute("SELECT data FROM replay LIMIT ?", (SAMPLED,)).fetchall()
            entries = [
                entry for (data,) in replays for entry in load(data)["entries"] if entry["by"] == DecidedBy.BOT.value
            ]
            answers = sum("elapsed_us" in entry for entry in entries)
            decisions = round(int(asked) * len(entries) / answers)
            return Cost((_used_s() - before_s) / decisions * 1e6, decisions / took_s)


def _used_s() -> float:
    """Return the processor time of all that was started and has ended, orphans included."""
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _show(name: str, cost: Cost, before: Cost, goals: str) -> None:
    print(
        f"{name:12} {cost.cpu_us:6.0f} us of CPU a decision = {cost.cpu_us / before.cpu_us:.2f} of before, "
        f"{cost.speed:7,.0f} decisions/s = {cost.speed / before.speed:.2f} times{goals}",
        flush=True,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if the goals are met, 2 if there is no such commit."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.decision_cost", description=__doc__)
    parser.add_argument("--before", default=BEFORE, metavar="COMMIT")
    parser.add_argument("--matches", type=int, default=300)
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument(
        "--compiled",
        type=Path,
        metavar="FOLDER",
        help="also with a compiled engine, which `make test-compiled` leaves in build/compiled",
    )
    options = parser.parse_args(arguments)
    prctl(PR_SET_CHILD_SUBREAPER, 1)  # so that what the last bots used is counted, whoever started them
    try:
        with code_of(options.before) as code:
            compile_code(ROOT)
            arenas = [_Arena(code, "instant"), _Arena(ROOT, "instant"), _Arena(ROOT, "instant_turns")]
            if options.compiled is not None:
                arenas.append(_Arena(ROOT, "instant", options.compiled.resolve()))
            rounds = [[arena.measure(options.matches) for arena in arenas] for _ in range(options.rounds)]
    except BaselineError as error:
        print(error, file=sys.stderr)
        return 2
    medians = [
        Cost(statistics.median(cost.cpu_us for cost in costs), statistics.median(cost.speed for cost in costs))
        for costs in zip(*rounds, strict=True)
    ]
    before, now, turns, *compiled = medians
    _show(options.before, before, before, "")
    _show("now", now, before, f" (goals {GOAL_CPU:.2f} and {GOAL_SPEED:g})")
    _show("whole turns", turns, before, f" (goal {GOAL_TURNS:g} times)")
    for cost in compiled:
        _show("compiled", cost, before, "")
    is_met = now.cpu_us / before.cpu_us <= GOAL_CPU and now.speed / before.speed >= GOAL_SPEED
    return 0 if is_met and turns.speed / before.speed >= GOAL_TURNS else 1


if __name__ == "__main__":
    sys.exit(main())
