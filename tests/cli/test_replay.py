"""`arena replay`: what is shown of a match that is over, and what verifying finds."""

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

from engine import registry
from tests.cli.support import MATCH, Arena, write_bot


def test_a_replay_is_shown_ply_by_ply(table: Arena, match: dict[str, Any]) -> None:
    shown = table("replay", "show", match["match_id"])
    assert shown.code == 0
    assert len([line for line in shown.out.splitlines() if " bot " in line or " opening " in line]) > 10
    assert "ended  by the rules" in shown.out
    assert " wants to build a factory." in shown.out
    assert re.search(r"SCORING +ada \(\w\) ", shown.out)
    assert re.search(r"total( +-?\d+){3}", shown.out)


def test_a_replay_is_told_in_other_languages(table: Arena, match: dict[str, Any]) -> None:
    shown = table("replay", "show", match["match_id"], "--lang", "it")
    assert " vuole costruire una fabbrica." in shown.out
    assert "Prestiti aperti" in shown.out


def test_what_each_ply_was_is_told_to_programs_too(table: Arena, match: dict[str, Any]) -> None:
    document = table("replay", "show", match["match_id"], "--json").json
    assert [ply["ply"] for ply in document["plies"]] == list(range(match["plies"]))
    assert all(ply["words"] and ply["action"] and len(ply["values"]) == 3 for ply in document["plies"])
    assert document["scoring"][-1]["sums"] == document["result"]["details"]["scores"]
    last = table("replay", "show", match["match_id"], "--ply", "4", "--json").json["last"]
    assert last == document["plies"][3]


def test_a_replay_of_other_rules_is_told_by_its_notation(
    table: Arena, match: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(type(registry.get("foreign_king")), "rules_version", "99")
    shown = table("replay", "show", match["match_id"])
    assert "told by notation alone: it was played by version" in shown.err
    assert "ACT_BUILD" in shown.out
    assert "wants to build" not in shown.out
    assert "installed is 99" in table.refusal("replay", "show", match["match_id"], "--ply", "3", code=1)


def test_a_replay_is_json_for_programs(table: Arena, match: dict[str, Any]) -> None:
    document = table("replay", "show", match["match_id"], "--json").json
    assert document["match_id"] == match["match_id"]
    assert len(document["entries"]) == match["plies"]


def test_any_position_of_a_replay_is_shown_and_drawn(table: Arena, match: dict[str, Any], tmp_path: Path) -> None:
    for ply in (0, 5, match["plies"]):
        assert f"before ply {ply} of" in table("replay", "show", match["match_id"], "--ply", str(ply)).out
    assert table("replay", "show", match["match_id"], "--svg", tmp_path / "end.svg").code == 0
    assert "<svg" in (tmp_path / "end.svg").read_text(encoding="utf-8")


def test_a_ply_beyond_the_end_is_refused(table: Arena, match: dict[str, Any]) -> None:
    refusal = table.refusal("replay", "show", match["match_id"], "--ply", str(match["plies"] + 1))
    assert f"--ply {match['plies']} is its end" in refusal


def test_a_sound_match_verifies_alone_by_tournament_and_with_all(table: Arena, match: dict[str, Any]) -> None:
    for words in ([match["match_id"]], ["--tournament", "match-1"], ["--all"]):
        assert table("replay", "verify", *words, "--json").json == {
            "matches": 1,
            "verified": 1,
            "removed": 0,
            "broken": [],
        }
    assert table("replay", "verify", "--all").out == "1 match: 1 verified, 0 broken\n"


def test_verify_wants_to_know_what(table: Arena) -> None:
    for words in ([], ["abcd", "--all"]):
        assert "say what to verify" in table.refusal("replay", "verify", *words)


@pytest.mark.host_fault("byte-of-a-replay-flipped")
def test_one_flipped_byte_of_a_replay_is_detected(table: Arena, match: dict[str, Any]) -> None:
    with closing(sqlite3.connect(table.db)) as connection:
        (data,) = connection.execute("SELECT data FROM replay").fetchone()
    for place in (0, 2, 100, -33, -1):
        flipped = bytearray(data)
        flipped[place] ^= 1
        with closing(sqlite3.connect(table.db)) as connection, connection:
            connection.execute("UPDATE replay SET data = ?", (bytes(flipped),))
        finished = table("replay", "verify", "--all")
        assert finished.code == 1, place
        assert "1 match: 0 verified, 1 broken" in finished.out, place
        assert match["match_id"][-8:] in finished.out, place


CHANGES = [
    "UPDATE match SET game_digest = '00'",
    "UPDATE match SET record_digest = '00'",
    "UPDATE match SET plies = 1",
    "UPDATE match SET decisions = 1",
    "UPDATE match SET by_rules = 0",
    "UPDATE match SET rated = 0",
    "UPDATE match SET details = '{}'",
    "UPDATE match SET started_at_us = 1",
    "UPDATE match SET duration_us = 1",
    "UPDATE match_seat SET forfeit = 1 WHERE seat = 0",
    "UPDATE match_seat SET resigned = 1 WHERE seat = 0",
    "UPDATE block SET chance_seed = 1",
    "UPDATE block SET opening = '[]'",
    "UPDATE pool SET cores = 7",
]


def test_a_changed_fact_in_the_database_is_detected(table: Arena, match: dict[str, Any], tmp_path: Path) -> None:
    assert match
    whole = tmp_path / "whole.db"
    shutil.copy(table.db, whole)
    for change in CHANGES:
        shutil.copy(whole, table.db)
        with closing(sqlite3.connect(table.db)) as connection, connection:
            connection.execute(change)
        assert "in the database" in table("replay", "verify", "--all").out, change


def test_a_match_with_a_forfeit_is_verified(table: Arena, tmp_path: Path) -> None:
    table("bot", "add", write_bot(tmp_path / "cheat", "cheat"))
    table("match", "run", "--game", "foreign_king", "--bots", "ada,cheat,bob")
    assert table("replay", "verify", "--all").code == 0


def test_changed_ranks_in_the_database_are_detected(table: Arena, match: dict[str, Any]) -> None:
    with closing(sqlite3.connect(table.db)) as connection, connection:
        connection.execute("UPDATE match_seat SET rank = 4 - rank")
    finished = table("replay", "verify", "--all")
    assert finished.code == 1
    assert "ranks" in finished.out


@pytest.mark.parametrize("alone", [True, False])
def test_a_finished_match_without_a_replay_is_broken(table: Arena, match: dict[str, Any], alone: bool) -> None:
    table(*MATCH)
    with closing(sqlite3.connect(table.db)) as connection, connection:
        connection.execute("DELETE FROM replay WHERE match_id = ?", (match["match_id"],))
    finished = table("replay", "verify", match["match_id"] if alone else "--all")
    assert finished.code == 1
    assert f"match {match['match_id'][-8:]}: finished without a replay" in finished.out
    assert ("1 match: 0 verified, 1 broken" if alone else "2 matches: 1 verified, 1 broken") in finished.out


def test_the_end_of_a_replay_is_written_for_people(table: Arena, match: dict[str, Any]) -> None:
    end = table("replay", "show", match["match_id"]).out.partition("ranks")[2]
    assert not set("[]{}'") & set(end)
