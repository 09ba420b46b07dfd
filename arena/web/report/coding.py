"""Adaptive binary arithmetic coding: what was often right in a situation costs next to nothing. Pure.

`js/decoding.js` is the inverse, operation by operation: whole numbers below 2**53 and sums, products and quotients of
doubles, which are the same everywhere.

A situation is a number of 32 bits, made by `situation` from whole numbers; two may share a place in the tables, which
costs a little and breaks nothing, for who reads does the same.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable
from typing import Final

_FACTORS: Final = (0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1, 0xB5297A4D)
_WHOLE: Final = 0xFFFFFFFF
_BIT_SHIFT: Final = 11
"""2**21 situations of single bits."""
_GUESS_SHIFT: Final = 9
"""2**23 situations of symbols."""
_GUESSES: Final = 3
"""So many symbols are remembered of a situation, the last first."""
_ORDERS: Final = 8
"""So many situations at most foretell a symbol together."""
_SURE: Final = 12
_SLOWEST: Final = 61.5
_NARROW: Final = 3
"""So many leading bits of a number learn, those behind hardly do."""
_P_MIN: Final = 32
_P_ONE: Final = 65536
_TRIED: Final = 4


def situation(*numbers: int) -> int:
    """Return the number of a situation, told by up to six whole numbers."""
    total = 0
    for number, factor in zip(numbers, _FACTORS, strict=False):
        total += number * factor
    return total & _WHOLE


class Coder:
    """Writes bits, numbers and symbols, each as what is expected in its situation; `data` ends it."""

    __slots__ = ("_chances", "_guesses", "_high", "_low", "_out", "_paces", "_runs")

    def __init__(self) -> None:
        self._low, self._high, self._out = 0, _WHOLE, bytearray()
        self._chances = array("d", [0.5]) * (1 << (32 - _BIT_SHIFT))
        self._paces = array("d", [1.5]) * (1 << (32 - _BIT_SHIFT))
        self._guesses = array("i", [0]) * (_GUESSES << (32 - _GUESS_SHIFT))
        self._runs = bytearray(1 << (32 - _GUESS_SHIFT))

    def data(self) -> bytes:
        """Return all that was written; more may follow, for which all is returned again."""
        return bytes(self._out) + self._high.to_bytes(4, "big")

    def bit(self, key: int, bit: int) -> None:
        """Write a bit in a situation."""
        at = key >> _BIT_SHIFT
        chance = self._chances[at]
        middle = (
            self._low + (self._high - self._low) * min(max(int(chance * _P_ONE), _P_MIN), _P_ONE - _P_MIN) // _P_ONE
        )
        if bit:
            self._high = middle
        else:
            self._low = middle + 1
        pace = self._paces[at]
        self._chances[at] = chance + ((1.0 if bit else 0.0) - chance) / pace
        if pace < _SLOWEST:
            self._paces[at] = pace + 1.0
        while (self._low ^ self._high) < 1 << 24:
            self._out.append(self._high >> 24)
            self._low = self._low << 8 & _WHOLE
            self._high = (self._high << 8 & _WHOLE) | 255

    def number(self, key: int, number: int) -> None:
        """Write a whole number: how long it is, then its bits."""
        rest = 2 * number + 1 if number >= 0 else -2 * number
        length = rest.bit_length()
        for at in range(1, length):
            self.bit(situation(key, at), 1)
        self.bit(situation(key, length), 0)
        for place in range(length - 2, -1, -1):
            seen = rest >> place + 1 if length - 2 - place < _NARROW else 0
            self.bit(situation(key, length, seen, place), rest >> place & 1)

    def index(self, key: int, count: int, number: int) -> None:
        """Write one of the numbers from 0 below `count`."""
        node = 1
        for place in range((count - 1).bit_length() - 1, -1, -1):
            bit = number >> place & 1
            self.bit(situation(key, node), bit)
            node = 2 * node + bit

    def guessed(
        self, field: int, keys: tuple[int, ...], symbol: int, tell: Callable[[], None], *, is_new: bool = False
    ) -> None:
        """Write a symbol from 0 on by the first of the situations that foretells it; if none does, `tell` writes it.

        After that, all of them expect it. One that is new to the reader is always told: what seems to foretell it
        stands there for another situation.
        """
        if not self._finds(field, keys, 0 if is_new else symbol + 1):
            tell()
        for key in keys:
            self._learn(key >> _GUESS_SHIFT, symbol + 1)

    def _finds(self, field: int, keys: tuple[int, ...], wanted: int) -> bool:
        guesses, tried = self._guesses, list[int]()
        for order, key in enumerate(keys):
            place = key >> _GUESS_SHIFT
            run = self._runs[place]
            for rank, guess in enumerate(guesses[_GUESSES * place : _GUESSES * (place + 1)]):
                if not guess:
                    break
                if guess in tried:
                    continue
                where = situation(field * _ORDERS + order, rank, run, min(len(tried), _TRIED))
                self.bit(where, guess == wanted)
                if guess == wanted:
                    return True
                tried.append(guess)
        return False

    def _learn(self, place: int, wanted: int) -> None:
        """Remember what came in a situation, as the first of what is expected there."""
        guesses, first = self._guesses, _GUESSES * place
        if guesses[first] == wanted:
            self._runs[place] = min(self._runs[place] + 1, _SURE)
            return
        self._runs[place] = 0
        rank = 1
        while rank < _GUESSES - 1 and guesses[first + rank] != wanted:
            rank += 1
        guesses[first + 1 : first + rank + 1] = guesses[first : first + rank]
        guesses[first] = wanted
