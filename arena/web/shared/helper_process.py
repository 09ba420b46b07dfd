"""A process that does what would hold up the pages, the work that waits for it, and how far it gives way to them.

All pages share one interpreter. `HelperProcess.ask` names a question of the arena and waits for the answer. Whatever
goes wrong with that process, the question is answered here instead: more slowly for the others, but as it would be
without one, and with the same errors.

Such processes and the pages stand in one session: the scheduler of Linux may share the processor out among sessions
first (autogroups, sched(7)), and what is nice in a session of its own gives way to nobody outside it.
"""

from __future__ import annotations

import os
import pickle
import queue
import select
import struct
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import IO, Any, Final, TypeVar, cast

import structlog

from arena.model.port import ShownArena

T = TypeVar("T")
HEAD: Final = struct.Struct(">I")
"""The length of a message, before it."""
STORY: Final = "story"
"""The question for the story of a match, with its id and a language; other questions are calls of the arena."""
SOON: Final = 10
"""The niceness of what somebody waits for."""
IDLE: Final = 20
"""That of what takes many seconds and nobody waits for: it runs when nothing else of its session wants to.

No process can be that nice; the scheduler has a class of its own for it, `SCHED_IDLE`.
"""
_LEAST_SHARE: Final = 0.05
_MOST_WAITING: Final = 40
_COMMAND: Final = (sys.executable, "-m", "arena.web.helper_main")
_LOG = structlog.get_logger("web")


class HelperProcess:
    """A process that answers one question after another about a database; it ends with this one."""

    def __init__(self, db: str, niceness: int = SOON, patience_s: float = 20.0) -> None:
        self._db, self._niceness, self._patience_s = db, niceness, patience_s
        self._process: subprocess.Popen[bytes] | None = None
        self._asking = threading.Lock()
        self._is_closed = False

    def start(self) -> None:
        """Start the process, which takes a second to be ready; nobody waits for that before the first question."""
        with self._asking:
            self._ready()

    def ask(self, otherwise: Callable[[], T], question: str, *arguments: Any, **more: Any) -> T:
        """Return the answer of the process to a question, or that of `otherwise` if it has none.

        A question is `story`, or one that `call_of` takes.
        """
        asked, found = (question, arguments, more), None
        with self._asking:
            try:
                found = self._answered(asked)
            except (OSError, EOFError, pickle.PickleError, ValueError) as error:
                if not self._is_closed:
                    why, what = repr(error), repr(asked)[:200]
                    _LOG.warning("the helper of the pages gave no answer", error=why, question=what)
                self._forget()
        if found is None:
            return otherwise()
        answer: T = found[0]
        return answer

    def is_free(self) -> bool:
        """Return whether a question would be answered at once."""
        return not self._asking.locked()

    def close(self) -> None:
        """End the process."""
        self._is_closed = True
        if self._process is not None:
            self._end(self._process)

    def _answered(self, question: object) -> tuple[Any] | None:
        """Ask the process; if it is starved, ask a new one of a higher priority."""
        process = self._ready()
        if process is None:
            return None
        assert process.stdin is not None
        assert process.stdout is not None
        write_message(process.stdin, question)
        waiting = select.poll()  # unlike select it takes a descriptor of any number
        waiting.register(process.stdout, select.POLLIN)
        if self._niceness >= IDLE and was_starved(
            process.pid, lambda waited_s: bool(waiting.poll(1000 * waited_s)), self._patience_s
        ):
            self._niceness = SOON
            self._forget()
            return self._answered(question)
        found: tuple[Any] | None = read_message(process.stdout)
        return found

    def _ready(self) -> subprocess.Popen[bytes] | None:
        """Return the process, started anew if it has ended; `None` after `close`."""
        if self._is_closed:
            return None
        if self._process is None:
            self._process = subprocess.Popen(
                _COMMAND,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                process_group=0,  # Ctrl-C in a terminal is for the pages, which end it
            )
            assert self._process.stdin is not None
            write_message(self._process.stdin, (self._db, self._niceness))
        return self._process

    def _forget(self) -> None:
        process, self._process = self._process, None
        if process is not None:
            self._end(process)

    def _end(self, process: subprocess.Popen[bytes]) -> None:
        process.kill()
        process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                with suppress(OSError):  # what was still to be written to it may be lost
                    pipe.close()


def write_message(pipe: IO[bytes], message: object) -> None:
    """Write a message, between two processes of the same program: nothing else is ever read so."""
    data = pickle.dumps(message, pickle.HIGHEST_PROTOCOL)
    pipe.write(HEAD.pack(len(data)) + data)
    pipe.flush()


def read_message(pipe: IO[bytes]) -> Any:
    """Return the next message. Raises EOFError when there is none any more."""
    head = pipe.read(HEAD.size)
    if len(head) < HEAD.size:
        raise EOFError
    data = pipe.read(HEAD.unpack(head)[0])
    return pickle.loads(data)


def call_of(arena: ShownArena, question: str) -> Callable[..., Any]:
    """Return what answers a question: a call of the arena, `tournaments.list_confidence`, or a function of the pages.

    That one is written `arena.web.api.feed:gather`, and is given the arena before its arguments.
    """
    module, colon, name = question.partition(":")
    if colon:
        return partial(getattr(import_module(module), name), arena)
    found: Any = arena
    for part in question.split("."):
        found = getattr(found, part)
    return cast("Callable[..., Any]", found)


Work = Callable[[HelperProcess], None]
"""Uses the helper, and keeps its errors to itself."""


class WorkQueue:
    """A thread that hands work to a helper, in the order in which it came. The thread begins with the first."""

    def __init__(self, helper: HelperProcess, name: str) -> None:
        self._helper, self._name = helper, name
        self._waiting: queue.Queue[Work | None] = queue.Queue(_MOST_WAITING)
        self._starting = threading.Lock()
        self._thread: threading.Thread | None = None

    def put(self, work: Work) -> bool:
        """Add work to the queue; return False, and drop it, if the queue is full."""
        try:
            self._waiting.put_nowait(work)
        except queue.Full:
            return False
        with self._starting:
            if self._thread is None:
                self._thread = threading.Thread(target=self._run, name=self._name, daemon=True)
                self._thread.start()
        return True

    def _run(self) -> None:
        while (work := self._waiting.get()) is not None:
            work(self._helper)


def give_way(niceness: int) -> None:
    """Lower the priority of this process to a niceness; `IDLE` is less than any."""
    if niceness >= IDLE:
        os.sched_setscheduler(0, os.SCHED_IDLE, os.sched_param(0))
    else:
        os.nice(niceness)


def was_starved(pid: int, has_ended: Callable[[float], bool], patience_s: float) -> bool:
    """Return, as soon as it is clear, whether a process got almost no processor time before it had done its work.

    `has_ended` waits for that, so many seconds at most, and tells whether it has. A process is starved that got less
    than a twentieth of the processor in `patience_s`: where bots take all of a machine, and share the group of the
    pages, what gives way to all would never be done.
    """
    used = _used_s(pid)
    while not has_ended(patience_s):
        before, used = used, _used_s(pid)
        if used - before < _LEAST_SHARE * patience_s:
            return True
    return False


def _used_s(pid: int) -> float:
    """Return the processor time of a process so far; infinity for one that has ended."""
    with suppress(OSError):
        return time.clock_gettime((~pid << 3) | 2)  # clock_getcpuclockid(3) of the whole process
    return float("inf")
