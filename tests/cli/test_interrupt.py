"""What signals do to a run, and to long work on a database."""

from __future__ import annotations

import asyncio
import io
import os
import signal
import sys
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path
from types import FrameType
from typing import Any, TypeAlias

import pytest

from arena.cli.shared.interrupt import InterruptedRunError, run_in_thread, run_interruptibly
from arena.cli.shared.process_signals import note_dropped_interrupts
from arena.cli.shared.progress import StageDisplay
from ratings.ledger.ledger import Ledger
from ratings.store.database import Database, open_database
from ratings.store.sessions import read, write
from ratings.values.states import OnWorkProgress, WorkStage
from tests.ratings import book
from tests.support.patience import PATIENCE_S
from tests.support.processes import wait_until


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """Be told of SIGINT even where the tests run in the background of a shell, which ignores it for them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)


@pytest.fixture
def hangup() -> Iterator[None]:
    """Be told of SIGHUP even where the tests run under nohup, and leave it as it was."""
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    yield
    signal.signal(signal.SIGHUP, before)


async def work_on(number: signal.Signals, cleaned: list[str]) -> str:
    """Be sent a signal in the middle of the work, and tidy up."""
    try:
        os.kill(os.getpid(), number)
        await asyncio.sleep(0 if signal.getsignal(number) is signal.SIG_IGN else PATIENCE_S)
    finally:
        cleaned.append("tidy")
    return "done"


@pytest.mark.host_fault("ctrl-c", "told-to-end", "terminal-closed")
@pytest.mark.usefixtures("hangup")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
def test_a_signal_ends_a_run_in_good_order(number: signal.Signals, capsys: pytest.CaptureFixture[str]) -> None:
    cleaned: list[str] = []
    with pytest.raises(InterruptedRunError, match="stopped; nothing is lost"):
        run_interruptibly(partial(work_on, number, cleaned), "nothing is lost")
    assert cleaned == ["tidy"]
    assert "stopping; Ctrl-C again ends at once" in capsys.readouterr().err


async def work_beside_a_thread(cleaned: list[str]) -> None:
    """Wait for nothing, while another thread takes a signal, which interrupts no system call of this one."""

    def take() -> None:
        signal.pthread_kill(threading.get_ident(), signal.SIGTERM)

    # A while later, when this thread waits for events. Were it slower, the signal would be heard in any case.
    taker = threading.Timer(0.2, take)
    taker.start()
    try:
        await asyncio.sleep(PATIENCE_S)
    finally:
        taker.join()
        cleaned.append("tidy")


def test_a_signal_that_another_thread_takes_is_heard_at_once() -> None:
    cleaned: list[str] = []
    with pytest.raises(InterruptedRunError):
        run_interruptibly(partial(work_beside_a_thread, cleaned), "nothing is lost")
    assert cleaned == ["tidy"]


@pytest.mark.host_fault("terminal-closed-under-nohup")
@pytest.mark.usefixtures("hangup")
def test_a_run_under_nohup_goes_on_when_the_terminal_is_closed() -> None:
    signal.signal(signal.SIGHUP, signal.SIG_IGN)
    assert run_interruptibly(partial(work_on, signal.SIGHUP, []), "") == "done"


@pytest.mark.host_fault("terminal-closed")
@pytest.mark.usefixtures("hangup")
def test_a_terminal_that_tells_twice_that_it_is_closed_is_one_signal(capsys: pytest.CaptureFixture[str]) -> None:
    async def be_told_twice() -> None:
        for _ in range(2):
            os.kill(os.getpid(), signal.SIGHUP)
            await asyncio.sleep(0)
        await asyncio.sleep(PATIENCE_S)

    with pytest.raises(InterruptedRunError, match="stopped; nothing is lost"):
        run_interruptibly(be_told_twice, "nothing is lost")
    assert "ended at once" not in capsys.readouterr().err


End: TypeAlias = tuple[list[str], type[BaseException] | None]
"""What work did, and what its run raised."""


class Bolt:
    """Sends Ctrl-C to this process before the line of Python that is executed as the `at`-th from now on."""

    def __init__(self, at: int) -> None:
        self._left = at
        self.has_struck = False

    def __call__(self, _frame: FrameType, event: str, _value: Any) -> Bolt | None:
        if event == "line" and not self.has_struck:
            self._left -= 1
            if self._left < 0:
                self.has_struck = True
                signal.raise_signal(signal.SIGINT)
        return self


async def begin(bolt: Bolt, seen: list[str]) -> None:
    """Work that hears of a signal that came before it; where there was none, it says so."""
    sys.settrace(None)
    seen.append("begun")
    try:
        for _ in range(20):  # turns of the loop: whoever was to be told has been told by then
            await asyncio.sleep(0)
        seen.append("went on" if bolt.has_struck else "too early")
    except asyncio.CancelledError:
        for _ in range(20):  # tidying takes turns too, and a second signal would break it off
            await asyncio.sleep(0)
        seen.append("tidy")
        raise


def strike(at: int) -> End:
    """What a run does, and how it ends, whose `at`-th line a signal comes before."""
    bolt, seen = Bolt(at), list[str]()
    try:
        sys.settrace(bolt)
        run_interruptibly(partial(begin, bolt, seen), "nothing is lost")
    except BaseException as error:
        return seen, type(error)
    finally:
        sys.settrace(None)
    return seen, None


@pytest.mark.host_fault("ctrl-c-before-the-first-match")
@pytest.mark.filterwarnings("error")
def test_ctrl_c_at_no_line_before_the_work_begins_is_lost_or_told_twice() -> None:
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    tracing, lines, ends = sys.gettrace(), 0, list[End]()
    try:
        while not ends or ends[-1] != (["begun", "too early"], None):
            ends.append(strike(lines))
            lines += 1
    finally:
        sys.settrace(tracing)
    good: tuple[End, ...] = ([], KeyboardInterrupt), ([], InterruptedRunError), (["begun", "tidy"], InterruptedRunError)
    assert [(line, end) for line, end in enumerate(ends[:-1]) if end not in good] == []
    assert lines > 100
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


class Deaf:
    """Whatever is raised in `__del__` is dropped by Python."""

    def __del__(self) -> None:
        signal.raise_signal(signal.SIGINT)


@pytest.mark.host_fault("ctrl-c-that-python-drops")
def test_ctrl_c_whose_exception_python_drops_is_known_to_the_run_that_begins(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", told.append)
    note_dropped_interrupts()
    Deaf()
    seen: list[str] = []
    with pytest.raises(KeyboardInterrupt):
        run_interruptibly(partial(begin, Bolt(0), seen), "nothing is lost")
    assert (seen, told) == ([], [])
    run_interruptibly(partial(begin, Bolt(0), seen), "nothing is lost")
    assert seen == ["begun", "too early"]


ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture
def no_thread_is_left() -> Iterator[None]:
    """See all threads end that a test began."""
    others = set(threading.enumerate())
    yield
    # Not `is_alive`: a thread that was being joined when Ctrl-C came says that it has ended though it has not.
    wait_until(lambda: set(threading.enumerate()) <= others)


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    """A book in which one rating and one change are wrong."""
    database = open_database(tmp_path / "arena.db")
    book.play_all(database, book.create(database, book.add_bots(database, ("ada", "bob", "cyd", "dan")).values()))
    with write(database) as session:
        session.connection().exec_driver_sql("UPDATE rating_change SET mu_after = 0 WHERE rating_seq = 2")
        session.connection().exec_driver_sql("UPDATE entrant_tally SET wins = 77")
    yield database
    database.close()


def quiet() -> StageDisplay:
    return StageDisplay(io.StringIO())


def interrupted_at(stage: WorkStage, report: OnWorkProgress) -> OnWorkProgress:
    """Have Ctrl-C come at a stage, which goes on until somebody ends it."""

    def press(place: WorkStage, done: int, total: int) -> None:
        report(place, done, total)
        if place is stage:
            os.kill(os.getpid(), signal.SIGINT)
            deadline = time.monotonic() + PATIENCE_S
            while time.monotonic() < deadline:
                report(place, done, total)

    return press


@pytest.mark.usefixtures("no_thread_is_left")
def test_what_the_work_returns_and_raises_comes_back(database: Database) -> None:
    assert run_in_thread(database, lambda _: 7, quiet()) == 7
    with pytest.raises(ZeroDivisionError):
        run_in_thread(database, lambda _: 1 // 0, quiet())


@pytest.mark.usefixtures("no_thread_is_left")
@pytest.mark.host_fault("ctrl-c")
def test_ctrl_c_amid_a_rebuild_leaves_the_book_as_it_was(database: Database) -> None:
    before = book.rows(database, "rating", "rating_change", "entrant_tally")
    with pytest.raises(KeyboardInterrupt):
        run_in_thread(
            database, lambda report: Ledger(database).rebuild(report=interrupted_at(WorkStage.RATINGS, report)), quiet()
        )
    assert book.rows(database, "rating", "rating_change", "entrant_tally") == before
    Ledger(database).rebuild()
    assert book.rows(database, "rating", "rating_change", "entrant_tally") != before


@pytest.mark.usefixtures("no_thread_is_left")
@pytest.mark.host_fault("ctrl-c")
def test_ctrl_c_ends_a_statement_that_would_go_on_for_ever(database: Database) -> None:
    def look(_: OnWorkProgress) -> None:
        with read(database) as session:
            os.kill(os.getpid(), signal.SIGINT)
            session.connection().exec_driver_sql(ENDLESS)

    others = threading.active_count()
    with pytest.raises(KeyboardInterrupt):
        run_in_thread(database, look, quiet())
    wait_until(lambda: threading.active_count() == others)
    with write(database) as session:  # nobody holds it
        session.connection().exec_driver_sql("UPDATE entrant_tally SET wins = 78")


@pytest.mark.usefixtures("no_thread_is_left")
@pytest.mark.host_fault("ctrl-c")
def test_ctrl_c_while_the_work_starts_keeps_it_from_beginning(
    database: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    start = threading.Thread.start
    begun: list[object] = []

    def interrupted(thread: threading.Thread) -> None:
        start(thread)
        raise KeyboardInterrupt

    monkeypatch.setattr(threading.Thread, "start", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_in_thread(database, begun.append, quiet())
    assert begun == []


class Terminal(io.StringIO):
    """Something that says that it is a terminal."""

    def isatty(self) -> bool:
        return True


class Clock:
    """A clock that is moved by hand."""

    def __init__(self) -> None:
        self.now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.mark.usefixtures("no_thread_is_left")
def test_a_terminal_shows_the_stage_and_is_clean_afterwards() -> None:
    terminal, clock = Terminal(), Clock()
    display = StageDisplay(terminal, clock)
    clock.now = 12.0
    display.show(WorkStage.RATINGS, 5000, 20_000)
    assert "checking ratings: 5000 of 20000 matches; 12 s so far" in terminal.getvalue()
    display.clear()
    assert terminal.getvalue().endswith("\r")
    assert terminal.getvalue().split("\r")[-2].strip() == ""


@pytest.mark.usefixtures("no_thread_is_left")
def test_a_log_gets_a_line_every_few_seconds_and_none_of_what_is_quick() -> None:
    log, clock = io.StringIO(), Clock()
    display = StageDisplay(log, clock)
    for now in range(12):
        clock.now = float(now)
        display.show(WorkStage.PAGES, 0, 0)
    display.clear()
    assert log.getvalue() == "".join(
        f"checking pages, indexes and references; {seconds} s so far\n" for seconds in (5, 10)
    )
