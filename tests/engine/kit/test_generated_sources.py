"""The committed copies of positions and calls of the rules are what is made of the declarations."""

from __future__ import annotations

from importlib import import_module

import pytest

from engine import registry
from engine.chance import SeededChance
from engine.kit import calling, cloning
from engine.kit.cloning import path_of
from engine.kit.phases import PhasedState, PhaseTable
from engine.playout import positions


@pytest.mark.parametrize("name", registry.single_names())
def test_the_copies_of_a_game_are_what_its_declaration_makes(name: str) -> None:
    package = registry.package_of(name)
    assert path_of(package).read_text(encoding="utf-8") == cloning.source(package)


@pytest.mark.parametrize("name", registry.single_names())
def test_the_calls_of_a_game_are_what_its_phases_make(name: str) -> None:
    package = registry.package_of(name)
    assert path_of(f"{package}.rules", "calls.py").read_text(encoding="utf-8") == calling.source(package)


@pytest.mark.parametrize("name", registry.single_names())
def test_a_call_does_what_the_table_does(name: str) -> None:
    game = registry.get(name)
    table: PhaseTable = import_module(f"{registry.package_of(name)}.rules.phases").TABLE.table
    for seats in game.seats:
        for state in positions(game, seats, seed=5):
            assert isinstance(state, PhasedState)
            phase = state.phase
            legal = table.legal[phase](state)
            assert list(table.legal_in(state)) == list(legal)
            for action in (*legal, -1, len(game.actions), len(game.actions) // 2):
                assert table.is_legal_in(state, action) == table.legality[phase](state, action) == (action in legal)
            if legal:
                called, looked_up = state.clone(SeededChance(3)), state.clone(SeededChance(3))
                table.apply_in(called, legal[-1])
                table.applications[phase][legal[-1]](looked_up, legal[-1])
                assert called == looked_up
