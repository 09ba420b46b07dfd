"""Talks UCI with an engine: the handshake, its options, new games, the move that it chooses; its process and pipes.

The process never outlives this one. Start it before gRPC is imported: what runs between fork and exec must not meet
other threads. What goes wrong is a UciError, whose sentence names the engine, what it was asked, and what came. The bot
ends with it on stderr, so that the arena keeps the sentence as evidence of the fault.
"""

from __future__ import annotations

import contextlib
import ctypes
import os
import re
import shlex
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

_THREADS = "threads"
_OPTION = re.compile(rb"option name (.+?)(?: type |$)")
_SPARE_NODES = 20_000
_GO_NODES = re.compile(r"\bnodes (\d+)")
_NODES = re.compile(rb"^info (?!.*\bstring\b).*\bnodes (\d{1,18})\b")
_BYTE_ORDER_MARK = b"\xef\xbb\xbf"
LONGEST_LINE = 1_048_576
"""Bytes after which a line that has not ended is none."""
_NO_MOVE = ("(none)", "0000", "null")
_END_S = 2.0  # how long an engine may take to end once it is told to
_PR_SET_PDEATHSIG = 1


class UciError(Exception):
    """The engine cannot be started, has ended, or said something that is no answer."""


class Engine:
    """An engine that plays. Every method raises UciError if it ended or said what is no answer.

    None of them gives up waiting: for how long an engine may be silent is for the arena's clock to say.
    """

    def __init__(self, process: EngineProcess, options: Mapping[str, str]) -> None:
        self._process = process
        self._wanted = {" ".join(name.lower().split()): value for name, value in options.items()}
        self._has: dict[str, str] = {}
        self._threads = 0

    def start(self) -> None:
        """Greet the engine and set its options."""
        self._process.send("uci")
        while (line := self._process.receive(b"")).partition(b" ")[0] != b"uciok":
            if found := _OPTION.match(line):
                name = found[1].decode("utf-8", "replace")
                self._has[name.lower()] = name
        for name, value in self._wanted.items():
            self._set(name, value)
        self._process.send("isready")
        self._process.receive(b"readyok")

    def new_game(self, cores: int) -> None:
        """Have the engine forget the last game, and think with so many threads unless that option was given."""
        if cores != self._threads and _THREADS in self._has and _THREADS not in self._wanted:
            self._set(_THREADS, str(cores))
            self._threads = cores
        self._process.send("ucinewgame\nisready")
        self._process.receive(b"readyok")

    def best_move(self, position: str, go: str) -> str:
        """Return the move that the engine chooses.

        One that does not know `go nodes`, such as Toga, thinks on; it is stopped when it tells of far more nodes. Not
        before: others look at their limit every few thousand nodes, and where a stop reaches them is not repeatable.
        """
        self._process.send_anew(f"{position}\n{go}")
        nodes = _GO_NODES.search(go)
        line = self._process.receive(b"bestmove", most_nodes=2 * int(nodes[1]) + _SPARE_NODES if nodes else None)
        words = line.split(b" ")
        if len(words) < 2:
            raise self._process.illegal(line)
        return words[1].decode("utf-8", "replace").lower()

    def illegal(self, move: str) -> UciError:
        """Return the error of a move that the position does not allow."""
        return self._process.illegal(move)

    def _set(self, name: str, value: str) -> None:
        """Set an option, whatever the case of its name."""
        if name not in self._has:
            known = ", ".join(self._has.values()) or "none"
            raise UciError(f"the engine {self._process.name} has no option {quote(name)}; it has: {known}")
        self._process.send(f"setoption name {self._has[name]} value {value}")


class EngineProcess:
    """An engine that runs. `send`, `send_anew` and `receive` raise UciError if it has ended."""

    def __init__(self, command: Sequence[str]) -> None:
        self.name = shlex.join(command)
        self._asked = ""
        self._heard = b""
        self._asked_s: float | None = None
        try:
            self._process = subprocess.Popen(
                command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, preexec_fn=_dying_with(os.getpid())
            )
        except (OSError, ValueError) as error:
            raise UciError(f"the engine {self.name} cannot be started: {error}; {_remedy(command[0], error)}") from None
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
        self._say(text)

    def _say(self, text: str) -> None:
        try:
            self._in.write(f"{text}\n".encode())
            self._in.flush()
        except BrokenPipeError:
            raise self._ended() from None

    def receive(self, word: bytes, *, most_nodes: int | None = None) -> bytes:
        """Wait for the next line whose first word is `word`, and drop those before it.

        The line is returned with one space between words, and none around them.
        Without a word it is the next line, whatever that is: the answer is still owed. The engine is told to stop when
        it tells of more nodes than `most_nodes`.
        """
        line = self._find(word, most_nodes)
        if word:
            self._asked_s = None
        return line

    def _find(self, word: bytes, most_nodes: int | None = None) -> bytes:
        readline = self._out.readline
        while True:
            line = readline(LONGEST_LINE)
            if not line:
                raise self._ended()
            self._heard = line.strip()
            if len(line) == LONGEST_LINE and not line.endswith(b"\n"):
                raise UciError(
                    f"the engine {self.name} wrote {len(line)} bytes without an end of line when it was asked "
                    f"{quote(self._asked)}: {quote(line)}"
                )
            words = line.removeprefix(_BYTE_ORDER_MARK).split()  # what is between words is white space of any kind
            if not word or words[:1] == [word]:
                return b" ".join(words)
            told = _NODES.match(b" ".join(words)) if most_nodes is not None else None
            if told and int(told[1]) > (most_nodes or 0):
                most_nodes = None
                self._say("stop")

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
        return f"the engine {self.name} has not answered {quote(self._asked)} for {waited_ms:.0f} ms{self._doubt()}"

    def illegal(self, answer: str | bytes) -> UciError:
        """Return the error of an answer to what the engine was asked last that is no legal move."""
        error = f"the engine {self.name} answered {quote(answer)} to {quote(self._asked)}: no legal move"
        return UciError(f"{error}; its limit may be too low for it" if answer in _NO_MOVE else error)

    def _ended(self) -> UciError:
        try:
            status = self._process.wait(_END_S)
        except subprocess.TimeoutExpired:
            how = "closed its pipes"
        else:
            how = f"was ended by {_signal_name(-status)}" if status < 0 else f"ended with exit status {status}"
        return UciError(f"the engine {self.name} {how} when it was asked {quote(self._asked)}{self._doubt()}")

    def _doubt(self) -> str:
        """Return what to do about an engine that has not greeted."""
        if self._asked != "uci":
            return ""
        heard = f"; it said {quote(self._heard)}" if self._heard else ""
        return f"{heard}; give one that speaks UCI, which some do with an argument only (-- --uci), others not at all"


def _remedy(program: str, error: Exception) -> str:
    """Return what to do about a program that cannot be started."""
    if isinstance(error, FileNotFoundError) and Path(program).exists():
        return "the file is there, but not the interpreter or the loader that it names: install that"
    if isinstance(error, FileNotFoundError) and Path(program).is_absolute():
        return (
            "if that path is right, the bot's sandbox hides it: it shows the files of the bot's own directory and of "
            "/usr, so copy the engine there"
        )
    if isinstance(error, PermissionError):
        return (
            "give --engine a file that the bot may execute (chmod +x); in a sandbox it lies in the bot's own directory "
            "or in /usr"
        )
    return "give --engine a file in the bot's directory, or the full path of a program for this machine"


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
