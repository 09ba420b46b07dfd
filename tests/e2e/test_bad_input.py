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
MINUTES = pytest.mark.needs("minutes")
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


REFUSED = (
    (["tournamant", "list"], "No such command 'tournamant'. Did you mean 'tournament'? see `arena --help`"),
    (["match", "run", "--game", "ludo", "--bots", "first,last"], "there is no game 'ludo'; `arena game list`"),
    ([*ROUND_ROBIN, "--option", "quene_scope=any"], "quene_scope"),
    ([*ROUND_ROBIN, "--option", "queen_scope=none"], "queen_scope"),
    ([*ROUND_ROBIN[:-1], "first,last,drwan"], "there is no bot 'drwan'; did you mean 'drawn'?"),
    (["tournament", "resume", "monday"], "there is no tournament 'monday'; `arena tournament list` shows all"),
    (["bot", "add", "nowhere"], "nowhere: there is no such directory"),
    (["bot", "add", "empty"], "empty: there is no bot.toml; write one with"),
    (["bot", "add", "bad"], "bad/bot.toml: unknown key 'comand'; did you mean 'command'?"),
)


def test_what_does_not_exist_is_refused_in_one_line_with_the_remedy(field: Place) -> None:
    (field.directory / "empty").mkdir()
    (field.directory / "bad").mkdir()
    (field.directory / "bad" / "bot.toml").write_text('schema = 1\nname = "x"\ncomand = ["y"]\n', encoding="utf-8")
    for words, message in REFUSED:
        assert message in refusal(field, *words), words
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


@MINUTES
@pytest.mark.host_fault("disk-full-in-a-tournament")
def test_a_full_disk_stops_the_tournament_and_with_room_it_goes_on(field: Place) -> None:
    matches = 18
    full = f"sqlite:///{field.db}?max_page_count={pages(field.db) + 12}"
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


@MINUTES
@pytest.mark.host_fault("byte-of-a-replay-flipped")
def test_a_flipped_byte_in_one_of_many_replays_is_found(field: Place) -> None:
    field.ok(*ROUND_ROBIN, "--blocks", "1", *ANY_TIME)
    with closing(sqlite3.connect(field.db)) as connection, connection:
        match_id, data = connection.execute("SELECT match_id, data FROM replay LIMIT 1 OFFSET 1").fetchone()
        flipped = bytearray(data)
        flipped[len(flipped) // 2] ^= 1
        connection.execute("UPDATE replay SET data = ? WHERE match_id = ?", (bytes(flipped), match_id))
    finished = field.here("replay", "verify", "--all", "--json")
    assert finished.code == 1
    assert (finished.json["matches"], finished.json["verified"]) == (3, 2)
    assert [broken["match_id"] for broken in finished.json["broken"]] == [match_id]


# Bots that do wrong, as real processes. What each gets is shown by tests/worker and by the zoo; here, what it comes to.


def add_wrong_bot(field: Place, behaviour: str) -> str:
    directory = field.directory / "sources" / behaviour
    directory.mkdir()
    shutil.copy(SCRIPTED_BOT, directory / "main.py")
    write_manifest(directory, behaviour, "--do", behaviour)
    field.ok("bot", "add", directory)
    return behaviour


def play_against(field: Place, game: str, *behaviours: str) -> dict[str, Any]:
    """A rated match of bots that do wrong, between two good ones; the database is empty before it."""
    bots = ["first", *(add_wrong_bot(field, behaviour) for behaviour in behaviours), "last"]
    order = ["match", "run", "--game", game, "--bots", ",".join(bots), "--rated", "--json", *ANY_TIME]
    match: dict[str, Any] = field.ok(*order).json
    assert (match["state"], match["by_rules"]) == ("finished", True), "the others play to the end"
    assert match["attempts"] == [{**match["attempts"][0], "number": 1, "state": "finished"}]
    faults = {fault["seat"]: fault["bot"] for fault in match["faults"]}
    assert faults == dict(enumerate(behaviours, 1))
    assert all(fault["explanation"] for fault in match["faults"])
    honest, *wrong, last = (seat["rank"] for seat in match["seats"])
    assert max(honest, last) < min(wrong), "who did wrong ranks last"
    assert [row[5] for row in field.table()] == [1] * len(bots), "and it counts for the others"
    return match


@MINUTES
@pytest.mark.hostile("no-actions", "illegal", "leave-with-status-7")
def test_bots_that_do_wrong_get_the_right_fault_and_the_match_goes_on(field: Place) -> None:
    match = play_against(field, "rex_romanorum", "no-actions", "illegal", "leave-with-status-7")
    causes = {fault["bot"]: fault["cause"] for fault in match["faults"]}
    assert causes == {"no-actions": "MALFORMED", "illegal": "ILLEGAL_ACTION", "leave-with-status-7": "DISCONNECTED"}


@MINUTES
@pytest.mark.hostile("exit-at-once", "two-answers")
def test_what_a_bot_wrote_last_is_shown_as_evidence(field: Place) -> None:
    match = play_against(field, "foreign_king", "exit-at-once", "two-answers")
    fault, other = sorted(match["faults"], key=lambda fault: int(fault["seat"]))
    assert (fault["cause"], other["cause"]) == ("START_FAILED", "PROTOCOL")
    assert "cannot find my brain" in str(fault["evidence"])
    shown = field.ok("match", "show", match["match_id"][-8:]).out
    assert "cannot find my brain" in shown
    assert f"START_FAILED: {fault['explanation'][:40]}" in shown
    field.ok("replay", "verify", match["match_id"])


@MINUTES
@pytest.mark.hostile("nobody-starts", "crash-at-once")
def test_a_match_of_nothing_but_bots_that_do_not_start_is_recorded_and_unrated(field: Place) -> None:
    names = ",".join(add_wrong_bot(field, behaviour) for behaviour in ("exit-at-once", "crash-at-once"))
    done = field.here("match", "run", "--game", "foreign_king", "--bots", names, "--rated", "--json", *ANY_START)
    match = done.json
    assert done.code == 1, "it has no valid result"
    assert [fault["cause"] for fault in match["faults"]] == ["START_FAILED", "START_FAILED"]
    assert (match["state"], match["rated"]) == ("finished", False)
    assert field.ok("leaderboard", "--json").json == []
