"""Admits versions: plays the trial matches of a version before it plays rated ones, and returns a verdict.

It reads and writes no database. Equal requests plan equal matches.
"""

from __future__ import annotations

import enum
import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from arena.match.spec import MatchSpec, SeatSpec
from arena.match.time_control import TimeControl, parse_time_control
from arena.model.bots import Finding, FindingState
from arena.tournament.runner import MatchExecutor
from arena.trial.faults import blunders_in, checks_of, explain, finding_of
from arena.trial.judging import (
    judge_clock,
    judge_determinism,
    judge_ending,
    judge_memory,
    judge_play,
    judge_second_match,
)
from arena.trial.trials import (
    PlayedTrial,
    TrialCheck,
    TrialMatch,
    TrialSetup,
    UndecidedError,
    failed,
    one_of_each_game,
    passed,
    play_all,
    skipped,
)
from engine.translatable import Text

CLOCK = parse_time_control("250ms")
TIGHT_CLOCK = parse_time_control("50ms")
_SEED_BITS = 53


@dataclass(frozen=True, slots=True)
class AdmissionRequest:
    """A version to look at, and how."""

    admission_id: str
    bot: SeatSpec
    grounds: tuple[TrialSetup, ...]
    """Where it must be able to play, at least one; those of one game stand together, the fewest seats first."""
    samples: tuple[SeatSpec, ...]
    """Whom it plays against, at least one: quick bots that make no faults."""
    seed: int
    """Whatever is drawn follows from it."""
    rival: SeatSpec | None = None
    """Whom it plays against when the clock is tight; None for a sample."""
    clock: TimeControl = CLOCK
    """The clock of most matches: the tightest of the pools that wait for the bot, so that no honest bot is refused."""
    tight_clock: TimeControl = TIGHT_CLOCK
    """The clock of the match that shows whether it looks at its clock."""


class AdmissionOutcome(enum.StrEnum):
    """What becomes of an admission."""

    ADMITTED = "admitted"
    REFUSED = "refused"
    UNDECIDED = "undecided"
    """The host failed; the version must be looked at again."""


@dataclass(frozen=True, slots=True)
class AdmissionVerdict:
    """How an admission ended."""

    outcome: AdmissionOutcome
    findings: tuple[Finding, ...]
    """In the order in which they were reported."""
    summary: str
    """The verdict in one sentence for the author."""


Report = Callable[[Finding], None]


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
            AdmissionOutcome.UNDECIDED, findings, Text("It will be looked at again: {why}.", why=error)
        )
    reasons = [finding for finding in admission.findings if finding.state is FindingState.FAILED]
    if not reasons:
        return AdmissionVerdict(
            AdmissionOutcome.ADMITTED,
            tuple(admission.findings),
            Text("Admitted after {count} matches without a fault.", count=admission.matches),
        )
    why, more = reasons[0].sentence, len(reasons) - 1
    summary = (
        Text("Refused (and {count} more): {why}", count=more, why=why) if more else Text("Refused: {why}", why=why)
    )
    return AdmissionVerdict(AdmissionOutcome.REFUSED, tuple(admission.findings), summary)


class _Admission:
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
                failed(TrialCheck.PLAY, Text("None of the games in its bot.toml is installed here; name one that is."))
            )
        elif await self._look_at_start() and await self._look_at_play():
            await self._look_closely()
        done = checks_of(self.findings)
        for check in TrialCheck:
            if check not in done:
                self._add(skipped(check, Text("It was not looked at, because of what failed before.")))

    async def _look_at_start(self) -> bool:
        """Play the first match, and return whether others are worth playing."""
        (first,) = await self._play([first_bout(self._request)])
        blunders = blunders_in([first])
        if not first.processes:
            self._add_all(map(finding_of, blunders))
            return False
        self._add(passed(TrialCheck.START, Text("It starts, and joins in time.")))
        self._is_sound = not blunders
        return True

    async def _look_at_play(self) -> bool:
        """Play on all grounds, or on one of each game if the first match went wrong; return whether all went well."""
        grounds = self._request.grounds
        bouts = playing_bouts(self._request, grounds if self._is_sound else one_of_each_game(grounds))
        self._played = await self._play(bouts)
        if blunders := blunders_in(self._played):
            self._add_all(await explain(blunders, self._play))
            return False
        self._add(passed(TrialCheck.PROTOCOL, Text("It kept to the protocol in {count} matches.", count=len(bouts))))
        self._add(judge_play(self._played))
        self._add(judge_memory(self._request.bot, self._played))
        return True

    async def _look_closely(self) -> None:
        """Play under a tight clock, twice the same, and again after other matches."""
        pairs = repeated_bouts(self._request)
        tight, again = clock_bouts(self._request), memory_bouts(self._request)
        played = await self._play([*tight, *again, *(bout for pair in pairs for bout in pair)])
        if blunders := blunders_in(played):
            self._add_all(await explain(blunders, self._play))
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


def first_bout(request: AdmissionRequest) -> TrialMatch:
    """Return the match that shows whether the bot starts at all."""
    ground = request.grounds[0]
    return _bout(request, "first", ground, [request.bot, *_samples(request, ground.seats - 1)])


def playing_bouts(request: AdmissionRequest, grounds: Iterable[TrialSetup]) -> list[TrialMatch]:
    """Return the matches that show whether it can play on the grounds: alone, in the first seat and in the last."""
    bouts = []
    for ground in grounds:
        others = _samples(request, ground.seats - 1)
        bouts += [
            _bout(request, "self", ground, [request.bot] * ground.seats),
            _bout(request, "first-seat", ground, [request.bot, *others]),
            _bout(request, "last-seat", ground, [*reversed(others), request.bot]),
        ]
    return bouts


def clock_bouts(request: AdmissionRequest) -> list[TrialMatch]:
    """Return one match of each game under the tight clock, with processes that end with it."""
    rival = request.rival or request.samples[0]
    bouts = []
    for ground in one_of_each_game(request.grounds):
        others = [rival, *_samples(request, ground.seats)][: ground.seats - 1]
        bout = _bout(request, "clock", ground, [request.bot, *others], request.tight_clock)
        bouts.append(replace(bout, spec=replace(bout.spec, uses_fresh_bots=True)))
    return bouts


def repeated_bouts(request: AdmissionRequest) -> list[tuple[TrialMatch, TrialMatch]]:
    """Return a match of each game twice, for new processes; nothing if the bot promises no equal answers."""
    if not request.bot.is_deterministic:
        return []
    alone = [_bout(request, "twice", g, [request.bot] * g.seats) for g in one_of_each_game(request.grounds)]
    once = [replace(bout, spec=replace(bout.spec, uses_fresh_bots=True)) for bout in alone]
    return [(bout, bout.with_fresh_bots()) for bout in once]


def memory_bouts(request: AdmissionRequest) -> list[TrialMatch]:
    """Return a match of each game after which the bot is asked again in new processes, if it promises equal answers."""
    if not request.bot.is_deterministic:
        return []
    bouts = []
    for ground in one_of_each_game(request.grounds):
        bout = _bout(request, "again", ground, [request.bot, *_samples(request, ground.seats - 1)])
        bouts.append(replace(bout, spec=replace(bout.spec, checks_leaks=True)))
    return bouts


def _samples(request: AdmissionRequest, count: int) -> list[SeatSpec]:
    return [request.samples[index % len(request.samples)] for index in range(count)]


def _bout(
    request: AdmissionRequest,
    kind: str,
    ground: TrialSetup,
    seats: Sequence[SeatSpec],
    clock: TimeControl | None = None,
) -> TrialMatch:
    name = f"{request.admission_id}-{kind}-{ground.game}-{ground.seats}"
    spec = MatchSpec(
        match_id=name,
        attempt=1,
        game=ground.game,
        rules_version=ground.rules_version,
        options=ground.options,
        clock=clock or request.clock,
        cores=1,
        chance_seed=_draw(request.seed, kind, ground, "chance"),
        opening=(),
        seats=tuple(
            replace(seat, seed=_draw(request.seed, kind, ground, f"bot {index}")) for index, seat in enumerate(seats)
        ),
        keeps_logs=True,
    )
    return TrialMatch(ground, spec, tuple(index for index, seat in enumerate(seats) if seat is request.bot))


def _draw(seed: int, kind: str, ground: TrialSetup, what: str) -> int:
    digest = hashlib.sha256(f"{seed}/{kind}/{ground.game}/{ground.seats}/{what}".encode()).digest()
    return int.from_bytes(digest[:8], "big") >> (64 - _SEED_BITS)
