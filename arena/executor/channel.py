"""The events of one match on their way to any number of watchers, who share one subscription at the worker.

Events are kept once, from the start of the match; a watcher is a place in them, so a slow one costs nothing but is told
to come again when it is far behind. The text of logs is kept up to a bound.
"""

from __future__ import annotations

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace

from arena.executor.interface import WatcherFellBehindError
from arena.match.live import LiveEndEvent, LiveEvent, LiveLogEvent, events_of_replay, live_end
from arena.match.replay import ReplayError, load
from arena.match.report import MatchReport

MOST_BEHIND = 4096
"""How many events may happen that a watcher has not taken, once it had taken all."""
KEPT_LOG_BYTES = 512 * 1024
"""How much text of all seats together is kept for those who come later or are slow."""


@dataclass(eq=False, slots=True)
class _Watcher:
    logs: frozenset[int]
    next: int = 0
    """The index of the first event that it has not taken."""
    was_up_to_date: bool = False
    is_too_slow: bool = False
    has_news: asyncio.Event = field(default_factory=asyncio.Event)


class MatchChannel:
    """The events of one match that is ordered here; `on_change` is called when watchers come or go."""

    def __init__(self, on_change: Callable[[], None] = lambda: None) -> None:
        self._on_change = on_change
        self._events: list[LiveEvent] = []
        self._watchers: set[_Watcher] = set()
        self._last = -1
        self._texts: deque[int] = deque()
        self._text_bytes = 0
        self._ending: tuple[MatchReport | None, str] | None = None
        self._has_ended = False

    @property
    def is_watched(self) -> bool:
        """Whether anybody watches."""
        return bool(self._watchers)

    @property
    def wanted_logs(self) -> Sequence[int]:
        """The seats whose logs somebody watches."""
        return sorted({seat for watcher in self._watchers for seat in watcher.logs})

    async def watch(self, after: int, logs: Iterable[int]) -> AsyncGenerator[LiveEvent, None]:
        """Yield the events that follow the sequence `after`, those that have happened first, to the end of the match.

        Of logs only those of the given seats. Raises WatcherFellBehindError.
        """
        watcher = _Watcher(frozenset(logs))
        self._watchers.add(watcher)
        last = after
        try:
            self._on_change()
            self._publish_end()
            while True:
                for event in self._take(watcher):
                    if watcher.is_too_slow:
                        raise WatcherFellBehindError(last)
                    if _is_wanted(event, after, watcher.logs):
                        last = max(last, event.sequence)
                        yield event
                    if isinstance(event, LiveEndEvent):
                        return
                await watcher.has_news.wait()
        finally:
            self._watchers.discard(watcher)
            self._on_change()

    def _take(self, watcher: _Watcher) -> Iterable[LiveEvent]:
        """Yield what a watcher has not taken yet, also what happens meanwhile."""
        while watcher.next < len(self._events):
            watcher.next += 1
            yield self._events[watcher.next - 1]
        watcher.was_up_to_date = True
        watcher.has_news.clear()

    def publish(self, events: Iterable[LiveEvent]) -> None:
        """Add events, and wake the watchers; nothing happens after the end."""
        if self._has_ended:
            return
        for event in events:
            self._add(event)
        for watcher in self._watchers:
            watcher.is_too_slow |= watcher.was_up_to_date and len(self._events) - watcher.next > MOST_BEHIND
            watcher.has_news.set()

    def end(self, report: MatchReport | None, lost: str = "") -> None:
        """Note the end, of which the watchers hear: the report, or one sentence that tells why there is none."""
        self._ending = report, lost
        if self.is_watched:
            self._publish_end()

    def _publish_end(self) -> None:
        """Publish the end, once, after whatever of the match was not shown to a watcher who came late."""
        if self._ending is None or self._has_ended:
            return
        report, lost = self._ending
        if report is None:
            self.publish([LiveEndEvent(self._last + 1, None, lost)])
        else:
            missing = self._missing(report) if self._last < report.plies else []
            self.publish([*missing, live_end(report.result, report.plies)])
        self._has_ended = True

    def _missing(self, report: MatchReport) -> list[LiveEvent]:
        try:
            events = events_of_replay(load(report.replay))
        except ReplayError:
            return []  # a game that is installed only where the worker looks for it
        return [event for event in events if event.sequence > self._last and not isinstance(event, LiveEndEvent)]

    def _add(self, event: LiveEvent) -> None:
        self._events.append(event)
        if not isinstance(event, LiveLogEvent):
            self._last = event.sequence
            return
        self._texts.append(len(self._events) - 1)
        self._text_bytes += len(event.data)
        while self._text_bytes > KEPT_LOG_BYTES:
            self._forget_text(self._texts.popleft())

    def _forget_text(self, index: int) -> None:
        """Replace a log by the number of its bytes."""
        event = self._events[index]
        assert isinstance(event, LiveLogEvent)
        size = len(event.data)
        self._text_bytes -= size
        self._events[index] = replace(event, start=event.start + size, data=b"", cut_bytes=event.cut_bytes + size)


def _is_wanted(event: LiveEvent, after: int, logs: frozenset[int]) -> bool:
    if isinstance(event, LiveLogEvent):
        return event.seat in logs and event.sequence >= after
    return event.sequence > after
