"""Everything that can be done wrong: one clear line with the remedy, or the right fault; nothing lost, nothing left."""

import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from tests.support.patience import ANY_START, ANY_TIME
from tests.support.places import CHOICES, Place, write_manifest

SCRIPTED_BOT = Path(__file__).resolve().parents[1] / "support" / "scripted_bot.py"
ROUND_ROBIN = [
    "tournament",
    "run",
    "round-robin",
    "--game",
    "foreign_king",
    "--seats",
    "3",
    "--bots",
    ",".join(CHOICES),
]


def refusal(place: Place, *words: str | Path, code: int = 2) -> str:
    """The one line that a command which must fail writes last, after notes and progress."""
    finished = place.here(*words)
    assert finished.code == code, finished
    assert finished.out == ""
    assert "Traceback" not in finished.err
    assert "fault of the arena" not in finished.err
    *_, line = finished.err.splitlines()
    assert line.startswith("arena: ")
    return line.removeprefix("arena: ")


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["tournamant", "list"], "No such command 'tournamant'. Did you mean 'tournament'? see `arena --help`"),
        (["match", "run", "--game", "chess", "--bots", "first,last"], "there is no game 'chess'; `arena game list`"),
        ([*ROUND_ROBIN, "--option", "quene_scope=any"], "quene_scope"),
        ([*ROUND_ROBIN, "--option", "queen_scope=none"], "queen_scope"),
        ([*ROUND_ROBIN[:-1], "first,last,drwan"], "there is no bot 'drwan'; did you mean 'drawn'?"),
        (["tournament", "resume", "monday"], "there is no tournament 'monday'; `arena tournament list` shows all"),
        (["bot", "add", "nowhere"], "nowhere: there is no such directory"),
        (["bot", "add", "empty"], "empty: there is no bot.toml; write one with"),
        (["bot", "add", "bad"], "bad/bot.toml: unknown key 'comand'; did you mean 'command'?"),
    ],
    ids=lambda value: " ".join(value[:3]) if isinstance(value, list) else "",
)
def test_what_does_not_exist_is_refused_in_one_line_with_the_remedy(
    field: Place, words: list[str], message: str
) -> None:
    (field.directory / "empty").mkdir()
    (field.directory / "bad").mkdir()
    (field.directory / "bad" / "bot.toml").write_text('schema = 1\nname = "x"\ncomand = ["y"]\n', encoding="utf-8")
    assert message in refusal(field, *words)
    assert field.counts() == {}


def test_a_database_of_another_schema_version_is_refused_and_left_alone(field: Place) -> None:
    with closing(sqlite3.connect(field.db)) as connection, connection:
        connection.execute("UPDATE alembic_version SET version_num = '9999'")
    line = refusal(field, *ROUND_ROBIN, code=1)
    assert "has schema 9999, which this arena" in line
    assert "older than the database; update it" in line
    assert field.counts() == {}


def pages(db: Path) -> int:
    with closing(sqlite3.connect(db)) as connection:
        count: int = connection.execute("PRAGMA page_count").fetchone()[0]
        return count


@pytest.mark.host_fault("disk-full-in-a-tournament")
def test_a_full_disk_stops_the_tournament_and_with_room_it_goes_on(field: Place) -> None:
    matches = 45
    full = f"sqlite:///{field.db}?max_page_count={pages(field.db) + 40}"
    order = [*ROUND_ROBIN, "--blocks", str(matches // 3), *ANY_TIME, "--name", "monday"]
    line = refusal(field, *order, "--db", full, code=1)
    assert "no room left" in line
    assert "`arena tournament resume monday" in line
    recorded = field.counts()["finished"]
    assert 0 < recorded < matches
    field.wait_until_nothing_runs()
    field.ok("db", "check")
    field.ok("tournament", "resume", "monday")
    assert field.counts() == {"finished": matches}
    assert field.ok("leaderboard", "--json").json[0]["matches"] == matches
    field.ok("replay", "verify", "--all")


@pytest.mark.host_fault("byte-of-a-replay-flipped")
def test_a_flipped_byte_in_one_of_many_replays_is_found(field: Place) -> None:
    field.ok(*ROUND_ROBIN, "--blocks", "2", *ANY_TIME)
    with closing(sqlite3.connect(field.db)) as connection, connection:
        match_id, data = connection.execute("SELECT match_id, data FROM replay LIMIT 1 OFFSET 3").fetchone()
        flipped = bytearray(data)
        flipped[len(flipped) // 2] ^= 1
        connection.execute("UPDATE replay SET data = ? WHERE match_id = ?", (bytes(flipped), match_id))
    finished = field.here("replay", "verify", "--all", "--json")
    assert finished.code == 1
    assert (finished.json["matches"], finished.json["verified"]) == (6, 5)
    assert [broken["match_id"] for broken in finished.json["broken"]] == [match_id]


# Bots that do wrong, as real processes.


def add_wrong_bot(field: Place, behaviour: str) -> None:
    directory = field.directory / "sources" / "wrong"
    directory.mkdir()
    shutil.copy(SCRIPTED_BOT, directory / "main.py")
    write_manifest(directory, "wrong", "--do", behaviour)
    field.ok("bot", "add", directory)


def play_against(field: Place, behaviour: str, *words: str) -> dict[str, Any]:
    """A rated match of a bot that does `behaviour`, in seat 1, between two good ones."""
    add_wrong_bot(field, behaviour)
    return play_against_the_wrong_bot(field, *words)


def play_against_the_wrong_bot(field: Place, *words: str) -> dict[str, Any]:
    order = ["match", "run", "--game", "foreign_king", "--bots", "first,wrong,last", "--rated", "--json"]
    match: dict[str, Any] = field.ok(*order, *words).json
    return match


def check_lost_by(field: Place, match: dict[str, Any], cause: str) -> None:
    (fault,) = match["faults"]
    assert (fault["seat"], fault["bot"], fault["cause"]) == (1, "wrong", cause)
    assert fault["explanation"]
    assert match["state"] == "finished"
    assert [seat["rank"] == 3 for seat in match["seats"]] == [False, True, False], "it alone ranks last"
    assert match["attempts"] == [{**match["attempts"][0], "number": 1, "state": "finished"}]
    assert [row[5] for row in field.table()] == [1, 1, 1], "and it counts for the others"


WRONG = [
    ("exit-at-once", "START_FAILED"),
    ("crash-at-once", "START_FAILED"),
    ("garbage", "MALFORMED"),
    ("no-actions", "MALFORMED"),
    ("illegal", "ILLEGAL_ACTION"),
    ("out-of-range", "ILLEGAL_ACTION"),
    ("wrong-ply", "PROTOCOL"),
    ("wrong-match", "PROTOCOL"),
    ("two-answers", "PROTOCOL"),
    ("leave-with-status-7", "DISCONNECTED"),
]


@pytest.mark.hostile(*(behaviour for behaviour, _ in WRONG))
@pytest.mark.parametrize(("behaviour", "cause"), WRONG)
def test_a_bot_that_does_wrong_gets_the_right_fault_and_the_match_goes_on(
    field: Place, behaviour: str, cause: str
) -> None:
    match = play_against(field, behaviour, *ANY_TIME)
    check_lost_by(field, match, cause)
    assert match["by_rules"], "the others play to the end"


@pytest.mark.hostile("never-join")
def test_a_bot_that_never_joins_fails_at_the_start_limit(field: Place) -> None:
    add_wrong_bot(field, "never-join")
    database = field.db.read_bytes()
    for limit in ("1s", "10s", "100s"):  # as short as this machine allows: the good ones have to start as well
        field.put_back(database)
        match = play_against_the_wrong_bot(field, *ANY_TIME, "--start-limit", limit)
        if len(match["faults"]) == 1:
            break
    check_lost_by(field, match, "START_FAILED")


@pytest.mark.hostile("silent")
def test_a_bot_that_says_nothing_at_all_runs_out_of_time(field: Place) -> None:
    match = play_against(field, "silent", "--time", "2s", *ANY_START)
    check_lost_by(field, match, "TIMEOUT")


def test_what_a_bot_wrote_last_is_shown_as_evidence(field: Place) -> None:
    match = play_against(field, "exit-at-once", *ANY_TIME)
    assert "cannot find my brain" in str(match["faults"][0]["evidence"])
    shown = field.ok("match", "show", match["match_id"][-8:]).out
    assert "cannot find my brain" in shown
    assert f"START_FAILED: {match['faults'][0]['explanation'][:40]}" in shown
    field.ok("replay", "verify", match["match_id"])


@pytest.mark.hostile("leave-daemons")
def test_processes_that_a_bot_leaves_are_ended_with_it(field: Place) -> None:
    play_against(field, "leave-daemons", *ANY_TIME)
    field.wait_until_nothing_runs()


@pytest.mark.hostile("ignore-term")
def test_a_bot_that_ignores_the_request_to_end_is_ended(field: Place) -> None:
    play_against(field, "ignore-term", "--time", "2s", *ANY_START)
    field.wait_until_nothing_runs()


@pytest.mark.hostile("nobody-starts")
def test_a_match_of_nothing_but_bots_that_do_not_start_is_recorded_and_unrated(field: Place) -> None:
    names = ("one", "two")
    for name in names:
        directory = field.directory / "sources" / name
        directory.mkdir()
        (directory / "main.py").write_text("raise SystemExit('not today')\n", encoding="utf-8")
        field.ok("bot", "add", write_manifest(directory, name))
    match = field.ok("match", "run", "--game", "foreign_king", "--bots", "one,two", "--rated", "--json").json
    assert [fault["cause"] for fault in match["faults"]] == ["START_FAILED", "START_FAILED"]
    assert (match["state"], match["rated"]) == ("finished", False)
    assert field.ok("leaderboard", "--json").json == []
