"""How the game speaks: its colours, places and amounts in a language."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import Any, Final

from engine.folder import read_json
from engine.games.foreign_king.board import PROVINCES
from engine.games.foreign_king.state import VIRTUAL, ForeignKingState
from engine.games.foreign_king.view.labels import labels
from engine.games.foreign_king.view.text import letter_of
from engine.kit.sentences import PhraseBook

_TEXTS: Final[Mapping[str, Any]] = read_json(__name__, "tell.json")


class Voice(PhraseBook):
    """The sentences of the game in a language."""

    __slots__ = ()

    def __init__(self, language: str) -> None:
        super().__init__(_TEXTS, language, labels)

    def colour(self, state: ForeignKingState, colour: int) -> str:
        """Return how a colour is called: the letter of its tokens, or the virtual player."""
        return self.phrase("virtual") if state.seats == 2 and colour == VIRTUAL else letter_of(state, colour)

    def in_province(self, province: int) -> str:
        """Return a province where something is."""
        return self.at(PROVINCES[province])

    def from_province(self, province: int) -> str:
        """Return a province from where something comes."""
        return self.out_of(PROVINCES[province])

    def to_province(self, province: int) -> str:
        """Return a province where something goes."""
        return self.into(PROVINCES[province])


@cache
def voice(language: str) -> Voice:
    """Return how the game speaks in a language, English if it does not know it."""
    return Voice(language)
