"""What a decision costs in all processes of the arena, beside a commit before, in the same run.

    python -m benchmarks.decision_cost [--before c8b185a] [--matches 300] [--rounds 3] [--compiled build/compiled]

A round robin of instant bots of The Foreign King by the real command line, two matches at once, by turns with the code
of the commit, which is taken out of the repository, and with the code as it is here; then with bots that answer whole
turns. Processor time is that of the command and all that it started, to the last bot, start-up included; a decision is
one that a bot chose, however many an answer holds. Figures are medians of the rounds. Python compiles nothing
meanwhile: both have their bytecode, as after an installation.
"""

from __future__ import annotations

import argparse
import compileall
import os
import re
import resource
import shutil
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

ROOT = Path(__file__).parents[1]
NAMES = ("instant-a", "instant-b", "instant-c")
BEFORE = "c8b185a"
GOAL_CPU, GOAL_SPEED, GOAL_TURNS = 0.55 / 1.05, 2.0, 4.0
MATCHES_A_BLOCK = 3
_NO_BYTECODE = re.compile(r"/\.|/tests/|/build/")
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
    """The arena with the code of one directory, and a kind of instant bot in it."""

    def __init__(self, code: Path, bot: str, engine: Path | None = None) -> None:
        self._bot = code / "benchmarks" / bot
        compileall.compile_dir(str(code), quiet=1, rx=_NO_BYTECODE)
        places = [code] if engine is None else [engine, code]
        kept = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
        self._environment = {**kept, "PYTHONPATH": os.pathsep.join(map(str, places)), "COLUMNS": "100"}

    def measure(self, matches: int) -> Cost:
        """Play a tournament in a fresh directory. Raises CalledProcessError."""
        with tempfile.TemporaryDirectory(prefix="arena-benchmark-") as directory:
            home = Path(directory)
            for name in NAMES:
                self._add(home / name, name)
            command = ["tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "3", "--time", "1s"]
            command += ["--bots", ",".join(NAMES), "--blocks", str(matches // MATCHES_A_BLOCK), "--seed", "1"]
            before_s, began = _used_s(), time.perf_counter()
            self._run(home, *command, "--workers", "2")
            took_s = time.perf_counter() - began
            decisions = _count_decisions(home / "arena.db")
            return Cost((_used_s() - before_s) / decisions * 1e6, decisions / took_s)

    def _add(self, directory: Path, name: str) -> None:
        shutil.copytree(self._bot, directory, ignore=shutil.ignore_patterns("__pycache__"))
        manifest = directory / "bot.toml"
        manifest.write_text(manifest.read_text().replace('"instant"', f'"{name}"'))
        self._run(directory.parent, "bot", "add", str(directory))

    def _run(self, home: Path, *words: str) -> None:
        command = [sys.executable, "-P", "-m", "arena.cli.main", *words]
        quiet = subprocess.DEVNULL
        subprocess.run(command, cwd=home, env=self._environment, check=True, stdout=quiet, stderr=quiet)


def _used_s() -> float:
    """Return the processor time of all that was started and has ended, orphans included."""
    while True:
        try:
            os.waitpid(-1, 0)
        except ChildProcessError:
            break
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _count_decisions(database: Path) -> int:
    """Return how many decisions bots chose: the asked ones, times those that an answer held in some of the replays."""
    with closing(sqlite3.connect(database)) as book:
        (asked,) = book.execute("SELECT sum(decisions) FROM match").fetchone()
        replays = book.execute("SELECT data FROM replay LIMIT ?", (SAMPLED,)).fetchall()
    entries = [entry for (data,) in replays for entry in load(data)["entries"] if entry["by"] == DecidedBy.BOT.value]
    answers = sum("elapsed_us" in entry for entry in entries)
    return round(int(asked) * len(entries) / answers)


def _take_out(commit: str, directory: Path) -> Path:
    """Write the code of a commit into a directory. Raises CalledProcessError if the repository does not have it."""
    archive = subprocess.run(["git", "archive", commit], cwd=ROOT, check=True, stdout=subprocess.PIPE).stdout
    subprocess.run(["tar", "-x", "-C", str(directory)], input=archive, check=True)
    return directory


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
    with tempfile.TemporaryDirectory(prefix="arena-before-") as directory:
        try:
            code = _take_out(options.before, Path(directory))
        except subprocess.CalledProcessError:
            print(f"there is no commit {options.before} here; name one of `git log`, in a whole clone", file=sys.stderr)
            return 2
        arenas = [_Arena(code, "instant"), _Arena(ROOT, "instant"), _Arena(ROOT, "instant_turns")]
        if options.compiled is not None:
            arenas.append(_Arena(ROOT, "instant", options.compiled.resolve()))
        rounds = [[arena.measure(options.matches) for arena in arenas] for _ in range(options.rounds)]
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
