"""Has a process of its own do what would hold up the pages, which all share one interpreter.

`HelperProcess.ask` names a question of the arena and waits for the answer. Whatever goes wrong with that process, the
question is answered here instead: more slowly for the others, but as it would be without one, and with the same errors.
"""

from __future__ import annotations

import pickle
import select
import struct
import subprocess
import sys
import threading
from collections.abc import Callable
from functools import partial
from typing import IO, Any, Final, TypeVar

import structlog

from arena.web.helper.priority import IDLE, SOON, was_starved

T = TypeVar("T")
HEAD: Final = struct.Struct(">I")
"""The length of a message, before it."""
STORY: Final = "story"
"""The question for the story of a match, with its id and a language; other questions are calls of the arena."""
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
        """Return the answer to a question, that of `otherwise` if the process has none.

        A question is `story`, or one of `arena.web.helper.questions`.
        """
        with self._asking:
            found = self._exchange((question, arguments, more))
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

    def _exchange(self, question: object) -> tuple[Any] | None:
        """Return the answer alone in a tuple, or `None` if there is none."""
        try:
            return self._answered(question)
        except (OSError, EOFError, pickle.PickleError, ValueError) as error:
            if not self._is_closed:
                _LOG.warning("the helper of the pages gave no answer", error=repr(error), question=repr(question)[:200])
            self._forget()
            return None

    def _answered(self, question: object) -> tuple[Any] | None:
        """Ask the process, one that gives way less if it was never let run."""
        process = self._ready()
        if process is None:
            return None
        assert process.stdin is not None
        assert process.stdout is not None
        write_message(process.stdin, question)
        has_answered = partial(_has_answered, process.stdout)
        if self._niceness >= IDLE and was_starved(process.pid, has_answered, self._patience_s):
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
                _close_quietly(pipe)


def _has_answered(answers: IO[bytes], waited_s: float) -> bool:
    """Wait for an answer so many seconds."""
    waiting = select.poll()  # unlike select it takes a descriptor of any number
    waiting.register(answers, select.POLLIN)
    return bool(waiting.poll(1000 * waited_s))


def _close_quietly(pipe: IO[bytes]) -> None:
    """Close a pipe although what was still to be written to it may be lost."""
    try:
        pipe.close()
    except OSError:
        return


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
