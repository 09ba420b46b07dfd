"""Plays trial matches, again if the host loses them, and reads from their reports what is judged.

What is looked at in a bot that plays them, and what comes of it, are plain values.
"""

from __future__ import annotations

import asyncio
import enum
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from typing import TYPE_CHECKING, Any, ClassVar

from arena.match.replay import load, timed_entries
from arena.match.result import Fault, HostCause, MatchLostError
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport, SeatProcess
from arena.model.bots import Finding, FindingState
from engine.translatable import Text, parts_of

if TYPE_CHECKING:  # a bot is tested without a database, which takes a third of a second to import
    from arena.tournament.runner import MatchExecutor

MOST_ATTEMPTS = 3
_USELESS_TO_REPEAT = (HostCause.CANCELLED, HostCause.UNPLAYABLE)
OUTPUT, RULES, BUILD = "output", "rules", "build"
"""What is looked at besides where a bot is tested at home."""


class UndecidedError(Exception):
    """The host could not play a match, so that nothing is known about the bot. The message is a sentence."""

    kind: ClassVar[str] = "failed"


@dataclass(frozen=True, slots=True)
class PlayedTrial:
    """A trial match that was played."""

    trial: TrialMatch
    report: MatchReport
    document: Mapping[str, Any]
    """Its replay."""

    @property
    def faults(self) -> Sequence[Fault]:
        """What the bot that is looked at did wrong, in any of its seats."""
        return [fault for fault in self.report.result.faults if fault.seat in self.trial.own]

    @property
    def processes(self) -> Sequence[SeatProcess]:
        """The records of the bot's processes."""
        return [process for process in self.report.seat_processes if process.seat in self.trial.own]

    def charges_us(self) -> Iterator[int]:
        """Yield what each decision of the bot was charged."""
        for entry in timed_entries(self.document):
            if entry["seat"] in self.trial.own:
                yield entry["charged_us"]

    def was_warm(self, seat: int) -> bool:
        """Return whether the process in a seat had played before."""
        return any(process.was_warm for process in self.report.seat_processes if process.seat == seat)


async def play_all(executor: MatchExecutor, trials: Iterable[TrialMatch]) -> list[PlayedTrial]:
    """Play matches, as many at once as the executor likes, and return them in order. Raises UndecidedError."""
    wanted = list(trials)
    # The long ones first, so that no slot is left to play one of them alone at the end.
    longest_first = sorted(wanted, key=lambda trial: len(trial.own), reverse=True)
    tasks = {trial.spec.match_id: asyncio.ensure_future(_play(executor, trial)) for trial in longest_first}
    try:
        return await asyncio.gather(*(tasks[trial.spec.match_id] for trial in wanted))
    finally:
        for task in tasks.values():
            task.cancel()
        await asyncio.gather(*tasks.values(), return_exceptions=True)


async def _play(executor: MatchExecutor, trial: TrialMatch) -> PlayedTrial:
    for attempt in range(1, MOST_ATTEMPTS + 1):
        try:
            report = await executor.run(replace(trial.spec, attempt=attempt))
        except MatchLostError as error:
            if attempt == MOST_ATTEMPTS or error.cause in _USELESS_TO_REPEAT:
                raise UndecidedError(
                    Text("{what} could not be played: {why}", what=trial.setup.describe(), why=error)
                ) from error
        else:
            return PlayedTrial(trial, report, await asyncio.to_thread(load, report.replay))
    raise AssertionError("every attempt returns or raises")


class TrialCheck(enum.StrEnum):
    """What is looked at, in the order in which it is reported."""

    START = "start"
    """It starts, and joins in time."""
    PROTOCOL = "protocol"
    """It says what is asked, when it is asked, in messages that can be read."""
    PLAY = "play"
    """It plays every game and every number of seats that it claims, with legal actions and to the end."""
    RESOURCES = "resources"
    """It stays within its memory and the other limits of a process."""
    CLOCK = "clock"
    """It uses no more time than it has."""
    SECOND_MATCH = "second match"
    """A process plays its second match as it would have played it as its first."""
    DETERMINISM = "determinism"
    """It gives equal answers to equal questions, if it says so."""
    ENDING = "ending"
    """Its process ends when its stream does."""


@dataclass(frozen=True, slots=True)
class TrialSetup:
    """A game and a number of seats that a bot claims to play."""

    game: str
    rules_version: str
    seats: int
    options: Mapping[str, Any] = field(default_factory=dict)

    def describe(self) -> str:
        """Return it in words: `foreign_king with 3 seats`."""
        return Text("{game} with {seats} seats", game=self.game, seats=self.seats)


def one_of_each_game(setups: Iterable[TrialSetup]) -> list[TrialSetup]:
    """Return the first setup of each game."""
    first: dict[str, TrialSetup] = {}
    for setup in setups:
        first.setdefault(setup.game, setup)
    return list(first.values())


@dataclass(frozen=True, slots=True)
class TrialMatch:
    """One trial match, which belongs to no tournament."""

    setup: TrialSetup
    spec: MatchSpec
    own: tuple[int, ...]
    """The seats of the bot that is looked at."""

    def with_fresh_bots(self) -> TrialMatch:
        """Return the same match for new processes."""
        spec = replace(self.spec, match_id=f"{self.spec.match_id}-fresh", uses_fresh_bots=True)
        return replace(self, spec=spec)


def failed(check: str, sentence: str, evidence: Mapping[str, Any] | None = None) -> Finding:
    """Return the finding of a check for which the bot is refused."""
    return Finding(check, FindingState.FAILED, sentence, dict(evidence or {}))


def passed(check: str, sentence: str) -> Finding:
    """Return the finding of a check in which nothing is wrong."""
    return Finding(check, FindingState.PASSED, sentence)


def noted(check: str, sentence: str, evidence: Mapping[str, Any] | None = None) -> Finding:
    """Return the finding of a check for which nobody is refused, but which the author should know."""
    return Finding(check, FindingState.NOTED, sentence, dict(evidence or {}))


def skipped(check: str, sentence: str) -> Finding:
    """Return the finding of a check that was not made; the sentence says why."""
    return Finding(check, FindingState.SKIPPED, sentence)


def finding_json(finding: Finding) -> dict[str, Any]:
    """Return a finding as JSON data, as the book of record keeps it."""
    text = {"sentence_text": parts} if (parts := parts_of(finding.sentence)) else {}
    return {**asdict(finding), **text, "check": str(finding.check), "state": finding.state.value}
