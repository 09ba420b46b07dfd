"""The golden files of every game: they still hold, and what they are made of."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from engine import golden, registry
from engine.games.foreign_king import GAME as FOREIGN_KING
from engine.games.foreign_king.state import PHASES
from engine.games.rex_romanorum import GAME as REX_ROMANORUM
from engine.golden import actions_in
from engine.perft import breakdown

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


def test_every_kind_of_action_is_taken_in_the_playings() -> None:
    files = [golden.read(REX_ROMANORUM.name, golden.playthrough_file(seats)) for seats in REX_ROMANORUM.seats]
    taken = {action for text in files for action in actions_in(REX_ROMANORUM.actions, text.splitlines())}
    verbs = {REX_ROMANORUM.actions.format(action).partition(":")[0] for action in taken}
    assert verbs == {name.partition(":")[0] for name in REX_ROMANORUM.actions.names}


def test_the_start_has_two_actions_and_drawing_eight() -> None:
    # ACT_ACQUIRE with KEEP:0 to KEEP:7, and ACT_HARVEST before the next seat's two.
    counts = json.loads(golden.read(REX_ROMANORUM.name, golden.PERFT))
    assert counts["5"]["start"][:2] == [2, 8 + 2]


FOREIGN_KING_COUNTS: dict[str, list[int]] = json.loads(golden.read(FOREIGN_KING.name, golden.PERFT))

# Section 9 of the rules, from an independent implementation.
FOREIGN_KING_INDEPENDENTLY = {2: [5, 41, 167], 3: [6, 47, 222], 4: [7, 55, 295]}


@pytest.mark.parametrize("seats", FOREIGN_KING.seats)
def test_sequences_of_decisions_as_an_independent_implementation_counts_them(seats: int) -> None:
    assert FOREIGN_KING_COUNTS[str(seats)][:3] == FOREIGN_KING_INDEPENDENTLY[seats]


def test_the_breakdown_adds_up() -> None:
    assert sum(breakdown(FOREIGN_KING.new_state(4), 4).values()) == FOREIGN_KING_COUNTS["4"][3]


def test_the_playings_come_through_every_phase() -> None:
    phases = set()
    for seats in FOREIGN_KING.seats:
        state = FOREIGN_KING.new_state(seats)
        for action in actions_in(
            FOREIGN_KING.actions, golden.read(FOREIGN_KING.name, golden.playthrough_file(seats)).splitlines()
        ):
            phases.add(PHASES[state.phase])
            state.apply(action)
        phases.add(PHASES[state.phase])
    assert phases == set(PHASES)
