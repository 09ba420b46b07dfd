"""A process that was started, and the last part of what it wrote. Reads pipes without waiting."""

from __future__ import annotations

import os
import subprocess
import time
from typing import Any

KEPT_BYTES = 64 * 1024
READ_BYTES = 64 * 1024
READS_AT_ONCE = 16
REFILL_S = 16.0
"""After so many seconds of silence a bot may write its whole allowance again."""


def mark_of(command: dict[str, Any]) -> bytes:
    """What stands in the environment of a bot and of nobody else."""
    return f"ARENA_TOKEN={command['env'].get('ARENA_TOKEN', command['id'])}".encode()


class Tail:
    """The last bytes of a stream."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        """Append, and forget what is too old."""
        self._bytes += data
        self.total += len(data)
        if len(self._bytes) > 2 * KEPT_BYTES:
            del self._bytes[:-KEPT_BYTES]

    def text(self) -> str:
        """What was kept, a character a byte."""
        return self._bytes[-KEPT_BYTES:].decode("latin-1")


class Allowance:
    """How much a bot may still write: so much at once, and a share of it more every second."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._left = float(most)
        self._at = time.monotonic()

    def take(self, size: int) -> bool:
        """Whether that much was still allowed."""
        now = time.monotonic()
        self._left = min(self._left + (now - self._at) * self._most / REFILL_S, self._most) - size
        self._at = now
        return self._left >= 0


class Bot:
    """A process that was started, by the command that asked for it."""

    def __init__(self, command: dict[str, Any], process: subprocess.Popen[bytes]) -> None:
        self.key: int = command["id"]
        self.mark = mark_of(command)
        self.scratch: str | None = command["scratch"]
        self.keep: dict[str, Any] = command["keep"] or {}
        self.process = process
        self.pid = process.pid
        self.stdout, self.stderr = Tail(), Tail()
        self.open_pipes = {process.stdout: self.stdout, process.stderr: self.stderr}
        self.allowance = Allowance(self.keep["output_bytes"]) if self.keep else None
        self.exceeded: dict[str, Any] | None = None
        self.has_exited = False
        self.give_up_at = 0.0
        self.next_disk_look = 0.0
        self.status_pipe: int | None = None
        self.uid_lock: Any = None
        self.uid: int | None = None

    @property
    def is_confined(self) -> bool:
        """Whether the process itself is a sandbox around the bot."""
        return bool(self.keep.get("wrapped"))

    def read(self, pipe: Any) -> bool:
        """Take what has come through a pipe; False at its end."""
        try:
            data = os.read(pipe.fileno(), READ_BYTES)
        except BlockingIOError:
            return True
        self._add(self.open_pipes[pipe], data)
        return bool(data)

    def output(self) -> dict[str, Any]:
        """The last part of what it wrote, a character a byte, and how much it wrote in all."""
        for pipe, tail in self.open_pipes.items():
            try:
                for _ in range(READS_AT_ONCE):
                    assert pipe is not None
                    data = os.read(pipe.fileno(), READ_BYTES)
                    if not data:
                        break
                    self._add(tail, data)
            except BlockingIOError:
                pass
        return {
            "stdout": self.stdout.text(),
            "stderr": self.stderr.text(),
            "totals": [self.stdout.total, self.stderr.total],
        }

    def _add(self, tail: Tail, data: bytes) -> None:
        tail.add(data)
        if self.allowance is not None and self.exceeded is None and not self.allowance.take(len(data)):
            limit = self.keep["output_bytes"]
            self.exceeded = {"what": "output", "used": self.stdout.total + self.stderr.total, "limit": limit}
