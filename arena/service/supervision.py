"""Keeps activities going: what crashes is logged once, told to health, and tried again after a growing pause."""

from __future__ import annotations

import asyncio
import time
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, field

from arena.service.health import Health
from arena.service.logs import Logger
from engine.text import Text, with_parts

FIRST_PAUSE_S = 1.0
LONGEST_PAUSE_S = 300.0


@dataclass(slots=True)
class RestartBackoff:
    """Pauses that double from try to try."""

    first_s: float = FIRST_PAUSE_S
    longest_s: float = LONGEST_PAUSE_S
    tries: int = 0

    def next_s(self) -> float:
        """Return how long to pause now."""
        self.tries += 1
        return float(min(self.longest_s, self.first_s * 2 ** min(self.tries - 1, 30)))

    def reset(self) -> None:
        """Begin with a short pause again."""
        self.tries = 0


class KnownProblems:
    """Knows what was logged last about each thing, so that a problem met at every try is logged once."""

    def __init__(self) -> None:
        self._logged: dict[str, str] = {}

    def is_new(self, about: str, problem: str) -> bool:
        """Return whether this problem is another one than the last about the same thing, if that had any."""
        if self._logged.get(about) == problem:
            return False
        self._logged[about] = problem
        return True

    def end(self, about: str) -> None:
        """Forget the problem with something: if it comes again, it is new."""
        self._logged.pop(about, None)


@dataclass(frozen=True, slots=True)
class Supervisor:
    """What all activities share when they fail."""

    health: Health
    log: Logger
    notify: Callable[[str, str], None] = lambda _part, _sentence: None
    """Is told of a part that crashed for the first time in a row, and how."""
    problems: KnownProblems = field(default_factory=KnownProblems)
    """What activities have logged that they may meet again when they look next."""

    async def keep_going(
        self, part: str, work: Callable[[], Awaitable[None]], backoff: RestartBackoff | None = None
    ) -> None:
        """Run `work` until it returns; whatever it raises but cancellation is told, and it runs again after a pause."""
        pauses = backoff or RestartBackoff()
        while True:
            begun_s = time.monotonic()
            try:
                await work()
            except Exception as error:  # the top of an activity: nothing it does may end the service
                if time.monotonic() - begun_s > pauses.longest_s:
                    pauses.reset()
                    self.problems.end(part)
                await asyncio.sleep(self.report(part, error, pauses))
            else:
                pauses.reset()
                self.clear(part)
                return

    def clear(self, part: str) -> None:
        """Forget what is wrong with a part: it is well again, or there is no such part any more."""
        self.health.clear(part)
        self.problems.end(part)

    def report(self, part: str, error: Exception, backoff: RestartBackoff) -> float:
        """Tell everybody that a part failed, and return how long to pause before it is tried again."""
        pause_s = backoff.next_s()
        sentence = describe(error)
        self.health.report(
            part,
            Text(
                "service.tried_again_s",
                "{what}; it is tried again in {seconds} s",
                what=sentence,
                seconds=f"{pause_s:g}",
            ),
        )
        if self.problems.is_new(part, sentence):
            self.log.error("activity failed", part=part, error=sentence, again_in_s=pause_s, exc_info=error)
        if backoff.tries == 1:
            self.notify(part, sentence)
        return pause_s


class ProcessRestarts:
    """Tells of a process that ended by itself, and pauses, ever longer, before it is started again."""

    def __init__(self, part: str, health: Health, log: Logger) -> None:
        self._part = part
        self._health = health
        self._log = log
        self._backoff = RestartBackoff()

    async def pause(self, words: str, *, was_ready: bool) -> None:
        """Tell its last words, and return when it is time. The pauses begin anew after a life in which it was ready."""
        if was_ready:
            self._backoff.reset()
        pause_s = self._backoff.next_s()
        sentence = Text(
            "service.process_ended_started_again",
            "their process ended: {why}; it is started again in {seconds} s",
            why=words,
            seconds=f"{pause_s:g}",
        )
        self._health.report(self._part, sentence)
        self._log.error("process ended", part=self._part, why=words, again_in_s=pause_s)
        await asyncio.sleep(pause_s)


def describe(error: BaseException) -> str:
    """Return an error on one line."""
    text = with_parts(str(error), lambda part: " ".join(part.split()))
    return text or type(error).__name__
