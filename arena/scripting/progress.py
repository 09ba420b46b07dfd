"""Tells how far a run is: in a line that is written over on a terminal and in a notebook, else now and then."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import Any, TextIO

from arena.model.errors import RefusedError
from arena.tournament.run_progress import RunProgress

OnProgress = Callable[[RunProgress], None]

_SILENT_S = 2.0
"""What is over sooner needs no line."""
_LIVE_EVERY_S = 0.25
_LOG_EVERY_S = 10.0


def need_progress(progress: Any) -> None:
    """Raise RefusedError for what can hear nothing."""
    if not (progress is None or isinstance(progress, bool) or callable(progress)):
        raise RefusedError(f"progress is a function of a RunProgress, not {progress!r:.60}; give one, None or False")


def progress_listener(progress: OnProgress | bool | None) -> OnProgress:
    """Return what is told how far a run is: the caller's own function, a line on stderr, or with False nothing."""
    if progress is None or progress is True:
        return ProgressLine()
    return _ignore if progress is False else progress


def _ignore(state: RunProgress) -> None:
    """Pass over what is told."""


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
            self._write(progress_text(state))

    def end(self) -> None:
        """End a line that is written over."""
        if self._is_live and self._written:
            self._stream.write("\n")
            self._stream.flush()

    def _write(self, text: str) -> None:
        if self._is_live:
            self._stream.write(f"\r{text.ljust(self._written)}")
            self._written = len(text)
        else:
            self._stream.write(f"{text}\n")
        self._stream.flush()


def progress_text(state: RunProgress) -> str:
    """Return a line such as `12/60 matches, 3.1/s, about 15 s left`."""
    parts = [f"{state.over}/{state.total} matches"]
    if state.speed:
        parts.append(f"{state.speed:.1f}/s")
        if state.total > state.over:
            parts.append(f"about {_duration((state.total - state.over) / state.speed)} left")
    if state.lost:
        parts.append(f"{state.lost} lost by the host and played again")
    if state.blocked_s:
        parts.append(f"waits for the database ({state.blocked_s:.0f} s)")
    return ", ".join(parts)


def _duration(seconds: float) -> str:
    if seconds < 100:
        return f"{seconds:.0f} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes / 60:.1f} h"
