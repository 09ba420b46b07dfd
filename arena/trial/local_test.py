"""Tests a bot at home: plays the matches of a lineup, and says what they show. It keeps nothing by itself."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.model.bots import Finding
from arena.trial.blunders import blunders_in, checks_of, finding_of
from arena.trial.explaining import explain
from arena.trial.judging import (
    judge_clock,
    judge_determinism,
    judge_ending,
    judge_memory,
    judge_output,
    judge_play,
    judge_second_match,
)
from arena.trial.lineup import Lineup
from arena.trial.trials import PlayedTrial, play_all
from arena.trial.values import TrialCheck, TrialMatch, passed
from engine.text import Text

if TYPE_CHECKING:
    from arena.tournament.runner import MatchExecutor

OnProgress = Callable[[int, int], None]
"""`(over, total)`: how many matches are over, of how many that are planned by now."""


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
    return await _Test(lineup, executor, on_progress).run()


class _Test:
    """One test under way."""

    def __init__(self, lineup: Lineup, executor: MatchExecutor, on_progress: OnProgress) -> None:
        self._lineup = lineup
        self._executor = _CountingExecutor(executor, on_progress)
        self._findings: list[Finding] = []

    async def run(self) -> Tested:
        firsts = await self._play(self._lineup.first_trials())
        if not any(played.processes for played in firsts):
            self._findings += map(finding_of, blunders_in(firsts))
            return self._result(firsts)
        self._findings.append(
            passed(TrialCheck.START, Text("service.starts_joins_time", "It starts, and joins in time."))
        )
        sound = [played for played in firsts if not played.faults]
        others = self._lineup.other_trials(played.trial.setup.game for played in sound)
        again = [played.trial.with_fresh_bots() for played in sound if self._lineup.bot.is_deterministic]
        everything = await self._play([*others, *again])
        matches = [*firsts, *everything[: len(others)]]
        await self._judge(matches, list(zip(sound, everything[len(others) :], strict=False)))
        return self._result(matches)

    def _result(self, matches: Sequence[PlayedTrial]) -> Tested:
        return Tested(tuple(self._findings), tuple(matches), self._executor.over)

    async def _judge(self, matches: Sequence[PlayedTrial], pairs: Sequence[tuple[PlayedTrial, PlayedTrial]]) -> None:
        blunders = blunders_in(matches)
        self._findings += await explain(blunders, self._play)
        bot = self._lineup.bot
        judged = [] if blunders else [judge_play(matches)]
        judged += [judge_clock(matches), judge_memory(bot, matches), judge_second_match(matches)]
        judged += [judge_determinism(bot, pairs)] if pairs or not bot.is_deterministic else []
        judged += [judge_ending(matches), judge_output(matches)]
        self._add_new(judged)

    def _add_new(self, findings: Iterable[Finding]) -> None:
        told = checks_of(self._findings)
        self._findings += [finding for finding in findings if finding.check not in told]

    async def _play(self, trials: Sequence[TrialMatch]) -> list[PlayedTrial]:
        self._executor.plan(len(trials))
        return await play_all(self._executor, trials)


class _CountingExecutor:
    """Tells after each match how many are over."""

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
