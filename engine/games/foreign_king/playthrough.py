"""A playing as readable text: every decision with its legal actions, the table at the start of every round."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator

from engine.games.foreign_king.actions import ACTIONS
from engine.games.foreign_king.game import ForeignKing
from engine.games.foreign_king.labels import labels
from engine.games.foreign_king.state import ForeignKingState
from engine.games.foreign_king.view import render_text, status

CHOSEN = "> "
"""What a line with the action taken starts with."""

Policy = Callable[[ForeignKingState], int]


def playthrough(seats: int, choose: Policy) -> Iterator[str]:
    """The lines of a playing from its start to its end, `choose` deciding for every seat."""
    game = ForeignKing()
    state = game.new_state(seats)
    yield f"{game.title}, rules version {game.rules_version}, {seats} seats, default options"
    shown = 0
    while state.seat() is not None:
        if state.round != shown:
            shown = state.round
            yield from ("", "-" * 60, *render_text(state, "en").splitlines())
        yield ""
        yield status(state, labels("en"))
        yield "  " + " ".join(ACTIONS.names[action] for action in state.legal_actions())
        action = choose(state)
        yield CHOSEN + ACTIONS.names[action]
        state.apply(action)
    yield from ("", "-" * 60, *render_text(state, "en").splitlines())
    yield from ("", *json.dumps(_outcome(state), indent=1).splitlines())


def _outcome(state: ForeignKingState) -> dict[str, object]:
    outcome = state.outcome()
    assert outcome is not None
    return {"ranks": list(outcome.ranks), **outcome.details}


def actions_in(lines: Iterable[str]) -> Iterator[int]:
    """The actions taken in the lines of a playthrough."""
    return (ACTIONS.parse(line.removeprefix(CHOSEN).rstrip("\n")) for line in lines if line.startswith(CHOSEN))
