"""How a tournament is shown that is played elsewhere, on any kind of screen, or that nobody plays any more."""

from __future__ import annotations

import json
import os
import platform
import shlex
import sqlite3
from collections.abc import Callable
from contextlib import ExitStack, closing
from pathlib import Path

import pytest

from arena.cli.app import run
from arena.cli.shared.terminal import Screen
from arena.match.spec import MatchSpec
from arena.match.worker_report import MatchReport
from arena.tournament.locks import exclusive, lock_path
from tests.cli.support import Arena, write_bot
from tests.cli.table import TableExecutor
from tests.cli.test_output import Terminal

ORDER = ["tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "2", "--name", "monday"]


class Interrupted(TableExecutor):
    """Is interrupted by Ctrl-C when it has played a match."""

    left = 1

    async def run(self, spec: MatchSpec) -> MatchReport:
        if self.left == 0:
            raise KeyboardInterrupt
        self.left -= 1
        return await super().run(spec)

    async def cancel(self, match_id: str) -> None:
        """Nothing is in flight here."""


@pytest.fixture
def begun(table: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The lock of a tournament of which one match was played."""
    write_bot(tmp_path / "cheat", "cheat")
    with monkeypatch.context() as patch:
        patch.setattr("arena.cli.shared.play_tournament.LocalExecutor", Interrupted)
        stopped = table.played("bot add cheat", " ".join([*ORDER, "--bots ada,cheat --blocks 3 --workers 1"]))
    assert stopped[1].code == 130
    return lock_path(table.db, table("tournament", "list", "--json").json[0]["id"])


@pytest.fixture
def while_it_waits(begun: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], object]], ExitStack]:
    """Has the tournament played by somebody, until the watcher waits for the first time: then something happens."""

    def arrange(happens: Callable[[], object]) -> ExitStack:
        stack = ExitStack()
        stack.enter_context(exclusive(begun))
        left = [happens]

        def sleep(_seconds: float) -> None:
            stack.close()
            if left:
                left.pop()()

        monkeypatch.setattr("arena.app.tournaments.time.sleep", sleep)
        return stack

    return arrange


def resume() -> None:
    assert run(["tournament", "resume", "monday", "--workers", "1", "--json"]) == 0


def interrupt() -> None:
    raise KeyboardInterrupt


def test_a_tournament_that_is_over_is_shown_once(begun: Path, arena_cli: Arena) -> None:
    resume()
    watched = arena_cli("tournament", "watch", "monday")
    assert watched.code == 0
    assert watched.out.startswith("6/6 matches")
    assert ["cheat", "1", "ILLEGAL_ACTION", "6"] in [line.split()[:4] for line in watched.out.splitlines()]
    told = arena_cli("tournament", "watch", "monday", "--json").json
    assert (told["status"], told["finished"], told["faults"][0]["matches"]) == ("finished", 6, 6)


def test_of_a_cancelled_one_what_was_played_is_told(begun: Path, arena_cli: Arena, table: Arena) -> None:
    assert table("tournament", "cancel", "monday").code == 0
    watched = arena_cli("tournament", "watch", "monday")
    assert watched.code == 0
    assert watched.out.splitlines()[0] == "1/6 matches; cancelled"


def test_one_that_nobody_plays_is_said_to_be_stopped_with_the_command_that_goes_on(
    begun: Path, arena_cli: Arena
) -> None:
    watched = arena_cli("tournament", "watch", "monday")
    assert watched.code == 1
    assert "nobody plays 'monday' now; `arena" in watched.err
    assert "tournament resume monday` goes on with it" in watched.err


def test_it_is_followed_to_its_end(table: Arena, while_it_waits: Callable[[Callable[[], object]], ExitStack]) -> None:
    with while_it_waits(resume):
        watched = table("tournament", "watch", "monday", "--json")
    assert watched.code == 0
    states = [json.loads(line) for line in watched.out.splitlines() if line.startswith("{")]
    assert [(one["status"], one["finished"]) for one in states] == [("running", 1), ("finished", 6)]


def test_a_file_is_told_at_once_how_far_it_is(
    table: Arena, while_it_waits: Callable[[Callable[[], object]], ExitStack]
) -> None:
    with while_it_waits(resume):
        watched = table("tournament", "watch", "monday")
    assert watched.out.splitlines()[0] == "1/6 matches"


def test_it_ends_when_the_run_that_it_watches_is_stopped(
    table: Arena, while_it_waits: Callable[[Callable[[], object]], ExitStack]
) -> None:
    with while_it_waits(lambda: None):
        assert "nobody plays 'monday' now" in table.refusal("tournament", "watch", "monday", code=1)


def test_nothing_is_left_to_wait_for_when_it_was_killed_amid_matches(
    table: Arena, while_it_waits: Callable[[Callable[[], object]], ExitStack], monkeypatch: pytest.MonkeyPatch
) -> None:
    with closing(sqlite3.connect(table.db)) as book, book:  # as whoever was killed leaves it
        book.execute("UPDATE match SET state = 'leased', attempt = 1 WHERE position = 3")
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setattr("arena.cli.verbs.tournament.watch.SpeedMeter.speed", lambda *_: 1.0)
    with while_it_waits(lambda: None):
        pages = table("tournament", "watch", "monday").out.split("\x1b[J")[1:]
    assert pages[0].startswith("monday: running, 1/6 matches, 1.0/s, 5 s left\n")
    assert pages[-1].startswith("monday: stopped, 1/6 matches\n")


def test_on_a_terminal_a_cancelled_one_has_no_more_matches_than_were_played(
    table: Arena, begun: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert table("tournament", "cancel", "monday").code == 0
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    page = table("tournament", "watch", "monday").out.split("\x1b[J")[-1]
    assert page.startswith("monday: cancelled, 1/6 matches\n")


def test_ctrl_c_ends_the_watching_and_not_the_tournament(
    table: Arena, while_it_waits: Callable[[Callable[[], object]], ExitStack]
) -> None:
    with while_it_waits(interrupt):
        said = table.refusal("tournament", "watch", "monday", code=130)
    assert said == "no longer watched; the tournament goes on, `arena tournament watch monday` shows it again"


def test_on_a_terminal_each_page_takes_the_place_of_the_one_before(
    table: Arena, while_it_waits: Callable[[Callable[[], object]], ExitStack], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    monkeypatch.setenv("COLUMNS", "80")
    with while_it_waits(resume):
        pages = table("tournament", "watch", "monday").out.split("\x1b[J")[1:]
    assert pages[0].startswith("monday: running, 1/6 matches")
    assert pages[-1].startswith("monday: finished, 6/6 matches")
    lines = pages[0].partition("PLACE")[0].count("\n")
    assert f"\x1b[{lines + 4}F" in pages[0]
    assert "cheat        1  ILLEGAL_ACTION" in pages[-1]


def test_of_one_that_nobody_has_begun_the_page_says_how_to_begin_it(
    table: Arena, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Interrupted, "left", 0)
    monkeypatch.setattr("arena.cli.shared.play_tournament.LocalExecutor", Interrupted)
    assert table(*ORDER, "--bots", "ada,bob").code == 130
    monkeypatch.setattr("arena.app.tournaments.time.sleep", lambda _: interrupt())
    monkeypatch.setattr("sys.stdout.isatty", lambda: True)
    watched = table("tournament", "watch", "monday")
    assert watched.code == 130
    assert "monday: planned, 0/2 matches\n`arena tournament resume monday` plays what is left\n" in watched.out


def test_a_page_is_cut_to_the_terminal_and_steers_nothing() -> None:
    terminal = Terminal()
    screen = Screen(terminal)
    screen.show("\n".join(f"{number} \x1b[31m" for number in range(100)))
    screen.show("x" * 100)
    first, second = terminal.getvalue().split("\x1b[J")[1:]
    assert first.count("\n") == 23
    assert "\\u001b[31m" in first
    assert first.endswith("\x1b[23F")
    assert second == f"{'x' * 80}\n{'x' * 20}\n"


OTHER_ORDER = [
    "tournament",
    "run",
    "round-robin",
    "--game",
    "foreign_king",
    "--seats",
    "2",
    "--bots",
    "ada,bob",
    "--seed",
    "1",
]


@pytest.fixture
def stopped(table: Arena, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The lock of a tournament `monday` that was stopped after its first match."""
    with monkeypatch.context() as patch:
        patch.setattr("arena.cli.shared.play_tournament.LocalExecutor", Interrupted)
        (played,) = table.played(" ".join([*OTHER_ORDER, "--blocks 3 --name monday --workers 1"]))
        assert played.code == 130
    tournament = table("tournament", "list", "--json").json[0]["id"]
    return lock_path(table.db, tournament)


def test_what_nobody_plays_is_stopped_and_resume_goes_on(stopped: Path, arena_cli: Arena) -> None:
    (row,) = arena_cli("tournament", "list", "--json").json
    assert (row["status"], row["played_by"]) == ("stopped", None)
    listed = arena_cli("tournament", "list").out
    assert "stopped" in listed
    assert "tournament resume NAME` continues it" in listed
    assert "PLAYED BY" not in listed
    shown = arena_cli("tournament", "show", "monday").out
    assert "stopped, 1 of 6 matches played" in shown
    command = shlex.split(shown.splitlines()[-1].split("`")[1])
    assert command[-3:] == ["tournament", "resume", "monday"]


def test_what_somebody_had_begun_is_planned_again_when_nobody_plays_it(stopped: Path, arena_cli: Arena) -> None:
    with closing(sqlite3.connect(arena_cli.db)) as book, book:  # as whoever was killed leaves it
        book.execute("UPDATE match SET state = 'leased', attempt = 1 WHERE position = 3")
        ((match,),) = book.execute("SELECT id FROM match WHERE position = 3")

    def told() -> tuple[str, ...]:
        """The state of that match, and whether it counts as begun, wherever they are told."""
        listed = {one["id"]: one["state"] for one in arena_cli("match", "list", "--json").json}
        shown = arena_cli("tournament", "show", "monday", "--json", "--matches").json
        return (
            listed[match],
            arena_cli("match", "show", match, "--json").json["state"],
            *(one["state"] for one in arena_cli("match", "list", "--state", "leased", "--json").json),
            *(one["state"] for one in shown["matches"] if one["id"] == match),
            *(f"{one['leased']} of {one['planned']}" for one in arena_cli("tournament", "list", "--json").json),
        )

    assert told() == ("planned", "planned", "planned", "0 of 5")
    with exclusive(stopped):
        assert told() == ("leased", "leased", "leased", "leased", "1 of 4")


def test_resuming_plays_what_is_left(table: Arena, stopped: Path) -> None:
    assert table("tournament", "resume", "monday").code == 0
    (row,) = table("tournament", "list", "--json").json
    assert (row["status"], row["finished"], row["played_by"]) == ("finished", 6, None)


def test_what_somebody_plays_is_running_and_says_who_plays_it(stopped: Path, arena_cli: Arena) -> None:
    with exclusive(stopped):
        (row,) = arena_cli("tournament", "list", "--json").json
        assert row["status"] == "running"
        assert (row["played_by"]["host"], row["played_by"]["pid"]) == (platform.node(), os.getpid())
        listed = arena_cli("tournament", "list").out
        assert f"{platform.node()}:{os.getpid()}" in listed
        assert "resume" not in listed
        shown = arena_cli("tournament", "show", "monday").out
    assert f"played by    {platform.node()}:{os.getpid()}, since " in shown
    assert "resume" not in shown


def test_what_is_planned_and_not_begun_is_no_more_than_that(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Interrupted, "left", 0)
    monkeypatch.setattr("arena.cli.shared.play_tournament.LocalExecutor", Interrupted)
    assert table(*OTHER_ORDER, "--name", "tuesday").code == 130
    (row,) = table("tournament", "list", "--json").json
    assert row["status"] == "planned"
