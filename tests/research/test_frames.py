"""What an arena tells a program as tables: frames of pandas, and training sets as Parquet."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from arena.adapters import dataset_writer as exporting
from arena.adapters.dataset import DatasetError, load
from arena.api import Arena, Entrant
from tests.adapters.test_dataset import KINDS, compare, document, write
from tests.api.players import PlaceBot, first
from tests.cli.table import TableExecutor


@pytest.fixture(scope="module")
def arena(tmp_path_factory: pytest.TempPathFactory) -> Any:
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("arena.scripting.database_arena.LocalExecutor", TableExecutor)
        with Arena(tmp_path_factory.mktemp("frames") / "frames.db", workers=2) as made:
            bots = ["random", first, Entrant(PlaceBot(1), name="second")]
            made.tournament("foreign_king", bots, blocks=2, seed=7, name="study", progress=False)
            yield made


@pytest.mark.parametrize("ask", ["leaderboard", "official", "bots", "matches", "tournaments"])
def test_a_table_is_a_frame_with_a_column_for_each_field(ask: str, arena: Arena) -> None:
    table = getattr(arena, ask)()
    frame = table.to_pandas()
    assert len(frame) == len(table)
    assert list(frame.columns) == list(type(table[0]).__slots__)
    assert list(frame.iloc[0]) == [getattr(table[0], name) for name in frame.columns]


def test_an_empty_table_is_a_frame_without_rows(arena: Arena) -> None:
    frame = arena.matches(fault="any").to_pandas()
    assert (len(frame), "seats" in frame.columns) == (0, True)


def test_a_crosstable_is_a_square_by_names(arena: Arena) -> None:
    table = arena.crosstable("study")
    square = table.to_pandas()
    assert list(square.index) == list(square.columns) == list(table.bots)
    assert square.loc["first", "second"] + square.loc["second", "first"] == pytest.approx(1)
    pairs = table.pairs()
    assert len(pairs) == 6
    assert {"matches", "wins", "ties", "losses"} <= set(pairs.columns)


def test_official_ratings_tell_who_is_stronger(arena: Arena) -> None:
    chances = arena.official().stronger()
    assert chances.loc["first", "random"] + chances.loc["random", "first"] == pytest.approx(1, abs=1e-6)
    assert chances.isna().to_numpy().diagonal().all()


def test_a_match_and_its_replay_are_frames(arena: Arena, tmp_path: Path) -> None:
    match = arena.match("foreign_king", ["random", first], seed=1)
    assert list(match.to_pandas()["bot"]) == ["random", "first"]
    plies = arena.replay(match.id).to_pandas()
    assert list(plies["ply"]) == list(range(len(plies)))
    assert set(plies["bot"]) == {"random", "first"}


@pytest.mark.parametrize(("name", "seats", "options"), KINDS)
def test_every_decision_is_read_back(
    name: str, seats: int, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "CHUNK", 20)
    documents = [document(name, seats, options, seed) for seed in range(5)]
    file = tmp_path / "set.parquet"
    count = write(file, documents)
    positions = load(file).positions()
    assert len(positions) == count
    compare(positions, documents)


def test_it_is_a_table_for_others(tmp_path: Path) -> None:
    file, one = tmp_path / "set.parquet", document("foreign_king", 2, {"max_rounds": 2}, 1)
    write(file, [one])
    table = importlib.import_module("pyarrow.parquet").read_table(file)
    assert table.column("actions").to_pylist() == [entry["action"] for entry in one["entries"]]
    assert set(table.column("matches").to_pylist()) == {one["match_id"]}
    assert table.column("ranks").to_pylist()[0] == one["result"]["ranks"]


def test_another_file_is_refused(tmp_path: Path) -> None:
    arrow = importlib.import_module("pyarrow")
    file = tmp_path / "set.parquet"
    file.write_bytes(b"nothing")
    with pytest.raises(DatasetError, match="is no training set of the arena"):
        load(file)
    importlib.import_module("pyarrow.parquet").write_table(arrow.table({"a": [1]}), file)
    with pytest.raises(DatasetError, match="is no training set of the arena"):
        load(file)


def test_other_bytes_in_the_footer_are_told_in_a_line(tmp_path: Path) -> None:
    file = tmp_path / "set.parquet"
    write(file, [document("foreign_king", 2, {"max_rounds": 2}, 1)])
    whole, told = file.read_bytes(), []
    for place in range(len(whole) - 400, len(whole)):
        file.write_bytes(whole[:place] + bytes([255 - whole[place]]) + whole[place + 1 :])
        try:
            load(file).positions()
        except DatasetError as error:
            told.append(str(error))
    assert any("thrift" in text for text in told)
    assert [text for text in told if not text.isprintable() or not text.endswith("; export it again")] == []


def test_a_set_that_breaks_off_leaves_nothing_open(tmp_path: Path) -> None:
    file = tmp_path / "set.parquet"

    def interrupted() -> None:
        with file.open("wb") as stream, exporting.Export(file, stream) as export:
            export.add(document("foreign_king", 2, {"max_rounds": 2}, 1))
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    with pytest.raises(DatasetError, match="is no training set of the arena"):
        load(file)
