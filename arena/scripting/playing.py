"""Orders a match or a tournament, and plays it to its end in this program, with news of how far it is.

The work runs in an event loop of a thread of its own, so that it works in a notebook, whose own loop runs already. The
thread that asked hears the news meanwhile, and Ctrl-C: then the work is cancelled, and ended in good order before the
interrupt goes on. A second one is not waited for. The loop's thread is the one that starts processes: those that are to
die with whoever started them live exactly as long as it does.
"""

from __future__ import annotations

import asyncio
import sys
import threading
import time
from collections.abc import Callable, Coroutine, Mapping
from dataclasses import replace
from queue import SimpleQueue
from typing import Any, Generic, TextIO, TypeVar

from arena.app.lookup import find_game
from arena.hosting.procfs.machine import count_cores
from arena.model.errors import RefusedError
from arena.model.table_columns import format_duration
from arena.model.tournament_requests import TournamentRequest
from arena.model.tournaments import SINGLE_MATCH
from arena.scripting.arguments import (
    need_flags,
    need_texts,
    need_wholes,
    optional_mappings,
    optional_texts,
    optional_wholes,
)
from arena.scripting.database_arena import OpenArena
from arena.scripting.errors import RunStoppedError
from arena.tournament.formats import catalog
from arena.tournament.formats.adaptive import Adaptive, with_zone
from arena.tournament.formats.compare import Compare, design_for
from arena.tournament.formats.swiss import USUAL, Swiss
from arena.tournament.run_progress import RunProgress
from arena.tournament.runner import run_tournament
from ratings.read.tournaments import tournament_row

DEFAULT_CLOCK = "100ms"
DEFAULT_START_LIMIT = "10s"
DEFAULT_FORMAT = "round-robin"
T = TypeVar("T")
N = TypeVar("N")
Work = Callable[[Callable[[N], None]], Coroutine[Any, Any, T]]
"""Begins the work, given what tells the news."""
OnProgress = Callable[[RunProgress], None]
_SILENT_S = 2.0
"""What is over sooner needs no line."""
_LIVE_EVERY_S = 0.25
_LOG_EVERY_S = 10.0


def check_order(order: TournamentRequest) -> None:
    """Raise UnknownError, before any bot is added, if there is no such game, and RefusedError for other types."""
    need_texts(game=order.game, clock=order.time, start_limit=order.start_limit)
    optional_texts(secret=order.secret, name=order.name, rating_method=order.rating_method)
    need_wholes(cores=order.cores)
    optional_wholes(seed=order.seed, opening_plies=order.opening_plies)
    need_flags(rated=order.rated, same_owner=order.same_owner)
    optional_mappings(options=order.options)
    find_game(order.game)
    if order.cores is not None and order.cores > (there := count_cores()):
        raise RefusedError(f"{order.cores} cores for a bot are more than the {there} here; grant fewer cores")


def with_bots(
    order: TournamentRequest, bots: tuple[str, ...], seats: int | None, settings: Mapping[str, Any] | None = None
) -> TournamentRequest:
    """Return an order with its entrants; without `seats` the game's tables are as small as may be.

    `settings` are those of the format (`arena.tournament.formats`), where None is as if it were not given. Raises
    UnknownError, ScheduleError if there is no such format or setting, and ResultsError for a comparison that cannot be.
    """
    order = replace(order, bots=bots, options=dict(order.options), cores=None if order.cores == 1 else order.cores)
    if order.format == SINGLE_MATCH:
        return replace(order, seats=len(bots))
    if seats is None:
        allowed = find_game(order.game).seats
        seats = next((number for number in allowed if number > 1), allowed[0])
    own = {key: value for key, value in (settings or {}).items() if value is not None}
    catalog.check_settings(order.format, own)
    # Where nobody gives a value, some settings have another one here than in the format itself.
    if order.format == Swiss.traits.name:
        own = {"rounds": USUAL, **own}
    elif order.format == Adaptive.traits.name and "until" in own:
        own = {**own, "until": with_zone(own["until"], None)}
    elif order.format == Compare.traits.name:
        own = {"design": str(design_for(seats, has_field=len(bots) > 2)), **own}
        own = {"pairs": Compare(seats, **own).usual_limit(), **own}
    return replace(order, seats=seats, settings=own, rated=order.rated and order.format != Compare.traits.name)


def play(arena: OpenArena, tournament: str, progress: OnProgress | bool | None) -> None:
    """Play what is left of a tournament, named by its id.

    Raises RunStoppedError after Ctrl-C, what `progress` raises, and what `arena.tournament.runner.run_tournament` does;
    then what was finished is recorded, and it can be played on. Raises RefusedError if it is for remote bots, or if
    another program cancelled it meanwhile.
    """
    row = tournament_row(arena.database, tournament)
    name = row.tournament.name
    if row.pool.remote:
        raise RefusedError(f"{name!r} is for remote bots, and only a service plays with them; leave them out here")
    on_news = progress_listener(progress)

    async def run(on_progress: OnProgress) -> RunProgress:
        async with arena.hosting.executor(tournament_row(arena.database, tournament)) as executor:
            return await run_tournament(
                arena.database,
                tournament,
                executor,
                arena.programs,
                on_progress=on_progress,
                leak_checks=arena.hosting.leak_checks,
                keep_logs=arena.hosting.keep_logs,
            )

    try:
        end = run_in_loop_thread(run, on_news)
    except KeyboardInterrupt:
        state = tournament_row(arena.database, tournament).progress
        raise RunStoppedError(
            f"stopped: {state.finished} matches of {state.total} are recorded; Arena.resume({name!r}) plays the rest",
            name,
        ) from None
    finally:
        if isinstance(on_news, ProgressLine):
            on_news.end()
    if end.is_cancelled:
        raise RefusedError(f"{name!r} was cancelled by another program; its {end.finished} results stay")
    if end.over < end.total:
        raise RefusedError(
            f"{end.over} matches of {end.total} of {name!r} are over, and another program has taken others; "
            f"Arena.resume({name!r}) plays what it leaves"
        )


def run_in_loop_thread(work: Work[N, T], on_news: Callable[[N], None]) -> T:
    """Return the result of the work, or raise what it raises; `on_news` is called with its news, here.

    If `on_news` raises, or Ctrl-C comes, the work is cancelled and ended, and that goes on.
    """
    running = _Running[N, T](work)
    try:
        running.start()
        while (news := running.news.get()) is not None:
            on_news(news)
    except BaseException:
        running.cancel()
        running.join()
        raise
    running.join()
    return running.result()


def run_silently(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    """Return the result of work that has no news, as `run_in_loop_thread` does."""

    async def begin(_tell: Callable[[None], None]) -> T:
        return await work()

    return run_in_loop_thread(begin, lambda _: None)


class _Running(Generic[N, T]):
    def __init__(self, work: Work[N, T]) -> None:
        self._work = work
        self.news: SimpleQueue[N | None] = SimpleQueue()
        """What it tells; None at its end."""
        self._thread = threading.Thread(target=self._run, name="arena.api", daemon=True)
        self._lock = threading.Lock()
        self._loop: asyncio.AbstractEventLoop | None = None
        self._task: asyncio.Task[T] | None = None
        self._is_cancelled = False
        self._results: list[T] = []
        self._error: BaseException | None = None

    def start(self) -> None:
        """Begin the work."""
        self._thread.start()

    def join(self) -> None:
        """Wait for its end, if it was begun."""
        if self._thread.ident is not None:
            self._thread.join()

    def result(self) -> T:
        """Return what came of it, after its end, or raise what it raised."""
        if self._error is not None:
            raise self._error
        return self._results[0]

    def cancel(self) -> None:
        """Have it end in good order."""
        with self._lock:
            self._is_cancelled = True
            if self._loop is not None and self._task is not None:
                self._loop.call_soon_threadsafe(self._task.cancel)

    def _run(self) -> None:
        try:
            self._results.append(asyncio.run(self._supervise()))
        except BaseException as error:  # whoever waits is told, whatever it is
            self._error = error
        finally:
            self.news.put(None)

    async def _supervise(self) -> T:
        task = asyncio.ensure_future(self._work(self.news.put))
        with self._lock:
            self._loop, self._task = asyncio.get_running_loop(), task
            if self._is_cancelled:
                task.cancel()
        try:
            return await task
        finally:
            with self._lock:
                self._loop = None


def need_progress(progress: Any) -> None:
    """Raise RefusedError for what can hear nothing."""
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise RefusedError(f"progress is a function of a RunProgress, not {progress!r:.60}; give one, None or False")


def progress_listener(progress: OnProgress | bool | None) -> OnProgress:
    """Return what is called with a run's progress: the caller's function, a line on stderr, or nothing with False."""
    if progress is None or progress is True:
        return ProgressLine()
    return (lambda _: None) if progress is False else progress


class ProgressLine:
    """A line on stderr: matches that are over, their speed, the time left. Nothing of a run that takes no time."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._is_live = self._stream.isatty() or type(self._stream).__module__.startswith("ipykernel")
        self._shown_at: float | None = None
        self._written = 0
        self._start = clock()

    def __call__(self, state: RunProgress) -> None:
        """Show it, unless something was shown just now."""
        now = self._clock()
        since = now - self._start if self._shown_at is None else now - self._shown_at
        wait = _SILENT_S if self._shown_at is None else _LIVE_EVERY_S if self._is_live else _LOG_EVERY_S
        if since >= wait:
            self._shown_at = now
            text = progress_text(state)
            if self._is_live:
                self._stream.write(f"\r{text.ljust(self._written)}")
                self._written = len(text)
            else:
                self._stream.write(f"{text}\n")
            self._stream.flush()

    def end(self) -> None:
        """End a line that is written over."""
        if self._is_live and self._written:
            self._stream.write("\n")
            self._stream.flush()


def progress_text(state: RunProgress) -> str:
    """Return a line such as `12/60 matches, 3.1/s, about 15 s left`."""
    parts = [f"{state.over}/{state.total} matches"]
    if state.speed:
        parts.append(f"{state.speed:.1f}/s")
        if state.total > state.over:
            parts.append(f"about {format_duration(round((state.total - state.over) / state.speed))} left")
    if state.lost:
        parts.append(f"{state.lost} lost by the host and played again")
    if state.blocked_s:
        parts.append(f"waits for the database ({state.blocked_s:.0f} s)")
    return ", ".join(parts)
