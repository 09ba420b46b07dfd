"""The translation between UCI moves and OpenSpiel's ids, held to OpenSpiel itself."""

from collections.abc import Iterator
from random import Random
from typing import Any

import pytest

from bots.uci.bot import BLACK, WHITE, Pawns

GAMES = 30


def start() -> Any:
    import pyspiel  # which may be missing

    return pyspiel.load_game("chess").new_initial_state()


def playings() -> Iterator[tuple[Pawns, int, Any]]:
    """The positions of random games, with what the translation remembers and who moves."""
    random = Random(1)
    for _ in range(GAMES):
        state, pawns, ply = start(), Pawns(), 0
        while not state.is_terminal():
            yield pawns, ply % 2, state
            action = random.choice(state.legal_actions())
            pawns.play(pawns.written(action, ply % 2))
            state.apply_action(action)
            ply += 1


def after(*moves: str) -> tuple[Pawns, Any]:
    """The position behind these moves from the start."""
    state, pawns = start(), Pawns()
    for move in moves:
        state.apply_action(state.parse_move_to_action(move))
        pawns.play(move)
    return pawns, state


def test_every_legal_move_of_random_games_is_written_as_openspiel_writes_it_and_read_back() -> None:
    from pyspiel import chess

    kinds = set()
    for pawns, colour, state in playings():
        board, legal = state.board(), state.legal_actions()
        for action in legal:
            move = chess.action_to_move(action, board)
            assert pawns.written(action, colour) == move.to_lan()
            assert pawns.action(move.to_lan(), colour, legal) == action
            kinds.add((colour, "castling" if move.is_castling() else move.to_lan()[4:]))
    assert kinds >= {(colour, kind) for colour in (WHITE, BLACK) for kind in ("castling", "q", "r", "b", "n", "")}


NEAR_PROMOTION = ("a2a4", "h7h5", "a4a5", "h5h4", "a5a6", "h4h3", "a6b7", "h3g2")


@pytest.mark.parametrize(
    ("moves", "text"),
    [
        ((), "e2e5"),
        ((), "e7e5"),
        ((), "e2e4q"),
        ((), "a2a3q"),
        ((), ""),
        ((), "(none)"),
        ((), "0000"),
        ((), "e1g1"),
        ((), "Nf3"),
        ((), "e2e4 "),
        ((), "E2E4"),
        ((), "e2e4\x00"),
        (NEAR_PROMOTION, "b7a8"),
        (NEAR_PROMOTION, "b7a8k"),
        (NEAR_PROMOTION, "b7a8Q"),
        (NEAR_PROMOTION, "b7b8q"),
    ],
)
def test_what_is_no_legal_move_stands_for_no_action(moves: tuple[str, ...], text: str) -> None:
    pawns, state = after(*moves)
    assert pawns.action(text, len(moves) % 2, state.legal_actions()) is None


@pytest.mark.parametrize("letter", ["q", "r", "b", "n"])
def test_a_pawn_becomes_what_its_letter_says(letter: str) -> None:
    pawns, state = after(*NEAR_PROMOTION)
    action = pawns.action(f"b7a8{letter}", WHITE, state.legal_actions())
    assert action == state.parse_move_to_action(f"b7a8{letter}")


def test_a_rook_that_goes_from_where_a_pawn_was_taken_in_passing_is_no_pawn() -> None:
    moves = ("e2e4", "a7a5", "e4e5", "d7d5", "e5d6", "a5a4", "d6c7", "a8a5", "h2h3", "a5d5", "h3h4")
    pawns, state = after(*moves)  # the rook stands where the pawn was
    (action,) = (action for action in state.legal_actions() if pawns.written(action, BLACK) == "d5d3")
    assert action == state.parse_move_to_action("d5d3")


def test_an_id_that_no_move_has_is_an_error() -> None:
    with pytest.raises(KeyError):
        Pawns().written(4674, WHITE)
