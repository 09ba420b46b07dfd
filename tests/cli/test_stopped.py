"""A tournament that nobody plays is shown as stopped, with how to go on; one that is played, with who plays it."""

import os
import platform
import shlex
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.match.report import MatchReport
from arena.match.spec import MatchSpec
from arena.tournament.playing import exclusive, lock_path
from tests.cli.support import Arena
from tests.cli.table import TableExecutor

ORDER = [
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
def stopped(table: Arena, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The lock of a tournament `monday` that was stopped after its first match."""
    with monkeypatch.context() as patch:
        patch.setattr("arena.cli.shared.executors.LocalExecutor", Interrupted)
        (played,) = table.played(" ".join([*ORDER, "--blocks 3 --name monday --workers 1"]))
        assert played.code == 130
    tournament = table("tournament", "list", "--json").json[0]["id"]
    return lock_path(table.db, tournament)


def test_what_nobody_plays_is_stopped_and_resume_goes_on(stopped: Path, arena_cli: Arena) -> None:
    (row,) = arena_cli("tournament", "list", "--json").json
    assert (row["status"], row["played_by"]) == ("stopped", None)
    listed = arena_cli("tournament", "list").out
    assert "stopped" in listed
    assert "tournament resume NAME` goes on" in listed
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
    monkeypatch.setattr("arena.cli.shared.executors.LocalExecutor", Interrupted)
    assert table(*ORDER, "--name", "tuesday").code == 130
    (row,) = table("tournament", "list", "--json").json
    assert row["status"] == "planned"
