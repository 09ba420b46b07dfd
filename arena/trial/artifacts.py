"""Keeps the replays and logs of the last test of a bot in a directory, in place of those of the test before."""

from __future__ import annotations

import fcntl
import hashlib
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import ClassVar

from arena.hosting.user_directories import cache_directory
from arena.match.worker_report import LOG_HEAD_BYTES, SeatLogText
from arena.trial.trials import PlayedTrial
from engine.os_errors import os_error_text
from engine.translatable import Text

REPLAY_SUFFIX, LOG_SUFFIX = ".replay", ".log"
_DIGITS = 8


class KeepingError(ValueError):
    """The directory cannot be made, or holds what is not ours."""

    kind: ClassVar[str] = "misuse"


def usual_place(directory: Path) -> Path:
    """Return where tests of the bot in that directory are kept, in this user's cache."""
    digest = hashlib.sha256(os.fsencode(directory.resolve())).hexdigest()[:_DIGITS]
    return cache_directory() / "bot-tests" / f"{directory.resolve().name or 'bot'}-{digest}"


@contextmanager
def held(directory: Path) -> Iterator[None]:
    """Make a directory and keep other tests out of it for the time of the block.

    A process that is killed lets go of it. Raises KeepingError if another test has it, or it cannot be made.
    """
    _make(directory)
    place = os.open(directory, os.O_RDONLY | os.O_DIRECTORY)
    try:
        try:
            fcntl.flock(place, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise KeepingError(
                Text(
                    "another test keeps its replays in {directory} now; wait until it is over, or name another "
                    "directory with --keep",
                    directory=directory,
                )
            ) from None
        yield
    finally:
        os.close(place)


def _make(directory: Path) -> None:
    try:
        directory.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise KeepingError(
            Text(
                "{directory} cannot be made ({why}); name another directory with --keep",
                directory=directory,
                why=os_error_text(error),
            )
        ) from error


class ArtifactDirectory:
    """A directory of replays and logs."""

    def __init__(self, directory: Path) -> None:
        """Make it, and remove what an earlier test left. Raises KeepingError, OSError."""
        self.directory = directory
        _make(directory)
        entries = list(directory.iterdir())
        for entry in entries:
            if entry.suffix not in (REPLAY_SUFFIX, LOG_SUFFIX) or not entry.is_file():
                raise KeepingError(
                    Text(
                        "{directory} holds {name}, which no test of a bot wrote; name a directory of its own",
                        directory=directory,
                        name=entry.name,
                    )
                )
        for entry in entries:
            entry.unlink()

    def add(self, played: PlayedTrial) -> None:
        """Write the replay of a match, and what the bot wrote in it. Raises OSError."""
        self.replay(played).write_bytes(played.report.replay)
        for log in played.report.seat_logs:
            if log.seat in played.trial.own:
                self.log(played).write_bytes(whole_log(log))

    def replay(self, played: PlayedTrial) -> Path:
        """Return where the replay of a match lies."""
        return self.directory / f"{played.trial.spec.match_id}{REPLAY_SUFFIX}"

    def log(self, played: PlayedTrial) -> Path:
        """Return where the log of a match lies, if the bot wrote anything."""
        return self.directory / f"{played.trial.spec.match_id}{LOG_SUFFIX}"


def whole_log(log: SeatLogText) -> bytes:
    """Return a log that says where something was left out."""
    if not log.cut_bytes:
        return log.data
    gap = f"\n[{log.cut_bytes} bytes left out]\n".encode()
    return log.data[:LOG_HEAD_BYTES] + gap + log.data[LOG_HEAD_BYTES:]
