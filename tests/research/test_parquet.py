"""Training sets as Parquet: the same decisions as in NumPy's archive, for whoever reads tables."""

from __future__ import annotations

import importlib
from pathlib import Path
from typing import Any

import pytest

from arena.adapters import export as exporting
from arena.adapters.dataset import DatasetError, load
from tests.adapters.test_dataset import KINDS, compare, document, write


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
