"""`arena serve`: it plays what is queued, stops in good order, goes on wherever it was killed, and is backed up."""

from __future__ import annotations

import json
import os
import signal
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from arena.tournament.formats.ladder import LadderFormat
from tests.support.patience import ANY_TIME
from tests.support.places import Place, Served, cancel, left_behind, plan, serving, wait_for_counts
from tests.support.processes import wait_until

MINUTES = pytest.mark.needs("minutes")
BLOCKS = 3
MATCHES = 3 * BLOCKS


def test_it_plays_what_others_create_and_tells_how_it_does(field: Place) -> None:
    with serving(field, "--workers", "1") as served:
        plan(field, blocks=1)
        wait_for_counts(field, {"finished": 3})
        assert served.health == {"healthy": True, "problems": {}}
        assert served.get("/health")[0] == 200
        assert served.metric('arena_matches_total{activity="tournament"}') == 3
        assert served.metric("arena_decisions_total") > 3
        assert served.metric("arena_slots") >= 1
        assert served.metric("arena_warm_processes") >= 3
        assert served.get("/nothing")[0] == 404
        refuse_a_second_service(field, served)
        assert served.stop() == 0
    assert "stopped" in served.terminal.text
    assert left_behind(field) == []
    lines = [json.loads(line) for line in (field.directory / "logs" / "serve.jsonl").read_text().splitlines()]
    finished = [line for line in lines if line["event"] == "match finished"]
    assert len({line["match"] for line in finished}) == 3
    assert {line["attempt"] for line in finished} == {1}
    field.ok("db", "check")


def refuse_a_second_service(field: Place, served: Served) -> None:
    """A second service on the home, and one on a port in use, are told of in one clear line."""
    second = field.here("serve", "--home", field.directory)
    assert second.code == 1
    assert f"is served already, by process {served.pid} since" in second.err
    assert second.err.count("\n") == 1
    other = field.directory / "other"
    taken = served.addresses["admin"].removeprefix("http://")
    refused = field.here("serve", "--home", other, "--admin-address", taken, "--address", "", "--web-address", "")
    assert refused.code == 1
    assert f"arena: {taken} is in use; stop what listens there, or choose another address" in refused.err


@MINUTES
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


@pytest.fixture
def undisturbed(field: Place) -> list[tuple[object, ...]]:
    """The table of the same tournament, played by a command; the place is as before then."""
    database = field.db.read_bytes()
    plan(field, blocks=BLOCKS)
    field.ok("tournament", "resume", "monday", "--workers", "1")
    field.wait_until_nothing_runs()
    table = field.table()
    field.put_back(database)
    return table


@MINUTES
@pytest.mark.host_fault("service-told-twice-to-end", "service-killed")
def test_however_it_ends_the_next_one_goes_on_and_nothing_is_lost_or_counted_twice(
    field: Place, undisturbed: list[tuple[object, ...]]
) -> None:
    plan(field, blocks=BLOCKS)
    field.hold()  # each service plays two matches, and is held by its bots in the next
    with serving(field, "--workers", "1", "--stop-grace", "0") as served:
        wait_until_held(field, 2)
        assert served.stop() == 0
    assert set(field.counts()) == {"planned", "finished"}
    assert attempts(field) <= {"finished", "released"}
    assert left_behind(field) == []
    with serving(field, "--workers", "1", "--stop-grace", "86400") as served:
        wait_until_held(field, 4)
        os.kill(served.pid, signal.SIGTERM)
        served.terminal.wait_for("a second signal ends at once")
        assert served.stop() == 130
        field.wait_until_nothing_runs()
    for is_held in (True, False):
        with serving(field, "--workers", "1") as served:
            if is_held:
                wait_until_held(field, 6)
            os.kill(served.pid, signal.SIGKILL)
            assert served.terminal.end() == -signal.SIGKILL
            field.wait_until_nothing_runs()
    field.release()
    with serving(field, "--workers", "1") as served:
        wait_for_counts(field, {"finished": MATCHES})
        assert served.stop() == 0
    assert field.table() == undisturbed
    assert left_behind(field) == []
    field.ok("db", "check")


def wait_until_held(place: Place, finished: int) -> None:
    """So many matches are played, the next is held by its bots, and one or more wait: more if all were short."""
    wait_until(lambda: place.counts().get("finished") == finished and place.counts().get("leased", 0) >= 2)


def attempts(place: Place) -> set[str]:
    """The states of all attempts."""
    with closing(sqlite3.connect(place.db)) as connection:
        return {state for (state,) in connection.execute("SELECT DISTINCT state FROM attempt")}


@MINUTES
def test_a_ladder_is_played_by_all_bots_and_what_is_closed_or_cancelled_from_outside_ends(field: Place) -> None:
    endless = plan(field, name="endless", bots=("first", "last"), form=LadderFormat(2, 0))
    with serving(field, "--workers", "1") as served:
        field.ok("ladder", "open", "king3", "--game", "foreign_king", "--seats", "3", *ANY_TIME)
        (row,) = [row for row in field.ok("ladder", "list", "--json").json if row["name"] == "king3"]
        assert (row["state"], row["bots"]) == ("open", 3)
        plan(field, blocks=1)
        wait_until(lambda: finished(field, "monday") == 3 and finished(field, "king3") >= 3)
        assert served.metric('arena_matches_total{activity="ladder"}') >= 3
        again = field.here("ladder", "open", "king3", "--game", "foreign_king", "--seats", "2")
        assert again.code == 2
        field.ok("ladder", "close", "king3", "--why", "the class is over")
        cancel(field, endless)
        wait_until(lambda: count(field, "match WHERE state IN ('planned', 'leased')") == 0)
        assert served.stop() == 0
    (row,) = [row for row in field.ok("ladder", "list", "--json").json if row["name"] == "king3"]
    assert (row["state"], row["closed_because"]) == ("closed", "the class is over")
    assert left_behind(field) == []
    field.ok("db", "check")


def finished(place: Place, name: str) -> int:
    """How many matches of a tournament or ladder are finished."""
    return count(
        place,
        "match JOIN tournament ON tournament.id = tournament_id "
        f"WHERE name LIKE '{name}%' AND match.state = 'finished'",
    )


def count(place: Place, rows: str) -> int:
    with closing(sqlite3.connect(place.db)) as connection:
        return int(connection.execute(f"SELECT count(*) FROM {rows}").fetchone()[0])


def test_a_mistyped_setting_ends_it_before_anything_begins(field: Place) -> None:
    (field.directory / "settings.toml").write_text("[service]\nworker = 1\n", encoding="utf-8")
    refused = field.here("serve", "--home", field.directory)
    assert refused.code == 2
    assert refused.err == (
        f"arena: {field.directory}/settings.toml: [service] there is no setting 'worker'; did you mean 'workers'?\n"
    )
    checked = field.here("serve", "--home", field.directory, "--check", "--json")
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


def all_finished(place: Place) -> int:
    return place.counts().get("finished", 0)


def restored(place: Place, archive: Path) -> Place:
    """The place that an archive becomes, after everything in it was checked."""
    new = Place(archive.with_name(archive.name.partition(".")[0]))
    done = place.ok("home", "restore", archive, "--home", new.directory, "--json").json
    assert (done["problems"], done["missing"]) == ([], [])
    assert done["matches"] == sum(new.counts().values())
    assert done["replays"] == all_finished(new)
    assert "is in order" in new.ok("db", "check", "--db", new.db).out
    return new


@MINUTES
def test_every_backup_taken_while_matches_are_played_is_a_home_that_goes_on(
    field: Place, tmp_path_factory: pytest.TempPathFactory
) -> None:
    plan(field, name="endless", bots=("first", "last"), form=LadderFormat(2, 0))
    directory = tmp_path_factory.mktemp("b")  # a socket's path must be short
    archives = [directory / f"{number}.tar.gz" for number in range(2)]
    taken: list[int] = []
    with serving(field, "--workers", "1") as served:
        for archive in archives:
            before = all_finished(field)
            wait_until(lambda before=before: all_finished(field) > before + 2)  # type: ignore[misc]
            done = field.ok("home", "backup", archive, "--home", field.directory)
            assert "contains secrets" in done.out
            assert archive.stat().st_mode & 0o777 == 0o600
            taken.append(all_finished(field))
        wait_until(lambda: all_finished(field) > taken[-1])
        assert served.stop() == 0
    homes = [restored(field, archive) for archive in archives]
    counts = [all_finished(home) for home in homes]
    assert counts == sorted(counts)
    assert all(count <= later for count, later in zip(counts, taken, strict=True))
    last = homes[-1]
    with serving(last, "--workers", "1") as served:
        wait_until(lambda: all_finished(last) > counts[-1] + 2)
        assert served.stop() == 0
    last.ok("db", "check", "--db", last.db)
    again = field.arena("home", "backup", archives[0], "--home", field.directory)
    assert (again.code, again.err.count("\n")) == (1, 1)
    assert "exists already" in again.err
