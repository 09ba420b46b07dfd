"""Training sets: what is written is read back, and is what the matches were."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from arena.adapters import dataset_writer as exporting
from arena.adapters.batch import rewards_of
from arena.adapters.dataset import DatasetError, NpzWriter, Positions, load
from arena.adapters.dataset_writer import Export, OtherGameError, UnreplayableError
from engine import registry
from engine.chance import ScriptedChance, SeededChance
from engine.record import Playing

KINDS = [("foreign_king", 3, {"max_rounds": 4}), ("rex_romanorum", 2, {"round_limit": 3, "variant": "short"})]


def write(file: Path, documents: list[dict[str, Any]]) -> int:
    with file.open("wb") as stream, Export(file, stream) as export:
        for one in documents:
            export.add(one)
    return export.positions


def compare(positions: Positions, documents: list[dict[str, Any]]) -> None:
    """Hold every row against the match, played again."""
    observations, legal = positions.observations(), positions.legal()
    row = 0
    for one in documents:
        game, seats = registry.get(one["game"]), len(one["seats"])
        state = game.new_state(seats, game.parse_options(one["options"]), ScriptedChance(one["chance"]))
        for entry in one["entries"]:
            seat = state.seat()
            assert seat is not None
            assert (observations[row] == positions.features.planes(state, seat)).all()
            assert np.flatnonzero(legal[row]).tolist() == list(state.legal_actions())
            assert positions.actions[row] == entry["action"]
            assert positions.seats[row] == seat
            assert positions.plies[row] == entry["ply"]
            assert positions.by_bot[row] == (entry["by"] == "bot")
            assert positions.ranks[row].tolist() == one["result"]["ranks"]
            assert positions.rewards[row].tolist() == pytest.approx(rewards_of(tuple(one["result"]["ranks"])))
            assert positions.matches[row].decode() == one["match_id"]
            state.apply(entry["action"])
            row += 1
    assert row == len(positions)


@pytest.mark.parametrize(("name", "seats", "options"), KINDS)
def test_every_decision_is_read_back(
    name: str, seats: int, options: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "CHUNK", 20)
    documents = [document(name, seats, options, seed) for seed in range(5)]
    file = tmp_path / "set.npz"
    count = write(file, documents)
    dataset = load(file)
    assert len(list(dataset.chunks())) > 1
    assert dataset.header["options"] == documents[0]["options"]
    positions = dataset.positions()
    assert len(positions) == count == sum(len(one["entries"]) for one in documents)
    compare(positions, documents)


def test_numpy_alone_reads_it(tmp_path: Path) -> None:
    file = tmp_path / "set.npz"
    write(file, [document("foreign_king", 2, {"max_rounds": 2}, 1)])
    with np.load(file) as archive:
        assert json.loads(str(archive["header"]))["game"] == "foreign_king"
        assert archive["000000/actions"].shape == archive["000000/seats"].shape
        assert archive["000000/legal"].dtype == np.uint8


def test_some_of_the_decisions_are_chosen_like_rows(tmp_path: Path) -> None:
    file = tmp_path / "set.npz"
    write(file, [document("foreign_king", 2, {"max_rounds": 2}, 1)])
    positions = load(file).positions()
    own = positions[positions.by_bot]
    assert len(own) == len(positions) - 1
    assert (own.observations(np.int16) == positions.observations()[1:]).all()
    assert len(positions[:3]) == 3


def test_equal_matches_are_equal_files(tmp_path: Path) -> None:
    files = [tmp_path / name for name in ("one.npz", "two.npz")]
    for file in files:
        write(file, [document("foreign_king", 2, {"max_rounds": 2}, 1)])
    assert files[0].read_bytes() == files[1].read_bytes()


def test_a_match_that_cannot_be_played_again_adds_nothing(tmp_path: Path) -> None:
    good, bad = document("foreign_king", 2, {"max_rounds": 2}, 1), document("foreign_king", 2, {"max_rounds": 2}, 2)
    bad["entries"][5]["action"] = 9999
    late = {**good, "entries": [*good["entries"], good["entries"][-1]]}
    file = tmp_path / "set.npz"
    with file.open("wb") as stream, Export(file, stream) as export:
        export.add(good)
        with pytest.raises(UnreplayableError, match="action 9999 is not legal here"):
            export.add(bad)
        with pytest.raises(UnreplayableError, match="it goes on after the end of the game"):
            export.add(late)
        export.add(good)
    compare(load(file).positions(), [good, good])


def test_a_match_of_another_kind_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "set.npz"
    with file.open("wb") as stream, Export(file, stream) as export:
        export.add(document("foreign_king", 2, {"max_rounds": 2}, 1))
        for name, seats, options, message in (
            ("rex_romanorum", 2, {"round_limit": 1}, "matches of foreign_king and of rex_romanorum"),
            ("foreign_king", 3, {"max_rounds": 2}, "matches of foreign_king with seats 2 and with 3"),
            ("foreign_king", 2, {"max_rounds": 3}, "matches of foreign_king with options .* and with"),
        ):
            with pytest.raises(OtherGameError, match=message):
                export.add(document(name, seats, options, 1))


def test_a_match_of_other_rules_is_refused(tmp_path: Path) -> None:
    other = {**document("foreign_king", 2, {"max_rounds": 2}, 1), "rules_version": "0"}
    file = tmp_path / "set.npz"
    with file.open("wb") as stream, Export(file, stream) as export:
        with pytest.raises(UnreplayableError, match="played by rules 0; installed are 1"):
            export.add(other)
        assert export.positions == 0


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("set.txt", b"", "set.txt is no name of a training set; name a file that ends with .npz or .parquet"),
        ("set.npz", b"nothing", "set.npz is no training set of the arena"),
        ("set.npz", b"PK\x03\x04", "set.npz is no training set of the arena"),
        ("set.npz", b"", "set.npz is no training set of the arena"),
    ],
)
def test_another_file_is_refused(name: str, content: bytes, message: str, tmp_path: Path) -> None:
    (tmp_path / name).write_bytes(content)
    with pytest.raises(DatasetError, match=message):
        load(tmp_path / name)


def test_another_version_and_other_planes_are_refused(tmp_path: Path) -> None:
    file = tmp_path / "set.npz"
    write(file, [document("foreign_king", 2, {"max_rounds": 2}, 1)])
    with np.load(file) as archive:
        arrays = dict(archive)
    for key, value, message in (("version", 2, "of version 1"), ("planes", ["a"], "for other rules or planes")):
        header = {**json.loads(str(arrays["header"])), key: value}
        np.savez(file, **{**arrays, "header": np.array(json.dumps(header))})
        with pytest.raises(DatasetError, match=message):
            load(file)
    np.savez(file, arr=np.zeros(3))
    with pytest.raises(DatasetError, match="header"):
        load(file)


def test_a_file_that_was_cut_short_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "set.npz"
    write(file, [document("foreign_king", 2, {"max_rounds": 2}, 1)])
    file.write_bytes(file.read_bytes()[:-100])
    with pytest.raises(DatasetError, match="export it again"):
        load(file)


def headed(file: Path, header: Any) -> Path:
    with file.open("wb") as stream:
        NpzWriter(stream, header).close()
    return file


def test_a_file_that_is_missing_or_a_directory_is_told_in_a_line(tmp_path: Path) -> None:
    (tmp_path / "directory.npz").mkdir()
    with pytest.raises(DatasetError, match=r"there is no file .*; `arena replay dataset` writes one"):
        load(tmp_path / "missing.npz")
    with pytest.raises(DatasetError, match="cannot be read: Is a directory; name another file"):
        load(tmp_path / "directory.npz")


@pytest.mark.parametrize(
    "header", [[], {"format": "arena.dataset", "version": 1}, {"format": "arena.dataset", "version": 1, "game": []}]
)
def test_a_header_that_is_none_is_told_in_a_line(header: Any, tmp_path: Path) -> None:
    with pytest.raises(DatasetError, match=r"is no training set of the arena: .*; export it again"):
        load(headed(tmp_path / "odd.npz", header))


def test_a_chunk_with_other_bytes_is_told_in_a_line(tmp_path: Path) -> None:
    file = tmp_path / "set.npz"
    write(file, [document("foreign_king", 3, {"max_rounds": 4}, 1)])
    with zipfile.ZipFile(file) as archive:
        place = archive.getinfo("000000/actions.npy").header_offset + 60
    data = bytearray(file.read_bytes())
    data[place : place + 20] = bytes(255 - byte for byte in data[place : place + 20])
    file.write_bytes(data)
    with pytest.raises(DatasetError, match=r"is damaged: .*; export it again"):
        load(file).positions()


def document(name: str, seats: int, options: dict[str, Any], seed: int) -> dict[str, Any]:
    """What of a replay becomes a training set; its first ply is the opening's."""
    game, random = registry.get(name), Random(seed)
    playing = Playing(game, seats, game.parse_options(options), SeededChance(seed))
    while playing.state.seat() is not None:
        playing.apply(random.choice(playing.state.legal_actions()))
    outcome = playing.state.outcome()
    assert outcome is not None
    return {
        "match_id": f"{seed:032x}",
        "game": name,
        "rules_version": game.rules_version,
        "options": game.options_json(playing.options),
        "seats": [{} for _ in range(seats)],
        "chance": [list(drawn) for drawn in playing.chance_outcomes],
        "entries": [
            {"ply": event.ply, "seat": event.seat, "action": event.action, "by": "bot" if event.ply else "opening"}
            for event in playing.events
        ],
        "result": {"ranks": list(outcome.ranks)},
    }
