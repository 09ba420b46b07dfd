"""How the game speaks: its houses, titles, figures and regions in a language."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import cache
from typing import Any, Final

from engine.folder import read_json
from engine.games.rex_romanorum.actions import KINDS
from engine.games.rex_romanorum.board import REGIONS, TITLES
from engine.games.rex_romanorum.view.labels import labels
from engine.kit.sentences import PhraseBook

_TEXTS: Final[Mapping[str, Any]] = read_json(__name__, "tell.json")
_LOWER: Final = ("fr", "it")
"""Languages that write titles with a small letter."""


class Voice(PhraseBook):
    """The sentences of the game in a language."""

    __slots__ = ("_is_lower",)

    def __init__(self, language: str) -> None:
        super().__init__(_TEXTS, language, labels)
        self._is_lower = language in _LOWER

    def house(self, seat: int) -> str:
        """Return the name of the house that a seat plays."""
        return self.names[f"arms_{seat}"]

    def houses(self, seats: Iterable[int]) -> str:
        """Return the names of several houses."""
        return self.joined([self.house(seat) for seat in seats])

    def title(self, title: int) -> str:
        """Return an elector's title as it stands in a sentence."""
        name = self.names[f"title_{TITLES[title]}"]
        return name[0].lower() + name[1:] if self._is_lower else name

    def gold(self, amount: int) -> str:
        """Return an amount of gold."""
        return self.count("gold", amount)

    def kind(self, kind: int) -> str:
        """Return a kind of figure, as many of them as there are."""
        return self._units[KINDS[kind]][1]

    def rolling(self, kind: int, number: int) -> str:
        """Return how many figures of a kind roll, as the subject of a sentence."""
        unit = f"roll_{KINDS[kind]}"
        return self.count(unit if unit in self._units else KINDS[kind], number)

    def figures(self, numbers: Sequence[int]) -> str:
        """Return how many figures of each kind."""
        return self.joined(
            [self.count(letter, number) for letter, number in zip(KINDS, numbers, strict=True) if number]
        )

    def regions(self, regions: Iterable[int]) -> str:
        """Return regions as the object of a sentence."""
        return self.joined([self.the(REGIONS[region]) for region in regions])


@cache
def voice(language: str) -> Voice:
    """Return how the game speaks in a language, English if it does not know it."""
    return Voice(language)
