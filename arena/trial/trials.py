"""Plays trial matches, again if the host loses them, and reads from their reports what is judged."""

from __future__ import annotations

import asyncio
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, ClassVar

from arena.match.replay import load, timed_entries
from arena.match.report import MatchReport, SeatProcess
from arena.match.result import Fault, HostCause, MatchLostError
from arena.trial.values import TrialMatch
from engine.text import Text

if TYPE_CHECKING:  # a bot is tested without a database, which takes a third of a second to import
    from arena.tournament.runner import MatchExecutor

MOST_ATTEMPTS = 3
_USELESS_TO_REPEAT = (HostCause.CANCELLED, HostCause.UNPLAYABLE)


class UndecidedError(Exception):
    """The host could not play a match, so nothing can be said about the bot. The message is a sentence."""

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
        """How the processes of the bot did."""
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
                    Text(
                        "trial.could_not_played",
                        "{what} could not be played: {why}",
                        what=trial.setup.describe(),
                        why=error,
                    )
                ) from error
        else:
            return PlayedTrial(trial, report, await asyncio.to_thread(load, report.replay))
    raise AssertionError("every attempt returns or raises")
