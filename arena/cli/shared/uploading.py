"""Shows how far an upload is: one live line on a terminal, a line now and then in a log."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

from arena.cli.shared.cells import printable
from arena.cli.shared.saying import say, told
from arena.cli.shared.terminal import raw_stream

_LIVE_EVERY_S = 0.1
_LOG_EVERY_S = 5.0
_KIB = 1024


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
        """Say why it did not work, and when it is tried again."""
        self.end()
        self._written = 0
        self._stream.write(
            say("cli_shared.tried_again", error=printable(told(str(error))), seconds=f"{pause_s:g}") + "\n"
        )
        self._stream.flush()

    def end(self) -> None:
        """End the live line."""
        if self._live and self._written:
            self._stream.write("\n")
            self._stream.flush()
