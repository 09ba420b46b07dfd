"""Does long work on a database in a thread of its own, shows how far it is, and ends it at once at Ctrl-C."""

from __future__ import annotations

import threading
from collections.abc import Callable
from typing import Protocol, TypeVar

from ratings.store.database import Database
from ratings.store.sessions import interruptible
from ratings.values.states import OnWorkProgress, WorkStage

_LOOK_EVERY_S = 0.1

T = TypeVar("T")


class Display(Protocol):
    """What shows how far the work is."""

    def show(self, stage: WorkStage, done: int, total: int) -> None:
        """Show it, no more often than is useful; called some times a second."""

    def clear(self) -> None:
        """Take away what is shown; the work has ended."""


class _GivenUpError(BaseException):
    """Nobody waits for the work any more."""


class _Work(threading.Thread):
    """The work, where it is, and what came of it."""

    def __init__(self, work: Callable[[OnWorkProgress], object]) -> None:
        super().__init__(daemon=True)  # a second Ctrl-C ends the process, whose transaction is undone then
        self._work = work
        self.place = (WorkStage.PAGES, 0, 0)
        self.is_given_up = False
        self.may_begin = threading.Event()
        self.is_over = threading.Event()
        self.result: object = None
        self.error: BaseException | None = None

    def run(self) -> None:
        self.may_begin.wait()
        try:
            if not self.is_given_up:
                self.result = self._work(self._note_progress)
        except BaseException as error:  # for whoever waits
            self.error = error
        finally:
            self.is_over.set()

    def _note_progress(self, stage: WorkStage, done: int, total: int) -> None:
        if self.is_given_up:
            raise _GivenUpError
        self.place = (stage, done, total)


def run_in_thread(database: Database, work: Callable[[OnWorkProgress], T], display: Display) -> T:
    """Return what `work` returns, or raise what it raises; it is given what it shall tell how far it is.

    At Ctrl-C its statement fails and its transaction is undone; KeyboardInterrupt is raised when that is over.
    """
    with interruptible(database) as interrupt:
        thread = _Work(work)
        try:
            thread.start()
            thread.may_begin.set()  # not before somebody would end it: Ctrl-C may come while a thread starts
            # Not `join`: a thread that was being joined when Ctrl-C came says that it has ended though it has not.
            while not thread.is_over.wait(_LOOK_EVERY_S):
                display.show(*thread.place)
        except KeyboardInterrupt:
            thread.is_given_up = True
            thread.may_begin.set()
            while not thread.is_over.is_set():
                interrupt()
                thread.is_over.wait(_LOOK_EVERY_S)
            raise
        finally:
            display.clear()
    if thread.error is not None:
        raise thread.error
    return thread.result  # type: ignore[return-value] # what the work returned
