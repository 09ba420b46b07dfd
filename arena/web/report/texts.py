"""Texts and whole numbers as a report packs them: each text once, word by word, by what mostly follows. Pure."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, Generic, TypeVar

from arena.web.report.coding import Coder, situation

_WORD: Final = re.compile(r" ?(?:[0-9]+|[^\x00-@\[-`{-\x7f]+)|.", re.DOTALL)
"""A number or a word with the space before it, or any other sign."""
_END: Final = 256
T = TypeVar("T")
_REACH: Final = 40
"""So many words ahead a copied text may go on."""


class Numbered(Generic[T]):
    """Numbers what is distinct in the order in which it comes."""

    __slots__ = ("items", "numbers")

    def __init__(self) -> None:
        self.numbers: dict[T, int] = {}
        self.items: list[T] = []

    def number(self, item: T) -> tuple[int, bool]:
        """Return the number of an item, and whether it is new."""
        number = self.numbers.setdefault(item, len(self.items))
        if number < len(self.items):
            return number, False
        self.items.append(item)
        return number, True


class Source:
    """What a text may repeat: words in their order, and how many of them are used up."""

    __slots__ = ("at", "words")

    def __init__(self, words: Sequence[int] = ()) -> None:
        self.words, self.at = words, 0

    def next(self) -> int:
        """Return the word that is expected next; -1 if there is none."""
        return self.words[self.at] if self.at < len(self.words) else -1

    def follow(self, word: int) -> None:
        """Go on behind a word that was said."""
        for at in range(self.at, min(self.at + _REACH, len(self.words))):
            if self.words[at] == word:
                self.at = at + 1
                return


class Texts:
    """Writes texts by their numbers, and those that are new word by word."""

    __slots__ = ("_coder", "_known", "_texts", "_words")

    def __init__(self, coder: Coder) -> None:
        self._coder = coder
        self._texts, self._words = Numbered[str](), Numbered[str]()
        self._known: dict[tuple[int, int], Numbered[int]] = {}
        """What was said of a topic before."""
        self.know("")

    def put(self, field: int, keys: tuple[int, ...], text: str, source: Source, topic: int = 0) -> int:
        """Write a text that was mostly the same in one of the situations `keys`, and return its number.

        A new one may repeat the words of `source`; `topic` is what it is about.
        """
        number, is_new = self._texts.number(text)
        known = self._known.setdefault((field, topic), Numbered())
        here, is_new_here = known.number(number)

        def write() -> None:
            self.choose(field, here, len(known.items) - is_new_here, topic)
            if is_new_here:
                self.choose(field + 6, number, len(self._texts.items) - is_new)
            if is_new:
                self._spell(field, text, source, topic)

        self._coder.guessed(field, keys, number, write, is_new=is_new)
        return number

    def know(self, text: str) -> int:
        """Return the number of a text that the reader knows, too, because it is made of others."""
        return self._texts.number(text)[0]

    def text(self, number: int) -> str:
        """Return the text of a number."""
        return self._texts.items[number]

    def choose(self, field: int, number: int, count: int, topic: int = 0) -> None:
        """Write a number that was not foretold: one of `count` known ones, or, if it is `count`, that it is new."""
        coder = self._coder
        coder.bit(situation(field, -1, topic), number == count)
        if number < count:
            coder.index(situation(field, -2, topic), count, number)

    def words_of(self, text: str) -> list[int]:
        """Return the words of a text that was written; -2 for those that were never written."""
        return [self._words.numbers.get(word, -2) for word in _WORD.findall(text)]

    def _spell(self, field: int, text: str, source: Source, topic: int) -> None:
        before, last = 0, 0
        for word in (*_WORD.findall(text), ""):
            expected = source.next()
            keys = (
                situation(field, -1, expected, last, topic),
                situation(field + 1, -1, before, last, topic),
                situation(field + 2, -1, before, last),
                situation(field + 3, -1, last, topic),
                situation(field + 4, -1, last),
            )
            number = self._word(field + 5, keys, word)
            source.follow(number)
            before, last = last, number

    def _word(self, field: int, keys: tuple[int, ...], word: str) -> int:
        number, is_new = self._words.number(word)

        def write() -> None:
            self.choose(field, number, len(self._words.items) - is_new)
            if is_new:
                self._letters(word)

        self._coder.guessed(field, keys, number, write, is_new=is_new)
        return number

    def _letters(self, word: str) -> None:
        last = 0
        for letter in (*word.encode(errors="replace"), _END):
            self._coder.index(situation(0, last), _END + 1, letter)
            last = letter
