"""Lets only one service run on a home: a file lock, which the system frees however its holder dies."""

from __future__ import annotations

import fcntl
import json
import os
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from arena.service.errors import HomeHeldError
from arena.tournament.lock import take
from engine.text import Text

_LONGEST = 4096


@dataclass(frozen=True, slots=True)
class HomeLock:
    """The lock while it is held."""

    descriptor: int
    since_s: int

    def publish(self, addresses: Sequence[str]) -> None:
        """Write where this service listens, for whoever finds the lock held."""
        text = json.dumps({"pid": os.getpid(), "since_s": self.since_s, "addresses": list(addresses)})
        os.ftruncate(self.descriptor, 0)
        os.pwrite(self.descriptor, text.encode(), 0)


@contextmanager
def held(path: Path) -> Iterator[HomeLock]:
    """Hold the lock of a home for the block. Raises HomeHeldError, which says who has it, at once.

    Not inherited by processes started meanwhile, so none of them keeps it when this one is killed.
    """
    descriptor = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        try:
            take(descriptor)
        except BlockingIOError:
            raise HomeHeldError(_describe(path, descriptor)) from None
        lock = HomeLock(descriptor, int(time.time()))
        lock.publish([])
        yield lock
        os.ftruncate(descriptor, 0)
    finally:
        os.close(descriptor)


def holder_of(path: Path) -> dict[str, Any] | None:
    """Return what the service that holds the lock says of itself: pid, since_s, addresses; `None` if nobody does."""
    try:
        descriptor = os.open(path, os.O_RDWR | os.O_CLOEXEC)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(descriptor, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except BlockingIOError:
        return _read(descriptor)
    finally:
        os.close(descriptor)
    return None


def _read(descriptor: int) -> dict[str, Any]:
    try:
        said = json.loads(os.pread(descriptor, _LONGEST, 0))
    except ValueError:
        return {}  # it is just being written
    return said if isinstance(said, dict) else {}


def _describe(path: Path, descriptor: int) -> str:
    said = _read(descriptor)
    who = f"process {said['pid']}" if "pid" in said else "another process"
    since = f" since {datetime.fromtimestamp(said['since_s'], UTC):%Y-%m-%d %H:%M:%S} UTC" if "since_s" in said else ""
    where = f" at {', '.join(said['addresses'])}" if said.get("addresses") else ""
    return Text(
        "service.served_already_stop_one_give",
        "{path} is served already, by {who}; stop that one, or give another --home",
        path=path.parent.parent,
        who=f"{who}{since}{where}",
    )
