"""Bytes as letters that may stand in a script element as they are; `js/letters.js` is the inverse. Pure.

Letters of a file in UTF-8 have seven bits each, which is shorter than base64. Those of a file in UTF-16 have 15.9 bits
of sixteen: a long report is shorter in it, though all else takes two bytes a letter, too. Such a file begins with a
byte order mark, which counts for more in a browser than what a server or a page says of its encoding.
"""

from __future__ import annotations

from typing import Final

from markupsafe import Markup

_BITS: Final = 7
_BYTES: Final = 7
"""So many bytes are eight letters of seven bits."""
_REPLACED: Final = "\0\r\x1b&<"
"""What means something in HTML or to a terminal."""
_ALPHABET: Final = "".join(
    chr(0xC0 + _REPLACED.index(chr(code))) if chr(code) in _REPLACED else chr(code) for code in range(1 << _BITS)
)
_LOW_BYTES: Final = 96
_HIGH_BYTES: Final = 31
"""So many bytes give 64 letters twelve bits each, and so many the digit of each, eight of them for 31 bits."""
_BASE: Final = 15
_FIRST, _SURROGATES, _SKIPPED = 0x400, 0xD800, 0x800
_HEAD: Final = 4
"""Bytes of the length, which comes first."""


def letters(data: bytes, *, wide: bool = False) -> Markup:
    """Return data as letters for a file in UTF-16 if `wide`, else for one in UTF-8."""
    sized = len(data).to_bytes(_HEAD, "big") + data
    return Markup(_wide(sized) if wide else _narrow(sized))


def _narrow(data: bytes) -> str:
    padded = data + bytes(-len(data) % _BYTES)
    count = (8 * len(data) + _BITS - 1) // _BITS
    blocks = (int.from_bytes(padded[at : at + _BYTES], "big") for at in range(0, len(padded), _BYTES))
    return "".join([_ALPHABET[block >> shift & 127] for block in blocks for shift in range(49, -1, -_BITS)])[:count]


def _wide(data: bytes) -> str:
    size = _LOW_BYTES + _HIGH_BYTES
    padded = data + bytes(-len(data) % size)
    return "".join(
        _block(padded[at : at + _LOW_BYTES], padded[at + _LOW_BYTES : at + size]) for at in range(0, len(padded), size)
    )


def _block(low: bytes, high: bytes) -> str:
    pairs = (int.from_bytes(low[at : at + 3], "big") for at in range(0, _LOW_BYTES, 3))
    lows = [half for pair in pairs for half in (pair >> 12, pair & 4095)]
    bits = int.from_bytes(high, "big")
    numbers = (bits >> shift & 0x7FFFFFFF for shift in range(217, -1, -31))
    digits = [number // _BASE**place % _BASE for number in numbers for place in range(7, -1, -1)]
    return "".join([_letter(digit << 12 | rest) for digit, rest in zip(digits, lows, strict=True)])


def _letter(value: int) -> str:
    code = value + _FIRST
    return chr(code if code < _SURROGATES else code + _SKIPPED)
