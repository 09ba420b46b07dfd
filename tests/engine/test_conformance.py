"""Every registered game keeps the contract, and the checks of it see a game that does not."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import pytest

from engine import registry
from engine.abilities import Playable
from engine.chance import Chance
from engine.conformance import Case, ConformanceError, cases, check_game
from engine.core import EngineError, Game, Observation
from tests.support.nim import NIM, Nim, NimState


def tiered(name: str) -> Iterator[Any]:
    """Every check of a game with the fewest and with the most seats, which repeat what was checked with the fewest."""
    game = registry.get(name)
    many = f"{name}-{game.seats[-1]}-"
    for case in cases(game):
        if not case.name.startswith(tuple(f"{name}-{seats}-" for seats in game.seats[1:-1])):
            yield pytest.param(case, marks=[pytest.mark.needs("minutes")] if case.name.startswith(many) else [])


@pytest.mark.parametrize("case", [case for name in registry.single_names() for case in tiered(name)], ids=str)
def test_a_game_keeps_the_contract(case: Case) -> None:
    case()


def test_one_call_checks_a_whole_game() -> None:
    check_game(NIM)


def refused_by(game: Game) -> set[str]:
    """The checks that the game does not pass, without its name and seats."""
    found = set()
    for case in cases(game):
        try:
            case()
        except ConformanceError:
            found.add(case.name.rpartition("-")[2])
    return found


def allows_too_much(state: NimState, action: int) -> bool:
    del state
    return 0 <= action < 3


CLONE = NimState.clone


def clone_wrongly(state: NimState, chance: Chance | None = None) -> NimState:
    copy = CLONE(state, chance)
    copy.turn += 1
    return copy


def shows_more(state: NimState, seat: int) -> dict[str, Any]:
    return {**state.to_json(), "you": seat}


@pytest.mark.parametrize(
    ("name", "broken", "check"),
    [
        ("is_legal", allows_too_much, "is_legal_agrees_with_the_list"),
        ("clone", clone_wrongly, "a_clone_is_equal_and_goes_its_own_way"),
        ("observation_json", shows_more, "what_is_hidden_is_said_to_be"),
        ("caretaker_action", lambda _state: 3, "the_caretaker_plays_legally_to_the_end"),
        ("legal_actions", lambda _state: [2, 1, 0], "legal_actions_are_sorted_and_empty_only_at_the_end"),
    ],
)
def test_a_position_that_breaks_the_contract_is_seen(
    name: str, broken: Callable[..., Any], check: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(NimState, name, broken)
    with pytest.raises(EngineError):
        next(case for case in cases(NIM) if case.name == f"nim-2-{check}")()


class Careless(Nim):
    """Takes any bytes, has a longer playing than it says, and values a position by no number from 0 to 1."""

    def __init__(self) -> None:
        super().__init__("nim", "Nim", is_lucky=False)
        self.max_plies = 3

    def observed(self, message: bytes) -> Observation:
        del message
        return Observation(self.new_state(2), 0)

    @property
    def playable(self) -> Playable:
        return Playable(evaluate_all=lambda state: [2.0] * state.seats)


def test_a_game_that_breaks_the_contract_is_seen() -> None:
    assert refused_by(Careless()) == {
        "a_determinized_position_looks_the_same_to_the_seat",
        "bytes_that_are_no_observation_are_refused",
        "evaluation_lies_between_lost_and_won_and_is_exact_at_the_end",
        "playings_are_bounded_and_ranked",
        "quick_actions_play_to_the_end",
        "the_caretaker_plays_legally_to_the_end",
        "the_wire_carries_the_observation",
    }
