"""`arena serve`: it plays what is queued, stops in good order, and goes on wherever it was killed."""

import json
import os
import shutil
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.tournament.formats.ladder import Ladder
from tests.support.patience import ANY_TIME
from tests.support.places import Place
from tests.support.processes import wait_until
from tests.support.serving import cancel, left_behind, plan, serving, wait_for_counts

BLOCKS = 2
MATCHES = 3 * BLOCKS


@pytest.fixture(scope="module")
def undisturbed(tmp_path_factory: pytest.TempPathFactory, prepared: Path) -> list[tuple[object, ...]]:
    """The table of the same tournament, played by a command."""
    place = Place(shutil.copytree(prepared, tmp_path_factory.mktemp("undisturbed"), dirs_exist_ok=True))
    plan(place, blocks=BLOCKS)
    place.ok("tournament", "resume", "monday")
    place.wait_until_nothing_runs()
    return place.table()


def test_it_plays_what_others_create_and_tells_how_it_does(field: Place, undisturbed: list[tuple[object, ...]]) -> None:
    with serving(field) as served:
        plan(field, blocks=BLOCKS)
        wait_for_counts(field, {"finished": MATCHES})
        assert served.health == {"healthy": True, "problems": {}}
        assert served.get("/health")[0] == 200
        assert served.metric('arena_matches_total{activity="tournament"}') == MATCHES
        assert served.metric("arena_decisions_total") > MATCHES
        assert served.metric("arena_slots") >= 1
        assert served.metric("arena_warm_processes") >= 3
        assert served.get("/nothing")[0] == 404
        plan(field, blocks=BLOCKS, name="tuesday")
        wait_for_counts(field, {"finished": 2 * MATCHES})
        assert served.stop() == 0
    assert "stopped" in served.terminal.text
    assert left_behind(field) == []
    lines = [json.loads(line) for line in (field.directory / "logs" / "serve.jsonl").read_text().splitlines()]
    finished = [line for line in lines if line["event"] == "match finished"]
    assert len({line["match"] for line in finished}) == 2 * MATCHES
    assert {line["attempt"] for line in finished} == {1}
    field.ok("db", "check")


@pytest.mark.host_fault("database-taken-away-from-a-service")
def test_a_database_that_is_taken_away_ends_it_and_is_not_made_anew(field: Place) -> None:
    recorded = field.ok("bot", "list", "--json").json
    with serving(field) as served:
        for file in field.directory.glob("arena.db*"):
            file.unlink()
        assert served.terminal.end() == 1
    assert "was taken away while it was in use" in served.terminal.text
    assert [file.name for file in field.directory.glob("arena.db*")] == ["arena.db.rescued-1"]
    refused = field.here("serve", "--home", field.directory, "--address", "")
    assert (refused.code, "arena.db.rescued-1" in refused.err) == (1, True)
    (field.directory / "arena.db.rescued-1").rename(field.db)
    assert field.ok("bot", "list", "--json").json == recorded


def test_stopped_in_good_order_it_gives_back_what_runs_and_the_next_one_goes_on(
    field: Place, undisturbed: list[tuple[object, ...]]
) -> None:
    plan(field, blocks=BLOCKS)
    field.hold()
    with serving(field, "--workers", "1", "--stop-grace", "0") as served:
        wait_for_counts_of_held(field)
        assert served.stop() == 0
    assert set(field.counts()) == {"planned", "finished"}
    assert attempts(field) <= {"finished", "released"}
    assert left_behind(field) == []
    field.release()
    with serving(field) as served:
        wait_for_counts(field, {"finished": MATCHES})
        assert served.stop() == 0
    assert field.table() == undisturbed


def wait_for_counts_of_held(place: Place) -> None:
    """Two matches are played, the third is held by its bots, and one or more wait: more if both were short."""
    wait_until(lambda: place.counts().get("finished") == 2 and place.counts().get("leased", 0) >= 2)


def attempts(place: Place) -> set[str]:
    """The states of all attempts."""
    with closing(sqlite3.connect(place.db)) as connection:
        return {state for (state,) in connection.execute("SELECT DISTINCT state FROM attempt")}


@pytest.mark.host_fault("service-told-twice-to-end")
def test_a_second_signal_ends_it_at_once(field: Place) -> None:
    plan(field, blocks=BLOCKS)
    field.hold()
    with serving(field, "--workers", "1", "--stop-grace", "86400") as served:
        wait_for_counts_of_held(field)
        os.kill(served.pid, signal.SIGTERM)
        served.terminal.wait_for("a second signal ends at once")
        assert served.stop() == 130
        field.wait_until_nothing_runs()
    field.release()


@pytest.mark.host_fault("service-killed")
def test_killed_and_killed_again_it_loses_nothing_and_counts_nothing_twice(
    field: Place, undisturbed: list[tuple[object, ...]]
) -> None:
    plan(field, blocks=BLOCKS)
    for finished in (0, 2):
        if finished:
            field.hold()
        with serving(field, "--workers", "1") as served:
            if finished:
                wait_for_counts_of_held(field)
            os.kill(served.pid, signal.SIGKILL)
            assert served.terminal.end() == -signal.SIGKILL
            field.wait_until_nothing_runs()
    field.release()
    with serving(field) as served:
        wait_for_counts(field, {"finished": MATCHES})
        assert served.stop() == 0
    assert field.table() == undisturbed
    assert left_behind(field) == []
    field.ok("db", "check")


def test_what_is_cancelled_from_outside_ends_and_the_rest_goes_on(field: Place) -> None:
    endless = plan(field, name="endless", bots=("first", "last"), form=Ladder(2, 0))
    with serving(field, "--workers", "1") as served:
        plan(field, blocks=1)
        wait_until_finished(field, "monday", 3)
        cancel(field, endless)
        wait_until_none_is_open(field)
        assert served.stop() == 0
    field.ok("db", "check")


def wait_until_finished(place: Place, name: str, matches: int) -> None:
    wait_for(
        place,
        "SELECT count(*) FROM match JOIN tournament ON tournament.id = tournament_id "
        f"WHERE name = '{name}' AND state = 'finished'",
        matches,
    )


def wait_until_none_is_open(place: Place) -> None:
    wait_for(place, "SELECT count(*) FROM match WHERE state IN ('planned', 'leased')", 0)


def wait_for(place: Place, query: str, wanted: int) -> None:
    """Return when the query gives that number."""

    def is_so() -> bool:
        with closing(sqlite3.connect(place.db)) as connection:
            return bool(connection.execute(query).fetchone()[0] == wanted)

    wait_until(is_so)


def test_a_ladder_is_played_by_all_bots_until_it_is_closed(field: Place) -> None:
    with serving(field) as served:
        field.ok("ladder", "open", "king3", "--game", "foreign_king", "--seats", "3", *ANY_TIME)
        (row,) = field.ok("ladder", "list", "--json").json
        assert (row["name"], row["state"], row["bots"]) == ("king3", "open", 3)
        wait_until(lambda: served.metric('arena_matches_total{activity="ladder"}') >= 6)
        again = field.arena("ladder", "open", "king3", "--game", "foreign_king", "--seats", "2")
        assert again.code == 2
        field.ok("ladder", "close", "king3", "--why", "the class is over")
        wait_until_none_is_open(field)
        assert served.stop() == 0
    (row,) = field.ok("ladder", "list", "--json").json
    assert (row["state"], row["closed_because"]) == ("closed", "the class is over")
    assert left_behind(field) == []
    field.ok("db", "check")


def test_a_second_service_on_a_home_and_a_port_in_use_are_one_clear_line(field: Place) -> None:
    with serving(field) as served:
        second = field.arena("serve", "--home", field.directory)
        assert second.code == 1
        assert f"is served already, by process {served.pid} since" in second.err
        assert second.err.count("\n") == 1
        other = field.directory / "other"
        taken = served.addresses["admin"].removeprefix("http://")
        refused = field.arena("serve", "--home", other, "--admin-address", taken, "--address", "", "--web-address", "")
        assert refused.code == 1
        assert f"arena: {taken} is in use; stop what listens there, or choose another address" in refused.err
        assert served.stop() == 0


def test_a_mistyped_setting_ends_it_before_anything_begins(field: Place) -> None:
    (field.directory / "settings.toml").write_text("[service]\nworker = 1\n", encoding="utf-8")
    refused = field.arena("serve", "--home", field.directory)
    assert refused.code == 2
    assert refused.err == (
        f"arena: {field.directory}/settings.toml: [service] there is no setting 'worker'; did you mean 'workers'?\n"
    )
    checked = field.arena("serve", "--home", field.directory, "--check", "--json")
    assert checked.code == 1
    assert len(checked.json["problems"]) == 1
    assert checked.json["settings"]["service.workers"] == {"value": 0, "from": "default"}


def test_the_check_says_where_each_setting_comes_from_and_what_a_year_takes(field: Place) -> None:
    checked = field.ok("serve", "--home", field.directory, "--check", "--workers", "3", "--set", "limits.versions=9")
    lines = [line.split() for line in checked.out.splitlines()]
    assert ["service.workers", "3", "--workers"] in lines
    assert ["limits.versions", "9", "--set", "limits.versions"] in lines
    assert "matches a day" in checked.out
    assert "in a year; " in checked.out
