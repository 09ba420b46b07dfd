"""Long work on a database, and what Ctrl-C does to it."""

from __future__ import annotations

import io
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from arena.cli.shared.stages import StageDisplay
from arena.cli.shared.work_thread import run_in_thread
from ratings.ledger.ledger import Ledger
from ratings.store.database import Database, open_database
from ratings.store.sessions import read, write
from ratings.values.states import OnWorkProgress, WorkStage
from tests.ratings import book
from tests.support.patience import PATIENCE_S
from tests.support.processes import wait_until

ENDLESS = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT count(*) FROM n"


@pytest.fixture(autouse=True)
def interrupts() -> Iterator[None]:
    """Be told of SIGINT even where the tests run in the background of a shell, which ignores it for them."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    others = set(threading.enumerate())
    yield
    signal.signal(signal.SIGINT, before)
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


def test_what_the_work_returns_and_raises_comes_back(database: Database) -> None:
    assert run_in_thread(database, lambda _: 7, quiet()) == 7
    with pytest.raises(ZeroDivisionError):
        run_in_thread(database, lambda _: 1 // 0, quiet())


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


def test_a_terminal_shows_the_stage_and_is_clean_afterwards() -> None:
    terminal, clock = Terminal(), Clock()
    display = StageDisplay(terminal, clock)
    clock.now = 12.0
    display.show(WorkStage.RATINGS, 5000, 20_000)
    assert "checking ratings: 5000 of 20000 matches; 12 s so far" in terminal.getvalue()
    display.clear()
    assert terminal.getvalue().endswith("\r")
    assert terminal.getvalue().split("\r")[-2].strip() == ""


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
