"""What one seat sees of a position that hides something: the words that OpenSpiel has for it, and its own actions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Self

from engine.core import AbilityError, Outcome, State
from engine.openspiel.guessing import sample_of
from engine.openspiel.visible import information_of
from engine.openspiel.wording import words_of
from engine.text import Text

if TYPE_CHECKING:
    from engine.chance import Chance
    from engine.openspiel.game import OpenSpielGame
    from engine.openspiel.state import OpenSpielState


@dataclass(slots=True, eq=False, repr=False)
class SeenState(State):
    """What `observer` sees. It can be looked at and searched from, and not be played on."""

    game: OpenSpielGame
    observer: int
    turn: int | None
    text: str
    legal: Sequence[int]
    """The legal actions if the observer decides, otherwise empty."""
    words: Sequence[str]
    """OpenSpiel's words for the legal actions, if they tell nothing that is hidden."""
    ranks: tuple[int, ...]
    """After the end."""
    sample: tuple[int, ...]
    """The history of a position that looks the same to the observer; empty if the game cannot be searched."""
    knows_last: bool
    """Whether the observer knows which action was the last."""

    def seat(self) -> int | None:
        return self.turn

    def legal_actions(self) -> Sequence[int]:
        """Return the legal actions; while another seat decides, every action that the game has."""
        if self.turn is None or self.turn == self.observer:
            return self.legal
        return range(len(self.game.actions))

    def is_legal(self, action: int) -> bool:
        return action in self.legal_actions()

    def apply_unchecked(self, action: int) -> None:
        del action
        raise AbilityError(
            Text(
                "openspiel.hides_parts_positions_what_one",
                "{name} hides parts of its positions: what one seat sees cannot be played on",
                name=self.game.name,
            )
        )

    def clone(self, chance: Chance | None = None) -> Self:
        del chance
        return replace(self)

    def outcome(self) -> Outcome | None:
        return Outcome(self.ranks) if self.turn is None else None

    def caretaker_action(self) -> int:
        return self.legal_actions()[0]

    def to_json(self) -> dict[str, Any]:
        return {
            "game": self.game.name,
            "seats": self.game.facts.seats,
            "observer": self.observer,
            "turn": self.turn,
            "text": self.text,
            "legal": list(self.legal),
            "words": list(self.words),
            "knows_last_action": self.knows_last,
            "ranks": list(self.ranks),
            "sample": list(self.sample),
        }

    def observation_json(self, seat: int) -> dict[str, Any]:
        del seat
        return self.to_json()


def look(state: OpenSpielState | SeenState, seat: int) -> SeenState:
    """Return what a seat sees of a position."""
    if isinstance(state, SeenState):
        return state
    turn, outcome = state.seat(), state.outcome()
    legal = state.legal_actions() if turn == seat else ()
    text = information_of(state.game.inner, state.inner, seat) or ""
    return SeenState(
        game=state.game,
        observer=seat,
        turn=turn,
        text=text,
        legal=legal,
        words=[words_of(state.inner, action) for action in legal] if state.game.facts.has_fixed_words else (),
        knows_last=seat not in state.hides_action_from(),
        ranks=() if outcome is None else outcome.ranks,
        sample=sample_of(state.game, state.inner, seat, text),
    )
