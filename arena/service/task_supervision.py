"""Keeps activities going: what crashes is logged once, reported to health, and retried after a growing pause."""

from __future__ import annotations

import asyncio
import threading
import time
from collections.abc import Awaitable, Callable, Hashable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field

from arena.hosting.errors import SandboxUnavailableError
from arena.hosting.sandbox.stored_programs import StoredPrograms
from arena.rpc.backoff import Backoff
from arena.service.logs import Logger
from engine.translatable import Text, with_parts

REST_S = 15.0
"""How long something that ended rests before it is tried again although nothing about it has changed."""
NO_SANDBOX = Text(
    "It waits: no bot of an owner can run at this service now, because its sandbox does not work; the "
    "organiser sees why with `arena serve --check`."
)
SANDBOX = "sandbox"
"""The part of the service's health that tells of it."""


class Health:
    """The problems that a service has; healthy if there is none."""

    def __init__(self) -> None:
        self._problems: dict[str, str] = {}
        self._lock = threading.Lock()

    def report(self, part: str, sentence: str) -> None:
        """Say what is wrong with a part; the newest sentence of a part counts."""
        with self._lock:
            self._problems[part] = sentence

    def clear(self, part: str) -> None:
        """Say that a part is well again."""
        with self._lock:
            self._problems.pop(part, None)

    def problems(self) -> dict[str, str]:
        """Return every problem by the part that has it."""
        with self._lock:
            return dict(self._problems)


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

    async def keep_going(self, part: str, work: Callable[[], Awaitable[None]], backoff: Backoff | None = None) -> None:
        """Run `work` until it returns; whatever it raises but cancellation is told, and it runs again after a pause."""
        pauses = backoff or Backoff()
        while True:
            begun_s = time.monotonic()
            try:
                await work()
            except Exception as error:  # the top of an activity: nothing it does may end the service
                if time.monotonic() - begun_s > pauses.most_s:
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

    def report(self, part: str, error: Exception, backoff: Backoff) -> float:
        """Tell everybody that a part failed, and return how long to pause before it is tried again."""
        pause_s = backoff.next_s()
        sentence = describe(error)
        self.health.report(
            part, Text("{what}; it is tried again in {seconds} s", what=sentence, seconds=f"{pause_s:g}")
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
        self._backoff = Backoff()

    async def pause(self, words: str, *, was_ready: bool) -> None:
        """Tell its last words, and return when it is time. The pauses begin anew after a life in which it was ready."""
        if was_ready:
            self._backoff.reset()
        pause_s = self._backoff.next_s()
        sentence = Text(
            "their process ended: {why}; it is started again in {seconds} s", why=words, seconds=f"{pause_s:g}"
        )
        self._health.report(self._part, sentence)
        self._log.error("process ended", part=self._part, why=words, again_in_s=pause_s)
        await asyncio.sleep(pause_s)


def describe(error: BaseException) -> str:
    """Return an error on one line."""
    return with_parts(str(error), lambda part: " ".join(part.split())) or type(error).__name__


@dataclass(frozen=True, slots=True)
class TaskSpec:
    """Something to do, until it is done or not wanted any more."""

    part: str
    """What it is called in logs and in health."""
    work: Callable[[], Awaitable[None]]
    state: Hashable = None
    """What it depends on: if this changes, something that had ended begins anew at once."""


@dataclass(slots=True)
class _RunningTask:
    spec: TaskSpec
    task: asyncio.Task[None]
    ended_s: float | None = None
    backoff: Backoff = field(default_factory=Backoff)


class SupervisedTasks:
    """Runs tasks by key, and never two of one key at once."""

    def __init__(self, supervisor: Supervisor, clock: Callable[[], float] = time.monotonic) -> None:
        self._supervisor = supervisor
        self._clock = clock
        self._running: dict[str, _RunningTask] = {}

    def __contains__(self, key: str) -> bool:
        return key in self._running

    async def reconcile(self, wanted: Mapping[str, TaskSpec]) -> None:
        """Begin what is wanted and does not run, and end what runs and is not wanted any more."""
        gone = [self._running.pop(key) for key in set(self._running) - set(wanted)]
        for one in gone:
            one.task.cancel()
        await asyncio.gather(*(one.task for one in gone), return_exceptions=True)
        for one in gone:
            self._supervisor.clear(one.spec.part)
        for key, spec in wanted.items():
            running = self._running.get(key)
            if running is None:
                self._running[key] = self._begin(spec, Backoff())
            elif running.task.done():
                if running.ended_s is None:
                    running.ended_s = self._clock()
                has_changed = running.spec.state != spec.state
                if has_changed or self._clock() - running.ended_s >= REST_S:
                    self._running[key] = self._begin(spec, running.backoff)

    async def close(self) -> None:
        """End everything that runs."""
        await self.reconcile({})

    def _begin(self, spec: TaskSpec, backoff: Backoff) -> _RunningTask:
        work = self._supervisor.keep_going(spec.part, spec.work, backoff)
        return _RunningTask(spec, asyncio.create_task(work, name=spec.part), backoff=backoff)


class WakeUp:
    """A condition that tasks of one event loop wait for, and that any thread sets."""

    def __init__(self) -> None:
        """Belong to the event loop that runs now."""
        self._loop = asyncio.get_running_loop()
        self.count = 0
        """How many notifications there were, for `wait`."""
        self._changed = asyncio.Event()

    def notify(self) -> None:
        """Wake everybody who waits, from whatever thread."""
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._notify)

    def _notify(self) -> None:
        self.count += 1
        self._changed.set()
        self._changed = asyncio.Event()

    async def wait(self, since: int, patience_s: float) -> int:
        """Wait until there were more notifications than `since`, at most `patience_s`, and return how many."""
        if self.count == since:
            with suppress(TimeoutError):
                async with asyncio.timeout(patience_s):
                    await self._changed.wait()
        return self.count


def sandbox_problem(programs: StoredPrograms) -> str:
    """Return why bots of owners cannot run here, with the remedy, or an empty text if they can. It may take seconds."""
    try:
        programs.sandbox_level(has_owner=True)
    except SandboxUnavailableError as error:
        return str(error)
    return ""
