"""Adaptive binary arithmetic coding: what was often right in a situation costs next to nothing. Pure.

`js/decoding.js` is the inverse, operation by operation: whole numbers below 2**53 and sums, products and quotients of
doubles, which are the same everywhere.

A situation is a number of 32 bits, made by `situation` from whole numbers. Of those that share a place in the tables
one at a time is known; two that are the same number cost a little and break nothing, for who reads does the same.
"""

from __future__ import annotations

from array import array
from collections.abc import Callable, Sequence
from typing import Final

_A, _B, _C, _D, _E, _F = 0x9E3779B1, 0x85EBCA77, 0xC2B2AE3D, 0x27D4EB2F, 0x165667B1, 0xB5297A4D
_WHOLE: Final = 0xFFFFFFFF
_GUESSES: Final = 3
"""So many symbols are remembered of a situation, the last first."""
_PLACE: Final = _GUESSES + 1
"""What is kept of a situation: the symbols, and in one number which it is and how often the first came in a row.

A situation that finds its place taken waits until the one there was met that often by others.
"""
_ORDERS: Final = 8
"""So many situations at most foretell a symbol together."""
_SURE: Final = 12
_RUN_BITS: Final = 4
_SURE_BITS: Final = 15
_SLOWEST: Final = 60
_NARROW: Final = 3
"""So many leading bits of a number learn, those behind hardly do."""
_P_MIN: Final = 32
_P_MAX: Final = 65536 - _P_MIN
_TRIED: Final = 4
_PACES: Final = tuple(1.5 + times for times in range(_SLOWEST + 1))
SIZES: Final = range(12, 22)
"""Tables hold a power of two of situations: from 4096 to two millions, which take 44 MB in a browser."""


def situation(a: int, b: int = 0, c: int = 0, d: int = 0, e: int = 0, f: int = 0) -> int:
    """Return the number of a situation, told by up to six whole numbers."""
    return a * _A + b * _B + c * _C + d * _D + e * _E + f * _F & _WHOLE


def size_for(frames: int) -> int:
    """Return which of SIZES fits so many frames: some thirty situations each are worth to be remembered."""
    return min(max((32 * frames).bit_length(), SIZES[0]), SIZES[-1])


class Coder:
    """Writes bits, numbers and symbols, each as what is expected in its situation; `data` ends it."""

    __slots__ = ("_chances", "_guesses", "_high", "_low", "_out", "_shift", "_times")

    def __init__(self, size: int) -> None:
        """Make tables of a size among SIZES."""
        self._low, self._high, self._out = 0, _WHOLE, bytearray()
        self._shift = 32 - size
        self._chances = array("f", [0.5]) * (1 << size)
        self._times = bytearray(1 << size)
        self._guesses = array("i", [0]) * (_PLACE << size)

    def data(self) -> bytes:
        """Return all that was written; more may follow, for which all is returned again."""
        return bytes(self._out) + self._high.to_bytes(4, "big")

    def bit(self, key: int, bit: int) -> None:
        """Write a bit in a situation."""
        at = key >> self._shift
        chance = self._chances[at]
        share = int(chance * 65536)
        if share < _P_MIN:
            share = _P_MIN
        elif share > _P_MAX:
            share = _P_MAX
        low, high = self._low, self._high
        times = self._times[at]
        if bit:
            high = low + ((high - low) * share >> 16)
            self._chances[at] = chance + (1.0 - chance) / _PACES[times]
        else:
            low += ((high - low) * share >> 16) + 1
            self._chances[at] = chance - chance / _PACES[times]
        if times < _SLOWEST:
            self._times[at] = times + 1
        while (low ^ high) < 1 << 24:
            self._out.append(high >> 24)
            low = low << 8 & _WHOLE
            high = high << 8 & _WHOLE | 255
        self._low, self._high = low, high

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
        shift, wanted = self._shift, symbol + 1
        mask = (1 << shift) - 1
        places = [((key >> shift) * _PLACE, (key & mask) << _RUN_BITS) for key in keys]
        if not self._finds(field, places, 0 if is_new else wanted):
            tell()
        self._learn(places, wanted)

    def _finds(self, field: int, places: Sequence[tuple[int, int]], wanted: int) -> bool:
        guesses, tried, key = self._guesses, list[int](), field * _ORDERS * _A
        for at, check in places:
            run = guesses[at + _GUESSES] - check
            if 0 <= run <= _SURE:
                seen = key + run * _C
                for guess in guesses[at : at + _GUESSES]:
                    if not guess:
                        break
                    if guess not in tried:
                        self.bit(seen + min(len(tried), _TRIED) * _D & _WHOLE, guess == wanted)
                        if guess == wanted:
                            return True
                        tried.append(guess)
                    seen += _B
            key += _A
        return False

    def _learn(self, places: Sequence[tuple[int, int]], wanted: int) -> None:
        """Remember what came in these situations, as the first of what is expected there."""
        guesses = self._guesses
        for at, check in reversed(places):
            run = guesses[at + _GUESSES] - check
            if not 0 <= run <= _SURE:
                self._meet(at, check, wanted)
            elif guesses[at] != wanted:
                if guesses[at + 1] != wanted:
                    guesses[at + 2] = guesses[at + 1]
                guesses[at + 1], guesses[at], guesses[at + _GUESSES] = guesses[at], wanted, check
            elif run < _SURE:
                guesses[at + _GUESSES] += 1

    def _meet(self, at: int, check: int, wanted: int) -> None:
        """Remember a situation that is not known, unless another that proved right has its place."""
        guesses = self._guesses
        if guesses[at + _GUESSES] & _SURE_BITS:
            guesses[at + _GUESSES] -= 1
        else:
            guesses[at], guesses[at + 1], guesses[at + 2], guesses[at + _GUESSES] = wanted, 0, 0, check
