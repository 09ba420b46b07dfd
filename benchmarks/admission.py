"""Admission: how long an honest bot waits for it, and whether every bot of the zoo is refused for the right reason.

    python -m benchmarks.admission [--workers 2] [--sandbox standard] [--only greedy|zoo]

Greedy is looked at for all games in all numbers of seats, with the clocks that a service uses. The bots of the zoo,
whose fault shows in play, are looked at in The Foreign King with two seats; those that need it have a short time to
start.
"""

from __future__ import annotations

import argparse
import asyncio
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from arena.executor.local import LocalExecutor
from arena.hosting.sandbox.limits import LEVELS, NONE, STANDARD
from arena.hosting.sandbox.probe import probe
from arena.match.time_control import parse_time_control
from arena.model.bots import FindingState
from arena.service.admission import AdmissionOutcome, AdmissionRequest, AdmissionVerdict, admit
from arena.trial.seats import QUICK_SAMPLES, RIVAL, sample_seat
from arena.trial.setups import setups_of
from arena.trial.values import TrialCheck
from tests.support.keeper import copy_zoo, zoo_seat
from tests.support.zoo.deeds import own_namespace

MOST_SECONDS = 30.0
SHORT_START_US = 3_000_000
AT = 2


@dataclass(frozen=True)
class Wanted:
    """What must become of a bot of the zoo: the check it fails, or None if it does no wrong in play."""

    behaviour: str
    check: TrialCheck | None
    is_dangerous: bool = False
    """Whether it is let loose only in a sandbox."""
    memory_mb: int = 512


START, PROTOCOL, PLAY, CLOCK, RESOURCES = (
    TrialCheck.START,
    TrialCheck.PROTOCOL,
    TrialCheck.PLAY,
    TrialCheck.CLOCK,
    TrialCheck.RESOURCES,
)
ZOO = (
    *(
        Wanted(name, START)
        for name in (
            *("exit-at-once", "exit-in-peace", "crash-at-once", "crash-at-import", "never-connect", "never-join"),
            *("other-game", "wrong-token"),
        )
    ),
    *(Wanted(name, PROTOCOL) for name in ("garbage-first", "act-first", "other-protocol", "join-and-act")),
    *(
        Wanted(name, PROTOCOL)
        for name in (
            *("unasked-act", "garbage", "empty-request", "no-actions", "too-many-actions", "long-note", "wrong-ply"),
            *("a-hundred-thousand-actions", "a-million-actions", "wrong-match", "two-answers", "many-answers"),
            *("join-twice", "second-stream", "huge-message"),
        )
    ),
    *(Wanted(name, PLAY) for name in ("illegal", "out-of-range", "negative", "leave", "close-stream", "crash")),
    *(Wanted(name, PLAY) for name in ("leave-with-status-7", "oversized-message", "half-a-message", "vanish-unasked")),
    *(Wanted(name, CLOCK) for name in ("silent", "late", "late-by-ten-seconds", "stop-writing", "stop-reading")),
    *(Wanted(name, CLOCK) for name in ("think-for-a-second", "think-for-a-minute")),
    Wanted("flood-before-joining", RESOURCES),
    Wanted("flood-output", RESOURCES),
    Wanted("bomb-with-forks", RESOURCES, is_dangerous=True),
    Wanted("bomb-with-memory", RESOURCES, is_dangerous=True, memory_mb=200),
    *(Wanted(name, None) for name in ("", "with-note", "many-at-once", "flood-stderr", "resign", "leave-daemons")),
)


async def look_at_greedy(workers: int, level: str) -> tuple[AdmissionVerdict, float]:
    """Return the verdict on the greedy bot, and how many seconds it took from an idle service."""
    request = AdmissionRequest(
        admission_id="greedy",
        bot=replace(sample_seat("greedy", level), name="newcomer", version="0" * 64, is_deterministic=True),
        grounds=setups_of(["*"]),
        samples=tuple(sample_seat(name, level) for name in QUICK_SAMPLES),
        seed=1,
        rival=sample_seat(RIVAL, level),
    )
    async with LocalExecutor(workers) as executor:
        started = time.perf_counter()
        verdict = await admit(request, executor, lambda _: None)
        return verdict, time.perf_counter() - started


async def look_at_zoo(workers: int, level: str, directory: Path) -> list[tuple[Wanted, AdmissionVerdict, float]]:
    """Return the verdicts on the bots of the zoo, and the seconds that each took."""
    found = []
    async with LocalExecutor(workers) as executor:
        for wanted in ZOO:
            if wanted.is_dangerous and level == NONE:
                continue
            started = time.perf_counter()
            verdict = await admit(_request(wanted, level, directory), executor, lambda _: None)
            found.append((wanted, verdict, time.perf_counter() - started))
    return found


def _request(wanted: Wanted, level: str, directory: Path) -> AdmissionRequest:
    aims = {"host": own_namespace()}
    bot = zoo_seat(directory, wanted.behaviour, at=AT, level=level, memory_mb=wanted.memory_mb, aims=aims)
    return AdmissionRequest(
        admission_id=wanted.behaviour or "honest",
        bot=bot,
        grounds=setups_of(["foreign_king"])[:1],
        samples=(sample_seat("random", level),),
        seed=1,
        clock=replace(parse_time_control("250ms"), start_limit_us=SHORT_START_US),
        tight_clock=replace(parse_time_control("100ms"), start_limit_us=SHORT_START_US),
    )


def _is_right(wanted: Wanted, verdict: AdmissionVerdict) -> bool:
    """Return whether it is refused for what it does, or admitted; of what it does, more may come of it."""
    failed = [finding.check for finding in verdict.findings if finding.state is FindingState.FAILED]
    return wanted.check in failed if wanted.check else not failed


def _print_greedy(verdict: AdmissionVerdict, seconds: float) -> None:
    print(f"greedy, all games, all seats: {verdict.outcome} in {seconds:.1f} s ({verdict.summary})")
    for finding in verdict.findings:
        print(f"  {finding.check:<12} {finding.state:<8} {finding.sentence}")


def _print_zoo(found: Sequence[tuple[Wanted, AdmissionVerdict, float]]) -> int:
    wrong = 0
    for wanted, verdict, seconds in found:
        is_right = _is_right(wanted, verdict)
        wrong += not is_right
        mark = " " if is_right else "!"
        name, check = wanted.behaviour or "honest", wanted.check or "admitted"
        print(f"{mark} {name:<28} {check:<10} {verdict.outcome:<9} {seconds:5.1f} s  {verdict.summary[:150]}")
    print(f"{len(found)} bots of the zoo, {wrong} with another finding than they deserve")
    return wrong


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the figures; 0 if greedy is admitted in time and every other one gets what it deserves."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.admission", description=__doc__)
    parser.add_argument("--workers", type=int, default=2)
    parser.add_argument("--sandbox", choices=LEVELS, default=STANDARD if probe(STANDARD).works else NONE)
    parser.add_argument("--only", choices=("greedy", "zoo"))
    options = parser.parse_args(arguments)
    is_fine = True
    if options.only != "zoo":
        verdict, seconds = asyncio.run(look_at_greedy(options.workers, options.sandbox))
        _print_greedy(verdict, seconds)
        is_fine = verdict.outcome is AdmissionOutcome.ADMITTED and seconds < MOST_SECONDS
    if options.only != "greedy":
        with tempfile.TemporaryDirectory() as directory:
            zoo = copy_zoo(Path(directory))
            is_fine &= not _print_zoo(asyncio.run(look_at_zoo(options.workers, options.sandbox, zoo)))
    return 0 if is_fine else 1


if __name__ == "__main__":
    sys.exit(main())
