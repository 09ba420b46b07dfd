"""A machine with far more to do than it has cores for, and bots that compute on it: who loses on time?"""

from __future__ import annotations

import os
import re
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import median

from arena.match.result import Fault, FaultCause, HostBrokenError, MatchLostError
from arena.match.spec import SeatSpec
from arena.match.time_control import TimeControl
from arena.match.worker_report import MatchReport
from arena.worker.match_host import MatchHost
from tests.support.busy_bot import COMPUTED
from tests.support.patience import PATIENT
from tests.support.specs import script_spec

LIMIT_US, MARGIN_US = 200_000, 10_000
CLOCK = TimeControl(decision_limit_us=LIMIT_US, margin_us=MARGIN_US, start_limit_us=PATIENT.start_limit_us)
HALF_ITS_LIMIT = 0.5 * LIMIT_US / (LIMIT_US + MARGIN_US)
A_FIFTH_TOO_MUCH = 1.2
BUSY_BOT = Path(__file__).with_name("busy_bot.py")
MOST_DECISIONS = 50
"""In one match."""
MOST_HOST_FAULTS = 10
SAMPLES, SAMPLE_INTERVAL_S = 50, 0.01


@dataclass
class Tally:
    """What was played."""

    decisions: int = 0
    caught: int = 0
    lost: list[Fault] = field(default_factory=list)
    """Faults of the bot that did nothing wrong."""
    missed: list[str] = field(default_factory=list)
    """What became of the slow bot when it was not caught."""
    host_faults: list[str] = field(default_factory=list)


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
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    command = [sys.executable, "-I", "-S", "-c", "while True: pass"]
    needed = max(times * cores - (bots - 1) - running_besides(), 0)
    burners = [subprocess.Popen(command, stdin=subprocess.DEVNULL) for _ in range(needed)]
    try:
        yield needed
    finally:
        for burner in burners:
            burner.kill()
        for burner in burners:
            burner.wait()


def busy_seat(share: float) -> SeatSpec:
    """A bot that computes for that share of limit and margin at every decision."""
    command = (sys.executable, str(BUSY_BOT), "compute", str(share))
    return SeatSpec(f"compute-{share}", "busy", str(BUSY_BOT.parent), command, 1)


async def _play(host: MatchHost, share: float, decisions: int, tally: Tally) -> MatchReport | None:
    """One match of one seat; None if the host failed, which costs nobody anything."""
    spec = script_spec("0:2 " * decisions, 1, seats=(busy_seat(share),), clock=CLOCK)
    try:
        return await host.play(spec)
    except MatchLostError as error:
        tally.host_faults.append(str(error))
        if isinstance(error, HostBrokenError) or len(tally.host_faults) > MOST_HOST_FAULTS:
            raise
        return None


async def play_in_time(host: MatchHost, decisions: int, tally: Tally) -> None:
    """A bot that always needs half its limit of CPU; any fault of it is written down."""
    played = 0
    while played < decisions:
        report = await _play(host, HALF_ITS_LIMIT, min(MOST_DECISIONS, decisions - played), tally)
        if report is not None:
            played += report.decisions
            tally.decisions += report.decisions
            lost = [fault for fault in report.result.faults if not _was_robbed(fault, tally)]
            tally.lost += lost
            if lost:
                return


def _was_robbed(fault: Fault, tally: Tally) -> bool:
    """Whether the machine itself lost its processor, which its clocks take for the bot's computing; it is noted.

    The bot tells: by its own clock it has computed longer than it may, though it stops after half of that.
    """
    said = re.findall(rf"^{COMPUTED} (\d+)$", str(fault.evidence["stderr"]), re.MULTILINE)
    if not said or int(said[-1]) < LIMIT_US + MARGIN_US:
        return False
    tally.host_faults.append(f"a bot found that it had computed {said[-1]} us")
    return len(tally.host_faults) <= MOST_HOST_FAULTS


async def overrun(host: MatchHost, times: int, tally: Tally) -> None:
    """A bot that needs a fifth more than limit and margin, so many times; whenever it is not caught is written down."""
    caught = 0
    while caught < times:
        report = await _play(host, A_FIFTH_TOO_MUCH, 1, tally)
        if report is None:
            continue
        causes = [fault.cause for fault in report.result.faults]
        if causes != [FaultCause.TIMEOUT]:
            tally.missed.append(f"charged like one in time; faults {causes}")
            return
        caught += 1
        tally.caught += 1
