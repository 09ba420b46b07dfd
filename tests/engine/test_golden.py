"""The golden files of every game: counts of decision sequences, and whole playings replayed line by line."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import golden, registry
from engine.golden import actions_in

TABLES = [(name, seats) for name in registry.single_names() for seats in registry.get(name).seats]


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_sequences_of_decisions_are_counted_as_before(name: str, seats: int) -> None:
    written = json.loads(golden.read(name, golden.PERFT))
    assert golden.golden_of(name).perft_counts(seats) == written[str(seats)]


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_whole_playing_goes_as_before_line_by_line(name: str, seats: int) -> None:
    written = golden.read(name, golden.playthrough_file(seats)).splitlines()
    actions = actions_in(registry.get(name).actions, written)
    found = golden.golden_of(name).playthrough_lines(seats, lambda _: next(actions))
    for number, (line, expected) in enumerate(zip(found, written, strict=True), start=1):
        assert line == expected, f"line {number}"


@pytest.mark.parametrize("name", registry.single_names())
def test_every_game_tells_its_rules_beside_its_code(name: str) -> None:
    folder = Path(golden.golden_of(name).__file__).parents[1]
    rules = (folder / "README.md").read_text(encoding="utf-8")
    listed = {path.name for path in folder.glob("*.json")}
    assert all(f"`{file}`" in rules for file in listed), "the list of files in the README"
