"""The logs of a service: JSON lines in a file that rotates by size, and lines for people on stderr.

Keys that say what a line is about are the same everywhere: `match`, `attempt`, `seat`, `ply`, `version`.
"""

from __future__ import annotations

import logging
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from logging.handlers import RotatingFileHandler
from pathlib import Path

import structlog

FILE_NAME = "serve.jsonl"
LARGEST_BYTES = 20 << 20
KEPT_FILES = 9
"""How many full files are kept beside the one that is written: 200 MB in all."""

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
    handlers = [_file_handler(directory / FILE_NAME, shared), _people_handler(shared)]
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


def _file_handler(file: Path, shared: list[structlog.typing.Processor]) -> logging.Handler:
    handler = RotatingFileHandler(file, maxBytes=LARGEST_BYTES, backupCount=KEPT_FILES, encoding="utf-8")
    file.chmod(0o600)
    handler.setFormatter(_formatter(structlog.processors.JSONRenderer(), shared))
    handler.setLevel(logging.DEBUG)
    return handler


def _people_handler(shared: list[structlog.typing.Processor]) -> logging.Handler:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(_formatter(structlog.dev.ConsoleRenderer(colors=False, pad_event_to=0), shared))
    handler.setLevel(logging.INFO)
    return handler


def _formatter(
    renderer: structlog.typing.Processor, shared: list[structlog.typing.Processor]
) -> structlog.stdlib.ProcessorFormatter:
    # Lines of libraries, which do not use structlog, get the same keys.
    return structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=shared, processors=[structlog.stdlib.ProcessorFormatter.remove_processors_meta, renderer]
    )
