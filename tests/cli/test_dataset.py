"""`arena replay dataset`: replays become a training set, whole or not at all, here and at a service."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from arena.adapters.dataset import load
from arena.adapters.export import Export
from tests.cli.support import MATCH, Arena

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
