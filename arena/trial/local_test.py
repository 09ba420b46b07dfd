"""Tests a bot at home: plays the matches of a lineup, and says what they show. It keeps nothing by itself.

It also sums up what the matches showed (times, memory, scores), asks the search sample about a match that was lost, and
sees by times and sizes that the files of the bot have changed; what builds and editors leave does not count.
"""

from __future__ import annotations

import asyncio
import fnmatch
import json
import os
import sys
from collections import Counter
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from itertools import pairwise
from math import ceil
from pathlib import Path
from typing import TYPE_CHECKING, TypeVar

from arena.hosting.manifest import BotDirectoryError
from arena.hosting.runtimes.catalog import RuntimeCatalog
from arena.hosting.sample_bots import sample_directory
from arena.hosting.sandbox.limits import SandboxPolicy
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.hosting.store import VersionStore
from arena.hosting.user_directories import scratch_directory
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.model.bots import Finding
from arena.trial.faults import blunders_in, checks_of, explain, finding_of
from arena.trial.judging import (
    judge_clock,
    judge_determinism,
    judge_ending,
    judge_memory,
    judge_output,
    judge_play,
    judge_second_match,
)
from arena.trial.lineup import SEARCH, Lineup, opponent_in
from arena.trial.trials import PlayedTrial, TrialCheck, TrialMatch, passed, play_all
from engine.translatable import Text
from ratings.statistics.scores import Firsts, MeanScore, match_firsts, mean_score, most_points, seat_points

if TYPE_CHECKING:
    from arena.tournament.runner import MatchExecutor

OnProgress = Callable[[int, int], None]
"""`(over, total)`: how many matches are over, of how many that are planned by now."""
Key = TypeVar("Key", bound=Hashable)
PATIENCE_S = 60.0
_PROGRAM = "values.py"
_FOLDERS = ("__pycache__", "node_modules", "target", "build", "dist", ".*")
_FILES = (".*", "*~", "#*#", "*.swp", "*.swx", "*.tmp", "*.pyc", "*.o", "*.obj", "*.d", "4913")
"""Vim writes a file of that name to see whether it may."""
_MOST_FILES = 20_000


@dataclass(frozen=True, slots=True)
class Tested:
    """What a test of a bot showed."""

    findings: tuple[Finding, ...]
    matches: tuple[PlayedTrial, ...]
    """Those of the lineup in their order, without the ones that were played again for a check."""
    played: int
    """How many matches were played, those included."""


async def try_out(lineup: Lineup, executor: MatchExecutor, on_progress: OnProgress) -> Tested:
    """Play the matches of a lineup and return what they show.

    A bot that does not start plays no second match, and a game in whose first match it makes a fault is not played
    on. Raises UndecidedError if the host cannot play, and what the executor raises; cancelling ends the matches.
    """
    counting, bot = _CountingExecutor(executor, on_progress), lineup.bot

    async def play(trials: Sequence[TrialMatch]) -> list[PlayedTrial]:
        counting.plan(len(trials))
        return await play_all(counting, trials)

    firsts = await play(lineup.first_trials())
    if not any(played.processes for played in firsts):
        return Tested(tuple(map(finding_of, blunders_in(firsts))), tuple(firsts), counting.over)
    findings = [passed(TrialCheck.START, Text("It starts, and joins in time."))]
    sound = [played for played in firsts if not played.faults]
    others = lineup.other_trials(played.trial.setup.game for played in sound)
    again = [played.trial.with_fresh_bots() for played in sound if bot.is_deterministic]
    everything = await play([*others, *again])
    matches = [*firsts, *everything[: len(others)]]
    pairs = list(zip(sound, everything[len(others) :], strict=False))
    blunders = blunders_in(matches)
    findings += await explain(blunders, play)
    judged = [] if blunders else [judge_play(matches)]
    judged += [judge_clock(matches), judge_memory(bot, matches), judge_second_match(matches)]
    judged += [judge_determinism(bot, pairs)] if pairs or not bot.is_deterministic else []
    judged.append(judge_ending(matches))
    if not bot.speaks_lines:  # to others, standard output is for nothing
        judged.append(judge_output(matches))
    found = checks_of(findings)
    findings += [finding for finding in judged if finding.check not in found]
    return Tested(tuple(findings), tuple(matches), counting.over)


class _CountingExecutor:
    """Reports after each match how many are over."""

    def __init__(self, inner: MatchExecutor, on_progress: OnProgress) -> None:
        self._inner = inner
        self._on_progress = on_progress
        self.over = self._total = 0

    def plan(self, matches: int) -> None:
        """Note that so many more matches are to be played."""
        self._total += matches
        self._on_progress(self.over, self._total)

    def slots(self) -> int:
        return self._inner.slots()

    async def run(self, spec: MatchSpec) -> MatchReport:
        report = await self._inner.run(spec)
        self.over += 1
        self._on_progress(self.over, self._total)
        return report

    async def cancel(self, match_id: str) -> None:
        await self._inner.cancel(match_id)


@dataclass(frozen=True, slots=True)
class DecisionTimes:
    """What the decisions of a bot were charged on one setup."""

    game: str
    seats: int
    decisions: int
    median_us: int
    p99_us: int
    longest_us: int
    limit_us: int
    """The limit of one decision; 0 if the clock has none."""


@dataclass(frozen=True, slots=True)
class Score:
    """How a bot did against one sample: 1 for a match won, 0 for one that it came last in, ranks between in between."""

    against: str
    matches: int
    won: int
    """In how many it was first alone."""
    shared: int
    """In how many it was first together with some of the others."""
    draws: int
    """In how many all were level."""
    faults: int
    """In how many of the matches it made a fault, and so forfeited."""
    score: MeanScore


def score_of(played: PlayedTrial) -> Fraction:
    """Return the normalised rank of the bot in a match of a lineup, where it has one seat."""
    ranks, (own,) = played.report.result.ranks, played.trial.own
    return Fraction(seat_points(ranks, own), most_points(len(ranks)))


def is_lost(played: PlayedTrial) -> bool:
    """Return whether another bot won, and this one made no fault."""
    (own,) = played.trial.own
    return not played.faults and played.report.result.ranks[own] > 1


def decision_times(matches: Sequence[PlayedTrial]) -> list[DecisionTimes]:
    """Return the decision times on each setup on which the bot decided anything."""
    found = []
    for (game, seats), played in _grouped(matches, lambda one: (one.trial.setup.game, one.trial.setup.seats)).items():
        charges = sorted(charge for one in played for charge in one.charges_us())
        if charges:
            found.append(
                DecisionTimes(
                    game=game,
                    seats=seats,
                    decisions=len(charges),
                    median_us=quantile(charges, 0.5),
                    p99_us=quantile(charges, 0.99),
                    longest_us=charges[-1],
                    limit_us=played[0].trial.spec.clock.decision_limit_us,
                )
            )
    return found


def scores(matches: Sequence[PlayedTrial]) -> list[Score]:
    """Return the scores of the bot against each sample, over all setups."""
    found = []
    for against, played in _grouped(matches, lambda one: opponent_in(one.trial)).items():
        kinds = Counter(match_firsts(one.report.result.ranks)[one.trial.own[0]] for one in played)
        found.append(
            Score(
                against=against,
                matches=len(played),
                won=kinds[Firsts(wins=1)],
                shared=kinds[Firsts(shared=1)],
                draws=kinds[Firsts(draws=1)],
                faults=sum(bool(one.faults) for one in played),
                score=mean_score([score_of(one) for one in played]),
            )
        )
    return found


def peak_memory_bytes(matches: Sequence[PlayedTrial]) -> int | None:
    """Return the most memory that a process of the bot used with its descendants, or None if it was not measured."""
    peaks = [process.peak_memory_bytes for played in matches for process in played.processes]
    return max((peak for peak in peaks if peak is not None), default=None)


def quantile(ascending: Sequence[int], part: float) -> int:
    """Return the smallest of the values that at least the share `part` of them does not exceed."""
    return ascending[max(ceil(part * len(ascending)) - 1, 0)]


def _grouped(matches: Iterable[PlayedTrial], key: Callable[[PlayedTrial], Key]) -> Mapping[Key, list[PlayedTrial]]:
    found: dict[Key, list[PlayedTrial]] = {}
    for played in matches:
        found.setdefault(key(played), []).append(played)
    return found


@dataclass(frozen=True, slots=True)
class ValueDrop:
    """Where a seat's value fell most: between its decision at `ply` and its next one, or the end of the match."""

    ply: int
    before: float
    after: float


async def find_drop(replay: Path, seat: int) -> ValueDrop | None:
    """Return where the value of a stored match fell most for a seat, or None if that is not known.

    The sample values nothing in a game that cannot be searched.
    """
    try:
        program = sample_directory(SEARCH) / _PROGRAM
    except BotDirectoryError:
        return None
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, "-P", str(program), str(replay), str(seat)),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.DEVNULL,
        start_new_session=True,  # Ctrl-C in a terminal is for the command, which ends it
    )
    try:
        async with asyncio.timeout(PATIENCE_S):
            output, _ = await process.communicate()
    except TimeoutError:
        return None
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
    return largest_drop(json.loads(output)) if process.returncode == 0 else None


def largest_drop(values: Sequence[tuple[int, float]]) -> ValueDrop | None:
    """Return the largest fall between two positions of `(ply, value)`, the first of equal ones; None if none falls."""
    falls = [ValueDrop(ply, before, after) for (ply, before), (_, after) in pairwise(values) if after < before]
    return max(falls, key=lambda fall: fall.before - fall.after, default=None)


Snapshot = Mapping[str, tuple[int, int]]
"""Time of the last change in nanoseconds, and size, of each file by its path from the directory."""


def take_snapshot(directory: Path) -> Snapshot:
    """Return time and size of the first 20,000 files of a directory. What cannot be read is left out."""
    found: dict[str, tuple[int, int]] = {}
    for path in _files(directory):
        try:
            facts = path.stat()
        except OSError:
            continue  # gone meanwhile: the next snapshot will not have it
        found[str(path.relative_to(directory))] = facts.st_mtime_ns, facts.st_size
        if len(found) >= _MOST_FILES:
            break
    return found


def changed_files(before: Snapshot, after: Snapshot) -> list[str]:
    """Return the files that are new, gone or different, sorted."""
    return sorted(name for name in before.keys() | after.keys() if before.get(name) != after.get(name))


def _files(directory: Path) -> Iterator[Path]:
    for path, folders, names in os.walk(directory):
        folders[:] = sorted(name for name in folders if not _is_any(name, _FOLDERS))
        yield from (Path(path, name) for name in sorted(names) if not _is_any(name, _FILES))


def _is_any(name: str, patterns: tuple[str, ...]) -> bool:
    return any(fnmatch.fnmatchcase(name, pattern) for pattern in patterns)


@contextmanager
def temporary_store(runtimes: RuntimeCatalog, level: str) -> Iterator[StoredPrograms]:
    """Give a store of versions for bots at a level of the sandbox; it is removed at the end with all that is in it."""
    with scratch_directory() as root:  # if root runs the sandbox, another user reads the files
        yield StoredPrograms(VersionStore(root / "bots"), SandboxPolicy(level), runtimes, root / "builds")
