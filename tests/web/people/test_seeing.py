"""What a seat may see and look ahead to: nothing that is hidden from it, and nothing that the referee would not ask."""

from __future__ import annotations

import json
from random import Random

import pytest

from arena.v1 import play_pb2
from arena.web.people.errors import IllegalError
from arena.web.people.look_ahead import look_ahead
from arena.web.people.seat_board import SeatBoard
from engine import registry
from engine.abilities import Move
from engine.core import Game, State
from tests.support.nim import LUCKY_NIM
from tests.support.own_games import OURS


def seen_by(game: Game, state: State, seat: int) -> State:
    return game.observed(game.encode_observation(state, seat)[1]).state


@pytest.mark.parametrize("name", OURS)
@pytest.mark.parametrize("seed", range(3))
def test_what_is_looked_ahead_to_is_what_the_referee_asks(name: str, seed: int) -> None:
    game, random = registry.get(name), Random(seed)
    state, ply, looked = game.new_state(3), 0, 0
    while (seat := state.seat()) is not None and ply < 300:
        action = random.choice(state.legal_actions())
        outlook = look_ahead(game, seen_by(game, state, seat), ply, [action])
        state, ply = state.clone(), ply + 1
        state.apply(action)
        if not outlook.legal:
            continue
        while state.seat() == seat and len(state.legal_actions()) == 1:
            state.apply(state.legal_actions()[0])
            ply += 1
        looked += 1
        assert state.seat() == seat
        assert outlook.state.to_json() == seen_by(game, state, seat).to_json()
        assert outlook.legal == tuple(state.legal_actions())
    assert looked > 10


def test_chance_and_what_is_hidden_are_not_looked_at() -> None:
    rex = registry.get("rex_romanorum")
    state = rex.new_state(3)
    outlook = look_ahead(rex, state, 0, [rex.actions.parse("ACT_ACQUIRE")])
    assert (outlook.legal, outlook.last, outlook.state) == ((), None, state)


def test_an_action_that_is_not_legal_is_refused_wherever_it_stands() -> None:
    game = registry.get("foreign_king")
    build = game.actions.parse("ACT_BUILD")
    for actions in ([-1], [build, build], [build, 10**8]):
        with pytest.raises(IllegalError):
            look_ahead(game, game.new_state(2), 0, actions)


def test_a_seat_sees_a_move_as_the_referee_would_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("arena.web.people.seat_board.registry.get", lambda _name: LUCKY_NIM)
    state = LUCKY_NIM.new_state(3)
    board = SeatBoard(play_pb2.MatchStarted(game="lucky_nim", seat=1, seats=3))
    after = state.clone()
    after.apply(0)
    seen = board.seen_move(Move(state, 0, "TAKE:1", 0, after))
    for shown, true in ((seen.before, state), (seen.after, after)):
        assert shown.observation_json(1) == true.observation_json(1)
        dealt = true.to_json()["cards"]
        hidden = {**true.to_json(), "cards": [dealt[2], dealt[1], dealt[0]]}
        assert board.seen(LUCKY_NIM.state_from_json(hidden)).to_json() == shown.to_json(), "others' cards show nowhere"
    assert json.dumps(seen.after.to_json()["cards"]) == json.dumps(sorted_around(after.to_json()["cards"], 1))


def sorted_around(cards: list[int], seat: int) -> list[int]:
    """The cards with those of others in a fixed order."""
    others = iter(sorted(card for index, card in enumerate(cards) if index != seat))
    return [card if index == seat else next(others) for index, card in enumerate(cards)]
