"""What Ctrl-C does to a run, or to long work on a database: the first ends it in good order, the second at once."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import threading
from collections.abc import Callable, Coroutine, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import TYPE_CHECKING, Any, Protocol, TypeVar

import typer

from arena.cli.shared.errors import INTERRUPTED, CliError
from arena.cli.shared.language import say
from arena.cli.shared.process_signals import ending_signals, interrupt_was_dropped
from engine.translatable import Text

if TYPE_CHECKING:
    from ratings.store.database import Database
    from ratings.values.states import OnWorkProgress, WorkStage


T = TypeVar("T")
_LOOK_EVERY_S = 0.1


class InterruptedRunError(CliError):
    """The user stopped a run; what was finished is recorded."""

    exit_code = INTERRUPTED


class SignalCount:
    """How many signals have come, counted from before a loop is made until after it is gone, and told within it.

    One handler does it from beginning to end: where a loop's own takes the place of another one, a signal that comes
    in between is told to both, or to none. A closed terminal may tell so more than once, which counts once.

    A Python handler runs when the main thread goes on. One that is about to wait for events, or whose signal came to
    another thread, may wait on: so the loop watches a socket into which each signal is written where it comes.
    """

    def __init__(self) -> None:
        self._wakeup: socket.socket | None = None
        self._came = 0
        self._called = 0
        self._has_hung_up = False
        self._loop: asyncio.AbstractEventLoop | None = None
        self._act: Callable[[int], None] = lambda _: None

    def count(self, number: int, _frame: object) -> None:
        """Count a signal; this is its handler."""
        if number == signal.SIGHUP and (self._has_hung_up or self._came):
            return
        self._has_hung_up = number == signal.SIGHUP
        self._came += 1
        if self._loop is not None and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._call_back)

    def listen(self, act: Callable[[int], None]) -> None:
        """Call `act` with 1, 2 ... for each signal, those that have come already first; from within a running loop.

        The loop is awoken by a signal that comes while a block of `waking_loop` is open.
        """
        self._act = act
        self._loop = asyncio.get_running_loop()
        if self._wakeup is not None:
            self._loop.add_reader(self._wakeup, _drain, self._wakeup)
        self._call_back()

    @contextmanager
    def waking_loop(self) -> Iterator[None]:
        """Have each signal that comes in the block wake the loop that listens."""
        self._wakeup, sender = socket.socketpair()
        with self._wakeup, sender:
            self._wakeup.setblocking(False)
            sender.setblocking(False)
            before = signal.set_wakeup_fd(sender.fileno(), warn_on_full_buffer=False)
            try:
                yield
            finally:
                signal.set_wakeup_fd(before)

    def _call_back(self) -> None:
        while self._called < self._came:
            self._called += 1
            self._act(self._called)


def _drain(wakeup: socket.socket) -> None:
    with suppress(BlockingIOError):
        wakeup.recv(4096)  # the handler has run by now


@contextmanager
def counted(numbers: Sequence[signal.Signals]) -> Iterator[SignalCount]:
    """Have these signals counted in the block, which is to make and run a loop. Raises KeyboardInterrupt, see below.

    That is so where Ctrl-C came before, and what it raised was dropped by somebody who must not raise.
    """
    count = SignalCount()
    before = {number: signal.signal(number, count.count) for number in numbers}
    try:
        with count.waking_loop():
            if interrupt_was_dropped():
                raise KeyboardInterrupt
            yield count
    finally:
        for number, handler in before.items():
            signal.signal(number, handler)


def run_interruptibly(work: Callable[[], Coroutine[Any, Any, T]], remedy: str) -> T:
    """Return the result of what `work` begins, or cancel it and raise InterruptedRunError with `remedy`.

    Ctrl-C, SIGTERM and the closing of the terminal cancel it, the last unless this process was told to pass it over,
    as by nohup. A second signal ends this process on the spot. That loses nothing: each result is recorded in one
    transaction, the workers end when their pipe to this process closes, as they do when it is killed, and the next run
    sweeps away what lies in the temporary directory.
    """
    with counted(ending_signals()) as signals:
        return asyncio.run(_supervise(work, remedy, signals))


async def _supervise(work: Callable[[], Coroutine[Any, Any, T]], remedy: str, signals: SignalCount) -> T:
    task = asyncio.ensure_future(_begin(work))

    def interrupt(times: int) -> None:
        if times == 1:
            task.cancel()
            _print_error("\n" + say("cli_shared.stopping"))
        else:
            _print_error(f"arena: ended at once; {remedy}")
            os._exit(INTERRUPTED)

    signals.listen(interrupt)
    try:
        return await task
    except asyncio.CancelledError:
        raise InterruptedRunError(Text("stopped; {remedy}", remedy=remedy)) from None


async def _begin(work: Callable[[], Coroutine[Any, Any, T]]) -> T:
    # Made here, so that nobody complains of work that was never begun.
    return await work()


def _print_error(text: str) -> None:
    with suppress(OSError):  # the terminal may be what is gone
        typer.echo(text, err=True)


class Display(Protocol):
    """Shows how far long work is."""

    def show(self, stage: WorkStage, done: int, total: int) -> None:
        """Show the progress; called several times a second."""

    def clear(self) -> None:
        """Take away what is shown; the work has ended."""


class _GivenUpError(BaseException):
    """Raised in the work when nobody waits for it any more."""


class _Work(threading.Thread):
    def __init__(self, work: Callable[[OnWorkProgress], object], first: WorkStage) -> None:
        super().__init__(daemon=True)  # a second Ctrl-C ends the process, whose transaction is undone then
        self._work = work
        self.place = (first, 0, 0)
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
    from ratings.store.sessions import interruptible  # of those who wait for Ctrl-C only some have a database
    from ratings.values.states import WorkStage

    with interruptible(database) as interrupt:
        thread = _Work(work, WorkStage.PAGES)
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
