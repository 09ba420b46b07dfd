"""Ctrl-C, twice, and kill -9 in the middle of a tournament: nothing lost, nothing twice, nothing left behind."""

import os
import shutil
import signal
from pathlib import Path

import pytest

from tests.support.patience import ANY_TIME
from tests.support.places import CHOICES, Place

BLOCKS = 3
MATCHES = 3 * BLOCKS
ORDER = ["tournament", "run", "round-robin", "--game", "foreign_king", "--seats", "3", "--bots", ",".join(CHOICES)]
ORDER += ["--blocks", str(BLOCKS), "--seed", "11", "--name", "monday", *ANY_TIME]
ONE = ("--workers", "1")
TWO = ("--workers", "2")  # they play four matches before their bots are held in the next two: some are left to plan
MINUTES = pytest.mark.needs("minutes")
SOME_PLAYED = rf"[1-9]\d*/{MATCHES} matches, "


def check_all_is_well(place: Place) -> None:
    """Every match is played and rated once; the book's check computes all ratings anew from the results."""
    assert place.counts() == {"finished": MATCHES}
    assert [row[5] for row in place.table()] == [MATCHES] * 3
    assert place.ok("replay", "verify", "--all", "--json").json == {
        "matches": MATCHES,
        "verified": MATCHES,
        "removed": 0,
        "broken": [],
    }
    place.ok("db", "check")


@pytest.mark.host_fault("command-killed")
def test_a_command_that_is_killed_loses_nothing_and_resume_plays_the_rest(field: Place) -> None:
    field.hold()
    with field.on_terminal(*ORDER, *ONE) as terminal:
        terminal.wait_for(SOME_PLAYED)
        (row,) = field.ok("tournament", "list", "--json").json
        assert (row["status"], row["played_by"]["pid"]) == ("running", terminal.process.pid)
        terminal.kill()
        assert terminal.end() == -9
        (row,) = field.ok("tournament", "list", "--json").json
        assert (row["status"], row["played_by"]) == ("stopped", None)
    field.release()
    assert field.counts()["finished"] < MATCHES
    field.ok("tournament", "resume", "monday", *ONE)
    check_all_is_well(field)


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, prepared: Path) -> list[tuple[object, ...]]:
    """The table of the same tournament, played by one worker without a stop."""
    place = Place(shutil.copytree(prepared, tmp_path_factory.mktemp("undisturbed"), dirs_exist_ok=True))
    place.ok(*ORDER, *ONE)
    place.wait_until_nothing_runs()
    return place.table()


@MINUTES
@pytest.mark.host_fault("ctrl-c", "two-commands-play-one-tournament")
def test_ctrl_c_ends_in_good_order_and_resume_gives_the_same_table(
    field: Place, undisturbed: list[tuple[object, ...]]
) -> None:
    field.hold()
    with field.on_terminal(*ORDER, *TWO) as terminal:
        terminal.wait_for(SOME_PLAYED)
        refused = field.here("tournament", "resume", "monday")
        assert refused.code == 1
        assert "is playing this tournament now" in refused.err
        terminal.interrupt()
        assert terminal.end() == 130
    field.release()
    assert terminal.lines[-1] == "arena: stopped; `arena tournament resume monday` goes on"
    assert "Traceback" not in terminal.text
    counts = field.counts()
    assert set(counts) == {"planned", "finished"}, "matches in flight are given back"
    assert field.ok("tournament", "show", "monday", "--json").json["status"] == "stopped"
    field.ok("tournament", "resume", "monday", *TWO)
    check_all_is_well(field)
    assert field.table() == undisturbed


@MINUTES
@pytest.mark.host_fault("ctrl-c-twice")
def test_ctrl_c_twice_ends_at_once_and_what_is_cancelled_then_keeps_its_results(field: Place) -> None:
    field.hold()
    with field.on_terminal(*ORDER, *TWO) as terminal:
        terminal.wait_for(SOME_PLAYED)
        terminal.interrupt()
        terminal.wait_for("Ctrl-C again ends at once")  # or both signals would be one to it
        terminal.interrupt()
        assert terminal.end() == 130
    assert "`arena tournament resume monday` goes on" in terminal.lines[-1]
    assert "Traceback" not in terminal.text
    finished = field.counts()["finished"]
    assert 0 < finished < MATCHES
    field.ok("tournament", "cancel", "monday")
    assert field.counts() == {"finished": finished, "void": MATCHES - finished}
    refused = field.here("tournament", "resume", "monday")
    assert refused.code == 1
    assert "was cancelled" in refused.err


@MINUTES
@pytest.mark.host_fault("worker-killed")
def test_a_worker_that_is_killed_costs_no_match_and_whoever_watches_sees_the_end(
    field: Place, undisturbed: list[tuple[object, ...]]
) -> None:
    field.hold()
    with field.on_terminal(*ORDER, *TWO) as terminal:
        terminal.wait_for(SOME_PLAYED)
        with field.on_terminal("tournament", "watch", "monday") as second:
            second.wait_for(f"monday: running, [0-9]+/{MATCHES} matches")
            worker = next(process for process, command in field.processes().items() if "arena.worker" in command)
            os.kill(worker, signal.SIGKILL)
            field.release()
            assert terminal.end() == 0
            assert second.end() == 0
    assert f"monday: finished, {MATCHES}/{MATCHES} matches" in second.text
    check_all_is_well(field)
    assert field.table() == undisturbed
