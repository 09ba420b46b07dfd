"""The logs of a service: JSON lines in a file that rotates by size, and lines for people on stderr.

Keys that say what a line is about are the same everywhere: `match`, `attempt`, `seat`, `ply`, `version`.
"""

from __future__ import annotations

import logging
import os
import queue
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import TextIOWrapper
from logging.handlers import RotatingFileHandler
from pathlib import Path

import structlog

from arena.i18n.sanitize import plain
from engine.os_errors import os_error_text

FILE_NAME = "serve.jsonl"
LARGEST_BYTES = 20 << 20
KEPT_FILES = 9
"""How many full files are kept beside the one that is written: 200 MB in all."""

_PATIENCE_S = 1.0

Logger = structlog.stdlib.BoundLogger


def get_logger(part: str) -> Logger:
    """Return the logger of a part of the service."""
    logger: Logger = structlog.stdlib.get_logger(f"arena.{part}")
    return logger


@contextmanager
def logging_to(directory: Path) -> Iterator[None]:
    """Write everything into `directory`, and what people should see to stderr, for the block."""
    shared: list[structlog.typing.Processor] = [
        structlog.contextvars.merge_contextvars,
        structlog.stdlib.add_log_level,
        structlog.stdlib.add_logger_name,
        structlog.processors.TimeStamper(fmt="iso", utc=True),
        structlog.processors.format_exc_info,
    ]
    structlog.configure(
        processors=[*shared, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
        wrapper_class=structlog.stdlib.BoundLogger,
        logger_factory=structlog.stdlib.LoggerFactory(),
    )
    terminal = logging.StreamHandler(sys.stderr)
    console = structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0)

    def render(logger: object, name: str, event: structlog.typing.EventDict) -> str:
        # What it tells may have been named by anybody.
        return plain(console(logger, name, event), keep="\n")

    terminal.setFormatter(_formatter(render, [*shared, _leave_out_traceback], _leave_out_traceback))
    people = DroppingQueueHandler(terminal)
    people.setLevel(logging.INFO)
    file = directory / FILE_NAME
    everything = LogFile(file, people)
    file.chmod(0o600)
    everything.setFormatter(_formatter(structlog.processors.JSONRenderer(), shared))
    everything.setLevel(logging.DEBUG)
    handlers = [everything, people]
    root, ours = logging.getLogger(), logging.getLogger("arena")
    for handler in handlers:
        root.addHandler(handler)
    ours.setLevel(logging.DEBUG)
    try:
        yield
    finally:
        for handler in handlers:
            root.removeHandler(handler)
            handler.close()
        ours.setLevel(logging.NOTSET)
        structlog.reset_defaults()


def _leave_out_traceback(_logger: object, _name: str, event: structlog.typing.EventDict) -> structlog.typing.EventDict:
    """Leave to the file what only programmers read."""
    event.pop("exception", None)
    return event


class LogFile(RotatingFileHandler):
    """Writes lines while the disk takes them, and counts those that it does not, so that a full disk stops nobody.

    What logging itself does then is to write a traceback for each line to stderr, which may be stuck.
    """

    def __init__(self, file: Path, people: logging.Handler) -> None:
        """Tell `people`, once, when lines cannot be written."""
        self._people = people
        self._lost = 0
        self._why = ""
        self._has_told = False
        super().__init__(file, maxBytes=LARGEST_BYTES, backupCount=KEPT_FILES, encoding="utf-8")

    def emit(self, record: logging.LogRecord) -> None:
        """Write a line, and before it how many could not be written, if any."""
        if lost := self._lost:
            self._lost = 0
            super().emit(_warning(f"{lost} lines could not be written: {self._why}"))
            if self._lost:
                self._lost += lost  # this line instead of that one
                return
            self._has_told = False
        super().emit(record)

    def handleError(self, record: logging.LogRecord) -> None:  # noqa: N802 - the library's name
        """Count a line that could not be written, and begin anew with the file."""
        error = sys.exc_info()[1]
        if not isinstance(error, OSError):
            super().handleError(record)
            return
        if self.stream is not None:
            with suppress(OSError):
                self.stream.close()
            self.stream = None  # it is opened with the next line
        self._why = os_error_text(error)
        self._lost += 1
        if not self._has_told:
            self._has_told = True
            self._people.handle(_warning(f"the log cannot be written: {self._why}; make room on the disk"))

    def _open(self) -> TextIOWrapper:
        """Open the file, with an end behind a line of which only a part was written."""
        stream = super()._open()
        path = Path(self.baseFilename)
        if path.stat().st_size:
            with path.open("rb") as written:
                written.seek(-1, os.SEEK_END)
                if written.read(1) != b"\n":
                    stream.write("\n")
        return stream


def _warning(text: str) -> logging.LogRecord:
    return logging.LogRecord("arena.service", logging.WARNING, __file__, 0, text, None, None)


class DroppingQueueHandler(logging.Handler):
    """Hands lines to another handler in a thread of its own, and drops them while that one is stuck.

    A terminal that was stopped with Ctrl-S, or a pipe that nobody reads, must not stop a service.
    """

    def __init__(self, target: logging.Handler, most_waiting: int = 1000) -> None:
        super().__init__()
        self._target = target
        self._waiting: queue.Queue[logging.LogRecord | None] = queue.Queue(most_waiting)
        self._thread = threading.Thread(target=self._write, name="log for people", daemon=True)
        self._thread.start()

    def emit(self, record: logging.LogRecord) -> None:
        """Queue the record, or drop it if too many wait already."""
        with suppress(queue.Full):
            self._waiting.put_nowait(record)

    def close(self) -> None:
        """Write what waits, unless that takes long."""
        with suppress(queue.Full):
            self._waiting.put_nowait(None)
        self._thread.join(_PATIENCE_S)
        super().close()

    def _write(self) -> None:
        while (record := self._waiting.get()) is not None:
            self._target.handle(record)


def _formatter(
    renderer: structlog.typing.Processor, shared: list[structlog.typing.Processor], *more: structlog.typing.Processor
) -> structlog.stdlib.ProcessorFormatter:
    # Lines of libraries, which do not use structlog, get the same keys.
    meta = structlog.stdlib.ProcessorFormatter.remove_processors_meta
    return structlog.stdlib.ProcessorFormatter(foreign_pre_chain=shared, processors=[meta, *more, renderer])
