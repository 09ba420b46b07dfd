"""`arena replay`: what is shown of a match that is over, what verifying finds, and data sets made of replays."""

from __future__ import annotations

import re
import shutil
import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.adapters.dataset import load
from arena.adapters.dataset_writer import Export
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
    assert "described by notation alone: it was played by version" in shown.err
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


DATASET = ("replay", "dataset")


def test_the_decisions_of_a_match_become_rows(match: dict[str, Any], arena_cli: Arena, tmp_path: Path) -> None:
    out = tmp_path / "set.npz"
    told = arena_cli(*DATASET, "--out", out, "--json").json
    assert told == {
        "file": str(out),
        "matches": 1,
        "positions": match["plies"],
        "bytes": out.stat().st_size,
        "left_out": 0,
        "why": None,
    }
    positions = load(out).positions()
    assert len(positions) == match["plies"]
    assert set(positions.matches.tolist()) == {match["match_id"].encode()}
    assert positions.legal()[np.arange(len(positions)), positions.actions].all()


def test_it_is_told_to_people_in_their_language(match: dict[str, Any], table: Arena) -> None:
    assert f"set.npz: {match['plies']} decisions of 1 match, " in table(*DATASET, "--out", "set.npz").out
    assert (
        f"set.npz: {match['plies']} Entscheidungen aus 1 Partie, "
        in table("--lang", "de", *DATASET, "--out", "set.npz").out
    )


@pytest.mark.usefixtures("match")
def test_matches_are_chosen_by_game_seats_bot_and_number(table: Arena, tmp_path: Path) -> None:
    rex = ["match", "run", "--game", "rex_romanorum", "--bots", "ada,bob", "--seed", "3"]
    assert table(*rex, "--option", "round_limit=2").code == 0
    assert table(*MATCH).code == 0
    refusal = table.refusal(*DATASET, "--out", "set.npz")
    assert "here are foreign_king 3, rex_romanorum 2; name one by --game and --seats" in refusal

    def chosen(*words: str) -> int:
        told = table(*DATASET, "--out", "set.npz", "--json", *words).json
        assert told["left_out"] == 0
        return int(told["matches"])

    assert chosen("--game", "foreign_king") == 2
    assert load(tmp_path / "set.npz").header["seats"] == 3
    assert chosen("--seats", "2") == 1
    assert load(tmp_path / "set.npz").header["options"]["round_limit"] == 2
    assert chosen("--game", "foreign_king", "--limit", "1") == 1
    assert chosen("--game", "rex_romanorum", "--bot", "ada") == 1
    assert "no match that is over is meant" in table.refusal(*DATASET, "--out", "set.npz", "--seats", "4")
    assert "no game 'foreign_kind'; did you mean 'foreign_king'" in table.refusal(
        *DATASET, "--out", "set.npz", "--game", "foreign_kind"
    )
    none = table.refusal(*DATASET, "--out", "none.npz", "--game", "rex_romanorum", "--bot", "eve", code=1)
    assert none == "none of 0 matches can be in a training set; nothing was written"
    assert not (tmp_path / "none.npz").exists()


@pytest.mark.usefixtures("match")
def test_matches_with_other_options_are_refused_and_nothing_is_left(table: Arena, tmp_path: Path) -> None:
    assert table(*MATCH, "--option", "max_rounds=3").code == 0
    before = sorted(path.name for path in tmp_path.iterdir())
    refusal = table.refusal(*DATASET, "--out", "set.npz")
    assert "here are matches of foreign_king with options" in refusal
    assert refusal.endswith("name a --tournament")
    assert sorted(path.name for path in tmp_path.iterdir()) == before


UNWRITABLE = [
    ("set.csv", "--out 'set.csv' is no training set that can be written; end it with .npz, .parquet"),
    ("nowhere/set.npz", "cannot write nowhere/set.npz: No such file or directory; name another file after --out"),
]


@pytest.mark.usefixtures("match")
def test_a_file_that_cannot_be_written_is_refused(table: Arena) -> None:
    assert [(out, table.refusal(*DATASET, "--out", out)) for out, _ in UNWRITABLE] == UNWRITABLE


@pytest.mark.usefixtures("match")
def test_a_damaged_replay_is_left_out_and_told(table: Arena, tmp_path: Path) -> None:
    assert table(*MATCH).code == 0
    with closing(sqlite3.connect(tmp_path / "arena.db")) as database, database:
        database.execute("UPDATE replay SET data = x'00' WHERE rowid = (SELECT min(rowid) FROM replay)")
    finished = table(*DATASET, "--out", "set.npz")
    assert finished.code == 0
    assert "decisions of 1 match, " in finished.out
    assert "1 match was left out: " in finished.err


@pytest.mark.host_fault("ctrl-c")
@pytest.mark.usefixtures("match")
def test_ctrl_c_leaves_what_was_there(table: Arena, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert table(*DATASET, "--out", "set.npz").code == 0
    before = {path.name: path.read_bytes() for path in tmp_path.glob("*.npz")}

    def interrupt(export: Export, document: dict[str, Any]) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Export, "add", interrupt)
    assert table(*DATASET, "--out", "set.npz").code == 130
    assert table(*DATASET, "--out", "other.npz").code == 130
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir() if "npz" in path.name} == before


@pytest.mark.usefixtures("match")
def test_parquet_without_pyarrow_says_what_to_install(table: Arena, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(__import__("sys").modules, "pyarrow.parquet", None)
    refusal = table.refusal(*DATASET, "--out", "set.parquet")
    assert refusal == "Parquet needs pyarrow, which is not installed here; pip install pyarrow, or end --out with .npz"
