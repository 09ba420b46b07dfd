"""A machine with far more to do than it has cores for, and bots that compute on it: who loses on time?"""

from __future__ import annotations

import itertools
import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from arena.match.replay import load, read_figures
from arena.match.result import Fault, FaultCause, HostBrokenError, MatchLostError
from arena.match.spec import SeatSpec
from arena.match.time_control import TimeControl
from arena.match.worker_report import MatchReport
from arena.worker.match_host import MatchHost
from tests.support.busy_bot import COMPUTED
from tests.support.patience import PATIENT
from tests.support.specs import script_spec

LIMIT_US, MARGIN_US = 100_000, 50_000
CLOCK = TimeControl(decision_limit_us=LIMIT_US, margin_us=MARGIN_US, start_limit_us=PATIENT.start_limit_us)
HONEST_MS = (1, 20, 80)
"""What honest bots compute at each decision."""
OVERRUN_MS = 1.2 * (LIMIT_US + MARGIN_US) / 1000
OVERRUNS = ("compute", "sleep", "napping-helpers", "ticking-helpers", "children")
"""The ways in which a bot spends a fifth more than limit and margin."""
BUSY_BOTS = {"python": (sys.executable, "busy_bot.py", "compute"), "node": ("node", "busy_bot.mjs")}
"""The commands of bots that compute, which end with the share of limit and margin that they need."""
HERE = Path(__file__).parent
MOST_DECISIONS = 50
"""In one match."""
SAMPLES, SAMPLE_INTERVAL_S = 50, 0.01
BUSY = {
    "steady": "while True: pass",
    "pinned": "import os, sys\nos.sched_setaffinity(0, {int(sys.argv[1])})\nwhile True: pass",
    "bursts": "import random, time\nwhile True:\n    end = time.monotonic() + random.uniform(0, 0.1)\n"
    "    while time.monotonic() < end: pass\n    time.sleep(random.uniform(0, 0.1))",
}
"""The programs of others: always busy, always busy on one core each, and busy for half of the time."""


@dataclass
class Tally:
    """What was played."""

    decisions: int = 0
    matches: int = 0
    """Those of honest bots that were judged."""
    caught: int = 0
    lost: list[Fault] = field(default_factory=list)
    """Faults of the bot that did nothing wrong."""
    missed: list[str] = field(default_factory=list)
    """What became of the slow bot when it was not caught."""
    host_faults: list[str] = field(default_factory=list)
    """What ended matches that nobody lost."""

    def add(self, other: Tally) -> None:
        """Add what was played elsewhere."""
        for name, value in vars(other).items():
            setattr(self, name, getattr(self, name) + value)


def running_besides() -> int:
    """How many tasks of others want a processor, as a rule."""
    samples = []
    for _ in range(SAMPLES):
        samples.append(int(Path("/proc/loadavg").read_text(encoding="ascii").split()[3].split("/")[0]) - 1)
        time.sleep(SAMPLE_INTERVAL_S)
    return round(median(samples))


@contextmanager
def oversubscribed(times: int, bots: int) -> Iterator[int]:
    """So many times as much to do as there are cores, for each of `bots` bots; how many programs that took.

    What the machine does besides counts, and so do the other bots.
    """
    needed = max(times * len(cores()) - (bots - 1) - running_besides(), 0)
    with busy_programs(needed):
        yield needed


def cores() -> list[int]:
    """The cores that this process may use."""
    return sorted(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else [*range(os.cpu_count() or 1)]


@contextmanager
def busy_programs(count: int, kind: str = "steady") -> Iterator[None]:
    """So many programs of others, of a kind in BUSY, run beside."""
    places = itertools.cycle(map(str, cores()))
    programs = [
        subprocess.Popen([sys.executable, "-I", "-S", "-c", BUSY[kind], next(places)], stdin=subprocess.DEVNULL)
        for _ in range(count)
    ]
    try:
        yield
    finally:
        for program in programs:
            program.kill()
        for program in programs:
            program.wait()


def _seat(command: Sequence[str], ms: float) -> SeatSpec:
    """A bot that spends so many milliseconds at every decision."""
    name = f"{Path(command[1]).suffix[1:]}-{command[-1]}-{ms:g}"
    share = 1000 * ms / (LIMIT_US + MARGIN_US)
    return SeatSpec(name, "busy", str(HERE), (command[0], str(HERE / command[1]), *command[2:], str(share)), 1)


async def _play(host: MatchHost, seat: SeatSpec, decisions: int, tally: Tally) -> MatchReport | None:
    """One match of one seat; None if the host failed, which costs nobody anything."""
    spec = script_spec("0:2 " * decisions, 1, seats=(seat,), clock=CLOCK)
    try:
        return await host.play(spec)
    except MatchLostError as error:
        tally.host_faults.append(f"{seat.version}: {error}")
        if isinstance(error, HostBrokenError):
            raise
        return None


async def play_in_time(host: MatchHost, decisions: int, tally: Tally, ms: float = 80, language: str = "python") -> None:
    """A bot that always computes so many milliseconds; any fault of it is written down."""
    played = 0
    while played < decisions:
        wanted = min(MOST_DECISIONS, decisions - played)
        report = await _play(host, _seat(BUSY_BOTS[language], ms), wanted, tally)
        if report is not None:
            played += report.decisions
            tally.decisions += report.decisions
            lost = [fault for fault in report.result.faults if not _was_robbed(fault, tally)]
            tally.matches += not report.result.faults
            tally.lost += lost
            played += wanted if lost else 0


def _was_robbed(fault: Fault, tally: Tally) -> bool:
    """Whether the machine itself lost its processor, which its clocks take for the bot's computing; it is noted.

    The bot tells: by its own clock it has computed longer than it may, though it stops after half of that.
    """
    said = re.findall(rf"^{COMPUTED} (\d+)$", str(fault.evidence["stderr"]), re.MULTILINE)
    if not said or int(said[-1]) < LIMIT_US + MARGIN_US:
        return False
    tally.host_faults.append(f"a bot found that it had computed {said[-1]} us")
    return True


async def overrun(host: MatchHost, times: int, tally: Tally, way: str = "compute") -> None:
    """A bot that spends a fifth more than limit and margin, so many times; what is not caught is written down."""
    seat = _seat((sys.executable, "busy_bot.py", way), OVERRUN_MS)
    judged = 0
    while judged < times:
        report = await _play(host, seat, 1, tally)
        if report is None:
            continue
        judged += 1
        causes = [fault.cause for fault in report.result.faults]
        if causes == [FaultCause.TIMEOUT]:
            tally.caught += 1
        else:
            (times_of,) = [figures.to_json() for figures in read_figures(load(report.replay))]
            tally.missed.append(f"{way}: faults {causes}, {times_of}")
