"""`arena match log` and `arena bot build-log`, and what is said of logs and replays that retention removed."""

import re
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from arena.hosting.builds import BuildStore
from arena.match.report import SeatLogText
from ratings.ledger.recording import log_rows
from tests.cli.support import MATCH, Arena, write_bot

RUNTIMES = ("a" * 64, "b" * 64)
REMOVED_AT_US = 1_700_000_000_000_000
REMOVED = "removed by retention on 2023-11-14 22:13:20 UTC"
RED = "\x1b[31m"
INSERT = "INSERT INTO seat_log (match_id, seat, data, cut_bytes) VALUES (:match_id, :seat, :data, :cut_bytes)"


def change(db: Path, command: str, values: Any = ()) -> None:
    with closing(sqlite3.connect(db)) as connection, connection:
        connection.execute(command, values)


@pytest.fixture
def match(table: Arena) -> str:
    """A match in which the bots of the seats 0 and 1 wrote something, and that of seat 2 nothing."""
    (played,) = table.played(" ".join([*MATCH, "--json"]))
    match_id: str = played.json["match_id"]
    for row in log_rows(match_id, [SeatLogText(0, f"asked\n{RED}red\n".encode()), SeatLogText(1, b"not asked\n")]):
        change(table.db, INSERT, row)
    return match_id


def remove_logs(db: Path) -> None:
    change(db, "DELETE FROM seat_log")
    change(db, "UPDATE match SET logs_removed_at_us = ?", (REMOVED_AT_US,))


def remove_replays(db: Path) -> None:
    change(db, "DELETE FROM replay")
    change(db, "UPDATE match SET replay_removed_at_us = ?", (REMOVED_AT_US,))


def test_the_logs_of_a_match_come_with_times(match: str, arena_cli: Arena) -> None:
    shown = arena_cli("match", "log", match).out
    assert "seat 0 (ada) wrote:\nasked\n" in shown
    assert "\x1b" not in shown
    assert "seat 1 (bob) wrote:\nnot asked\n" in shown
    assert "seat 2 (eve) wrote nothing" in shown
    assert re.search(r"CHARGE +LONGEST\n *0 +ada", shown)
    facts = arena_cli("match", "log", match, "--json").json
    assert [log["text"] for log in facts["logs"]] == [f"asked\n{RED}red\n", "not asked\n", ""]
    assert facts["logs_removed_at_us"] is None
    assert [time["seat"] for time in facts["times"]] == [0, 1, 2]


def test_one_seat_is_shown_alone(match: str, arena_cli: Arena) -> None:
    shown = arena_cli("match", "log", match, "--seat", "1").out
    assert "not asked" in shown
    assert not re.search(r"\bada\b", shown)  # a random id may have these letters
    assert "no log of match" in arena_cli.refusal("match", "log", match, "--seat", "9")


def test_the_evidence_of_a_fault_stands_with_the_log(arena_cli: Arena, table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "cheat", "cheat"))
    match_id = table("match", "run", "--game", "foreign_king", "--bots", "ada,cheat", "--json").json["match_id"]
    assert "first line" in arena_cli("match", "log", match_id, "--seat", "1").out
    assert "first line" not in arena_cli("match", "log", match_id, "--seat", "0").out


def test_of_a_match_that_is_not_over_it_is_told_how_to_see_its_log(arena_cli: Arena, table: Arena) -> None:
    table("ladder", "open", "king2", "--game", "foreign_king", "--seats", "2")
    match_id = table("match", "list", "--json").json[0]["id"]
    shown = arena_cli("match", "log", match_id).out
    assert re.search(r"has no log: match \w+ is not over; `arena .*match watch \w+ --log 0.*` shows what is", shown)


def test_what_retention_removed_is_told(match: str, arena_cli: Arena) -> None:
    remove_logs(arena_cli.db)
    assert re.search(f"logs +{REMOVED}", arena_cli("match", "show", match).out)
    assert arena_cli("match", "show", match, "--json").json["logs_removed_at_us"] == REMOVED_AT_US
    shown = arena_cli("match", "log", match).out
    assert f"the logs were {REMOVED}" in shown
    assert "wrote" not in shown
    assert "CHARGE" in shown
    assert arena_cli("match", "log", match, "--json").json["logs_removed_at_us"] == REMOVED_AT_US
    refusal = arena_cli.refusal("match", "watch", match, "--log", "0", code=1)
    assert "were removed by retention on 2023-11-14" in refusal
    remove_replays(arena_cli.db)
    assert re.search(f"replay +{REMOVED}", arena_cli("match", "show", match).out)
    assert "the times went with the replay" in arena_cli("match", "log", match).out


def test_verifying_all_counts_what_retention_removed(match: str, arena_cli: Arena) -> None:
    remove_replays(arena_cli.db)
    assert "removed by retention" in arena_cli.refusal("replay", "verify", match)
    for words in (["--all"], ["--tournament", "match-1"]):
        told = arena_cli("replay", "verify", *words)
        assert told.code == 0
        assert told.out == "1 match: 0 verified, 0 broken, 1 no longer kept (removed by retention)\n"
        counts = {"matches": 1, "verified": 0, "removed": 1, "broken": []}
        assert arena_cli("replay", "verify", *words, "--json").json == counts


def test_the_log_of_the_last_build_is_shown(arena_cli: Arena) -> None:
    store = BuildStore(arena_cli.db.with_suffix(".builds"))
    store.root.mkdir(exist_ok=True)
    version = arena_cli("bot", "show", "ada", "--json").json["versions"][0]["content_hash"]
    assert "has no build log: its bot.toml names no build command" in arena_cli.refusal("bot", "build-log", "ada")
    for number, runtime in enumerate(RUNTIMES):
        store.write_log(version, runtime, f"try {number}\n{RED}no compiler\n")
    shown = arena_cli("bot", "build-log", "ada").out
    assert shown.startswith(f"ada, version 1 ({version[:12]}), built 20")
    assert "UTC in runtime bbbbbbbbbbbb:\ntry 1\n" in shown
    assert "\x1b" not in shown
    facts = arena_cli("bot", "build-log", f"ada@{version[:8]}", "--json").json
    assert (facts["runtime"], facts["text"]) == (RUNTIMES[1], f"try 1\n{RED}no compiler\n")
