"""What a wave of a ladder costs after a million matches, compared with after a thousand.

    python -m benchmarks.planning
    python -m benchmarks.planning --matches 100000

A ladder of 30 bots is written into two databases, one short and one long, and goes on in both by the ledger and the
planner of the arena: matches are recorded four at a time, rated, and leased; every wave is planned as it becomes ready.
What counts is the processor time of a wave, planning, recording, rating and leasing together, long against short.
"""

from __future__ import annotations

import argparse
import gc
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from random import Random
from statistics import median

from arena.match.report import MatchReport
from arena.match.result import MatchResult
from arena.tournament.planner import FormatPlanner
from arena.tournament.stored import draw_of, format_of
from benchmarks.ladders import MATCHES_A_WAVE, TOURNAMENT, make
from benchmarks.processes import memory_kb
from ratings.ledger.leasing import LeasedMatch
from ratings.ledger.ledger import LeaseRequest, Ledger
from ratings.read.tournaments import tournament_row

SHORT = 1_000
WAVES = 12
TOGETHER = 4
GOAL = 1.5
"""The most that a wave of the long ladder may cost, the same on the short one being 1."""
_REQUEST = ("benchmark", 2 * TOGETHER, 10**12)


@dataclass(frozen=True)
class Measured:
    """What a ladder costs."""

    start_s: float
    """Processor time until the first matches are leased."""
    wave_s: float
    """Median processor time of a wave."""
    grown_kb: int
    """By how much the process grew meanwhile."""


def measure(path: Path, matches: int) -> Measured:
    """Return what it costs to go on with a ladder of so many matches."""
    database = make(path, matches)
    ledger, row = Ledger(database), tournament_row(database, TOURNAMENT)
    form = format_of(row.tournament, row.pool)
    assert form is not None
    gc.collect()
    memory, start = memory_kb(0), time.process_time()
    planner = FormatPlanner(form, draw_of(row.tournament, row.pool))
    waiting = list(ledger.start_run(TOURNAMENT, LeaseRequest(*_REQUEST), planner).leased)
    started, random, waves = time.process_time() - start, Random(3), []
    for _ in range(WAVES):
        begin, played = time.process_time(), 0
        while played < MATCHES_A_WAVE:
            reports = [_report(waiting.pop(0), random) for _ in range(min(TOGETHER, len(waiting)))]
            settled = ledger.settle(TOURNAMENT, results=reports, request=LeaseRequest(*_REQUEST), planner=planner)
            waiting += settled.leased
            played += len(reports)
        waves.append(time.process_time() - begin)
    database.close()
    return Measured(started, median(waves), memory_kb(0) - memory)


def _report(match: LeasedMatch, random: Random) -> MatchReport:
    return MatchReport(
        match_id=match.match_id,
        attempt=match.attempt,
        result=MatchResult(random.choice(((1, 2), (2, 1))), True, True, (), (), (), {}),
        plies=80,
        decisions=60,
        started_at_us=0,
        duration_us=50_000,
        game_digest="a" * 64,
        record_digest="b" * 64,
        replay=b"x" * 3000,
    )


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 1 if a wave of the long ladder costs too much more."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--matches", type=int, default=1_000_000)
    options = parser.parse_args(arguments)
    found = {}
    for matches in (SHORT, options.matches):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder) / "arena.db"
            found[matches] = one = measure(path, matches)
            print(
                f"after {matches:>9,} matches ({path.stat().st_size / 1e6:,.0f} MB): "
                f"start {1000 * one.start_s:.0f} ms, "
                f"a wave {1000 * one.wave_s:.0f} ms of processor time, grown by {one.grown_kb / 1024:.0f} MB",
                flush=True,
            )
    ratio = found[options.matches].wave_s / found[SHORT].wave_s
    print(f"a wave costs {ratio:.2f} times as much; goal: at most {GOAL}")
    return 0 if ratio <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
