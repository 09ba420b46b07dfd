"""The process of an engine and the pipes to it: lines go out, lines come in. It never outlives this process.

Start it before gRPC is imported: what runs between fork and exec must not meet other threads.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Sequence

from bots.uci.errors import UciError

LONGEST_LINE = 1_048_576
"""Bytes after which a line that has not ended is none."""
_END_S = 2.0
"""How long an engine may take to end once it is told to."""
_PR_SET_PDEATHSIG = 1


class EngineProcess:
    """An engine that runs. `say`, `say_anew` and `hear` raise UciError if it has ended."""

    def __init__(self, command: Sequence[str]) -> None:
        self.name = shlex.join(command)
        self._asked = ""
        self._asked_s: float | None = None
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=_dying_with(os.getpid())
            )
        except (OSError, ValueError) as error:
            raise UciError(
                f"the engine {self.name} cannot be started: {error}; give --engine the full path of a program"
            ) from None
        assert self._process.stdin is not None, "a pipe was asked for"
        assert self._process.stdout is not None, "a pipe was asked for"
        self._in, self._out = self._process.stdin, self._process.stdout

    def send(self, text: str) -> None:
        """Send commands, one a line."""
        self._write(text, text)

    def send_anew(self, text: str) -> None:
        """Send commands so that nothing which was said before counts as their answer, such as a second `bestmove`.

        They go out at once with the question whether the engine is ready, so that it waits for nobody.
        """
        self._write(text, f"isready\n{text}")
        self._find(b"readyok")

    def _write(self, asked: str, text: str) -> None:
        self._asked, self._asked_s = asked, time.monotonic()
        try:
            self._in.write(f"{text}\n".encode())
            self._in.flush()
        except BrokenPipeError:
            raise self._ended() from None

    def receive(self, word: bytes) -> bytes:
        """Wait for the next line that begins with `word`, and drop those before it.

        Without a word it is the next line, whatever that is: the answer is still owed.
        """
        line = self._find(word)
        if word:
            self._asked_s = None
        return line

    def _find(self, word: bytes) -> bytes:
        readline = self._out.readline
        while True:
            line = readline(LONGEST_LINE)
            if not line.endswith(b"\n"):
                raise self._endless(line) if len(line) == LONGEST_LINE else self._ended()
            if line.startswith(word):
                return line.rstrip()

    def stop(self) -> None:
        """Tell the engine to quit, and kill it if it does not."""
        with contextlib.suppress(OSError):
            self._in.write(b"quit\n")
            self._in.flush()
        for pipe in (self._in, self._out):
            with contextlib.suppress(OSError):
                pipe.close()
        try:
            self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()

    def kill(self) -> None:
        """End the engine at once."""
        self._process.kill()

    def silence(self) -> str:
        """Return what the engine was asked and for how long it has not answered; nothing if it owes no answer."""
        if self._asked_s is None:
            return ""
        waited_ms = (time.monotonic() - self._asked_s) * 1000
        return f"the engine {self.name} has not answered {quote(self._asked)} for {waited_ms:.0f} ms"

    def illegal(self, answer: str | bytes) -> UciError:
        """Return the error of an answer to what the engine was asked last that is no legal move."""
        return UciError(f"the engine {self.name} answered {quote(answer)} to {quote(self._asked)}: no legal move")

    def _endless(self, line: bytes) -> UciError:
        return UciError(
            f"the engine {self.name} wrote {len(line)} bytes without an end of line when it was asked "
            f"{quote(self._asked)}: {quote(line)}"
        )

    def _ended(self) -> UciError:
        try:
            status = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            how = "closed its pipes"
        else:
            how = f"was ended by {_signal_name(-status)}" if status < 0 else f"ended with exit status {status}"
        return UciError(f"the engine {self.name} {how} when it was asked {quote(self._asked)}")


def quote(text: str | bytes) -> str:
    """Return what an engine was asked or said as a short quotation, its end if it is long."""
    words = text.decode("utf-8", "replace") if isinstance(text, bytes) else text
    return repr(words if len(words) <= 200 else f"... {words[-200:]}")


def _signal_name(number: int) -> str:
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"signal {number}"


def _dying_with(parent: int) -> Callable[[], None] | None:
    """Return what has the kernel kill a new process when this one ends; without Linux the end of its pipe must do."""
    if sys.platform != "linux":
        return None
    libc = ctypes.CDLL(None)

    def before_exec() -> None:
        libc.prctl(_PR_SET_PDEATHSIG, signal.SIGKILL, 0, 0, 0)
        if os.getppid() != parent:  # it ended before the kernel was asked
            os._exit(1)

    return before_exec
