"""Declared fields: start, JSON, groups of keys, records, the one road for positions, and the sources made of them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from typing import Any, Final

import pytest

from engine import registry
from engine.chance import Chance, SeededChance
from engine.core import InvariantError, Outcome, PositionError
from engine.kit import calling, cloning
from engine.kit.cloning import path_of
from engine.kit.field_codecs import Flag, ListOf, Number, Numbers, Optional, SeatNumber, need, seat_count
from engine.kit.fields import FieldGroup, ObjectForm, PositionForm, stated, unstated
from engine.kit.phases import OVER, Phase, PhasedState, PhaseTable
from engine.playout import positions

PLAY, END = range(2)


@dataclass(slots=True, init=False, eq=False, repr=False)
class Vote:
    """An object with fields of its own; its bounds are those of the position that holds it."""

    asked: tuple[int, ...] = stated(ListOf(SeatNumber(), distinct=True, kind=tuple), start=())
    is_secret: bool = stated(Flag(), key="secret", start=False)


PENDING: Final = FieldGroup("pending", holds=lambda state: state.task > 0)


@dataclass(slots=True, init=False, eq=False, repr=False)
class Table(PhasedState):
    """A position with a field of every sort."""

    seats: int = stated(Number(2, 4))
    phase: int = stated(Number(0, 1), start=PLAY)
    decider: int | None = stated(Optional(SeatNumber()), key="seat", start=0)
    active: int = stated(SeatNumber(), start=0)
    gold: list[int] = stated(Numbers(seat_count, 9), start=lambda state: [5] * state.seats)
    total: int = unstated(lambda state: 5 * state.seats)
    task: int = stated(Number(1, 3), start=0, group=PENDING)
    left: int = stated(Number(0, 9), start=0, group=PENDING, when=lambda state: state.active == 1)
    vote: Vote | None = stated(Optional(ObjectForm(Vote)))
    chance: Chance | None = unstated(None, derived=False)
    legal: Sequence[int] | None = unstated(None, derived=False)

    def clone(self, chance: Chance | None = None) -> Table:
        copy = FORM.read(self.to_json())
        copy.chance = chance
        return copy

    def to_json(self) -> dict[str, Any]:
        return FORM.write(self)


def derive(state: Table) -> None:
    state.total = sum(state.gold)


def check(state: Table) -> None:
    need(state.total <= 30, "gold: more than there is")


FORM: Final = PositionForm(Table, "table", version=2, derive=derive, check=check)
PhaseTable(
    Table,
    ("PLAY", "END"),
    {PLAY: Phase(lambda _: (0, 1), lambda _, action: action in (0, 1), lambda *_: None, caretaker=1), END: OVER},
    actions=2,
    outcome=lambda state: Outcome((1,) * state.seats),
)
START: Final = {
    "game": "table",
    "version": 2,
    "seats": 3,
    "phase": 0,
    "seat": 0,
    "active": 0,
    "gold": [5, 5, 5],
    "pending": None,
    "vote": None,
}


def test_a_position_starts_as_it_is_declared() -> None:
    chance = SeededChance(1)
    state = FORM.start(3, chance=chance)
    assert state.to_json() == START
    assert list(state.to_json()) == list(START), "keys stand in the order of the declaration"
    assert (state.total, state.chance) == (15, chance)


def test_two_positions_share_no_list() -> None:
    FORM.start(3).gold.append(1)
    assert FORM.start(3).gold == [5, 5, 5]


def test_a_number_of_seats_that_is_none_is_refused_before_anything_is_made() -> None:
    with pytest.raises(PositionError, match="seats: expected an integer from 2 to 4"):
        FORM.start(10**9)


@pytest.mark.parametrize(
    "changes",
    [
        {"pending": {"task": 1}},
        {"pending": {"task": 2, "left": 4}, "active": 1, "seat": 1},
        {"vote": {"asked": [2, 0], "secret": True}},
        {"gold": [9, 9, 9], "phase": 1, "seat": None},
    ],
)
def test_groups_and_records_survive_json(changes: dict[str, Any]) -> None:
    state = FORM.read(START | changes)
    assert state.to_json() == START | changes
    assert FORM.settle(state) is state
    FORM.check_invariants(state)


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"version": 1}, "positions of table, version 2"),
        ({"pending": {"action": 1}}, "pending: the key 'task' is missing"),
        ({"pending": {"task": 2}, "active": 1}, "pending: the key 'left' is missing"),
        ({"pending": {"task": 1, "left": 0}}, "pending: there is no key 'left'"),
        ({"pending": {"task": 4}}, "pending.task: expected an integer from 1 to 3"),
        ({"vote": {"asked": [3], "secret": True}}, "vote.asked: expected an integer from 0 to 2"),
        ({"vote": {"asked": []}}, "vote: the key 'secret' is missing"),
        ({"seat": 1}, "seat: in PLAY 0 decides, not 1"),
        ({"phase": 1}, "seat: in END None decides, not 0"),
    ],
)
def test_what_does_not_fit_is_refused_with_its_key(changes: dict[str, Any], message: str) -> None:
    with pytest.raises(PositionError, match=message):
        FORM.read(START | changes)


def test_what_comes_by_the_wire_is_held_to_the_same() -> None:
    state = FORM.start(4)
    state.gold = [9, 9, 9, 9]
    with pytest.raises(PositionError, match="gold: more than there is"):
        FORM.settle(state)
    state.gold = [9, 9, 9, 10]
    with pytest.raises(PositionError, match=r"gold\[3\]: expected an integer from 0 to 9, not 10"):
        FORM.settle(state)
    state.gold, state.task = [5] * 4, 7
    with pytest.raises(PositionError, match=r"pending\.task: expected an integer from 1 to 3"):
        FORM.settle(state)
    state.task, state.vote = 0, Vote()
    state.vote.asked, state.vote.is_secret = (0, 0), False
    with pytest.raises(PositionError, match=r"vote\.asked: something is named twice"):
        FORM.settle(state)


def test_a_field_that_follows_and_is_out_of_step_is_a_bug() -> None:
    state = FORM.start(2)
    state.total = 11
    with pytest.raises(InvariantError, match="total is 11, but 10 follows"):
        FORM.check_invariants(state)


def test_a_state_without_its_phase_table_says_so() -> None:
    class Unmoved(PhasedState):
        clone = Table.clone  # type: ignore[assignment]
        to_json = Table.to_json

    with pytest.raises(NotImplementedError, match="phase table"):
        Unmoved().legal_actions()


def test_the_table_gives_moves_outcome_and_caretaker() -> None:
    state = FORM.start(2)
    assert (state.legal_actions(), state.is_legal(2), state.caretaker_action()) == ((0, 1), False, 1)
    assert state.outcome() is None
    state.phase, state.decider, state.legal = END, None, None
    assert (state.seat(), state.legal_actions(), state.is_legal(0)) == (None, (), False)
    assert state.outcome() == Outcome((1, 1))


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
