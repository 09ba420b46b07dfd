"""A bot process as the launcher holds it: its output, what it holds of the kernel, and what freezes it.

Only the last part of its output is kept. Pipes are read without waiting.
"""

from __future__ import annotations

import base64
import os
import signal
import subprocess
import sys
import time
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

from arena.hosting.cgroups.cgroup import Cgroup
from arena.hosting.launcher.messages import StartRequest
from arena.hosting.launcher.own_ids import OwnIds
from arena.hosting.procfs.usage import (
    KernelObjects,
    count_kernel_objects,
    count_oom_kills,
    hidden_bytes,
    machine_memory,
)

KEPT_BYTES = 64 * 1024
READ_BYTES = 64 * 1024
READS_AT_ONCE = 16
REFILL_S = 16.0
"""How many seconds of silence refill the whole allowance."""
_TOKEN = "ARENA_TOKEN"
_MAXRSS_BYTES = 1 if sys.platform == "darwin" else 1024
"""The unit of `ru_maxrss`."""
HEAD_BYTES = 16 * 1024
"""How much of the beginning is kept: the reason for trouble often stands there, and noise follows."""
TAIL_BYTES = 48 * 1024
INTERVAL_S = 1.0
"""How often all mappings are read while nothing happens."""
STEP_BYTES = 16 << 20
"""When the kernel's own or shared memory of the machine has grown by that, they are read at once."""


def token_entry(environment: Mapping[str, str], key: int) -> bytes:
    """Return the entry `NAME=value` that only this bot and its descendants have in their environment."""
    return f"{_TOKEN}={environment.get(_TOKEN, key)}".encode()


class Tail:
    """The last bytes of a stream."""

    def __init__(self) -> None:
        self._bytes = bytearray()
        self.total = 0

    def add(self, data: bytes) -> None:
        """Append data, and forget the oldest beyond what is kept."""
        self._bytes += data
        self.total += len(data)
        if len(self._bytes) > 2 * KEPT_BYTES:
            del self._bytes[:-KEPT_BYTES]

    def text(self) -> str:
        """Return what was kept, one character per byte."""
        return self._bytes[-KEPT_BYTES:].decode("latin-1")


class Allowance:
    """How much a bot may still write: a fixed amount at once, and a share of it again every second."""

    def __init__(self, most: int) -> None:
        self._most = most
        self._left = float(most)
        self._at = time.monotonic()

    def take(self, size: int) -> bool:
        """Use up `size` bytes, and return whether they were still allowed."""
        now = time.monotonic()
        self._left = min(self._left + (now - self._at) * self._most / REFILL_S, self._most) - size
        self._at = now
        return self._left >= 0


class LaunchedBot:
    """A process that was started for a request of the arena."""

    def __init__(self, key: int, request: StartRequest, process: subprocess.Popen[bytes]) -> None:
        self.key = key
        self.token = token_entry(request.environment, key)
        self.scratch = request.scratch
        self.writable = request.writable
        self.limits = request.limits
        self.is_wrapped = bool(request.confinement and request.confinement.wrapper)
        """Whether the process itself is a sandbox around the bot."""
        self.process = process
        self.pid = process.pid
        self.freezer: ProcessFreezer | None = None
        """What freezes it, if its level has means of its own."""
        self.stdout, self.stderr = Tail(), Tail()
        self.span = SpanLog()
        """What it wrote since the last mark."""
        self._stdout_at_mark = 0
        self.peak_bytes = 0
        """The most memory that a look has found in its tree, shared pages counted repeatedly."""
        self.hidden_memory = HiddenMemory()
        self.most_resident_bytes = 0
        """The most memory that one of its processes had, as the kernel says at its end."""
        pipes = {process.stdout: self.stdout, process.stderr: self.stderr}
        self.open_pipes = {pipe: tail for pipe, tail in pipes.items() if pipe is not None}
        self.allowance = Allowance(self.limits.output_bytes) if self.limits else None
        self.exceeded: dict[str, Any] | None = None
        self.has_exited = False
        self.give_up_at = 0.0
        self.next_disk_look = 0.0
        self.status_pipe: int | None = None
        self.uid_lock: Any = None
        self.own_ids: OwnIds | None = None
        """Where its user id comes from, if it has one of its own that only those ids' owner may look at."""
        self.uid: int | None = None
        self.group: Cgroup | None = None
        """Its control group, at level `strict`."""
        is_grouped = request.confinement is not None and request.confinement.group is not None
        self._oom_kills_at_mark = 0 if is_grouped else count_oom_kills()

    def find_group_excess(self) -> dict[str, Any] | None:
        """Return the limit that its group came to (`what`, `used`, `limit`), or None."""
        excess = self.group.find_excess() if self.group is not None else None
        if excess is not None and self.limits is not None and excess["what"] == "memory":
            excess["limit"] = self.limits.memory_bytes  # what it was promised; the group has room for its files too
        return excess

    def find_resident_excess(self) -> dict[str, Any] | None:
        """Return the limit of memory if one of its processes had more, as the kernel says at its end, or None.

        The kernel may have killed it for that before the next look.
        """
        used = self.most_resident_bytes
        if self.limits is None or used <= self.limits.memory_bytes:
            return None
        return {"what": "memory", "used": used, "limit": self.limits.memory_bytes}

    def was_killed_for_memory(self) -> bool:
        """Return whether the kernel killed it for want of memory since its last mark; it has ended.

        Its group tells of its own processes. Without one the kernel tells only that it killed some process meanwhile.
        """
        if self.group is None and self.exit_code() != -signal.SIGKILL:
            return False
        return self._count_oom_kills() > self._oom_kills_at_mark

    def exit_code(self) -> int:
        """Return its exit code, negative for a signal, after it was reaped."""
        code: int = self.process.returncode
        # Like a shell, bubblewrap reports death by signal n as status 128 + n, and a bot may exit so itself.
        return 128 - code if self.is_wrapped and code > 128 and code - 128 in signal.valid_signals() else code

    def _count_oom_kills(self) -> int:
        return count_oom_kills() if self.group is None else self.group.count_oom_kills()

    def reap(self, options: int = 0) -> bool:
        """Wait for its process (with os.WNOHANG: look whether it has ended), and return whether it has."""
        if self.process.returncode is None:
            pid, status, usage = os.wait4(self.pid, options)
            if not pid:
                return False
            self.process.returncode = os.waitstatus_to_exitcode(status)
            self.most_resident_bytes = usage.ru_maxrss * _MAXRSS_BYTES
        return True

    def read(self, pipe: Any) -> bool:
        """Read what has arrived through a pipe; return False at its end."""
        try:
            data = os.read(pipe.fileno(), READ_BYTES)
        except BlockingIOError:
            return True
        self._add(self.open_pipes[pipe], data)
        return bool(data)

    def output(self) -> dict[str, Any]:
        """Return the last part of its output, one character per byte, and how much it wrote in total."""
        self._drain_all()
        return {"stdout": self.stdout.text(), "stderr": self.stderr.text(), "totals": self._totals()}

    def mark(self) -> dict[str, Any]:
        """Begin another span of its output here, and return how much it has written in total."""
        self._drain_all()
        self.span.clear()
        self._stdout_at_mark = self.stdout.total
        self._oom_kills_at_mark = self._count_oom_kills()
        return {"totals": self._totals()}

    def log(self, start: int = 0) -> dict[str, Any]:
        """Return what is kept of the current span from byte `start` on, in base64, with the peak of its memory."""
        self._drain_all()
        head, tail, cut = self.span.since(start)
        return {
            "data": base64.b64encode(head + tail).decode(),
            "head": len(head),
            "cut": cut,
            "peak": self.peak_bytes or self.most_resident_bytes,
            "stdout": self.stdout.total - self._stdout_at_mark,
        }

    def _totals(self) -> list[int]:
        return [self.stdout.total, self.stderr.total]

    def _drain_all(self) -> None:
        for pipe in self.open_pipes:
            self._drain(pipe)

    def _drain(self, pipe: Any) -> None:
        try:
            for _ in range(READS_AT_ONCE):
                data = os.read(pipe.fileno(), READ_BYTES)
                if not data:
                    break
                self._add(self.open_pipes[pipe], data)
        except BlockingIOError:
            pass

    def _add(self, tail: Tail, data: bytes) -> None:
        tail.add(data)
        self.span.add(data)
        if self.allowance is None or self.exceeded is not None or self.allowance.take(len(data)):
            return
        assert self.limits is not None
        used = self.stdout.total + self.stderr.total
        self.exceeded = {"what": "output", "used": used, "limit": self.limits.output_bytes}


class SpanLog:
    """The output of a bot, both streams in the order in which they were read, from a mark on."""

    __slots__ = ("_head", "_tail", "_total")

    def __init__(self) -> None:
        self._head, self._tail, self._total = b"", bytearray(), 0

    def add(self, data: bytes) -> None:
        """Append data; of what is too much the middle is forgotten."""
        self._total += len(data)
        room = HEAD_BYTES - len(self._head)
        if room > 0:
            self._head += data[:room]
            data = data[room:]
        self._tail += data
        if len(self._tail) > 2 * TAIL_BYTES:
            del self._tail[:-TAIL_BYTES]

    def clear(self) -> None:
        """Forget everything: what is written from now on belongs to another match."""
        self._head, self._total = b"", 0
        self._tail.clear()

    def since(self, start: int) -> tuple[bytes, bytes, int]:
        """Return what is kept from byte `start` on, in two parts, and how many bytes are missing between them."""
        kept = bytes(self._tail[-TAIL_BYTES:])
        head, tail = self._head[start:], kept[max(start - (self._total - len(kept)), 0) :]
        return head, tail, max(self._total - start, 0) - len(head) - len(tail)


class HiddenMemory:
    """What one bot holds of the kernel and in shared memory; created when it starts."""

    __slots__ = ("_bytes", "_least", "_next_look", "_seen", "objects")

    def __init__(self) -> None:
        self._least = machine_memory()
        self._seen = sum(self._least)
        self._next_look = 0.0
        self._bytes = 0
        self.objects = KernelObjects()
        """What it held by its open files, if the last call looked."""

    def measure(self, pids: Sequence[int], own_ids: OwnIds | None = None) -> int:
        """Return the bytes that were found last. A look that is not due reads one file."""
        kernel, shared = machine_memory()
        self._least = min(self._least[0], kernel), min(self._least[1], shared)
        now = time.monotonic()
        self.objects = KernelObjects()
        if now >= self._next_look or kernel + shared > self._seen + STEP_BYTES:
            self._next_look, self._seen = now + INTERVAL_S, kernel + shared
            self.objects = own_ids.count(pids) if own_ids is not None else count_kernel_objects(pids)
            growth = kernel - self._least[0], shared - self._least[1]
            self._bytes = hidden_bytes(pids, growth, self.objects)
        return self._bytes


class FreezeError(Exception):
    """The bot could not be frozen or thawed; `is_own` tells whether it saw to that. The message is a sentence."""

    def __init__(self, sentence: str, *, is_own: bool = False) -> None:
        super().__init__(sentence)
        self.is_own = is_own


class ProcessFreezer(Protocol):
    """Stops all that one bot runs, at one moment, and lets it go on."""

    is_whole: bool
    """Whether nothing of a bot can escape it, so that whatever computes while frozen has found a way to thaw itself."""

    def freeze(self) -> None:
        """Return when nothing of the bot can compute any more; nothing happens if it has ended. Raises FreezeError."""

    def thaw(self) -> None:
        """Let all of it go on. Raises FreezeError."""
