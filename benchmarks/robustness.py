"""Robustness: odd messages, too much other work, and `kill -9`, at length; the tests do the same in small.

    python -m benchmarks.robustness fuzz [--messages 100000] [--seed 1]
    python -m benchmarks.robustness overload [--decisions 20000] [--overruns 2000] [--busy 0 4 8 16 32]
    python -m benchmarks.robustness killing [--moments 30] [--seed 1] [--sandbox standard]

Each ends with 1 if an honest bot lost what it should not have lost, or if anything grew or was left behind.
"""

from __future__ import annotations

import argparse
import asyncio
import itertools
import os
import random
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any
from unittest import mock

from arena.hosting.procfs.usage import proportional_bytes
from arena.referee.queue.loop import run
from arena.worker.match_host import MatchHost
from engine import registry
from tests.support.fuzzing import fuzz, listening, open_range
from tests.support.killing import ALL, ARENA, VICTIMS, Field, add_fierce_bots, kill, order, survivors
from tests.support.overload import BUSY, BUSY_BOTS, HONEST_MS, OVERRUNS, Tally, busy_programs, overrun, play_in_time
from tests.support.patience import patient_autopsies
from tests.support.specs import installed_script_game

_SHOWN = 10
_FUZZ_ROUNDS = 20
_FUZZ_MEMORY_MB = 96
_HONEST = 2
_GOAL_S = 2.0
_PATIENCE_S = 60.0
_BLOCKS = 50
_MATCHES = 3 * _BLOCKS
_MOST_DELAY_S = 0.3
_TOO_LATE = "everything was played before it was killed"


def send_odd_messages(options: argparse.Namespace) -> bool:
    """Send odd messages to the play stream; return whether they disturbed nothing.

    They are random and mutated, and come at every moment of a bot's life, by real streams to a real server, in rounds,
    beside honest matches. It fails if the server raises or logs anything, if
    an honest match is disturbed, or if the memory of the process, in which the clients live too, passes its bound.
    """
    memory_mb: list[float] = []

    async def send(directory: Path) -> tuple[list[str], int, int]:
        with listening() as complaints:
            async with open_range(directory) as target:
                for number in range(_FUZZ_ROUNDS):
                    await fuzz(target, options.seed + number, options.messages // _FUZZ_ROUNDS)
                    memory_mb.append(proportional_bytes(os.getpid()) / 2**20)
                    print(f"  {target.messages:,} messages, {memory_mb[-1]:.1f} MB", file=sys.stderr, flush=True)
        return complaints.found, target.messages, target.honest_matches

    started = time.perf_counter()
    with installed_script_game(), tempfile.TemporaryDirectory(prefix="arena-fuzz-") as directory:
        complaints, sent, honest = asyncio.run(send(Path(directory)))
    seconds = time.perf_counter() - started
    print(f"{sent:,} messages in {seconds:.0f} s, seed {options.seed}; {honest:,} honest matches undisturbed meanwhile")
    print(f"unhandled exceptions and complaints in the log: {len(complaints)}")
    for complaint in complaints[:_SHOWN]:
        print(f"  {complaint}")
    print(f"memory of server and clients: {memory_mb[0]:.1f} MB after the first round, at the end", end=" ")
    print(f"{memory_mb[-1]:.1f} MB, at most {max(memory_mb):.1f} MB (bound {_FUZZ_MEMORY_MB} MB)")
    return not complaints and max(memory_mb) <= _FUZZ_MEMORY_MB


def overload_machine(options: argparse.Namespace) -> bool:
    """Play beside ever more programs of others; return whether only slow bots lost on time.

    Limit 100 ms, margin 50 ms. Two honest bots at a time compute 1, 20 or 80 ms for each decision, in Python and where
    there is one in Node.js. Beside them one spends a fifth more than limit and margin, in one of five ways, and should
    be caught every time. The void matches of honest and of slow bots are counted apart. The programs are busy always,
    always on one core each, or half of the time.
    """
    print(f"{'busy':>4}  decisions  lost  {'void':>7}  overruns  missed  void  seconds")
    is_well = True
    languages = [name for name, command in BUSY_BOTS.items() if shutil.which(command[0])]
    honest = list(itertools.product(HONEST_MS, languages))
    for busy in options.busy:
        honest_bots, slow_bots, started = Tally(), Tally(), time.perf_counter()
        parts = list(itertools.product(BUSY if busy else ("steady",), OVERRUNS))
        decisions = options.decisions // (len(options.busy) * len(parts) * _HONEST)
        overruns = options.overruns // (len(options.busy) * len(parts))
        for number, (kind, way) in enumerate(parts):
            two = [honest[(_HONEST * number + one) % len(honest)] for one in range(_HONEST)]
            orders: list[Order] = [(play_in_time, decisions, *what) for what in two]
            with busy_programs(busy, kind), ProcessPoolExecutor(_HONEST + 1, get_context("spawn")) as workers:
                *found, slow = workers.map(_play_alone, [*orders, (overrun, overruns, way)])
            for one in found:
                honest_bots.add(one)
            slow_bots.add(slow)
        judged = slow_bots.caught + len(slow_bots.missed)
        voids = f"{len(honest_bots.host_faults)}/{honest_bots.matches + len(honest_bots.host_faults)}"
        print(
            f"{busy:>4}  {honest_bots.decisions:>9}  {len(honest_bots.lost):>4}  {voids:>7}",
            f" {judged:>8}  {len(slow_bots.missed):>6}  {len(slow_bots.host_faults):>4}",
            f" {time.perf_counter() - started:>7.0f}",
            flush=True,
        )
        for fault in honest_bots.lost[:_SHOWN]:
            print(f"  wrong: {fault.explanation} {dict(fault.evidence)}")
        for why in (*honest_bots.host_faults[:_SHOWN], *slow_bots.missed[:_SHOWN], *slow_bots.host_faults[:_SHOWN]):
            print(f"  {why}", flush=True)
        is_well = is_well and not honest_bots.lost and not slow_bots.missed
    return is_well


Order = tuple[Any, ...]
"""What is played in a process of its own, how often, and by whom."""


def _play_alone(order: Order) -> Tally:
    """Do what is ordered with a host of its own, as a worker does, and return what was played."""
    what, times, *bot = order
    tally, names = Tally(), (*registry.single_names(), "script")

    async def play() -> None:
        async with MatchHost() as host:
            with patient_autopsies():
                await what(host, times, tally, *bot)

    with installed_script_game(), mock.patch.object(registry, "single_names", return_value=names):
        run(play())  # in the event loop of a worker
    return tally


def kill_at_random(options: argparse.Namespace) -> bool:
    """Send `kill -9` at random moments of a tournament; return whether nothing was left and every table was the same.

    The bots fork, ignore TERM and flood stderr. In turn the arena, a worker, the launcher and all three at once are
    killed. It fails if a process, a file, a socket or a mount of the dead is left after 2 s (after all three: a process
    at once, and anything after the next start), or if the final table differs from that of an undisturbed tournament.
    """
    rng = random.Random(options.seed)
    times: dict[str, list[float]] = {victim: [] for victim in VICTIMS if options.sandbox != "none" or victim != ALL}
    faults = 0
    with tempfile.TemporaryDirectory(prefix="ka-") as name, tempfile.TemporaryDirectory(prefix="ka-") as temporary:
        home = Path(name)
        undisturbed = _fresh_field(home, "undisturbed", Path(temporary), options.sandbox)
        undisturbed.ok(*order(_BLOCKS))
        table = [row[:1] + row[2:] for row in undisturbed.table()]  # the versions' hashes name their directory
        for number in range(options.moments):
            victim = list(times)[number % len(times)]
            field = _fresh_field(home, f"moment-{number}", Path(temporary), options.sandbox)
            matches, delay_s = rng.randrange(_MATCHES - 4), rng.uniform(0, _MOST_DELAY_S)
            seconds, wrong = _kill_once(field, victim, matches, delay_s)
            if wrong == [_TOO_LATE]:
                print(f"  {victim:>10}: {_TOO_LATE}", flush=True)
                continue
            if [row[:1] + row[2:] for row in field.table()] != table:
                wrong.append("another table")
            times[victim].append(seconds)
            faults += bool(wrong)
            when = f"after {matches} matches and {delay_s:.2f} s"
            print(f"  {victim:>10} {when}: cleared in {seconds:.2f} s {'; '.join(wrong)}", flush=True)
    worst = max((second for cleared in times.values() for second in cleared), default=0.0)
    for victim, cleared in times.items():
        if cleared:
            median_s = statistics.median(cleared)
            print(f"{victim:>10}: {len(cleared)} kills, median {median_s:.2f} s, at most {max(cleared):.2f} s")
    print(f"sandbox {options.sandbox}; wrong in the end: {faults}; at most {worst:.2f} s (goal {_GOAL_S:g} s)")
    return not faults and worst <= _GOAL_S


def _fresh_field(home: Path, name: str, temporary: Path, level: str) -> Field:
    directory = home / name
    directory.mkdir()
    field = Field(directory, temporary, level)
    add_fierce_bots(field)
    return field


def _kill_once(field: Field, victim: str, matches: int, delay_s: float) -> tuple[float, list[str]]:
    """Kill once after so many matches, play on to the end; seconds until all was cleared, and what was wrong."""
    wrong, code = [], 0
    with field.on_terminal(*order(_BLOCKS)) as terminal:
        if matches:
            # The line of progress leaves out what follows at once.
            terminal.wait_for(rf"(?:{'|'.join(map(str, range(matches, _MATCHES + 1)))})/{_MATCHES} matches, ")
        time.sleep(delay_s)
        end = time.perf_counter() + _PATIENCE_S
        while (before := kill(field, terminal.process.pid, victim)) is None and terminal.process.poll() is None:
            time.sleep(0.01)
        if before is None:
            return 0.0, [_TOO_LATE]
        # Where the arena lives it starts another worker, whose files are nobody's leftovers.
        seconds = _wait_until_cleared(end, field, before, files=victim == ARENA)
        code = terminal.end()
    if field.counts() == {"finished": _MATCHES} and victim in (ARENA, ALL):
        return 0.0, [_TOO_LATE]
    if victim in (ARENA, ALL):
        # Killed before it had planned anything, it is ordered again.
        field.ok(*(["tournament", "resume", "monday"] if field.counts() else order(_BLOCKS)))
    elif code != 0:
        wrong.append(f"exit code {code}: {terminal.lines[-1:]}")
    field.wait_until_nothing_runs()
    if left := field.left_behind():
        wrong.append(f"left behind: {left}")
    if field.counts() != {"finished": _MATCHES}:
        wrong.append(f"matches: {field.counts()}")
    return seconds, wrong


def _wait_until_cleared(until: float, field: Field, before: dict[int, str], *, files: bool) -> float:
    """Return the seconds until nothing of before is left; infinite if that does not happen."""
    started = time.perf_counter()
    while time.perf_counter() < until:
        if not survivors(field, before) and not (files and field.left_behind()):
            return time.perf_counter() - started
        time.sleep(0.01)
    return float("inf")


def main(argv: Sequence[str]) -> int:
    """Print the figures; 0 if all was well."""
    parser = argparse.ArgumentParser(
        prog="python -m benchmarks.robustness",
        description=__doc__,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    commands = parser.add_subparsers(required=True, metavar="COMMAND")
    fuzzing = commands.add_parser("fuzz", help="odd messages at the play stream")
    fuzzing.set_defaults(run=send_odd_messages)
    fuzzing.add_argument("--messages", type=int, default=100_000)
    fuzzing.add_argument("--seed", type=int, default=1)
    overloading = commands.add_parser("overload", help="the clock beside 0 to 32 busy programs")
    overloading.set_defaults(run=overload_machine)
    overloading.add_argument("--decisions", type=int, default=20_000)
    overloading.add_argument("--overruns", type=int, default=2000)
    overloading.add_argument("--busy", type=int, nargs="+", default=[0, 4, 8, 16, 32], metavar="PROGRAMS")
    killing = commands.add_parser("killing", help="kill -9 at random moments of a tournament")
    killing.set_defaults(run=kill_at_random)
    killing.add_argument("--moments", type=int, default=30)
    killing.add_argument("--seed", type=int, default=1)
    killing.add_argument("--sandbox", default="standard", choices=["standard", "none"])
    options = parser.parse_args(argv)
    return 0 if options.run(options) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
