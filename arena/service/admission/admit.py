"""Looks at a version before it plays rated matches: plays its admission matches and reports what they show."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from arena.model.admissions import Finding, FindingState
from arena.service.admission.trial_matches import (
    clock_bouts,
    first_bout,
    memory_bouts,
    one_of_each_game,
    playing_bouts,
    repeated_bouts,
)
from arena.service.admission.values import AdmissionOutcome, AdmissionRequest, AdmissionVerdict
from arena.tournament.runner import MatchExecutor
from arena.trial.blunders import Blunder, blunders_in, checks_of, explain, finding_of
from arena.trial.judging import (
    judge_clock,
    judge_determinism,
    judge_ending,
    judge_memory,
    judge_play,
    judge_second_match,
)
from arena.trial.trials import PlayedTrial, TrialCheck, TrialMatch, UndecidedError, failed, passed, play_all, skipped
from engine.text import Text

Report = Callable[[Finding], None]
_NOT_YET = Text("service.not_looked_because_what_failed", "It was not looked at, because of what failed before.")


async def admit(request: AdmissionRequest, executor: MatchExecutor, report: Report) -> AdmissionVerdict:
    """Play the admission matches of a version, report each finding as it is made, and return the verdict.

    The cheap checks come first, and the dear ones are left out if the bot is refused already. A match that the host
    loses is played again; if it is lost three times, the admission is undecided, and the bot not to blame. Cancelling
    ends its matches. Raises what the executor raises when it can play nothing any more.
    """
    admission = _Admission(request, executor, report)
    try:
        await admission.look()
    except UndecidedError as error:
        findings = tuple(admission.findings)
        return AdmissionVerdict(
            AdmissionOutcome.UNDECIDED,
            findings,
            Text("service.will_looked_again", "It will be looked at again: {why}.", why=error),
        )
    return _verdict(admission.findings, admission.matches)


def _verdict(findings: Sequence[Finding], matches: int) -> AdmissionVerdict:
    reasons = [finding for finding in findings if finding.state is FindingState.FAILED]
    if not reasons:
        return AdmissionVerdict(
            AdmissionOutcome.ADMITTED,
            tuple(findings),
            Text(
                "service.admitted_after_matches_without_fault",
                "Admitted after {count} matches without a fault.",
                count=matches,
            ),
        )
    why, more = reasons[0].sentence, len(reasons) - 1
    summary = (
        Text("service.refused_more", "Refused (and {count} more): {why}", count=more, why=why)
        if more
        else Text("service.refused", "Refused: {why}", why=why)
    )
    return AdmissionVerdict(AdmissionOutcome.REFUSED, tuple(findings), summary)


class _Admission:
    """One admission under way."""

    def __init__(self, request: AdmissionRequest, executor: MatchExecutor, report: Report) -> None:
        self._request = request
        self._executor = executor
        self._report = report
        self.findings: list[Finding] = []
        self.matches = 0
        self._is_sound = True
        self._played: list[PlayedTrial] = []

    async def look(self) -> None:
        """Make all checks that make sense. Raises UndecidedError."""
        if not self._request.grounds:
            self._add(
                failed(
                    TrialCheck.PLAY,
                    Text(
                        "service.none_games_bot_toml_installed",
                        "None of the games in its bot.toml is installed here; name one that is.",
                    ),
                )
            )
        elif await self._look_at_start() and await self._look_at_play():
            await self._look_closely()
        done = checks_of(self.findings)
        for check in TrialCheck:
            if check not in done:
                self._add(skipped(check, _NOT_YET))

    async def _look_at_start(self) -> bool:
        """Play the first match, and return whether others are worth playing."""
        (first,) = await self._play([first_bout(self._request)])
        blunders = blunders_in([first])
        if not first.processes:
            self._add_all(map(finding_of, blunders))
            return False
        self._add(passed(TrialCheck.START, Text("service.starts_joins_time", "It starts, and joins in time.")))
        self._is_sound = not blunders
        return True

    async def _look_at_play(self) -> bool:
        """Play on all grounds, or on one of each game if the first match went wrong; return whether all went well."""
        grounds = self._request.grounds
        bouts = playing_bouts(self._request, grounds if self._is_sound else one_of_each_game(grounds))
        self._played = await self._play(bouts)
        if blunders := blunders_in(self._played):
            await self._explain(blunders)
            return False
        self._add(
            passed(
                TrialCheck.PROTOCOL,
                Text("service.kept_protocol_matches", "It kept to the protocol in {count} matches.", count=len(bouts)),
            )
        )
        self._add(judge_play(self._played))
        self._add(judge_memory(self._request.bot, self._played))
        return True

    async def _look_closely(self) -> None:
        """Play under a tight clock, twice the same, and again after other matches."""
        pairs = repeated_bouts(self._request)
        tight, again = clock_bouts(self._request), memory_bouts(self._request)
        played = await self._play([*tight, *again, *(bout for pair in pairs for bout in pair)])
        if blunders := blunders_in(played):
            await self._explain(blunders)
        twice = played[len(tight) + len(again) :]
        everything = [*self._played, *played]
        judged = (
            judge_clock(everything),
            judge_second_match(everything),
            judge_determinism(self._request.bot, list(zip(twice[::2], twice[1::2], strict=True))),
            judge_ending(played),
        )
        told = checks_of(self.findings)
        self._add_all(finding for finding in judged if finding.check not in told)

    async def _explain(self, blunders: Sequence[Blunder]) -> None:
        """Report faults; one of a process that had played before is looked at again with new processes."""
        self._add_all(await explain(blunders, self._play))

    async def _play(self, bouts: Sequence[TrialMatch]) -> list[PlayedTrial]:
        played = await play_all(self._executor, bouts)
        self.matches += len(played)
        return played

    def _add_all(self, findings: Iterable[Finding]) -> None:
        for finding in findings:
            self._add(finding)

    def _add(self, finding: Finding) -> None:
        self.findings.append(finding)
        self._report(finding)
