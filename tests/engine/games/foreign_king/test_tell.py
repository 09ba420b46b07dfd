"""Moves in words: what an action meant, and what the King's arrival brought."""

from engine.abilities import Move
from engine.games.foreign_king import GAME
from engine.games.foreign_king import state as at
from engine.games.foreign_king.view import SHOWN
from tests.engine.games.foreign_king.table import lay


def told(state: at.ForeignKingState, line: str, language: str = "en") -> list[str]:
    """What is told of the last action of a line."""
    for name in line.split():
        before, action = state.clone(), GAME.actions.parse(name)
        state.apply(action)
        move = Move(before, action, name, before.seat() or 0, state)
    return list(SHOWN.tell(move, language))


def test_the_king_is_told_with_what_he_brings() -> None:
    state = lay(3, discs={"LIE": [2, 1]}, factories={"LIE": "MT"})
    assert told(state, "ACT_KING KING_TO:LIE") == [
        "A leads the King out of his portrait to Liège.",
        "The marker falls to 29.",
        "A has the majority in Liège and scores 9 points.",
        "The active factories there are closed.",
    ]


def test_nobody_scores_without_a_majority() -> None:
    state = lay(3, discs={"LIE": [1, 1]}, factories={"LIE": "M"})
    assert told(state, "ACT_KING KING_TO:LIE")[-1] == "Nobody has the majority in Liège: nobody scores."
    assert told(state, "INACT_METAL", "de") == ["A legt in Lüttich eine Metallfabrik still."]


def test_what_a_move_costs_is_told_with_its_last_step() -> None:
    state = lay(3, discs={"HAI": [3]})
    assert told(state, "ACT_MOVE MOVE_FROM:HAI MOVE_TO:NAM", "fr") == ["A déplace 1 citoyen du Hainaut à Namur."]
    assert told(state, "MOVE_OFF MOVE_STOP") == ["A moves nobody else.", "The moves cost A 1 Franc."]


def test_the_virtual_player_is_scored_beside_the_seats() -> None:
    state = GAME.new_state(2)
    assert SHOWN.scoring(state, "en") == ()
    while state.seat() is not None:
        state.apply(state.caretaker_action() if len(state.legal_actions()) < 3 else state.legal_actions()[-1])
    steps, outcome = SHOWN.scoring(state, "it"), state.outcome()
    assert outcome is not None
    assert steps[-1].others == ("Giocatore virtuale",)
    assert list(steps[-1].sums) == [*outcome.details["scores"], outcome.details["virtual"]["score"]]
