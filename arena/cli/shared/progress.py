"""Shows how far a run, a look at the database or an upload is: a live line on a terminal, lines in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Literal, TextIO

from arena.cli.shared.cells import printable
from arena.cli.shared.language import say, translated
from arena.cli.shared.terminal import fold, raw_stream, width_of
from arena.i18n.sanitize import plain
from arena.model.table_columns import format_duration

if TYPE_CHECKING:  # most of what is shown here asks nothing of a book
    from ratings.values.states import WorkStage

_LIVE_EVERY_S = 0.1
_LOG_EVERY_S = 5.0
_SILENT_S = 1.0
_KIB = 1024


def progress_text(done: int, total: int, rate: float | None) -> str:
    """Return a progress line; `rate` is in matches a second, 0 before the first, `None` while it is not known yet."""
    text = say("cli_shared.progress", done=done, total=total)
    if rate is None and done < total:
        return say("cli_shared.progress_estimating", text=text)
    if not rate:
        return text
    text = f"{text}, {rate:.1f}/s"
    return (
        text
        if done >= total
        else say("cli_shared.progress_left", text=text, time=format_duration(round((total - done) / rate)))
    )


class ProgressDisplay:
    """Shows on stderr how far a run is, no more often than is useful."""

    def __init__(
        self, done: int, total: int, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        """Start with `done` of `total` matches finished already, as in a resumed run."""
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._live = self._stream.isatty()
        self._before = done
        self._total = total
        self._start = self._shown_at = clock()
        self._written = 0
        self._lines = 1
        self._speed: float | Literal["own"] | None = "own"

    def update(
        self, done: int, note: str = "", total: int | None = None, *, speed: float | Literal["own"] | None = "own"
    ) -> None:
        """Show that `done` matches are finished, followed by `note`, unless something was shown just now.

        `total` is given for a tournament that is planned wave by wave: the number of matches planned so far. `speed` is
        in matches a second, or `None` while nobody knows it; without one it is what was done since the beginning.
        """
        self._total = self._total if total is None else total
        self._speed = speed
        now = self._clock()
        if now - self._shown_at < (_LIVE_EVERY_S if self._live else _LOG_EVERY_S):
            return
        self._shown_at = now
        self._write(self._text(done, note))

    def end(self, done: int, note: str = "") -> None:
        """Show the final state with the speed of the whole, and end the line.

        With a `note` that it broke off, that stands in place of the speed and the time left.
        """
        self._speed = 0.0 if note else "own"
        self._write(self._text(done, note))
        if self._live:
            self._stream.write("\n")
            self._stream.flush()

    def take_away(self) -> None:
        """Take away what is shown live; in a log it stays."""
        if self._live and self._written:
            self._write_over([""])
            raw_stream(self._stream).write("\r")
            self._stream.flush()

    @property
    def elapsed_s(self) -> float:
        """Return the seconds since the start."""
        return self._clock() - self._start

    def _text(self, done: int, note: str) -> str:
        speed = self._speed
        if speed == "own":
            elapsed_s = self.elapsed_s
            speed = max(0, done - self._before) / elapsed_s if elapsed_s > 0 else 0.0
        text = progress_text(done, self._total, speed)
        return f"{text}; {note}" if note else text

    def _write(self, text: str) -> None:
        if self._live:
            self._write_over(fold(plain(text), max(1, (width_of(self._stream) or 1) - 1)))
        else:
            self._stream.write(f"{text}\n")
        self._stream.flush()

    def _write_over(self, lines: Sequence[str]) -> None:
        if len(lines) == self._lines == 1:
            text = f"\r{lines[0].ljust(self._written)}"
        else:
            back = f"\x1b[{self._lines - 1}A" if self._lines > 1 else ""
            text = f"\r{back}\x1b[J" + "\n".join(lines)
        raw_stream(self._stream).write(text)
        self._written, self._lines = len(lines[-1]), len(lines)


class LazyProgress:
    """Shows the progress of something whose total is known only while it runs; nothing if it ends at once."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream, self._clock = stream, clock
        self._start = clock()
        self._display: ProgressDisplay | None = None
        self._total = 0

    def update(self, done: int, total: int) -> None:
        """Show that `done` of `total` matches are done, if it has gone on for a while."""
        self._total = total
        if self._display is None and self._clock() - self._start >= _SILENT_S:
            self._display = ProgressDisplay(done, total, self._stream, self._clock)
        if self._display is not None:
            self._display.update(done)

    def end(self) -> None:
        """Show that everything is done, if anything was shown."""
        if self._display is not None:
            self._display.end(self._total)


class StageDisplay(ProgressDisplay):
    """Shows on stderr what is being looked at, and for how long already."""

    _part = "cli_db.stage_part"
    _time = "cli_db.stage_time"

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__(0, 0, sys.stderr if stream is None else stream, clock)

    def show(self, stage: WorkStage, done: int, total: int) -> None:
        """Show the stage, and how much of how much is done where that is counted, unless something was shown just now.

        A look that is over within a few seconds leaves nothing in a log.
        """
        said = say(f"cli_db.stage_{stage}")
        self.update(done, say(self._part, stage=said, done=done, total=total) if total else said)

    def clear(self) -> None:
        """Take the live line away."""
        self.take_away()

    def _text(self, _done: int, note: str) -> str:
        return say(self._time, stage=note, time=format_duration(round(self.elapsed_s)))


class CopyDisplay(StageDisplay):
    """Shows on stderr how far a copy of a database is, which counts rows."""

    _part = "cli_db.copy_part"
    _time = "cli_db.copy_time"


def format_size(size_bytes: int) -> str:
    """Write a number of bytes for people: 812 B, 14 KiB, 3.2 MiB."""
    if size_bytes < _KIB:
        return f"{size_bytes} B"
    return f"{size_bytes / _KIB:.0f} KiB" if size_bytes < _KIB**2 else f"{size_bytes / _KIB**2:.1f} MiB"


class UploadDisplay:
    """Shows on stderr how much of an archive was sent, no more often than is useful."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = sys.stderr if stream is None else stream
        self._clock = clock
        self._live = self._stream.isatty()
        self._shown_at = clock()
        self._written = 0

    def update(self, sent_bytes: int, total_bytes: int) -> None:
        """Show that so many bytes were sent, unless something was shown just now. Any thread may call it."""
        now = self._clock()
        if now - self._shown_at < (_LIVE_EVERY_S if self._live else _LOG_EVERY_S) and sent_bytes < total_bytes:
            return
        self._shown_at = now
        share = 100 * sent_bytes // total_bytes if total_bytes else 100
        text = say("cli_shared.uploading", sent=format_size(sent_bytes), total=format_size(total_bytes), share=share)
        if self._live:
            raw_stream(self._stream).write(f"\r{text.ljust(self._written)}")
            self._written = len(text)
        elif sent_bytes < total_bytes:
            self._stream.write(f"{text}\n")
        self._stream.flush()

    def note_retry(self, error: Exception, pause_s: float) -> None:
        """Write why an attempt failed and when the next one begins."""
        self.end()
        self._written = 0
        self._stream.write(
            say("cli_shared.tried_again", error=printable(translated(str(error))), seconds=f"{pause_s:g}") + "\n"
        )
        self._stream.flush()

    def end(self) -> None:
        """End the live line."""
        if self._live and self._written:
            self._stream.write("\n")
            self._stream.flush()
