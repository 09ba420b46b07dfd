"""`arena match watch` and `arena bot replays`, on a database and at a service."""

import json
import tarfile
import zipfile
from pathlib import Path

import pytest

from tests.cli.support import ROUND_ROBIN, Arena


@pytest.fixture
def match(table: Arena) -> str:
    """The id of a match that is over."""
    played, listed = table.played(" ".join([*ROUND_ROBIN, "--name cup --seed 1"]), "match list --json")
    assert played.code == 0
    found: str = listed.json[0]["id"]
    return found


def test_a_match_that_is_over_is_shown_move_by_move(match: str, arena_cli: Arena) -> None:
    plies = arena_cli("replay", "show", match, "--json").json["entries"]
    seen = arena_cli("match", "watch", match)
    assert (seen.code, seen.err) == (0, "")
    lines = seen.out.splitlines()
    assert len(lines) == len(plies) + 2
    assert match in lines[0]
    assert lines[-1].startswith("over ")
    assert any("ACT_COINS" in line and " Francs." in line for line in lines)
    german = arena_cli("match", "watch", match, "--lang", "de").out
    assert " will den König führen." in german
    events = [json.loads(line) for line in arena_cli("match", "watch", match, "--json").out.splitlines()]
    assert [event["move"]["action"] for event in events[1:-1]] == [entry["action"] for entry in plies]
    assert events[0]["start"]["game"] == "foreign_king"


def test_an_unknown_match_and_a_seat_that_does_not_exist_are_refused(match: str, arena_cli: Arena) -> None:
    assert "ffffffff" in arena_cli.refusal("match", "watch", "ffffffff")
    assert "seat 9" in arena_cli.refusal("match", "watch", match, "--log", "9")


@pytest.mark.parametrize("name", ["all.zip", "all.tar.gz", pytest.param("all.tar", marks=pytest.mark.needs("minutes"))])
def test_all_replays_of_a_bot_come_in_one_archive(match: str, arena_cli: Arena, tmp_path: Path, name: str) -> None:
    out = tmp_path / name
    finished = arena_cli("bot", "replays", "ada", "--out", out, "--json")
    if name.endswith(".zip"):
        with zipfile.ZipFile(out) as archive:
            files = {entry: archive.read(entry) for entry in archive.namelist()}
    else:
        with tarfile.open(out) as packed:
            files = {entry.name: packed.extractfile(entry).read() for entry in packed}  # type: ignore[union-attr]
    whole = {row["id"] for row in arena_cli("match", "list", "--bot", "ada", "--limit", "0", "--json").json}
    assert finished.json["matches"] == len(files)
    assert set(files) == {f"{id_}.json" for id_ in whole}
    shown = arena_cli("replay", "show", match, "--json").json
    assert json.loads(files[f"{match}.json"]) == {key: shown[key] for key in shown if key not in ("plies", "scoring")}
    assert not list(tmp_path.glob("*.part"))


def test_an_archive_of_an_unknown_kind_is_refused(match: str, arena_cli: Arena, tmp_path: Path) -> None:
    assert ".tar.gz" in arena_cli.refusal("bot", "replays", "ada", "--out", tmp_path / "all.rar")
    assert arena_cli.refusal("bot", "replays", "nobody", "--out", tmp_path / "all.zip")
    assert not list(tmp_path.glob("all*"))
